// Rules that hold push type, topic and priority against the payload.

import APNs
import JSON

private let live = #"{"aps":{"timestamp":1790000000,"event":"update","content-state":{"score":3}}}"#

let typeRules: [Rule] = [
  Rule(
    "push-type-missing", .warning, "a record names its push type",
    why: "watchOS needs it, and without it APNs may delay or drop the push. Passes and websites have none. Where the "
      + "topic ends in .push-type.… it is an error.",
    passes: .alert(#"{"aps":{"alert":"Hi"}}"#), fails: .untyped(topic: "com.example.app", #"{"aps":{"alert":"Hi"}}"#),
    at: .untypedRecord
  ) { document, scene, node in
    // A push to a channel, and a silent one, have rules of their own.
    if scene.topicIs(.pass) || scene.topicIs(.web) || scene.isBroadcast || scene.isSilent { return }
    let isNeeded = scene.topic?.string.contains(".push-type.") ?? false
    let type = scene.type
    scene.report(
      0, "the record has no \"push_type\"", help: type.map { "write \"push_type\":\"\($0)\"" },
      as: isNeeded ? .error : nil)
  },
  Rule(
    "push-type-unknown", .error, "push_type is one of the eleven words",
    why: "APNs refuses any other.",
    passes: .live(live),
    fails: .type("live-activity", ".push-type.liveactivity", live), refusal: "InvalidPushType", at: .record),
  Rule(
    "push-type-case", .error, "push_type is written in lower case",
    why: "APNs knows the words in lower case.",
    passes: .alert(#"{"aps":{"alert":"Hi"}}"#), fails: .type("Alert", "", #"{"aps":{"alert":"Hi"}}"#),
    refusal: "InvalidPushType", at: .record),
  Rule(
    "push-type-topic-mismatch", .error, "the topic's suffix is the one of the push type",
    why: "APNs refuses a type with the topic of another.",
    passes: .voip(#"{"call":"7"}"#), fails: .type("alert", ".voip", #"{"aps":{"alert":"Hi"}}"#),
    refusal: "InvalidPushType", at: .topicAndType
  ) { document, scene, node in
    guard let type = scene.givenType, let suffix = scene.topic?.suffix, suffix != type else { return }
    if type == .background || scene.topic?.isDoubled == true { return }
    scene.report(
      scene.record.pushTypeNode ?? scene.record.topic ?? 0,
      "the push type is \(type), the topic ends in \(suffix.row.topicSuffix), which is for \(suffix)",
      help: type.row.topicSuffix.isEmpty
        ? "use the bundle identifier alone, or push type \(suffix)"
        : "the topic of a push of type \(type) ends in \(type.row.topicSuffix)")
  },
  Rule(
    "push-type-payload-mismatch", .error, "the payload is one of its push type",
    why: "The type must match the payload; APNs may refuse, delay or drop it otherwise.",
    passes: .live(live), fails: .alert(live), at: .knownType
  ) { document, scene, node in
    guard let type = scene.givenType else { return }
    if type != .liveactivity, let event = scene.aps(.event), scene.aps(.contentState) != nil {
      scene.report(event, "this is the payload of a Live Activity, the push type is \(type)", help: "use liveactivity")
    } else if let changed = scene.aps(.contentChanged), type == .background || type == .alert, scene.apsCount == 1 {
      scene.report(changed, "this is the payload of widgets or controls, the push type is \(type)")
    } else if let mdm = scene.root(.mdm), type != .mdm, scene.rootCount == 1 {
      scene.report(mdm, "this is a push of device management, the push type is \(type)", help: "use mdm")
    }
  },
  Rule(
    "alert-type-nothing-to-show", .error, "a push of type alert has a text, a badge or a sound",
    why: "There is nothing to show, play or count. A silent push has the type background.",
    passes: .background(#"{"aps":{"content-available":1}}"#), fails: .alert(#"{"aps":{"content-available":1}}"#),
    at: .nothingPlain
  ) { document, scene, node in
    guard let aps = scene.root(.aps), document.kind(aps) == .object, scene.givenType == .alert else { return }
    if scene.apsMask & showable != 0, showsSomething(document, scene) { return }
    if scene.topicIs(.pass) { return }
    // An empty dictionary may be for a pass, when no topic says otherwise.
    if scene.apsCount == 0, scene.topic == nil { return }
    // Said better by the rule for the payload of another type.
    if scene.aps(.contentState) != nil || scene.aps(.contentChanged) != nil || scene.root(.mdm) != nil { return }
    scene.report(
      aps, "a push of type alert with nothing to show, play or count",
      help: scene.aps(.contentAvailable) == nil ? "put a text under \"alert\"" : "use push type background")
  },
  Rule(
    "background-with-alert", .error, "a push of type background has no alert, badge or sound",
    why: "It may be dropped, and nothing of it is shown.",
    passes: .alert(#"{"aps":{"content-available":1,"alert":"Hi"}}"#),
    fails: .background(#"{"aps":{"content-available":1,"alert":"Hi"}}"#), at: .type(.background)
  ) { document, scene, node in
    for key in [APSKey.alert, .badge, .sound] {
      guard let value = scene.aps(key), document.kind(value) != .null, !document.isEmptyString(value) else { continue }
      scene.report(
        value - 1, "a push of type background has \"\(key.rawValue)\"",
        help: "use push type alert; \"content-available\" may stay")
      return
    }
  },
  Rule(
    "background-no-flag", .error, "a push of type background has content-available 1",
    why: "Without it the app is not woken.",
    passes: .background(#"{"aps":{"content-available":1}}"#), fails: .background(#"{"aps":{"category":"A"}}"#),
    at: .type(.background)
  ) { document, scene, node in
    if let flag = scene.aps(.contentAvailable) {
      guard document.kind(flag) == .number, let value = document.value(flag), value <= 0 else { return }
      return scene.report(
        flag, "\"content-available\" is \(document.shown(flag)): the app is not woken", help: "write 1")
    }
    guard let aps = scene.root(.aps), document.kind(aps) == .object else { return }
    scene.report(
      aps, "a push of type background without \"content-available\"", help: "write \"content-available\":1 into \"aps\""
    )
  },
  Rule(
    "background-priority", .error, "a push of type background has priority 5",
    why: "Apple calls another priority an error here.",
    passes: .background(#"{"aps":{"content-available":1}}"#),
    fails: .background(#"{"aps":{"content-available":1}}"#, #","priority":10"#), refusal: "BadPriority",
    at: .type(.background)
  ) { document, scene, node in
    guard scene.givenType == .background, let priority = scene.priority, priority != 5 else { return }
    let place = scene.record.priorityNode
    scene.report(
      place ?? 0, "a push of type background has priority \(priority)", help: "use 5",
      fix: place.map { document.replace($0, by: "5") })
  },
  Rule(
    "background-priority-missing", .warning, "a push of type background names its priority",
    why: "Without it APNs takes 10, which Apple calls an error here.",
    passes: .background(#"{"aps":{"content-available":1}}"#),
    fails: .background(#"{"aps":{"content-available":1}}"#, ""),
    at: .type(.background)
  ) { document, scene, node in
    if scene.topicIs(.pass) { return }
    guard scene.givenType == .background, scene.headersAreKnown, scene.priority == nil, scene.record.priorityNode == nil
    else {
      return
    }
    scene.report(
      scene.record.pushTypeNode ?? 0, "a push of type background without priority: APNs takes 10",
      help: "write \"priority\":5")
  },
  Rule(
    "background-extra-keys", .warning, "a push of type background has no other keys of aps",
    why: "They have no effect.",
    passes: .background(#"{"aps":{"content-available":1},"k":"A"}"#),
    fails: .background(#"{"aps":{"content-available":1,"category":"A"}}"#), at: .type(.background)
  ) { document, scene, node in
    let mask = scene.apsMask & ~(showable | 1 << UInt32(APSKey.contentAvailable.index)) & ordinaryKeys
    guard mask != 0 else { return }
    let value = scene.apsNode(mask.trailingZeroBitCount)
    scene.report(value - 1, "\"\(document.name(value - 1))\" has no effect in a push of type background")
  },
  Rule(
    "background-collapse-id", .note, "a push of type background has no collapse_id",
    why: "Nothing is shown that could collapse; APNs keeps only the newest anyway.",
    passes: .background(#"{"aps":{"content-available":1}}"#),
    fails: .background(#"{"aps":{"content-available":1}}"#, #","priority":5,"collapse_id":"a""#), at: .type(.background)
  ) { document, scene, node in
    guard let collapse = scene.record.collapseID else { return }
    scene.report(collapse - 1, "nothing is shown that could collapse")
  },
  Rule(
    "silent-priority-10", .error, "a silent push has priority 5",
    why: "With priority 10, which is also the default, Apple calls a push of content-available alone an error.",
    passes: .background(#"{"aps":{"content-available":1}}"#),
    fails: .untyped(topic: "com.example.app", #"{"aps":{"content-available":1}}"#, #","priority":10"#),
    refusal: "BadPriority", at: .untypedRecord
  ) { document, scene, node in
    guard scene.isSilent, scene.priority == nil || scene.priority == 10 else { return }
    scene.report(
      scene.record.priorityNode ?? 0, "a silent push without push type has priority 10",
      help: "write \"push_type\":\"background\" and \"priority\":5")
  },
  Rule(
    "silent-without-push-type", .warning, "a silent push has the type background",
    why: "Systems since iOS 13 may drop it without.",
    passes: .background(#"{"aps":{"content-available":1}}"#),
    fails: .untyped(topic: "com.example.app", #"{"aps":{"content-available":1}}"#, #","priority":5"#),
    at: .untypedRecord
  ) { document, scene, node in
    guard scene.isSilent else { return }
    scene.report(0, "a silent push without push type", help: "write \"push_type\":\"background\"")
  },
  Rule(
    "priority-syntax", .error, "priority is a whole number",
    why: "APNs refuses anything else.",
    passes: .type("alert", "", #"{"aps":{"alert":"Hi"}}"#, #","priority":10"#),
    fails: .type("alert", "", #"{"aps":{"alert":"Hi"}}"#, #","priority":"high""#), refusal: "BadPriority", at: .record),
  Rule(
    "priority-value", .error, "priority is 10, 5 or 1",
    why: "APNs refuses any other.",
    passes: .type("alert", "", #"{"aps":{"alert":"Hi"}}"#, #","priority":5"#),
    fails: .type("alert", "", #"{"aps":{"alert":"Hi"}}"#, #","priority":7"#), refusal: "BadPriority", at: .record),
  Rule(
    "priority-1-restricted", .warning, "priority 1 is not for Live Activities and location queries",
    why: "Apple names 5 and 10 for them. Broadcasts know low priority; calls and Push to Talk have rules of their own.",
    passes: .live(live), fails: .live(live, #","priority":1"#), at: .priority
  ) { document, scene, node in
    guard scene.priority == 1, !scene.isBroadcast, let type = scene.givenType else { return }
    switch type {
    case .liveactivity, .location: break
    default: return
    }
    scene.report(scene.record.priorityNode ?? 0, "priority 1 with push type \(type)", help: "use 5 or 10")
  },
  Rule(
    "priority-ptt", .warning, "Push to Talk has priority 10",
    why: "It announces a voice that is speaking now.",
    passes: .type("pushtotalk", ".voip-ptt", #"{"aps":{}}"#, #","priority":10,"expiration":0"#),
    fails: .type("pushtotalk", ".voip-ptt", #"{"aps":{}}"#, #","priority":5,"expiration":0"#), at: .priority
  ) { document, scene, node in
    guard scene.givenType == .pushtotalk, let priority = scene.priority, priority != 10 else { return }
    scene.report(scene.record.priorityNode ?? 0, "priority \(priority) with push type pushtotalk", help: "use 10")
  },
  Rule(
    "priority-voip", .warning, "a call has priority 10",
    why: "With 5 or 1 it may ring late.",
    passes: .voip(#"{"call":"7"}"#), fails: .voip(#"{"call":"7"}"#, #","priority":5,"expiration":0"#), at: .priority
  ) { document, scene, node in
    guard scene.givenType == .voip, let priority = scene.priority, priority == 5 || priority == 1 else { return }
    scene.report(scene.record.priorityNode ?? 0, "priority \(priority) with push type voip", help: "use 10")
  },
]

/// Keys of `aps` that make a push of type alert.
private let showable: UInt32 = [APSKey.alert, .badge, .sound].reduce(0) { $0 | 1 << UInt32($1.index) }

/// Keys of `aps` for ordinary notifications, `content-available` and the three above aside.
private let ordinaryKeys: UInt32 = [
  APSKey.threadID, .category, .mutableContent, .targetContentID, .interruptionLevel, .relevanceScore, .filterCriteria,
].reduce(0) { $0 | 1 << UInt32($1.index) }

private func showsSomething(_ document: Document, _ scene: borrowing Scene) -> Bool {
  if let badge = scene.aps(.badge), document.kind(badge) != .null { return true }
  if let sound = scene.aps(.sound), document.kind(sound) == .object || document.isText(sound) { return true }
  guard let alert = scene.aps(.alert) else { return false }
  switch document.kind(alert) {
  case .string: return document.isText(alert)
  case .object: return scene.hasAlertText(document)
  // What is no alert at all has its own error.
  default: return true
  }
}

extension Scene {
  /// The payload wakes the app and does nothing else.
  var isSilent: Bool {
    apsMask == 1 << UInt32(APSKey.contentAvailable.index) && apsUnknown.isEmpty
  }
}

extension Scene {
  /// Whether some text of the alert object is there: null counts as absent, an empty string shows nothing.
  func hasAlertText(_ document: Document) -> Bool {
    var mask = alertMask & alertTexts
    while mask != 0 {
      let text = alertNode(mask.trailingZeroBitCount)
      if document.kind(text) != .null, !document.isEmptyString(text) { return true }
      mask &= mask &- 1
    }
    return false
  }
}
