// The first half of the walk: which known keys stand where, and what may stand anywhere.

import APNs
import JSON

extension Walk {
  func collect(_ document: Document, _ scene: inout Scene) {
    let root = scene.payload
    var key = root &+ 1
    let end = document.following(root)
    var count = 0
    while key < end {
      let value = key &+ 1
      if let index = rootTable.index(document, key) {
        scene.setRoot(index, value)
      } else {
        if rootNames.isNotable(document, key), scene.rootUnknown.count < Scene.unknownLimit {
          scene.rootUnknown.append(key)
        }
        if document.what(value) == .null { rules.visit(.rootNull, document, &scene, value) }
      }
      count &+= 1
      key = document.following(value)
    }
    scene.rootCount = count
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
    while key < end {
      let value = key &+ 1
      if let index = alertTable.index(document, key) {
        scene.setAlert(index, value)
      } else if scene.alertUnknown.count < Scene.unknownLimit {
        scene.alertUnknown.append(key)
      }
      key = document.following(value)
    }
  }

  private func collectSound(_ document: Document, _ scene: inout Scene, _ sound: Int) {
    var key = sound &+ 1
    let end = document.following(sound)
    while key < end {
      let value = key &+ 1
      if let index = soundTable.index(document, key) {
        scene.setSound(index, value)
      } else if scene.soundUnknown.count < Scene.unknownLimit {
        scene.soundUnknown.append(key)
      }
      key = document.following(value)
    }
  }

  /// What may stand anywhere: doubled keys, escapes of five digits, card numbers, secrets, an `aps` too deep.
  func everyToken(_ document: Document, _ scene: inout Scene) {
    let rootAPS = scene.rootMask & 1 << UInt32(RootKey.aps.index) == 0 ? 0 : scene.rootNode(RootKey.aps.index)
    var node = scene.payload
    let end = document.following(node)
    while node < end {
      let token = document.token(node)
      let kind = token.kind
      if kind == .string {
        if token.hasEscapes, document.hasFiveDigitEscape(node) { rules.visit(.fiveDigits, document, &scene, node) }
        let length = token.end &- token.start &- 2
        if token.isKey {
          if length == 3, document.equals(node, "aps") {
            if rootAPS != node &+ 1, !scene.sawNestedAPS {
              scene.sawNestedAPS = true
              rules.visit(.nested, document, &scene, node)
            }
          } else if length >= 3, document.mayNameSecret(token) {
            rules.visit(.secretKey, document, &scene, node)
          }
        } else if length == 15 || length == 16, document.byte(token.start &+ 1) &- 0x30 <= 9 {
          rules.visit(.digits, document, &scene, node)
        }
      } else if kind == .object {
        duplicates(document, &scene, node, token)
      }
      node &+= 1
    }
  }

  /// A small set of marks finds almost all objects without doubles; only the others are compared key by key.
  @inline(__always)
  private func duplicates(_ document: Document, _ scene: inout Scene, _ object: Int, _ token: Token) {
    var marks: UInt64 = 0
    var key = object &+ 1
    while key < token.next {
      let name = document.token(key)
      let bit: UInt64 = 1 << UInt64(document.mark(name) & 63)
      if marks & bit != 0 || name.hasEscapes {
        if let pair = document.firstDuplicateKey(in: object) { rules.visit(.duplicate, document, &scene, pair.second) }
        return
      }
      marks |= bit
      key = document.token(key &+ 1).next
    }
  }
}
