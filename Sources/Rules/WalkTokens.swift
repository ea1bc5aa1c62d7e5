// The first half of the walk: which known keys stand where, and what may stand anywhere.

import APNs
import JSON

extension Walk {
  /// Finds the known keys of root, `aps`, alert and sound, and on the way whether one of these objects has a key twice: a
  /// known key then comes more often than it has places, an unknown one is looked for by `duplicates`.
  func collect(_ document: Document, _ scene: inout Scene) {
    let root = scene.payload
    var key = root &+ 1
    let end = document.following(root)
    var count = 0
    var known = 0
    var marks: UInt64 = 0
    var isSuspect = false
    while key < end {
      let value = key &+ 1
      if let index = rootTable.index(document, key) {
        scene.setRoot(index, value)
        known &+= 1
      } else {
        let name = document.token(key)
        let bit: UInt64 = 1 << UInt64(document.mark(name) & 63)
        if marks & bit != 0 || name.hasEscapes { isSuspect = true }
        marks |= bit
        if rootNames.isNotable(document, key), scene.rootUnknown.count < Scene.unknownLimit {
          scene.rootUnknown.append(key)
        }
        if document.what(value) == .null { rules.visit(.rootNull, document, &scene, value) }
      }
      count &+= 1
      key = document.following(value)
    }
    scene.rootCount = count
    if isSuspect || known != scene.rootMask.nonzeroBitCount { exactDuplicates(document, &scene, root) }
    guard let aps = scene.root(.aps), document.what(aps) == .object else { return }
    collectAPS(document, &scene, aps)
  }

  private func collectAPS(_ document: Document, _ scene: inout Scene, _ aps: Int) {
    var key = aps &+ 1
    let end = document.following(aps)
    var count = 0
    while key < end {
      let value = key &+ 1
      if let index = apsTable.index(document, key) {
        scene.setAPS(index, value)
      } else if scene.apsUnknown.count < Scene.unknownLimit {
        scene.apsUnknown.append(key)
      }
      count &+= 1
      key = document.following(value)
    }
    scene.apsCount = count
    if count != scene.apsMask.nonzeroBitCount { duplicates(document, &scene, aps) }
    if let alert = scene.aps(.alert), document.what(alert) == .object {
      collectAlert(document, &scene, alert)
    }
    if let sound = scene.aps(.sound), document.what(sound) == .object {
      collectSound(document, &scene, sound)
    }
  }

  private func collectAlert(_ document: Document, _ scene: inout Scene, _ alert: Int) {
    var key = alert &+ 1
    let end = document.following(alert)
    var count = 0
    while key < end {
      let value = key &+ 1
      if let index = alertTable.index(document, key) {
        scene.setAlert(index, value)
      } else if scene.alertUnknown.count < Scene.unknownLimit {
        scene.alertUnknown.append(key)
      }
      count &+= 1
      key = document.following(value)
    }
    if count != scene.alertMask.nonzeroBitCount { duplicates(document, &scene, alert) }
  }

  private func collectSound(_ document: Document, _ scene: inout Scene, _ sound: Int) {
    var key = sound &+ 1
    let end = document.following(sound)
    var count = 0
    while key < end {
      let value = key &+ 1
      if let index = soundTable.index(document, key) {
        scene.setSound(index, value)
      } else if scene.soundUnknown.count < Scene.unknownLimit {
        scene.soundUnknown.append(key)
      }
      count &+= 1
      key = document.following(value)
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
        if token.hasEscapes, document.hasFiveDigitEscape(node) { rules.visit(.fiveDigits, document, &scene, node) }
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
        if token.hasEscapes, document.hasFiveDigitEscape(node) { rules.visit(.fiveDigits, document, &scene, node) }
        let length = token.end &- token.start &- 2
        if token.isKey {
          if length == 3 { checkNested(document, &scene, node) }
          if length >= 3, document.mayNameSecret(token) { rules.visit(.secretKey, document, &scene, node) }
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
