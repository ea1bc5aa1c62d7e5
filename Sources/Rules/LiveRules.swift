// Rules for Live Activities.

import APNs
import JSON

private let good = #"{"aps":{"timestamp":1790000000,"event":"update","content-state":{"score":3}}}"#

/// An update with further keys.
private func update(_ keys: String) -> String {
  #"{"aps":{"timestamp":1790000000,"event":"update","content-state":{"score":3},\#(keys)}}"#
}

private func end(_ keys: String) -> String {
  #"{"aps":{"timestamp":1790000000,"event":"end","content-state":{"score":3},\#(keys)}}"#
}

/// A start with further keys.
private func start(_ keys: String) -> String {
  #"{"aps":{"timestamp":1790000000,"event":"start","content-state":{"score":3},"attributes-type":"MatchAttributes","attributes":{"home":"A"}\#(keys)}}"#
}

private let kickOff = #","alert":{"title":"Match","body":"Kick-off"}"#
private let urgent = #","priority":10"#

let liveRules: [Rule] = [
  Rule(
    "la-event-missing", .error, "a Live Activity push names its event",
    why: "The device refuses it.",
    passes: .live(good), fails: .live(#"{"aps":{"timestamp":1790000000,"content-state":{"score":3}}}"#),
    at: .type(.liveactivity)
  ) { document, scene, node in
    guard let aps = scene.root(.aps), document.kind(aps) == .object, scene.aps(.event) == nil else { return }
    scene.report(aps, "a Live Activity push without \"event\"", help: "write start, update or end")
  },
  Rule(
    "la-event-value", .error, "event is start, update or end",
    why: "The device refuses any other word.",
    passes: .live(end(#""dismissal-date":1790003600"#)),
    fails: .live(#"{"aps":{"timestamp":1790000000,"event":"stop","content-state":{"score":3}}}"#), at: .aps(.event)
  ) { document, scene, node in
    guard scene.isLive, scene.event(document) == nil, document.kind(node) != .null else { return }
    let words = ["start", "update", "end"]
    let meant = document.kind(node) == .string ? words.first { $0 == document.string(node).lowercased() } : nil
    scene.report(
      node, "\"event\" is \(document.shown(node)), not start, update or end",
      fix: meant.map { document.replace(node, by: "\"\($0)\"") })
  },
  Rule(
    "la-timestamp-missing", .error, "a Live Activity push has a timestamp",
    why: "The device refuses it: it tells new states from old ones by the time.",
    passes: .live(good), fails: .live(#"{"aps":{"event":"update","content-state":{"score":3}}}"#),
    at: .type(.liveactivity)
  ) { document, scene, node in
    guard let aps = scene.root(.aps), document.kind(aps) == .object, scene.aps(.timestamp) == nil else { return }
    scene.report(aps, "a Live Activity push without \"timestamp\"", help: "write the present UNIX time in seconds")
  },
  Rule(
    "la-timestamp-type", .error, "timestamp is a number",
    why: "The device refuses the push.",
    passes: .live(good),
    fails: .live(#"{"aps":{"timestamp":"1790000000","event":"update","content-state":{"score":3}}}"#),
    at: .aps(.timestamp, .wrong(except: .number))
  ) { document, scene, node in
    guard scene.isLive else { return }
    reportNotNumber(document, &scene, node)
  },
  Rule(
    "la-timestamp-milliseconds", .warning, "timestamp is in seconds",
    why: "In milliseconds it lies far ahead, and later, correct updates look older and are ignored.",
    passes: .live(good),
    fails: .live(#"{"aps":{"timestamp":1790000000000,"event":"update","content-state":{"score":3}}}"#),
    at: .aps(.timestamp, .number), check: milliseconds),
  Rule(
    "la-timestamp-old", .warning, "timestamp is the present time",
    why: "The device ignores what is older than the newest it has seen; a fixed value was copied from a sample.",
    passes: .live(good, #","priority":5"#, "--now", "1790000000"),
    fails: .live(#"{"aps":{"timestamp":1234,"event":"update","content-state":{"score":3}}}"#),
    at: .aps(.timestamp, .number)
  ) { document, scene, node in
    guard scene.isLive, let time = document.integer(node), time <= 100_000_000_000 else { return }
    if time < 1_000_000_000 {
      guard scene.event(document) != .start else { return }
      scene.report(node, "\"timestamp\" is \(time), a time before 2001")
    } else if let now = scene.settings.now, abs(now - time) > 3600 {
      let words = time < now ? "\(duration(now - time)) ago" : "\(duration(time - now)) ahead"
      scene.report(node, "\"timestamp\" is \(words)")
    }
  }.sharperWithClock(),
  Rule(
    "la-content-state-missing", .error, "a Live Activity push has the new content-state",
    why: "The device refuses it. For the event end see la-end-without-state.",
    passes: .live(good), fails: .live(#"{"aps":{"timestamp":1790000000,"event":"update"}}"#), at: .type(.liveactivity)
  ) { document, scene, node in
    guard let aps = scene.root(.aps), document.kind(aps) == .object, scene.aps(.contentState) == nil else { return }
    guard scene.event(document) != .end else { return }
    scene.report(aps, "a Live Activity push without \"content-state\"")
  },
  Rule(
    "la-end-without-state", .warning, "the end of a Live Activity has its final content-state",
    why: "Apple asks for it, and two readings of the receiver refuse the push without; yet many servers send it so.",
    passes: .live(end(#""dismissal-date":1790003600"#)),
    fails: .live(#"{"aps":{"timestamp":1790000000,"event":"end"}}"#),
    at: .type(.liveactivity)
  ) { document, scene, node in
    guard let event = scene.aps(.event), scene.aps(.contentState) == nil, scene.event(document) == .end else { return }
    scene.report(event - 1, "the end of a Live Activity without \"content-state\"", help: "send the final state")
  },
  Rule(
    "la-content-state-type", .error, "content-state is an object",
    why: "The device cannot decode anything else.",
    passes: .live(good), fails: .live(#"{"aps":{"timestamp":1790000000,"event":"update","content-state":"score=3"}}"#),
    at: .aps(.contentState, .wrong(except: .object))
  ) { document, scene, node in
    guard scene.isLive else { return }
    scene.report(
      node, "\"content-state\" is \(document.words(node)), not an object",
      help: document.holdsJSON(node) != nil ? "it was encoded twice: put the object itself there" : nil)
  },
  Rule(
    "la-content-state-size", .error, "content-state and attributes have at most 4096 bytes each",
    why: "ActivityKit takes no more. By token the limit of the payload bites first.",
    passes: .live(good),
    fails: .broadcast(
      #","channel_id":"dHN0LXNyY2gtY2hubA==","push_type":"liveactivity","priority":5,"expiration":0"#,
      #"{"aps":{"timestamp":1790000000,"event":"update","content-state":{"t":""#, letters: 4200, #""}}}"#),
    at: .liveState
  ) { document, scene, node in
    let size = document.end(node) - document.start(node)
    guard size > 4096 else { return }
    scene.report(node, "\"\(document.name(node - 1))\" has \(size) bytes; 4096 are allowed")
  },
  Rule(
    "la-content-state-case", .error, "content-state is written with a hyphen",
    why: "contentState is another key, and the state is missing.",
    passes: .live(good),
    fails: .live(#"{"aps":{"timestamp":1790000000,"event":"update","content_state":{"score":3}}}"#),
    at: .apsUnknown
  ) { document, scene, node in
    guard known(document.string(node), in: APSKey.self) == .contentState else { return }
    let isFree = scene.aps(.contentState) == nil
    scene.report(
      node, "\"\(document.name(node))\" is not \"content-state\"", help: "write \"content-state\"",
      fix: isFree ? document.rename(node, to: "content-state") : nil)
  },
  Rule(
    "la-date-string", .note, "dates inside content-state are numbers",
    why:
      "The default decoder wants a number of seconds since 2001 for a Swift Date. Only the app's type tells whether it is one.",
    passes: .live(#"{"aps":{"timestamp":1790000000,"event":"update","content-state":{"until":811692800}}}"#),
    fails: .live(
      #"{"aps":{"timestamp":1790000000,"event":"update","content-state":{"until":"2026-09-21T15:00:00Z"}}}"#),
    at: .liveState
  ) { document, scene, node in
    for inner in node + 1..<document.next(node) where !document.tokens[inner].isKey && isTimestampText(document, inner)
    {
      scene.report(inner, "this looks like a date as text; a Swift Date is a number of seconds since 2001")
    }
  },
  Rule(
    "la-date-unix", .note, "dates inside content-state count from 2001",
    why: "A Swift Date counts seconds from 1 January 2001: subtract 978307200 from UNIX time.",
    passes: .live(#"{"aps":{"timestamp":1790000000,"event":"update","content-state":{"endDate":811692800}}}"#),
    fails: .live(#"{"aps":{"timestamp":1790000000,"event":"update","content-state":{"endDate":1790000000}}}"#),
    at: .liveState
  ) { document, scene, node in
    for inner in node + 1..<document.next(node) where document.tokens[inner].isKey {
      guard let value = document.integer(inner + 1), (1_500_000_000...2_500_000_000).contains(value) else { continue }
      let name = document.string(inner).lowercased()
      guard ["date", "time", "until", "deadline", "at"].contains(where: { name.hasSuffix($0) }) else { continue }
      scene.report(
        inner + 1, "this looks like UNIX time; a Swift Date of this moment is \(value - 978_307_200)")
    }
  },
  Rule(
    "la-null-in-state", .note, "content-state holds no null",
    why: "Only an optional property takes it.",
    passes: .live(good),
    fails: .live(#"{"aps":{"timestamp":1790000000,"event":"update","content-state":{"score":null}}}"#),
    at: .liveState
  ) { document, scene, node in
    for inner in node + 1..<document.next(node) where document.kind(inner) == .null {
      scene.report(inner, "null suits an optional property only")
      return
    }
  },
  Rule(
    "la-alert-string", .error, "the alert of a Live Activity is an object",
    why: "A string is left out silently; the rest of the update applies.",
    passes: .live(update(#""alert":{"title":"Goal","body":"3:1"}"#), urgent),
    fails: .live(update(#""alert":"Goal""#), urgent),
    at: .liveAlertWhole
  ) { document, scene, node in
    guard document.kind(node) != .object, document.kind(node) != .null else { return }
    scene.report(node, "\"alert\" is \(document.words(node)), not an object with title and body")
  },
  Rule(
    "la-alert-incomplete", .warning, "the alert of a Live Activity has title and body",
    why: "With one of them missing the alert is left out silently.",
    passes: .live(update(#""alert":{"title":"Goal","body":"3:1"}"#), urgent),
    fails: .live(update(#""alert":{"title":"Goal"}"#), urgent), at: .liveAlertWhole
  ) { document, scene, node in
    guard document.kind(node) == .object, scene.alert(.title) == nil || scene.alert(.body) == nil else { return }
    if scene.alertMask & flatKeys != 0 { return }
    let missing = scene.alert(.title) == nil ? "title" : "body"
    scene.report(node, "the alert of a Live Activity has no \"\(missing)\" and is left out")
  },
  Rule(
    "la-alert-flat-loc-keys", .error, "the alert of a Live Activity has its loc-keys inside title and body",
    why: "title-loc-key and loc-key directly in alert are not understood here.",
    passes: .live(
      update(#""alert":{"title":{"loc-key":"GOAL"},"body":{"loc-key":"SCORE","loc-args":["3"]}}"#), urgent),
    fails: .live(update(#""alert":{"title-loc-key":"GOAL","loc-key":"SCORE"}"#), urgent),
    at: .liveAlert(.titleLocKey), .liveAlert(.locKey), .liveAlert(.subtitleLocKey)
  ) { document, scene, node in
    let name = document.string(node - 1)
    scene.report(
      node - 1, "\"\(name)\" is not understood in the alert of a Live Activity",
      help: "write \"\(name == "loc-key" ? "body" : "title")\":{\"loc-key\":\(document.shown(node))}")
  },
  Rule(
    "la-sound-outside-alert", .warning, "the sound of a Live Activity stands inside alert",
    why: "Beside it, it is ignored.",
    passes: .live(update(#""alert":{"title":"Goal","body":"3:1","sound":"default"}"#), urgent),
    fails: .live(update(#""alert":{"title":"Goal","body":"3:1"},"sound":"default""#), urgent), at: .liveAPS(.sound)
  ) { document, scene, node in
    var fix: Fix?
    if let alert = scene.aps(.alert), document.kind(alert) == .object, scene.alert(.sound) == nil,
      let aps = scene.root(.aps)
    {
      fix = document.move(node - 1, from: aps, into: alert, as: "sound", place: "into \"alert\"")
    }
    scene.report(
      node - 1, "\"sound\" beside the alert of a Live Activity is ignored", help: "it belongs into \"alert\"", fix: fix)
  },
  Rule(
    "la-ordinary-keys", .warning, "a Live Activity push has no keys of ordinary notifications",
    why: "They have no effect.",
    passes: .live(good), fails: .live(update(#""badge":3"#)), at: .liveAPS(.badge), .liveAPS(.category),
    .liveAPS(.threadID), .liveAPS(.mutableContent), .liveAPS(.interruptionLevel), .liveAPS(.targetContentID),
    .liveAPS(.filterCriteria)
  ) { document, scene, node in
    // Beside an alert with empty texts the level is a way to start silently, used on purpose.
    if node == scene.aps(.interruptionLevel) { return }
    scene.report(node - 1, "\"\(document.name(node - 1))\" has no effect in a Live Activity push")
  },
  Rule(
    "la-dismissal-without-end", .note, "dismissal-date stands with the event end",
    why: "With other events it is not read.",
    passes: .live(end(#""dismissal-date":1790003600"#)), fails: .live(update(#""dismissal-date":1790003600"#)),
    at: .aps(.dismissalDate)
  ) { document, scene, node in
    guard scene.isLive, let event = scene.event(document), event != .end else { return }
    scene.report(node - 1, "\"dismissal-date\" is read with the event end only")
  },
  Rule(
    "la-dismissal-type", .error, "dismissal-date is a number",
    why: "The device cannot read anything else.",
    passes: .live(end(#""dismissal-date":1790003600"#)), fails: .live(end(#""dismissal-date":"now""#)),
    at: .aps(.dismissalDate, .wrong(except: .number))
  ) { document, scene, node in
    guard scene.isLive else { return }
    reportNotNumber(document, &scene, node)
  },
  Rule(
    "la-dismissal-milliseconds", .warning, "dismissal-date is in seconds",
    why: "In milliseconds it lies far ahead and is cut to four hours.",
    passes: .live(end(#""dismissal-date":1790003600"#)), fails: .live(end(#""dismissal-date":1790003600000"#)),
    at: .aps(.dismissalDate, .number), check: milliseconds),
  Rule(
    "la-dismissal-beyond-4h", .warning, "dismissal-date is at most four hours ahead",
    why: "It is cut to four hours.",
    passes: .live(end(#""dismissal-date":1790003600"#), #","priority":5"#, "--now", "1790000000"),
    fails: .live(end(#""dismissal-date":1790021600"#), #","priority":5"#, "--now", "1790000000"), needs: .clock,
    at: .aps(.dismissalDate, .number)
  ) { document, scene, node in
    guard scene.isLive, let now = scene.settings.now, let time = document.integer(node) else { return }
    guard time - now > 4 * 3600, time <= 100_000_000_000, scene.event(document) == .end else { return }
    scene.report(node, "\"dismissal-date\" is \(duration(time - now)) ahead; four hours are the most")
  },
  Rule(
    "la-stale-date-type", .error, "stale-date is a number",
    why: "Anything else is ignored.",
    passes: .live(update(#""stale-date":1790000900"#)), fails: .live(update(#""stale-date":"later""#)),
    at: .aps(.staleDate, .wrong(except: .number))
  ) { document, scene, node in
    guard scene.isLive else { return }
    reportNotNumber(document, &scene, node)
  },
  Rule(
    "la-stale-date-milliseconds", .warning, "stale-date is in seconds",
    why: "In milliseconds the activity never becomes stale.",
    passes: .live(update(#""stale-date":1790000900"#)), fails: .live(update(#""stale-date":1790000900000"#)),
    at: .aps(.staleDate, .number), check: milliseconds),
  Rule(
    "la-stale-date-past", .warning, "stale-date is later than timestamp",
    why: "The activity is stale at once.",
    passes: .live(update(#""stale-date":1790000900"#)), fails: .live(update(#""stale-date":1789999999"#)),
    at: .aps(.staleDate, .number)
  ) { document, scene, node in
    guard scene.isLive, let time = document.value(node), let stamp = scene.aps(.timestamp) else { return }
    guard let now = document.value(stamp), time <= now, now <= 100_000_000_000 else { return }
    scene.report(node, "\"stale-date\" is not after \"timestamp\": stale at once")
  },
  Rule(
    "la-relevance-type", .error, "relevance-score is a number",
    why: "Anything else is ignored. Any number is fine here.",
    passes: .live(update(#""relevance-score":75"#)), fails: .live(update(#""relevance-score":"high""#)),
    at: .aps(.relevanceScore, .wrong(except: .number))
  ) { document, scene, node in
    guard scene.isLive else { return }
    reportNotNumber(document, &scene, node)
  },
  Rule(
    "la-keys-outside-la", .warning, "keys of Live Activities stand in Live Activity pushes",
    why: "In another push type nothing reads them.",
    passes: .alert(#"{"aps":{"alert":"Hi"}}"#), fails: .alert(#"{"aps":{"alert":"Hi","stale-date":1790000900}}"#),
    at: .aps(.event), .aps(.contentState), .aps(.timestamp), .aps(.staleDate), .aps(.dismissalDate),
    .aps(.attributesType), .aps(.attributes), .aps(.inputPushToken), .aps(.inputPushChannel)
  ) { document, scene, node in
    guard !scene.isLive else { return }
    if let type = scene.type, !needsAPS(type) { return }
    // The payload as a whole is another type's: said once.
    if scene.givenType != nil, scene.aps(.event) != nil, scene.aps(.contentState) != nil { return }
    scene.report(node - 1, "\"\(document.name(node - 1))\" is read in Live Activity pushes only")
  },
  Rule(
    "la-priority-budget", .note, "an update without alert has priority 5",
    why: "Priority 10 counts against an hourly budget, 5 does not.",
    passes: .live(good), fails: .live(good, urgent), at: .type(.liveactivity)
  ) { document, scene, node in
    guard scene.priority == 10, scene.aps(.alert) == nil, scene.event(document) == .update else { return }
    scene.report(scene.record.priorityNode ?? 0, "an update without alert at priority 10 uses up the hourly budget")
  },
  Rule(
    "la-alert-low-priority", .note, "an update with alert has priority 10",
    why: "With 5 the alert may come late.",
    passes: .live(update(#""alert":{"title":"Goal","body":"3:1"}"#), urgent),
    fails: .live(update(#""alert":{"title":"Goal","body":"3:1"}"#)), at: .type(.liveactivity)
  ) { document, scene, node in
    guard scene.priority == 5, scene.aps(.alert) != nil, scene.event(document) == .update else { return }
    scene.report(scene.record.priorityNode ?? 0, "an alert at priority 5 may come late")
  },
  Rule(
    "la-platform", .error, "a push type goes to platforms that have it",
    why: "Live Activities, location queries and Push to Talk are not on macOS, tvOS and watchOS.",
    passes: .live(good, #","priority":5"#, "--platform", "ios"),
    fails: .live(good, #","priority":5"#, "--platform", "macos"),
    needs: .platform, at: .type(.liveactivity), .type(.location), .type(.pushtotalk)
  ) { document, scene, node in
    guard let platform = scene.settings.platform, let type = scene.givenType else { return }
    guard platform == .macos || platform == .tvos || platform == .watchos else { return }
    scene.report(scene.record.pushTypeNode ?? 0, "there is no push of type \(type) on \(platform.rawValue)")
  },
]

let liveStartRules: [Rule] = [
  Rule(
    "la-start-attributes-type", .error, "a start names its attributes-type",
    why: "The device cannot know which Swift type to make, and refuses it.",
    passes: .live(start(kickOff + #","input-push-token":1"#), urgent),
    fails: .live(
      #"{"aps":{"timestamp":1790000000,"event":"start","content-state":{"score":3},"attributes":{"home":"A"}\#(kickOff)}}"#,
      urgent), at: .type(.liveactivity)
  ) { document, scene, node in
    guard scene.event(document) == .start else { return }
    if let value = scene.aps(.attributesType) {
      if document.isText(value) { return }
      return scene.report(value, "\"attributes-type\" is \(document.shown(value)), not the name of a Swift type")
    }
    guard let event = scene.aps(.event) else { return }
    scene.report(
      event - 1, "a start without \"attributes-type\"", help: "write the name of the ActivityAttributes type")
  },
  Rule(
    "la-start-attributes", .error, "a start has attributes",
    why: "The device refuses it; they may be empty.",
    passes: .live(start(kickOff + #","input-push-token":1"#), urgent),
    fails: .live(
      #"{"aps":{"timestamp":1790000000,"event":"start","content-state":{"score":3},"attributes-type":"MatchAttributes"\#(kickOff)}}"#,
      urgent), at: .type(.liveactivity)
  ) { document, scene, node in
    guard scene.event(document) == .start else { return }
    if let value = scene.aps(.attributes) {
      if document.kind(value) == .object { return }
      return scene.report(value, "\"attributes\" is \(document.words(value)), not an object")
    }
    guard let event = scene.aps(.event) else { return }
    scene.report(event - 1, "a start without \"attributes\"", help: "write {} when there are none")
  },
  Rule(
    "la-start-alert", .error, "a start has an alert",
    why: "Apple asks that a start alerts the user; without it the push was seen to be dropped.",
    passes: .live(start(kickOff + #","input-push-token":1"#), urgent), fails: .live(start(""), urgent),
    at: .type(.liveactivity)
  ) { document, scene, node in
    guard scene.aps(.alert) == nil, scene.event(document) == .start, let event = scene.aps(.event) else { return }
    scene.report(event - 1, "a start without \"alert\"")
  },
  Rule(
    "la-attributes-on-update", .warning, "attributes stand with the event start",
    why: "They never change: with update and end they are ignored.",
    passes: .live(good), fails: .live(update(#""attributes":{"home":"A"},"attributes-type":"MatchAttributes""#)),
    at: .aps(.attributes)
  ) { document, scene, node in
    guard scene.isLive, let event = scene.event(document), event != .start else { return }
    scene.report(node - 1, "\"attributes\" are ignored with the event \(event.rawValue)")
  },
  Rule(
    "la-input-both", .error, "a start asks for a token or for a channel, not for both",
    why: "The device refuses it.",
    passes: .live(start(kickOff + #","input-push-token":1"#), urgent),
    fails: .live(start(kickOff + #","input-push-token":1,"input-push-channel":"dHN0LXNyY2gtY2hubA==""#), urgent),
    at: .aps(.inputPushToken)
  ) { document, scene, node in
    guard scene.aps(.inputPushChannel) != nil else { return }
    scene.report(node - 1, "\"input-push-token\" and \"input-push-channel\" together")
  },
  Rule(
    "la-input-token-value", .error, "input-push-token is the number 1",
    why: "Only that counts.",
    passes: .live(start(kickOff + #","input-push-token":1"#), urgent),
    fails: .live(start(kickOff + #","input-push-token":"yes""#), urgent),
    at: .aps(.inputPushToken, .any.subtracting(.null))
  ) { document, scene, node in
    if document.value(node) == 1 { return }
    let isMeant = document.kind(node) == .true || document.kind(node) == .string && document.equals(node, "1")
    scene.report(
      node, "\"input-push-token\" is \(document.shown(node)), not the number 1",
      fix: isMeant ? document.replace(node, by: "1") : nil)
  },
  Rule(
    "la-input-channel-base64", .error, "input-push-channel is base64",
    why: "A channel's identifier is base64.",
    passes: .live(start(kickOff + #","input-push-channel":"dHN0LXNyY2gtY2hubA==""#), urgent),
    fails: .live(start(kickOff + #","input-push-channel":"my channel""#), urgent),
    at: .aps(.inputPushChannel, .any.subtracting(.null))
  ) { document, scene, node in
    var decoded: [UInt8] = []
    document.appendDecoded(node, to: &decoded)
    if document.kind(node) == .string, Identifiers.isChannel(decoded.span) { return }
    scene.report(node, "\"input-push-channel\" is not base64")
  },
  Rule(
    "la-input-not-start", .warning, "input-push-token and input-push-channel stand with the event start",
    why: "With other events they are not read.",
    passes: .live(start(kickOff + #","input-push-token":1"#), urgent), fails: .live(update(#""input-push-token":1"#)),
    at: .aps(.inputPushToken), .aps(.inputPushChannel)
  ) { document, scene, node in
    guard scene.isLive, let event = scene.event(document), event != .start else { return }
    scene.report(node - 1, "\"\(document.name(node - 1))\" is read with the event start only")
  },
  Rule(
    "la-start-no-input", .note, "a start asks for a token or a channel",
    why: "From iOS 18 on; otherwise the server may never be able to update the activity.",
    passes: .live(start(kickOff + #","input-push-token":1"#), urgent), fails: .live(start(kickOff), urgent),
    at: .type(.liveactivity)
  ) { document, scene, node in
    guard scene.event(document) == .start, let event = scene.aps(.event) else { return }
    guard scene.aps(.inputPushToken) == nil, scene.aps(.inputPushChannel) == nil else { return }
    scene.report(event - 1, "a start without \"input-push-token\" or \"input-push-channel\"")
  },
]

/// What a Live Activity push does.
enum LiveEvent: String { case start, update, end }

extension Scene {
  func event(_ document: Document) -> LiveEvent? {
    guard let node = aps(.event) else { return nil }
    if document.equals(node, "update") { return .update }
    if document.equals(node, "end") { return .end }
    return document.equals(node, "start") ? .start : nil
  }
}

/// Keys of an ordinary alert's spelling.
private let flatKeys: UInt32 = [AlertKey.titleLocKey, .locKey].reduce(0) { $0 | 1 << UInt32($1.index) }

private let milliseconds = Check { document, scene, node in
  guard scene.isLive, let value = document.value(node), value > 100_000_000_000 else { return }
  let seconds = document.integer(node).map { $0 / 1000 }
  scene.report(
    node, "\"\(document.name(node - 1))\" is in milliseconds", help: seconds.map { "write \($0)" },
    fix: seconds.map { document.replace(node, by: String($0)) })
}

private func reportNotNumber(_ document: Document, _ scene: inout Scene, _ node: Int) {
  let digits = document.kind(node) == .string ? unquotedNumber(document, node) : nil
  scene.report(
    node, "\"\(document.name(node - 1))\" is \(document.words(node)), not a number", help: digits.map { "write \($0)" },
    fix: digits.map { document.replace(node, by: $0) })
}

/// A date with a time, in the manner of ISO 8601: `2026-09-21T15:00`.
private func isTimestampText(_ document: Document, _ node: Int) -> Bool {
  guard document.kind(node) == .string else { return false }
  let text = document.content(node)
  guard text.count >= 16, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-") else { return false }
  guard text[10] == UInt8(ascii: "T") || text[10] == UInt8(ascii: " "), text[13] == UInt8(ascii: ":") else {
    return false
  }
  return text[0] &- 0x30 <= 9 && text[3] &- 0x30 <= 9 && text[9] &- 0x30 <= 9
}
