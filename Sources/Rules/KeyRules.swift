// Rules for the other keys of `aps` in ordinary pushes.

import APNs
import JSON

private let notString = Kinds.wrong(except: .string)

let keyRules: [Rule] = [
  Rule(
    "thread-id-type", .error, "thread-id is a non-empty string",
    why: "Anything else is dropped, and the notification is not grouped.",
    passes: .alert(#"{"aps":{"alert":"Hi","thread-id":"12"}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","thread-id":12}}"#),
    at: .aps(.threadID, .wrong(except: .text)), check: nonEmptyString),
  Rule(
    "category-type", .error, "category is a non-empty string",
    why: "Anything else is dropped, and the notification has no actions.",
    passes: .alert(#"{"aps":{"alert":"Hi","category":"A"}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","category":["A"]}}"#),
    at: .aps(.category, .wrong(except: .text)), check: nonEmptyString),
  Rule(
    "category-unknown", .warning, "category is one the app registers",
    why: "The notification is shown without its actions.",
    passes: .alert(#"{"aps":{"alert":"Hi","category":"REPLY"}}"#, "--category", "REPLY"),
    fails: .alert(#"{"aps":{"alert":"Hi","category":"REPLAY"}}"#, "--category", "REPLY"), needs: .categories,
    at: .aps(.category, .string)
  ) { document, scene, node in
    guard let known = scene.settings.categories, !document.isEmptyString(node) else { return }
    let name = document.string(node)
    guard !known.contains(name) else { return }
    scene.report(
      node, "the category \"\(document.name(node))\" is not one of the app's",
      help: nearest(name, in: Array(known)).map { "did you mean \"\($0)\"?" })
  },
  Rule(
    "target-content-id-type", .error, "target-content-id is a string",
    why: "Anything else is dropped.",
    passes: .alert(#"{"aps":{"alert":"Hi","target-content-id":"w9"}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","target-content-id":9}}"#), at: .aps(.targetContentID, notString),
    check: notAString),
  Rule(
    "filter-criteria-type", .error, "filter-criteria is a string",
    why: "Anything else is dropped.",
    passes: .alert(#"{"aps":{"alert":"Hi","filter-criteria":"work"}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","filter-criteria":{"a":1}}}"#), at: .aps(.filterCriteria, notString),
    check: notAString),
  Rule(
    "interruption-level-type", .error, "interruption-level is a string",
    why: "The number of the enumeration is not understood: the level is active.",
    passes: .alert(#"{"aps":{"alert":"Hi","interruption-level":"time-sensitive"}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","interruption-level":2}}"#), at: .aps(.interruptionLevel, notString)
  ) { document, scene, node in
    scene.report(
      node, "\"interruption-level\" is \(document.words(node)), not a string",
      help: "the levels are passive, active, time-sensitive and critical")
  },
  Rule(
    "interruption-level-value", .error, "interruption-level is passive, active, time-sensitive or critical",
    why: "Any other word, also in other case or without the hyphen, is removed: the level is active.",
    passes: .alert(#"{"aps":{"alert":"Hi","interruption-level":"time-sensitive"}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","interruption-level":"timeSensitive"}}"#),
    at: .aps(.interruptionLevel, .string)
  ) { document, scene, node in
    if document.equals(node, "active") || document.equals(node, "time-sensitive") { return }
    if document.equals(node, "passive") || document.equals(node, "critical") { return }
    let levels = ["passive", "active", "time-sensitive", "critical"]
    let word = document.string(node)
    let meant = levels.first { folded($0) == folded(word) } ?? nearest(word, in: levels)
    scene.report(
      node, "\(document.shown(node)) is no interruption level",
      help: meant.map { "did you mean \"\($0)\"?" } ?? "the levels are passive, active, time-sensitive and critical",
      fix: meant.map { document.replace(node, by: "\"\($0)\"") })
  },
  Rule(
    "interruption-critical", .note, "the level critical needs Apple's entitlement",
    why: "Without the critical-alerts entitlement it is not critical; it was seen to make the sound critical too.",
    passes: .alert(#"{"aps":{"alert":"Hi","interruption-level":"active"}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","interruption-level":"critical"}}"#), at: .aps(.interruptionLevel, .string)
  ) { document, scene, node in
    guard document.equals(node, "critical") else { return }
    scene.report(node, "the level critical needs the critical-alerts entitlement")
  },
  Rule(
    "interruption-critical-no-sound", .note, "a critical notification has a sound",
    why: "Without one the system plays its own critical sound.",
    passes: .alert(
      #"{"aps":{"alert":"Hi","interruption-level":"critical","sound":{"critical":1,"name":"default","volume":1}}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","interruption-level":"critical"}}"#), at: .aps(.interruptionLevel, .string)
  ) { document, scene, node in
    guard scene.aps(.sound) == nil, document.equals(node, "critical") else { return }
    scene.report(node, "a critical notification without \"sound\" plays the system's critical sound")
  },
  Rule(
    "interruption-time-sensitive", .note, "the level time-sensitive needs the app's capability",
    why: "Without the time-sensitive capability the level is active.",
    passes: .alert(#"{"aps":{"alert":"Hi","interruption-level":"active"}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","interruption-level":"time-sensitive"}}"#),
    at: .aps(.interruptionLevel, .string)
  ) { document, scene, node in
    guard document.equals(node, "time-sensitive") else { return }
    scene.report(node, "the level time-sensitive needs the capability of that name in the app")
  },
  Rule(
    "interruption-low-priority", .warning, "urgent notifications have priority 10",
    why: "With priority 5 or 1 an urgent text may wait for the device to wake.",
    passes: .type(
      "alert", "", #"{"aps":{"alert":"Hi","interruption-level":"time-sensitive"}}"#, #","priority":10"#),
    fails: .type("alert", "", #"{"aps":{"alert":"Hi","interruption-level":"time-sensitive"}}"#, #","priority":5"#),
    at: .aps(.interruptionLevel, .string)
  ) { document, scene, node in
    guard let priority = scene.priority, priority == 5 || priority == 1 else { return }
    guard document.equals(node, "time-sensitive") || document.equals(node, "critical") else { return }
    scene.report(node, "the level is \(document.string(node)) and the priority \(priority)", help: "use priority 10")
  },
  Rule(
    "interruption-critical-low-priority", .warning, "critical sounds have priority 10",
    why: "With priority 5 or 1 the alarm may wait for the device to wake.",
    passes: .type(
      "alert", "", #"{"aps":{"alert":"Hi","sound":{"critical":1,"name":"default","volume":1}}}"#, #","priority":10"#),
    fails: .type(
      "alert", "", #"{"aps":{"alert":"Hi","sound":{"critical":1,"name":"default","volume":1}}}"#, #","priority":1"#),
    at: .sound(.critical, [.number, .bool])
  ) { document, scene, node in
    guard let priority = scene.priority, priority == 5 || priority == 1 else { return }
    guard document.value(node) != 0, document.kind(node) != .false else { return }
    scene.report(node, "the sound is critical and the priority \(priority)", help: "use priority 10")
  },
  Rule(
    "relevance-score-type", .error, "relevance-score is a number",
    why: "Anything else is dropped.",
    passes: .alert(#"{"aps":{"alert":"Hi","relevance-score":0.5}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","relevance-score":"0.5"}}"#),
    at: .aps(.relevanceScore, .wrong(except: .number))
  ) { document, scene, node in
    guard !scene.isLive else { return }
    scene.report(
      node, "\"relevance-score\" is \(document.words(node)), not a number",
      fix: unquotedNumber(document, node).map { document.replace(node, by: $0) })
  },
  Rule(
    "relevance-score-range", .warning, "relevance-score lies between 0 and 1",
    why: "What is beyond is cut to the range. In a Live Activity any number is fine.",
    passes: .alert(#"{"aps":{"alert":"Hi","relevance-score":0.75}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","relevance-score":75}}"#), at: .aps(.relevanceScore, .number)
  ) { document, scene, node in
    guard !scene.isLive, let value = document.value(node), value < 0 || value > 1 else { return }
    scene.report(node, "\"relevance-score\" is \(document.shown(node)), not between 0 and 1")
  },
  Rule(
    "content-available-type", .warning, "content-available is a number",
    why: "One system was seen to count anything that is no number as 1, even \"0\".",
    passes: .background(#"{"aps":{"content-available":1}}"#), fails: .background(#"{"aps":{"content-available":"0"}}"#),
    at: .aps(.contentAvailable, [.string, .array, .object]), check: flagType),
  Rule(
    "content-available-bool", .warning, "content-available is 1, not true",
    why: "Apple's page says number; a Boolean was seen to work.",
    passes: .background(#"{"aps":{"content-available":1}}"#),
    fails: .background(#"{"aps":{"content-available":true}}"#),
    at: .aps(.contentAvailable, .bool), check: flagBool),
  Rule(
    "content-available-value", .note, "content-available is 1",
    why: "0 means the same as leaving it out.",
    passes: .alert(#"{"aps":{"alert":"Hi"}}"#), fails: .alert(#"{"aps":{"alert":"Hi","content-available":0}}"#),
    at: .aps(.contentAvailable, .number), check: flagValue),
  Rule(
    "content-available-with-alert", .note, "content-available stands alone or the app wants time to fetch",
    why: "Beside an alert it is allowed: the app also gets time in the background.",
    passes: .alert(#"{"aps":{"alert":"Hi"}}"#), fails: .alert(#"{"aps":{"alert":"Hi","content-available":1}}"#),
    at: .aps(.contentAvailable, .number)
  ) { document, scene, node in
    guard scene.aps(.alert) != nil, scene.givenType == .alert else { return }
    scene.report(node, "beside the alert the app is also woken in the background")
  },
  Rule(
    "mutable-content-type", .warning, "mutable-content is a number",
    why: "One system was seen to count anything that is no number as 1.",
    passes: .alert(#"{"aps":{"alert":"Hi","mutable-content":1}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","mutable-content":"1"}}"#),
    at: .aps(.mutableContent, [.string, .array, .object]), check: flagType),
  Rule(
    "mutable-content-bool", .warning, "mutable-content is 1, not true",
    why: "Apple's page says number; a Boolean was seen to work.",
    passes: .alert(#"{"aps":{"alert":"Hi","mutable-content":1}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","mutable-content":true}}"#), at: .aps(.mutableContent, .bool), check: flagBool),
  Rule(
    "mutable-content-value", .note, "mutable-content is 1",
    why: "0 means the same as leaving it out.",
    passes: .alert(#"{"aps":{"alert":"Hi"}}"#), fails: .alert(#"{"aps":{"alert":"Hi","mutable-content":0}}"#),
    at: .aps(.mutableContent, .number), check: flagValue),
  Rule(
    "mutable-content-no-alert", .warning, "mutable-content stands beside an alert with text",
    why: "The service extension runs only for a notification that is shown.",
    passes: .alert(#"{"aps":{"alert":"Hi","badge":1,"mutable-content":1}}"#),
    fails: .alert(#"{"aps":{"badge":1,"mutable-content":1}}"#), at: .mutableWithoutText
  ) { document, scene, node in
    if let alert = scene.aps(.alert), document.isText(alert) || scene.hasAlertText(document) { return }
    if document.value(node) == 0 || scene.type == .background || scene.isLive { return }
    // A push that the app takes whole, such as a call, has no service extension to run either.
    if let type = scene.type, !needsAPS(type) { return }
    scene.report(node - 1, "\"mutable-content\" without an alert: the service extension does not run")
  },
  Rule(
    "url-args-outside-safari", .warning, "url-args stand only in website pushes of Safari",
    why: "Apps do not see them as anything special.",
    passes: .untyped(
      topic: "web.com.example", #"{"aps":{"alert":{"title":"Hi","body":"There"},"url-args":["a"]}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","url-args":["a"]}}"#), at: .aps(.urlArgs)
  ) { document, scene, node in
    guard let topic = scene.topic, topic.family != .web else { return }
    scene.report(node - 1, "\"url-args\" is read in website pushes of Safari, whose topic begins with web.")
  },
]

private let nonEmptyString = Check { document, scene, node in
  if document.isText(node) { return }
  let key = document.name(node - 1)
  guard document.kind(node) != .string else {
    // An empty string is dropped like a missing key.
    return scene.report(node, "\"\(key)\" is an empty string", help: "leave the key out", as: .warning)
  }
  let number = document.kind(node) == .number
  scene.report(
    node, "\"\(key)\" is \(document.words(node)), not a string",
    help: number ? "write \"\(document.shown(node))\"" : nil,
    fix: number ? document.replace(node, by: "\"\(document.shown(node))\"") : nil)
}

private let notAString = Check { document, scene, node in
  scene.report(node, "\"\(document.name(node - 1))\" is \(document.words(node)), not a string")
}

private let flagType = Check { document, scene, node in
  let isOne = document.kind(node) == .string && document.equals(node, "1")
  scene.report(
    node, "\"\(document.name(node - 1))\" is \(document.words(node)), not the number 1",
    fix: isOne ? document.replace(node, by: "1") : nil)
}

private let flagBool = Check { document, scene, node in
  scene.report(
    node, "\"\(document.name(node - 1))\" is \(document.shown(node)); Apple's page says 1",
    fix: document.kind(node) == .true ? document.replace(node, by: "1") : nil)
}

private let flagValue = Check { document, scene, node in
  guard document.integer(node) != 1 else { return }
  scene.report(node, "\"\(document.name(node - 1))\" is \(document.shown(node)): only 1 has a meaning")
}
