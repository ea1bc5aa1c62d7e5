// Rules for broadcasts, for simulator files, for the credential and for the record's own format.

import APNs
import JSON

private let live = #"{"aps":{"timestamp":1790000000,"event":"update","content-state":{"score":3}}}"#
private let hello = #"{"aps":{"alert":"Hi"}}"#
private let channel = #","channel_id":"dHN0LXNyY2gtY2hubA==","push_type":"liveactivity""#
private let complete = channel + #","priority":5,"expiration":0"#

let broadcastRules: [Rule] = [
  Rule(
    "bc-channel-base64", .error, "channel_id is base64",
    why: "APNs refuses an identifier that is badly encoded or too long.",
    passes: .broadcast(complete, live),
    fails: .broadcast(#","channel_id":"not base64!","push_type":"liveactivity","priority":5,"expiration":0"#, live),
    refusal: "BadChannelId", at: .record),
  Rule(
    "bc-push-type", .error, "a broadcast has the push type liveactivity",
    why: "APNs refuses any other, and none.",
    passes: .broadcast(complete, live),
    fails: .broadcast(
      #","channel_id":"dHN0LXNyY2gtY2hubA==","push_type":"alert","priority":5,"expiration":0"#, hello),
    refusal: "InvalidPushType", at: .broadcast
  ) { document, scene, node in
    if scene.givenType == .liveactivity { return }
    guard let place = scene.record.pushTypeNode else {
      return scene.report(0, "a broadcast without push type", help: "write \"push_type\":\"liveactivity\"")
    }
    guard scene.givenType != nil else { return }
    scene.report(place, "a broadcast has the push type liveactivity")
  },
  Rule(
    "bc-expiration-missing", .error, "a broadcast names its expiration",
    why: "APNs was seen to refuse it otherwise.",
    passes: .broadcast(complete, live), fails: .broadcast(channel + #","priority":5"#, live),
    refusal: "BadExpirationDate", at: .broadcast
  ) { document, scene, node in
    guard scene.headersAreKnown, scene.expiration == nil, scene.record.expirationNode == nil else { return }
    scene.report(
      scene.record.channelID ?? 0, "a broadcast without expiration", help: "write \"expiration\":0, or a date")
  },
  Rule(
    "bc-expiration-no-store", .error, "a broadcast to a channel without storage has expiration 0",
    why: "APNs refuses another.",
    passes: .broadcast(complete, live, "--channel-policy", "0"),
    fails: .broadcast(channel + #","priority":5,"expiration":1790003600"#, live, "--channel-policy", "0"),
    refusal: "BadExpirationDate", needs: .policy, at: .broadcast
  ) { document, scene, node in
    guard scene.settings.channelPolicy == 0, let value = scene.expiration, value != 0 else { return }
    scene.report(scene.record.expirationNode ?? 0, "the channel stores nothing: expiration must be 0")
  },
  Rule(
    "bc-expiration-beyond-8h", .note, "a broadcast expires within eight hours",
    why: "A channel keeps a message that long at most.",
    passes: .broadcast(channel + #","priority":5,"expiration":1790003600"#, live, "--now", "1790000000"),
    fails: .broadcast(channel + #","priority":5,"expiration":1790036000"#, live, "--now", "1790000000"),
    needs: .clock, at: .broadcast
  ) { document, scene, node in
    guard let now = scene.settings.now, let value = scene.expiration, value - now > 8 * 3600 else { return }
    scene.report(
      scene.record.expirationNode ?? 0, "expiration is \(duration(value - now)) ahead; a channel keeps 8 hours")
  },
  Rule(
    "bc-priority-missing", .error, "a broadcast names its priority",
    why: "APNs was seen to refuse it otherwise.",
    passes: .broadcast(complete, live), fails: .broadcast(channel + #","expiration":0"#, live), refusal: "BadPriority",
    at: .broadcast
  ) { document, scene, node in
    guard scene.headersAreKnown, scene.priority == nil, scene.record.priorityNode == nil else { return }
    scene.report(scene.record.channelID ?? 0, "a broadcast without priority", help: "write \"priority\":5")
  },
  Rule(
    "bc-start", .error, "a broadcast updates or ends, it does not start",
    why: "Starting takes a token of the device.",
    passes: .broadcast(complete, live),
    fails: .broadcast(
      complete,
      #"{"aps":{"timestamp":1790000000,"event":"start","content-state":{"score":3},"attributes-type":"MatchAttributes","attributes":{"home":"A"},"alert":{"title":"Match","body":"Kick-off"}}}"#
    ), at: .broadcast
  ) { document, scene, node in
    guard let event = scene.aps(.event), document.equals(event, "start") else { return }
    scene.report(event, "a broadcast cannot start a Live Activity")
  },
  Rule(
    "bc-suffix-in-path", .error, "the topic of a broadcast is the bundle identifier alone",
    why: "It becomes part of the path, and APNs refuses a suffix there.",
    passes: .broadcast(complete, live),
    fails: .record(
      #"{"topic":"com.example.app.push-type.liveactivity"\#(complete),"payload":\#(live)}"#),
    refusal: "TopicDisallowed", at: .broadcast
  ) { document, scene, node in
    guard let topic = scene.topic, topic.suffix != nil, scene.record.token == nil else { return }
    scene.report(
      scene.record.topic ?? 0, "the topic of a broadcast has a suffix", help: "use the bundle identifier alone")
  },
  Rule(
    "bc-size", .error, "the payload of a broadcast has at most 5120 bytes",
    why: "APNs refuses more.",
    passes: .broadcast(complete, live),
    fails: .broadcast(
      complete, #"{"aps":{"timestamp":1790000000,"event":"update","content-state":{"a":""#, letters: 5100, #""}}}"#),
    refusal: "PayloadTooLarge", at: .broadcast
  ) { document, scene, node in
    let size = document.end(node) - document.start(node)
    guard size > 5120 else { return }
    scene.report(node, "the payload has \(size) bytes, \(size - 5120) more than the 5120 of a broadcast")
  },
]

let simulatorRules: [Rule] = [
  Rule(
    "sim-target-missing", .note, "a simulator file names its app",
    why:
      "Dropped on the simulator it does not know the app otherwise; simctl can take the bundle from its command line.",
    passes: .apns(#"{"Simulator Target Bundle":"com.example.app","aps":{"alert":"Hi"}}"#), fails: .apns(hello),
    at: .simulatorFile
  ) { document, scene, node in
    guard scene.root(.simulatorTarget) == nil, scene.settings.bundle == nil else { return }
    if scene.rootUnknown.contains(where: { isTargetMisspelt(document, $0) }) { return }
    scene.report(node, "the file has no \"Simulator Target Bundle\"")
  },
  Rule(
    "sim-target-type", .error, "Simulator Target Bundle is a non-empty string",
    why: "It is the app's bundle identifier.",
    passes: .apns(#"{"Simulator Target Bundle":"com.example.app","aps":{"alert":"Hi"}}"#),
    fails: .apns(#"{"Simulator Target Bundle":["com.example.app"],"aps":{"alert":"Hi"}}"#), at: .root(.simulatorTarget)
  ) { document, scene, node in
    guard !document.isText(node) else { return }
    scene.report(node, "\"Simulator Target Bundle\" is \(document.shown(node)), not a bundle identifier")
  },
  Rule(
    "sim-target-misspelt", .warning, "Simulator Target Bundle is spelled so",
    why: "Any other spelling is a custom key: dropped on the simulator the file does nothing.",
    passes: .apns(#"{"Simulator Target Bundle":"com.example.app","aps":{"alert":"Hi"}}"#),
    fails: .apns(#"{"SimulatorTargetBundle":"com.example.app","aps":{"alert":"Hi"}}"#), at: .rootUnknown
  ) { document, scene, node in
    guard scene.root(.simulatorTarget) == nil, isTargetMisspelt(document, node) else { return }
    scene.report(
      node, "\"\(document.name(node))\" is not \"Simulator Target Bundle\"",
      fix: document.rename(node, to: "Simulator Target Bundle"))
  },
  Rule(
    "sim-bundle-in-production", .warning, "Simulator Target Bundle is not sent",
    why: "For APNs it is a custom key that takes up bytes.",
    passes: .alert(hello), fails: .alert(#"{"Simulator Target Bundle":"com.example.app","aps":{"alert":"Hi"}}"#),
    at: .root(.simulatorTarget)
  ) { document, scene, node in
    guard scene.isRecord else { return }
    scene.report(node - 1, "\"Simulator Target Bundle\" is for files of the simulator")
  },
  Rule(
    "sim-unsupported-type", .error, "the simulator takes ordinary pushes",
    why: "Calls, complications and file providers cannot be simulated.",
    passes: .apns(#"{"Simulator Target Bundle":"com.example.app","aps":{"alert":"Hi"}}"#),
    fails: .apns(#"{"Simulator Target Bundle":"com.example.app","aps":{},"call":"7"}"#, "--push-type", "voip"),
    at: .simulatorFile
  ) { document, scene, node in
    guard let type = scene.type, type == .voip || type == .complication || type == .fileprovider else { return }
    scene.report(node, "the simulator takes no push of type \(type)")
  },
  Rule(
    "sim-too-large", .error, "a simulator file holds at most 4096 bytes of JSON",
    why: "simctl refuses more.",
    passes: .apns(#"{"Simulator Target Bundle":"com.example.app","aps":{"alert":"Hi"}}"#),
    fails: .apns(#"{"Simulator Target Bundle":"com.example.app","aps":{"alert":""#, letters: 4080, #""}}"#),
    at: .simulatorFile
  ) { document, scene, node in
    guard document.end(node) - document.start(node) > 4096 else { return }
    let size = document.minifiedSize(node)
    guard size > 4096 else { return }
    scene.report(node, "the file has \(size) bytes of JSON without white space; 4096 are allowed")
  },
  Rule(
    "sim-bundle-conflict", .note, "the bundle of the file is the one of the run",
    why: "The one on simctl's command line wins.",
    passes: .apns(
      #"{"Simulator Target Bundle":"com.example.a","aps":{"alert":"Hi"}}"#, "--bundle", "com.example.a"),
    fails: .apns(#"{"Simulator Target Bundle":"com.example.a","aps":{"alert":"Hi"}}"#, "--bundle", "com.example.b"),
    needs: .bundle, at: .root(.simulatorTarget, .string)
  ) { document, scene, node in
    guard let bundle = scene.settings.bundle, document.isText(node), !document.equals(node, bundle) else { return }
    scene.report(node, "the file names \(document.name(node)), the run \(bundle)")
  },
]

private func isTargetMisspelt(_ document: Document, _ key: Int) -> Bool {
  let name = document.string(key)
  let letters = folded(name)
  if letters == folded(RootKey.simulatorTarget.rawValue) { return name != RootKey.simulatorTarget.rawValue }
  return nearest(name, in: [RootKey.simulatorTarget.rawValue]) != nil
}

let credentialRules: [Rule] = [
  Rule(
    "jwt-key-environment", .error, "a key for one environment is used there",
    why: "Since 2025 a key may be restricted to the sandbox or to production.",
    passes: .type("alert", "", hello, #","environment":"sandbox""#, "--key-environment", "sandbox"),
    fails: .type("alert", "", hello, #","environment":"production""#, "--key-environment", "sandbox"),
    refusal: "BadEnvironmentKeyInToken", needs: .keyEnvironment, at: .device, .broadcast
  ) { document, scene, node in
    guard let key = scene.settings.keyEnvironment, scene.settings.authentication != .certificate else { return }
    guard let environment = scene.record.environment ?? scene.settings.environment, environment != key else { return }
    scene.report(
      scene.record.environmentNode ?? scene.record.token ?? scene.record.channelID ?? 0,
      "the key is for \(key.rawValue), the push goes to \(environment.rawValue)")
  },
  Rule(
    "location-needs-token", .error, "a location query is sent with token authentication",
    why: "APNs takes no certificate for this push type.",
    passes: .type("location", ".location-query", #"{"aps":{}}"#, #","priority":5"#, "--auth", "token"),
    fails: .type("location", ".location-query", #"{"aps":{}}"#, #","priority":5"#, "--auth", "certificate"),
    needs: .authentication, at: .type(.location), check: needsToken),
  Rule(
    "fileprovider-needs-token", .error, "a push to a file provider is sent with token authentication",
    why: "Apple's page asks for keys, not certificates.",
    passes: .type("fileprovider", ".pushkit.fileprovider", fileProvider, "", "--auth", "token"),
    fails: .type("fileprovider", ".pushkit.fileprovider", fileProvider, "", "--auth", "certificate"),
    needs: .authentication, at: .type(.fileprovider), check: needsToken),
  Rule(
    "mdm-needs-cert", .error, "a push of device management is sent with its certificate",
    why: "The topic belongs to the MDM push certificate.",
    passes: .mdm(#"{"mdm":"PUSH-MAGIC"}"#),
    fails: .record(
      #"{"token":"\#(Example.token)","topic":"com.apple.mgmt.External.12345678-1234-1234-1234-123456789012","push_type":"mdm","payload":{"mdm":"PUSH-MAGIC"}}"#,
      "--auth", "token"), needs: .authentication, at: .type(.mdm)
  ) { document, scene, node in
    guard scene.settings.authentication == .token, scene.givenType == .mdm else { return }
    scene.report(scene.record.pushTypeNode ?? 0, "a push of type mdm needs the MDM push certificate")
  },
  Rule(
    "cert-topic-not-listed", .error, "the topic is one of the certificate's",
    why: "APNs refuses others.",
    passes: .alert(hello, "--auth", "certificate", "--allowed-topic", "com.example.app"),
    fails: .alert(hello, "--auth", "certificate", "--allowed-topic", "com.example.other"), refusal: "TopicDisallowed",
    needs: .topics, at: .topic
  ) { document, scene, node in
    guard let allowed = scene.settings.allowedTopics, scene.settings.authentication != .token else { return }
    guard let topic = scene.topic?.string, !allowed.contains(topic) else { return }
    scene.report(scene.record.topic ?? 0, "the certificate does not list the topic \(topic.replacingControls())")
  },
  Rule(
    "jwt-key-topics", .error, "the topic is one of the key's",
    why: "A key made for certain topics is refused for others.",
    passes: .alert(hello, "--auth", "token", "--allowed-topic", "com.example.app"),
    fails: .alert(hello, "--auth", "token", "--allowed-topic", "com.example.other"), refusal: "TopicDisallowed",
    needs: .topics, at: .topic
  ) { document, scene, node in
    guard let allowed = scene.settings.allowedTopics, scene.settings.authentication == .token else { return }
    guard let topic = scene.topic, !allowed.contains(topic.string) else { return }
    // A key's topics are bundle identifiers: the suffix does not count.
    let bare = topic.suffix.map { String(topic.string.dropLast($0.row.topicSuffix.count)) }
    if let bare, allowed.contains(bare) { return }
    scene.report(scene.record.topic ?? 0, "the key is not for the topic \(topic.string.replacingControls())")
  },
]

private let fileProvider =
  #"{"container-identifier":"NSFileProviderWorkingSetContainerItemIdentifier","domain":"d1"}"#

private let needsToken = Check { document, scene, node in
  guard scene.settings.authentication == .certificate, let type = scene.givenType else { return }
  scene.report(scene.record.pushTypeNode ?? 0, "a push of type \(type) needs token authentication")
}

let recordRules: [Rule] = [
  Rule(
    "record-not-object", .error, "a record is a JSON object",
    why: "A line holds one notification, as an object with the keys of apns-push(1).",
    passes: .alert(hello), fails: .record("[1]"), at: .record),
  Rule(
    "record-unknown-key", .error, "a record has only the keys of a record",
    why: "A misspelt key must not vanish. What is to be carried along goes under meta.",
    passes: .alert(#"{"aps":{"alert":"Hi","thread-id":"x"}}"#),
    fails: .type("alert", "", hello, #","thread-id":"x""#), at: .record),
  Rule(
    "record-duplicate-key", .error, "a record has each key once",
    why: "Which of the two counts would be a guess.",
    passes: .alert(hello), fails: .type("alert", "", hello, #","topic":"com.example.other""#),
    refusal: "DuplicateHeaders", at: .record),
  Rule(
    "record-type", .error, "each key of a record has a value of its kind",
    why: "It becomes a request header as it stands.",
    passes: .alert(hello), fails: .type("alert", "", hello, #","environment":"test""#), at: .record),
  Rule(
    "record-token-missing", .error, "a record has a token or a channel_id",
    why: "A push goes to a device or to a channel.",
    passes: .alert(hello), fails: .record(#"{"topic":"com.example.app","push_type":"alert","payload":\#(hello)}"#),
    refusal: "MissingDeviceToken", at: .record),
  Rule(
    "record-token-and-channel", .error, "a record has a token or a channel_id, not both",
    why: "A push goes to one device or to one channel.",
    passes: .broadcast(complete, live),
    fails: .broadcast(complete + #","token":"\#(Example.token)""#, live), at: .record),
  Rule(
    "record-payload-missing", .error, "a record has a payload",
    why: "APNs refuses a request without a body.",
    passes: .alert(hello),
    fails: .record(#"{"token":"\#(Example.token)","topic":"com.example.app","push_type":"alert"}"#),
    refusal: "PayloadEmpty", at: .record),
]
