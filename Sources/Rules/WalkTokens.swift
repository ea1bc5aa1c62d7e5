// The first half of the walk: which known keys stand where, and what may stand anywhere.

import APNs
import JSON

extension Walk {
  /// Finds the known keys of root, `aps`, alert and sound, and on the way whether one of these objects has a key twice: a
  /// known key then comes more often than it has places, an unknown one is looked for by `duplicates`. Every token is
  /// seen once, and only where one looks odd does `everyToken` look again.
  func collect(_ document: Document, _ scene: inout Scene, _ pending: inout Pending) {
    let root = scene.payload
    var node = root &+ 1
    let end = document.following(root)
    var count = 0
    var known = 0
    var marks: UInt64 = 0
    var isSuspect = false
    while node < end {
      let value = node &+ 1
      let key = document.token(node)
      let token = document.token(value)
      let index = finder.index(document, node, key, .root)
      if index >= 0 {
        scene.setRoot(index, value)
        if rules.isOfInterest(Place.rootBase &+ index, document.kinds(token)) { pending.root |= 1 << UInt32(index) }
        known &+= 1
        if index != RootKey.aps.index, isOdd(document, value, token) { pending.isSuspect = true }
      } else {
        let bit: UInt64 = 1 << UInt64(document.mark(key) & 63)
        if marks & bit != 0 || key.hasEscapes { isSuspect = true }
        marks |= bit
        takeCustom(document, &scene, &pending, node)
      }
      count &+= 1
      node = token.next
    }
    scene.rootCount = count
    if known != scene.rootMask.nonzeroBitCount {
      isSuspect = true
      pending.isSuspect = true
    }
    if isSuspect { exactDuplicates(document, &scene, root) }
    guard let aps = scene.root(.aps) else { return }
    if document.what(aps) == .object {
      collectAPS(document, &scene, &pending, aps)
    } else if isOddWithinAPS(document, aps, document.token(aps)) {
      pending.isSuspect = true
    }
  }

  /// A key of the app's own, at the root.
  @inline(__always)
  private func takeCustom(_ document: Document, _ scene: inout Scene, _ pending: inout Pending, _ node: Int) {
    let token = document.token(node &+ 1)
    if rootNames.isNotable(document, node), scene.rootUnknown.count < Scene.unknownLimit {
      scene.rootUnknown.append(node)
    }
    if token.kind == .null { rules.visit(.rootNull, document, &scene, node &+ 1) }
    if isOddKey(document, document.token(node)) || isOdd(document, node &+ 1, token) { pending.isSuspect = true }
  }

  private func collectAPS(_ document: Document, _ scene: inout Scene, _ pending: inout Pending, _ aps: Int) {
    var node = aps &+ 1
    let end = document.following(aps)
    var count = 0
    while node < end {
      let value = node &+ 1
      let token = document.token(value)
      let index = finder.index(document, node, document.token(node), .aps)
      if index >= 0 {
        scene.setAPS(index, value)
        if rules.isOfInterest(Place.apsBase &+ index, document.kinds(token)) { pending.aps |= 1 << UInt32(index) }
        let isObject = token.kind == .object && (index == APSKey.alert.index || index == APSKey.sound.index)
        if !isObject, isOddWithinAPS(document, value, token) { pending.isSuspect = true }
      } else {
        pending.isSuspect = true
        if scene.apsUnknown.count < Scene.unknownLimit { scene.apsUnknown.append(node) }
      }
      count &+= 1
      node = token.next
    }
    scene.apsCount = count
    if count != scene.apsMask.nonzeroBitCount {
      // Of two alerts only one is collected.
      pending.isSuspect = true
      duplicates(document, &scene, aps)
    }
    if let alert = scene.aps(.alert), document.what(alert) == .object {
      collectAlert(document, &scene, &pending, alert)
    }
    if let sound = scene.aps(.sound), document.what(sound) == .object {
      collectSound(document, &scene, &pending, sound)
    }
  }

  private func collectAlert(_ document: Document, _ scene: inout Scene, _ pending: inout Pending, _ alert: Int) {
    var node = alert &+ 1
    let end = document.following(alert)
    var count = 0
    while node < end {
      let value = node &+ 1
      let token = document.token(value)
      let index = finder.index(document, node, document.token(node), .alert)
      if index >= 0 {
        scene.setAlert(index, value)
        if isOddWithinAPS(document, value, token) { pending.isSuspect = true }
      } else {
        pending.isSuspect = true
        if scene.alertUnknown.count < Scene.unknownLimit { scene.alertUnknown.append(node) }
      }
      count &+= 1
      node = token.next
    }
    if count != scene.alertMask.nonzeroBitCount { duplicates(document, &scene, alert) }
  }

  private func collectSound(_ document: Document, _ scene: inout Scene, _ pending: inout Pending, _ sound: Int) {
    var node = sound &+ 1
    let end = document.following(sound)
    var count = 0
    while node < end {
      let value = node &+ 1
      let token = document.token(value)
      let index = finder.index(document, node, document.token(node), .sound)
      if index >= 0 {
        scene.setSound(index, value)
        if isOddWithinAPS(document, value, token) { pending.isSuspect = true }
      } else {
        pending.isSuspect = true
        if scene.soundUnknown.count < Scene.unknownLimit { scene.soundUnknown.append(node) }
      }
      count &+= 1
      node = token.next
    }
    if count != scene.soundMask.nonzeroBitCount { duplicates(document, &scene, sound) }
  }

  /// What may stand anywhere: doubled keys, escapes of five digits, card numbers, secrets, an `aps` too deep.
  func everyToken(_ document: Document, _ scene: inout Scene) {
    let end = document.following(scene.payload)
    guard let aps = scene.root(.aps), !scene.isLive else {
      return custom(document, &scene, scene.payload &+ 1, end)
    }
    // Apple's own keys name no secrets; an activity's state is the app's data.
    custom(document, &scene, scene.payload &+ 1, aps &- 1)
    own(document, &scene, aps, document.following(aps))
    custom(document, &scene, document.following(aps), end)
  }

  /// Tokens of `aps` in an ordinary push.
  private func own(_ document: Document, _ scene: inout Scene, _ start: Int, _ end: Int) {
    var node = start
    while node < end {
      let token = document.token(node)
      let kind = token.kind
      if kind == .string {
        if token.hasExtendedGreekEscape, document.hasFiveDigitEscape(node) {
          rules.visit(.fiveDigits, document, &scene, node)
        }
        if token.isKey, token.end &- token.start == 5 { checkNested(document, &scene, node) }
      } else if kind == .object, !isCollected(scene, node) {
        duplicates(document, &scene, node)
      }
      node &+= 1
    }
  }

  /// Tokens of the app's own data.
  private func custom(_ document: Document, _ scene: inout Scene, _ start: Int, _ end: Int) {
    var node = start
    while node < end {
      let token = document.token(node)
      let kind = token.kind
      if kind == .string {
        if token.hasExtendedGreekEscape, document.hasFiveDigitEscape(node) {
          rules.visit(.fiveDigits, document, &scene, node)
        }
        let length = token.end &- token.start &- 2
        if token.isKey {
          if length == 3 { checkNested(document, &scene, node) }
          if length >= 3, document.mayNameSecret(token, document.word(token.start &+ 1)) {
            rules.visit(.secretKey, document, &scene, node)
          }
        } else if length == 15 || length == 16, document.byte(token.start &+ 1) &- 0x30 <= 9 {
          rules.visit(.digits, document, &scene, node)
        }
      } else if kind == .object, !isCollected(scene, node) {
        duplicates(document, &scene, node)
      }
      node &+= 1
    }
  }

  /// Whether `collect` has looked for doubles in this object.
  @inline(__always)
  private func isCollected(_ scene: borrowing Scene, _ node: Int) -> Bool {
    node == scene.root(.aps) || node == scene.aps(.alert) || node == scene.aps(.sound)
  }

  @inline(__always)
  private func checkNested(_ document: Document, _ scene: inout Scene, _ key: Int) {
    guard !scene.sawNestedAPS, document.equals(key, "aps"), scene.root(.aps) != key &+ 1 else { return }
    scene.sawNestedAPS = true
    rules.visit(.nested, document, &scene, key)
  }

  /// A small set of marks finds almost all objects without doubles; only the others are compared key by key.
  private func duplicates(_ document: Document, _ scene: inout Scene, _ object: Int) {
    var marks: UInt64 = 0
    var key = object &+ 1
    let end = document.following(object)
    while key < end {
      let name = document.token(key)
      let bit: UInt64 = 1 << UInt64(document.mark(name) & 63)
      if marks & bit != 0 || name.hasEscapes { return exactDuplicates(document, &scene, object) }
      marks |= bit
      key = document.token(key &+ 1).next
    }
  }

  private func exactDuplicates(_ document: Document, _ scene: inout Scene, _ object: Int) {
    if let pair = document.firstDuplicateKey(in: object) { rules.visit(.duplicate, document, &scene, pair.second) }
  }
}
