// Rules for the dictionary `aps` as a whole: is it there, is it one, is everything in it that belongs there.

import APNs
import JSON

let apsRules: [Rule] = [
  Rule(
    "aps-missing", .error, "a payload has the dictionary aps when its push type needs it",
    why:
      "Without aps nothing is shown, woken or routed. Calls, device management, file providers and passes do without. "
      + "When the push type is not known this is only a note, unless keys of aps stand at the root.",
    passes: .alert(#"{"aps":{"alert":"Hi"}}"#), fails: .alert(#"{"text":"Hi"}"#), at: .noAps
  ) { document, scene, node in
    guard scene.rootCount > 0, !scene.topicIs(.pass) else { return }
    if scene.rootUnknown.contains(where: { isMistakenAPS(document, $0) }) { return }
    if foreignService(document, node) != nil || hasNestedAPS(document, node) { return }
    let misplaced = scene.rootUnknown.contains { misplacedKey(document, $0) != nil }
    if scene.form == .apns {
      scene.report(node, "the file has no \"aps\", without which the simulator takes no push")
    } else if let type = scene.type {
      if needsAPS(type) { scene.report(node, "the payload has no \"aps\", which a push of type \(type) needs") }
    } else if misplaced {
      scene.report(node, "the payload has no \"aps\"; keys of it stand at the root, where they mean nothing")
    } else {
      scene.report(node, "the payload has no \"aps\": only an app that reads it itself can use it", as: .note)
    }
  },
  Rule(
    "aps-not-object", .error, "aps is an object",
    why: "Anything else is not understood; an empty array is what PHP makes of an empty dictionary.",
    passes: .alert(#"{"aps":{"alert":"Hi"}}"#), fails: .alert(#"{"aps":"Hi"}"#),
    at: .root(.aps, [.array, .string, .number, .bool, .null])
  ) { document, scene, node in
    if document.kind(node) == .string, document.holdsJSON(node) == .object { return }
    scene.report(node, "\"aps\" is \(document.words(node)), not an object")
  },
  Rule(
    "aps-double-encoded", .error, "aps is an object, not the text of one",
    why: "It was encoded twice: the device sees a string.",
    passes: .alert(#"{"aps":{"alert":"Hi"}}"#), fails: .alert(#"{"aps":"{\"alert\":\"Hi\"}"}"#),
    at: .root(.aps, .string)
  ) { document, scene, node in
    guard document.holdsJSON(node) == .object else { return }
    scene.report(node, "\"aps\" is a string that holds JSON: it was encoded twice", help: "put the object itself there")
  },
  Rule(
    "aps-case", .error, "aps is written in lower case and without other characters",
    why: "Any other spelling is a custom key, and the payload has no aps.",
    passes: .alert(#"{"aps":{"alert":"Hi"}}"#), fails: .alert(#"{"APS":{"alert":"Hi"}}"#), at: .rootUnknown
  ) { document, scene, node in
    guard scene.root(.aps) == nil, folded(document.string(node)) == folded("aps") else { return }
    scene.report(
      node, "\"\(document.name(node))\" is not \"aps\"", help: "write \"aps\"", fix: document.rename(node, to: "aps"))
  },
  Rule(
    "aps-empty", .warning, "aps holds something when its push type needs it",
    why: "The push is taken and nothing happens. Passes, calls, Push to Talk and location queries may have it empty.",
    passes: .type("pushtotalk", ".voip-ptt", #"{"aps":{},"speaker":"Ann"}"#, #","priority":10,"expiration":0"#),
    fails: .alert(#"{"aps":{}}"#), at: .emptyAPS
  ) { document, scene, node in
    guard scene.apsCount == 0, let type = scene.type, needsAPS(type), !scene.topicIs(.pass) else { return }
    scene.report(node, "\"aps\" is empty: a push of type \(type) does nothing")
  },
  Rule(
    "aps-nested", .error, "aps stands at the root of the payload",
    why: "Anywhere else it is part of a custom value, and the payload has no aps.",
    passes: .alert(#"{"aps":{"alert":"Hi"}}"#), fails: .alert(#"{"payload":{"aps":{"alert":"Hi"}}}"#), at: .nested
  ) { document, scene, node in
    if scene.apsUnknown.contains(node) {
      scene.report(node, "\"aps\" stands inside \"aps\": the payload was wrapped twice", help: "remove one of the two")
      return
    }
    // Beside an aps of its own, an app's data may hold whatever it likes.
    guard scene.root(.aps) == nil, needsAPS(scene.type ?? .alert) else { return }
    guard foreignService(document, scene.payload) == nil else { return }
    scene.report(node, "\"aps\" is not at the root of the payload", help: "move it to the root")
  },
  Rule(
    "aps-unknown-key", .warning, "aps holds only keys of Apple's",
    why: "APNs ignores others without a word; what is for the app goes beside aps.",
    passes: .alert(#"{"aps":{"alert":"Hi"},"order":7}"#), fails: .alert(#"{"aps":{"alert":"Hi","order":7}}"#),
    at: .apsUnknown
  ) { document, scene, node in
    guard case .unknown = slip(document, scene, node) else { return }
    scene.report(
      node, "\"\(document.name(node))\" is no key of \"aps\"", help: "custom keys go beside \"aps\", at the root")
  },
  Rule(
    "aps-key-misspelt", .warning, "keys of aps are spelled as Apple spells them",
    why: "A key that is not known is ignored: the slip costs nothing at send time and everything on the device.",
    passes: .alert(#"{"aps":{"alert":"Hi","mutable-content":1}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","mutable_content":1}}"#), at: .apsUnknown
  ) { document, scene, node in
    guard case .misspelt(let key) = slip(document, scene, node) else { return }
    let isFree = scene.aps(key) == nil
    scene.report(
      node, "\"\(document.name(node))\" is no key of \"aps\"", help: "did you mean \"\(key.rawValue)\"?",
      fix: isFree ? document.rename(node, to: key.rawValue) : nil)
  },
  Rule(
    "aps-key-at-root", .warning, "keys of aps stand inside aps",
    why: "At the root they are custom keys, which only the app sees.",
    passes: .alert(#"{"aps":{"alert":"Hi","badge":3}}"#), fails: .alert(#"{"aps":{"alert":"Hi"},"badge":3}"#),
    at: .rootUnknown
  ) { document, scene, node in
    guard let key = misplacedKey(document, node) else { return }
    // An app that reads its whole payload itself may name its keys as it likes.
    if let type = scene.type, !needsAPS(type) { return }
    // What wakes an app brings the text that the app itself will show.
    let isShown = key == .alert || key == .badge || key == .sound
    if isShown, scene.type == .background, scene.aps(.contentAvailable) != nil { return }
    if scene.root(.aps) == nil && foreignService(document, scene.payload) != nil { return }
    var fix: Fix?
    if let aps = scene.root(.aps), document.kind(aps) == .object, scene.aps(key) == nil {
      fix = document.move(node, from: scene.payload, into: aps, as: key.rawValue, place: "into \"aps\"")
    }
    scene.report(
      node, "\"\(document.name(node))\" at the root is a custom key and does nothing",
      help: "\"\(key.rawValue)\" belongs into \"aps\"", fix: fix)
  },
  Rule(
    "alert-text-in-aps", .error, "title, subtitle, body and their loc-keys stand in aps.alert",
    why: "Directly in aps they are not read, and the text is not shown.",
    passes: .alert(#"{"aps":{"alert":{"title":"Hi","body":"There"}}}"#),
    fails: .alert(#"{"aps":{"title":"Hi","body":"There"}}"#), at: .apsUnknown
  ) { document, scene, node in
    guard case .alertText(let key) = slip(document, scene, node), let aps = scene.root(.aps) else { return }
    var fix: Fix?
    if let alert = scene.aps(.alert) {
      if document.kind(alert) == .object, scene.alert(key) == nil {
        fix = document.move(node, from: aps, into: alert, as: key.rawValue, place: "into \"alert\"")
      }
    } else if node == scene.apsUnknown.first(where: { isAlertText(document, scene, $0) }) {
      let keys = scene.apsUnknown.filter { isAlertText(document, scene, $0) }
      fix = document.gather(keys, of: aps, as: "alert", place: "into a new \"alert\"")
    }
    scene.report(
      node, "\"\(document.name(node))\" in \"aps\" is not read", help: "it belongs into \"aps\".\"alert\"", fix: fix)
  },
  Rule(
    "aps-null-value", .warning, "a key of aps is left out rather than null",
    why: "null is dropped at best; for content-available and mutable-content one system was seen to count it as 1.",
    passes: .alert(#"{"aps":{"alert":"Hi"}}"#), fails: .alert(#"{"aps":{"alert":"Hi","badge":null}}"#),
    at: .aps(.alert, .null), .aps(.badge, .null), .aps(.sound, .null), .aps(.threadID, .null), .aps(.category, .null),
    .aps(.contentAvailable, .null), .aps(.mutableContent, .null), .aps(.targetContentID, .null),
    .aps(.interruptionLevel, .null), .aps(.relevanceScore, .null), .aps(.filterCriteria, .null),
    .aps(.contentState, .null), .aps(.timestamp, .null), .aps(.event, .null), .aps(.staleDate, .null),
    .aps(.dismissalDate, .null), .aps(.attributesType, .null), .aps(.attributes, .null), .aps(.inputPushToken, .null),
    .aps(.inputPushChannel, .null), .aps(.urlArgs, .null), .alert(.title, .null), .alert(.subtitle, .null),
    .alert(.body, .null), .alert(.launchImage, .null), .alert(.locKey, .null), .alert(.locArgs, .null),
    .alert(.titleLocKey, .null), .alert(.titleLocArgs, .null), .alert(.subtitleLocKey, .null),
    .alert(.subtitleLocArgs, .null), .sound(.name, .null), .sound(.volume, .null), .sound(.critical, .null)
  ) { document, scene, node in
    // Inside alert the retired guide allowed null for some keys: it counts as absent.
    let isInside = scene.aps(.alert).map { node > $0 && node < document.next($0) } ?? false
    scene.report(
      node, "\"\(document.name(node - 1))\" is null", help: "leave the key out", as: isInside ? .note : nil)
  },
  Rule(
    "aps-undocumented-key", .note, "keys of aps are documented ones",
    why: "ptt-push-type, topic-id and account-id were seen at work, but no page of Apple's has them.",
    passes: .alert(#"{"aps":{"alert":"Hi"}}"#), fails: .alert(#"{"aps":{"alert":"Hi","topic-id":"news"}}"#),
    at: .aps(.pttPushType), .aps(.topicID), .aps(.accountID)
  ) { document, scene, node in
    scene.report(node - 1, "\"\(document.name(node - 1))\" is on no page of Apple's")
  },
  Rule(
    "header-in-payload", .warning, "request headers are not part of the payload",
    why: "apns-priority, apns-topic, push_type and their kin are headers; in the payload they are custom data.",
    passes: .alert(#"{"aps":{"alert":"Hi"},"priority":"high"}"#),
    fails: .alert(#"{"aps":{"alert":"Hi"},"apns-priority":10}"#),
    at: .rootUnknown, .apsUnknown
  ) { document, scene, node in
    guard isHeaderName(document.string(node)) else { return }
    scene.report(
      node, "\"\(document.name(node))\" is a request header and does nothing in the payload",
      help: "give it as a header: a key beside \"payload\" in the record")
  },
]

/// What a key in `aps` that is in no table probably was meant to be.
private enum Slip {
  case misspelt(APSKey)
  case alertText(AlertKey)
  /// Another rule has its own words for it.
  case other
  case unknown
}

private func slip(_ document: Document, _ scene: borrowing Scene, _ node: Int) -> Slip {
  let name = document.string(node)
  if name == "aps" || isHeaderName(name) { return .other }
  if let key = known(name, in: AlertKey.self), key != .sound, key != .action { return .alertText(key) }
  if let key = known(name, in: APSKey.self) { return key == .contentState ? .other : .misspelt(key) }
  // Short names are near to everything; only a letter left out of a common key is surely a slip.
  if name.utf8.count == 4 {
    let letters = Array(name.lowercased().utf8)
    let meant = [APSKey.alert, .badge, .sound].first { isOmission(letters, of: Array($0.rawValue.utf8)) }
    if let meant { return .misspelt(meant) }
    return .unknown
  }
  guard name.utf8.count >= 5 else { return .unknown }
  let near = nearest(name, in: APSKey.allCases.map(\.rawValue))
  guard let near, let key = APSKey(rawValue: near) else { return .unknown }
  return .misspelt(key)
}

/// Whether a name is a word with one letter left out.
private func isOmission(_ name: [UInt8], of word: [UInt8]) -> Bool {
  for index in word.indices {
    var rest = word
    rest.remove(at: index)
    if rest == name { return true }
  }
  return false
}

private func isAlertText(_ document: Document, _ scene: borrowing Scene, _ node: Int) -> Bool {
  if case .alertText = slip(document, scene, node) { return true }
  return false
}

/// A header's name where it cannot be one: `apns-…`, `push_type`. Plain `priority` or `topic` are fair custom keys.
func isHeaderName(_ name: String) -> Bool {
  if name.hasPrefix("apns-") { return true }
  let letters = folded(name)
  if letters == folded("pushtype") { return true }
  return RequestHeader.all.contains { $0.name.hasPrefix("apns-") && folded($0.name) == letters }
}

/// The key of `aps` that a key of the root is, nil when it may well be the app's own.
func misplacedKey(_ document: Document, _ node: Int) -> APSKey? {
  let name = document.string(node)
  if let key = APSKey(rawValue: name) { return RootNames.misplaced.contains(key) ? key : nil }
  guard let key = known(name, in: APSKey.self), key.rawValue.utf8.contains(UInt8(ascii: "-")), key != .threadID else {
    return nil
  }
  return RootNames.misplaced.contains(key) ? key : nil
}

private func isMistakenAPS(_ document: Document, _ node: Int) -> Bool {
  let letters = folded(document.string(node))
  return letters == folded("aps") || letters == folded("apn")
}

private func hasNestedAPS(_ document: Document, _ root: Int) -> Bool {
  for node in root..<document.next(root) where document.tokens[node].isKey && document.equals(node, "aps") {
    return true
  }
  return false
}
