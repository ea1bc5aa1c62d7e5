// Rules for the topic.

import APNs
import JSON

private let live = #"{"aps":{"timestamp":1790000000,"event":"update","content-state":{"score":3}}}"#
private let hello = #"{"aps":{"alert":"Hi"}}"#

let topicRules: [Rule] = [
  Rule(
    "topic-missing", .error, "a record has a topic, or the run gives one",
    why: "Under token authentication APNs does not know the app otherwise. A certificate of one topic implies it.",
    passes: .alert(hello), fails: .record(#"{"token":"\#(Example.token)","push_type":"alert","payload":\#(hello)}"#),
    refusal: "MissingTopic", at: .noTopic
  ) { document, scene, node in
    guard scene.isRecord, scene.topic == nil, scene.record.topic == nil else { return }
    guard scene.settings.authentication != .certificate else { return }
    scene.report(0, "the record has no \"topic\"", help: "write it into the record, or give --topic")
  },
  Rule(
    "topic-suffix-missing", .error, "the topic has the suffix its push type needs",
    why: "APNs refuses the type with the bare bundle identifier.",
    passes: .voip(#"{"call":"7"}"#), fails: .type("voip", "", #"{"call":"7"}"#, #","priority":10,"expiration":0"#),
    refusal: "BadTopic", at: .topicAndType
  ) { document, scene, node in
    guard let type = scene.givenType, let topic = scene.topic, topic.suffix == nil, topic.nearSuffix != type else {
      return
    }
    guard !type.row.topicSuffix.isEmpty, topic.family == .app, !scene.isBroadcast else { return }
    let place = scene.record.topic
    scene.report(
      place ?? 0, "the topic of a push of type \(type) ends in \(type.row.topicSuffix)",
      help: "write \(topic.string)\(type.row.topicSuffix)")
  },
  Rule(
    "topic-suffix-extra", .error, "the topic of an alert or background push has no suffix",
    why: "APNs refuses the type with the topic of another.",
    passes: .background(#"{"aps":{"content-available":1}}"#),
    fails: .type("background", ".complication", #"{"aps":{"content-available":1}}"#, #","priority":5"#),
    refusal: "InvalidPushType", at: .topicAndType
  ) { document, scene, node in
    guard scene.givenType == .background, let suffix = scene.topic?.suffix else { return }
    scene.report(
      scene.record.topic ?? 0, "the topic ends in \(suffix.row.topicSuffix), which is for push type \(suffix)",
      help: "use the bundle identifier alone")
  },
  Rule(
    "topic-suffix-double", .error, "the topic has its suffix once",
    why: "A library added it to a topic that had it already.",
    passes: .voip(#"{"call":"7"}"#),
    fails: .type("voip", ".voip.voip", #"{"call":"7"}"#, #","priority":10,"expiration":0"#),
    refusal: "BadTopic", at: .oddTopic
  ) { document, scene, node in
    guard scene.topic?.isDoubled == true else { return }
    scene.report(scene.record.topic ?? 0, "the topic has two suffixes")
  },
  Rule(
    "topic-suffix-misspelt", .error, "the topic's suffix is spelled as Apple spells it",
    why: "APNs takes it for the topic of another app.",
    passes: .live(live), fails: .type("liveactivity", ".push-type.live-activity", live, #","priority":5"#),
    refusal: "BadTopic", at: .oddTopic
  ) { document, scene, node in
    guard let topic = scene.topic, let near = topic.nearSuffix, !scene.isBroadcast else { return }
    // Without the type such an end may well be part of the app's name.
    guard near == scene.givenType || topic.string.lowercased().contains("push-type") else { return }
    scene.report(
      scene.record.topic ?? 0, "the end of the topic is not a suffix of APNs",
      help: "the topic of a push of type \(near) ends in \(near.row.topicSuffix)")
  },
  Rule(
    "topic-syntax", .error, "a topic holds letters, digits, hyphens and dots",
    why: "That is the grammar of bundle identifiers; blanks, slashes and empty labels come from pasting.",
    passes: .alert(hello), fails: .type("alert", " ", hello), refusal: "BadTopic", at: .record, .oddTopic
  ) { document, scene, node in
    guard let topic = scene.topic, topic.hasBadCharacters else { return }
    scene.report(
      scene.record.topic ?? 0, "the topic has a character or an empty label that no bundle identifier has")
  },
  Rule(
    "topic-team-prefix", .warning, "a topic is the bundle identifier without the team",
    why: "With ten characters of a team before it, it is the application identifier.",
    passes: .alert(hello),
    fails: .record(
      #"{"token":"\#(Example.token)","topic":"ABCDE12345.com.example.app","push_type":"alert","payload":\#(hello)}"#),
    refusal: "BadTopic", at: .oddTopic
  ) { document, scene, node in
    guard scene.topic?.hasTeamPrefix == true else { return }
    scene.report(
      scene.record.topic ?? 0, "the topic begins like a team identifier", help: "use the bundle identifier alone")
  },
  Rule(
    "topic-wildcard", .error, "a topic has no wildcard",
    why: "Push notifications need an explicit App ID.",
    passes: .alert(hello), fails: .type("alert", ".*", hello), refusal: "BadTopic", at: .oddTopic
  ) { document, scene, node in
    guard scene.topic?.isWildcard == true else { return }
    scene.report(scene.record.topic ?? 0, "the topic has a wildcard", help: "use the app's own bundle identifier")
  },
  Rule(
    "topic-case", .warning, "the topic is spelled like the bundle identifier",
    why: "It differs in case only.",
    passes: .alert(hello, "--bundle", "com.example.app"), fails: .alert(hello, "--bundle", "com.Example.App"),
    needs: .bundle, at: .topic
  ) { document, scene, node in
    guard let bundle = scene.settings.bundle, let topic = scene.topic else { return }
    let name = topic.string
    guard !name.hasPrefix(bundle), name.lowercased().hasPrefix(bundle.lowercased()) else { return }
    scene.report(scene.record.topic ?? 0, "the topic differs from \(bundle) in case")
  },
  Rule(
    "topic-mdm", .error, "the topic of device management begins with com.apple.mgmt",
    why: "It is the subject of the MDM push certificate, not an app.",
    passes: .mdm(#"{"mdm":"PUSH-MAGIC"}"#), fails: .type("mdm", "", #"{"mdm":"PUSH-MAGIC"}"#), refusal: "BadTopic",
    at: .type(.mdm)
  ) { document, scene, node in
    guard scene.givenType == .mdm, let topic = scene.topic, topic.family != .management else { return }
    scene.report(
      scene.record.topic ?? 0, "the topic of a push of type mdm begins with com.apple.mgmt.",
      help: "it is the UID in the subject of the MDM push certificate")
  },
  Rule(
    "topic-pass", .warning, "a pass is pushed with type alert or background, or none",
    why: "Apple names no push type for passes; these are known to work.",
    passes: .untyped(topic: "pass.com.example.card", "{}"),
    fails: .record(
      #"{"token":"\#(Example.token)","topic":"pass.com.example.card","push_type":"pushtotalk","priority":10,"expiration":0,"payload":{}}"#
    ),
    at: .passTopic
  ) { document, scene, node in
    if let type = scene.givenType, type != .alert, type != .background {
      scene.report(scene.record.pushTypeNode ?? 0, "the topic is a pass, the push type \(type)")
    } else if scene.topic?.suffix != nil {
      scene.report(scene.record.topic ?? 0, "the topic of a pass has a suffix")
    }
  },
]
