// Rules for the alert of an ordinary push. Live Activities have an alert of another shape, and rules of their own.

import APNs
import JSON

let alertRules: [Rule] = [
  Rule(
    "alert-type", .error, "alert is a string or an object",
    why: "The device drops anything else; if nothing showable is left there is no notification at all.",
    passes: .alert(#"{"aps":{"alert":"Hi"}}"#), fails: .alert(#"{"aps":{"alert":7}}"#),
    at: .aps(.alert, [.array, .number, .bool])
  ) { document, scene, node in
    scene.report(node, "\"alert\" is \(document.words(node)), not a string or an object")
  },
  Rule(
    "alert-empty-string", .warning, "alert is not an empty string",
    why: "Nothing is shown. A badge or a sound in the same push still works.",
    passes: .alert(#"{"aps":{"alert":"Hi"}}"#), fails: .alert(#"{"aps":{"alert":"","badge":1}}"#),
    at: .aps(.alert, .empty)
  ) { document, scene, node in
    // In a push that is to show nothing it does no harm.
    guard document.isEmptyString(node), scene.type != .background else { return }
    scene.report(node, "\"alert\" is an empty string: nothing is shown", help: "leave the key out")
  },
  Rule(
    "alert-empty-object", .warning, "alert is not an empty object",
    why: "Nothing is shown.",
    passes: .alert(#"{"aps":{"alert":{"body":"Hi"}}}"#), fails: .alert(#"{"aps":{"alert":{},"badge":1}}"#),
    at: .alertObject
  ) { document, scene, node in
    guard document.kind(node) == .object, document.isEmpty(node) else { return }
    scene.report(node, "\"alert\" is an empty object: nothing is shown", help: "leave the key out")
  },
  Rule(
    "alert-double-encoded", .warning, "alert is not the text of a JSON object",
    why: "It was encoded twice, and people see the braces.",
    passes: .alert(#"{"aps":{"alert":{"title":"Hi","body":"There"}}}"#),
    fails: .alert(#"{"aps":{"alert":"{\"title\":\"Hi\"}"}}"#), at: .aps(.alert, .text)
  ) { document, scene, node in
    guard document.holdsJSON(node) != nil else { return }
    scene.report(
      node, "\"alert\" is a string that holds JSON: people see the braces", help: "put the object itself there")
  },
  Rule(
    "alert-no-text", .warning, "an alert has a title, a subtitle, a body or a loc-key",
    why: "Without any text nothing is shown.",
    passes: .alert(#"{"aps":{"alert":{"launch-image":"a.png","body":"Hi"}}}"#),
    fails: .alert(#"{"aps":{"alert":{"launch-image":"a.png"},"badge":1}}"#), at: .alertObject
  ) { document, scene, node in
    guard !document.isEmpty(node), !scene.hasAlertText(document) else { return }
    // Empty texts are said one by one.
    for key in [AlertKey.title, .subtitle, .body, .titleLocKey, .subtitleLocKey, .locKey] {
      if let text = scene.alert(key), document.kind(text) == .string { return }
    }
    scene.report(node, "\"alert\" has no title, subtitle, body or loc-key: nothing is shown")
  },
  Rule(
    "alert-text-type", .error, "title, subtitle, body, launch-image and the loc-keys are strings",
    why: "The device drops what is not a non-empty string. null counts as absent.",
    passes: .alert(#"{"aps":{"alert":{"title":"5","body":"Hi"}}}"#),
    fails: .alert(#"{"aps":{"alert":{"title":5,"body":"Hi"}}}"#),
    at: .alert(.title, notText), .alert(.subtitle, notText), .alert(.body, notText),
    .alert(.launchImage, notText), .alert(.titleLocKey, notText), .alert(.subtitleLocKey, notText),
    .alert(.locKey, notText), .alert(.actionLocKey, notText), .alert(.action, notText), .alert(.summaryArg, notText)
  ) { document, scene, node in
    if isLiveText(document, node) { return }
    scene.report(
      node, "\"\(document.name(node - 1))\" is \(document.words(node)), not a string",
      fix: document.kind(node) == .number ? document.replace(node, by: "\"\(document.shown(node))\"") : nil)
  },
  Rule(
    "alert-text-empty", .warning, "no text of the alert is empty",
    why: "The device drops the key; leave it out.",
    passes: .alert(#"{"aps":{"alert":{"body":"Hi"}}}"#), fails: .alert(#"{"aps":{"alert":{"title":"","body":"Hi"}}}"#),
    at: .alert(.title, .empty), .alert(.subtitle, .empty), .alert(.body, .empty), .alert(.titleLocKey, .empty),
    .alert(.subtitleLocKey, .empty), .alert(.locKey, .empty)
  ) { document, scene, node in
    guard document.isEmptyString(node) else { return }
    scene.report(node, "\"\(document.name(node - 1))\" is an empty string", help: "leave the key out")
  },
  Rule(
    "alert-text-blank", .warning, "an alert shows more than white space",
    why: "People see an empty banner.",
    passes: .alert(#"{"aps":{"alert":"Hi"}}"#), fails: .alert(#"{"aps":{"alert":"   "}}"#), at: .alertWhole
  ) { document, scene, node in
    if document.kind(node) == .string {
      if document.isBlank(node) { scene.report(node, "the text of the alert is white space only") }
      return
    }
    var hasBlank = false
    for key in [AlertKey.title, .subtitle, .body] {
      guard let text = scene.alert(key), document.isText(text) else { continue }
      guard document.isBlank(text) else { return }
      hasBlank = true
    }
    guard hasBlank, scene.alertMask & alertLocKeys == 0 else { return }
    scene.report(node, "every text of the alert is white space only")
  },
  Rule(
    "template-hole", .warning, "no text of the alert holds a hole that was to be filled",
    why: "People see the braces: {{name}} is how templates write a field, and nothing filled it.",
    passes: .alert(#"{"aps":{"alert":{"title":"Hi Ana","body":"There"}}}"#),
    fails: .alert(#"{"aps":{"alert":{"title":"Hi {{name}}","body":"There"}}}"#),
    at: .hole
  ) { document, scene, node in
    guard let hole = templateHole(document.content(node)) else { return }
    scene.report(
      node, "the text holds '\(hole)', which nothing filled", help: "apns-build fills holes from the fields of a line")
  },
  Rule(
    "alert-unknown-key", .warning, "alert holds only keys of Apple's",
    why: "Others are ignored: a slip of typing loses the text, and what is for the app goes beside aps.",
    passes: .alert(#"{"aps":{"alert":{"title":"Hi","body":"There"}}}"#),
    fails: .alert(#"{"aps":{"alert":{"titel":"Hi","body":"There"}}}"#), at: .alertUnknown
  ) { document, scene, node in
    let name = document.string(node)
    if let key = known(name, in: APSKey.self), known(name, in: AlertKey.self) == nil {
      var fix: Fix?
      if let alert = scene.aps(.alert), let aps = scene.root(.aps), scene.aps(key) == nil {
        fix = document.move(node, from: alert, into: aps, as: key.rawValue, place: "into \"aps\"")
      }
      scene.report(
        node, "\"\(document.name(node))\" is no key of \"alert\"", help: "\"\(key.rawValue)\" belongs into \"aps\"",
        fix: fix)
      return
    }
    let key =
      known(name, in: AlertKey.self) ?? nearest(name, in: AlertKey.allCases.map(\.rawValue)).flatMap(AlertKey.init)
    guard let key else {
      scene.report(
        node, "\"\(document.name(node))\" is no key of \"alert\"", help: "custom keys go beside \"aps\", at the root")
      return
    }
    let isFree = scene.alert(key) == nil
    scene.report(
      node, "\"\(document.name(node))\" is no key of \"alert\"", help: "did you mean \"\(key.rawValue)\"?",
      fix: isFree ? document.rename(node, to: key.rawValue) : nil)
  },
  Rule(
    "alert-title-only", .note, "an alert with a title has a body",
    why: "A title alone is shown today; iOS 10 did not show it.",
    passes: .alert(#"{"aps":{"alert":{"title":"Hi","body":"There"}}}"#),
    fails: .alert(#"{"aps":{"alert":{"title":"Hi"}}}"#),
    at: .alert(.title)
  ) { document, scene, node in
    guard scene.alert(.body) == nil, scene.alert(.locKey) == nil, scene.alert(.subtitle) == nil else { return }
    scene.report(node, "the alert has a title and no body")
  },
  Rule(
    "alert-literal-and-loc-key", .note, "an alert has a text or its loc-key",
    why: "Both together are legal: the text is shown when the app has no string for the key.",
    passes: .alert(#"{"aps":{"alert":{"loc-key":"GREET"}}}"#),
    fails: .alert(#"{"aps":{"alert":{"body":"Hi","loc-key":"GREET"}}}"#),
    at: .alert(.locKey), .alert(.titleLocKey), .alert(.subtitleLocKey)
  ) { document, scene, node in
    let twin: AlertKey =
      node == scene.alert(.locKey) ? .body : node == scene.alert(.titleLocKey) ? .title : .subtitle
    guard scene.alert(twin) != nil else { return }
    scene.report(
      node, "\"\(document.name(node - 1))\" stands beside \"\(twin.rawValue)\", which is the fallback")
  },
  Rule(
    "alert-args-without-key", .warning, "loc-args stand beside their loc-key",
    why: "Without the key the arguments have no effect.",
    passes: .alert(#"{"aps":{"alert":{"loc-key":"GREET","loc-args":["Ann"]}}}"#),
    fails: .alert(#"{"aps":{"alert":{"body":"Hi","loc-args":["Ann"]}}}"#),
    at: .alert(.locArgs, notNull), .alert(.titleLocArgs, notNull), .alert(.subtitleLocArgs, notNull)
  ) { document, scene, node in
    let key = locKey(scene, node)
    guard scene.alert(key) == nil else { return }
    scene.report(node - 1, "\"\(document.name(node - 1))\" without \"\(key.rawValue)\" has no effect")
  },
  Rule(
    "alert-args-not-array", .error, "loc-args are an array",
    why: "Anything else is dropped, and the placeholders of the text stay empty.",
    passes: .alert(#"{"aps":{"alert":{"loc-key":"GREET","loc-args":["Ann"]}}}"#),
    fails: .alert(#"{"aps":{"alert":{"loc-key":"GREET","loc-args":"Ann"}}}"#),
    at: .alert(.locArgs, .wrong(except: .array)), .alert(.titleLocArgs, .wrong(except: .array)),
    .alert(.subtitleLocArgs, .wrong(except: .array))
  ) { document, scene, node in
    scene.report(
      node, "\"\(document.name(node - 1))\" is \(document.words(node)), not an array of strings",
      help: "write [\(document.shown(node))]")
  },
  Rule(
    "alert-args-not-strings", .warning, "every argument is a string",
    why: "Numbers may survive; null, Booleans and objects become empty text.",
    passes: .alert(#"{"aps":{"alert":{"loc-key":"GREET","loc-args":["Ann","3"]}}}"#),
    fails: .alert(#"{"aps":{"alert":{"loc-key":"GREET","loc-args":[null,3]}}}"#),
    at: .alert(.locArgs, .array), .alert(.titleLocArgs, .array), .alert(.subtitleLocArgs, .array)
  ) { document, scene, node in
    var element = node + 1
    while element < document.next(node) {
      if document.kind(element) != .string {
        scene.report(element, "an argument is \(document.words(element)), not a string")
        return
      }
      element = document.next(element)
    }
  },
  Rule(
    "alert-loc-key-unknown", .warning, "a loc-key is in the app's string table",
    why: "Otherwise the key itself, or the fallback text, is shown.",
    passes: .alert(#"{"aps":{"alert":{"loc-key":"GREET"}}}"#, "--strings", #"{"GREET":"Hello"}"#),
    fails: .alert(#"{"aps":{"alert":{"loc-key":"GRETE"}}}"#, "--strings", #"{"GREET":"Hello"}"#), needs: .strings,
    at: .alert(.locKey, .string), .alert(.titleLocKey, .string), .alert(.subtitleLocKey, .string)
  ) { document, scene, node in
    guard let strings = scene.settings.strings else { return }
    let key = document.string(node)
    guard strings[key] == nil else { return }
    scene.report(
      node, "\"\(document.name(node))\" is not in the string table",
      help: nearest(key, in: Array(strings.keys)).map { "did you mean \"\($0)\"?" })
  },
  Rule(
    "alert-args-arity", .warning, "there are as many arguments as the text has placeholders",
    why: "A placeholder without argument shows as it stands, or the text falls back.",
    passes: .alert(
      #"{"aps":{"alert":{"loc-key":"GAME","loc-args":["Ann","Bob"]}}}"#, "--strings", #"{"GAME":"%1$@ plays %2$@"}"#),
    fails: .alert(#"{"aps":{"alert":{"loc-key":"GAME","loc-args":["Ann"]}}}"#, "--strings", #"{"GAME":"%@ plays %@"}"#),
    needs: .strings, at: .alert(.locKey, .string), .alert(.titleLocKey, .string), .alert(.subtitleLocKey, .string)
  ) { document, scene, node in
    guard let text = scene.settings.strings?[document.string(node)] else { return }
    let args: AlertKey =
      node == scene.alert(.locKey) ? .locArgs : node == scene.alert(.titleLocKey) ? .titleLocArgs : .subtitleLocArgs
    let given = scene.alert(args).map { document.count($0) } ?? 0
    let wanted = placeholders(text)
    guard given != wanted else { return }
    scene.report(
      scene.alert(args) ?? node, "the text of \"\(document.name(node))\" takes \(wanted) arguments; given: \(given)")
  },
  Rule(
    "alert-action-loc-key", .note, "action-loc-key is not used",
    why: "It is gone from Apple's table; actions come from the category.",
    passes: .alert(#"{"aps":{"alert":{"body":"Hi"},"category":"GAME"}}"#),
    fails: .alert(#"{"aps":{"alert":{"body":"Hi","action-loc-key":"PLAY"}}}"#), at: .alert(.actionLocKey)
  ) { document, scene, node in
    scene.report(node - 1, "\"action-loc-key\" is a key of old systems")
  },
  Rule(
    "alert-action-outside-safari", .warning, "action stands only in website pushes of Safari",
    why: "Elsewhere it is ignored; actions come from the category.",
    passes: .untyped(
      topic: "web.com.example", #"{"aps":{"alert":{"title":"Hi","body":"There","action":"View"},"url-args":[]}}"#),
    fails: .alert(#"{"aps":{"alert":{"body":"Hi","action":"View"}}}"#), at: .alert(.action)
  ) { document, scene, node in
    if scene.topicIs(.web) || (scene.topic == nil && scene.aps(.urlArgs) != nil) { return }
    scene.report(node - 1, "\"action\" is read in website pushes of Safari only")
  },
  Rule(
    "alert-summary-arg", .note, "summary-arg and summary-arg-count are not used",
    why: "iOS 12 to 14 read them; later systems do not.",
    passes: .alert(#"{"aps":{"alert":{"body":"Hi"},"thread-id":"c1"}}"#),
    fails: .alert(#"{"aps":{"alert":{"body":"Hi","summary-arg":"Ann"},"thread-id":"c1"}}"#), at: .alert(.summaryArg)
  ) { document, scene, node in
    scene.report(node - 1, "\"summary-arg\" is read by iOS 12 to 14 only")
  },
  Rule(
    "alert-summary-count", .error, "summary-arg-count is a number above 0",
    why: "The systems that read it drop anything else.",
    passes: .alert(#"{"aps":{"alert":{"body":"Hi"}}}"#),
    fails: .alert(#"{"aps":{"alert":{"body":"Hi","summary-arg":"Ann","summary-arg-count":0}}}"#),
    at: .alert(.summaryArgCount, notNull)
  ) { document, scene, node in
    if let value = document.value(node), value > 0 { return }
    scene.report(node, "\"summary-arg-count\" is \(document.shown(node)), not a number above 0")
  },
  Rule(
    "alert-sound-inside", .warning, "sound stands beside alert",
    why: "Inside alert only a Live Activity reads it: the banner is shown, silently.",
    passes: .alert(#"{"aps":{"alert":{"body":"Hi"},"sound":"default"}}"#),
    fails: .alert(#"{"aps":{"alert":{"body":"Hi","sound":"default"}}}"#), at: .alert(.sound)
  ) { document, scene, node in
    var fix: Fix?
    if scene.aps(.sound) == nil, let aps = scene.root(.aps), let alert = scene.aps(.alert) {
      fix = document.move(node - 1, from: alert, into: aps, as: "sound", place: "out of \"alert\"")
    }
    scene.report(node - 1, "\"sound\" inside \"alert\" plays nothing", help: "it belongs beside \"alert\"", fix: fix)
  },
  Rule(
    "alert-la-style-text", .error, "title and body are not loc-key objects",
    why: "Objects in their place are the Live Activity's spelling; an ordinary push uses title-loc-key and loc-key.",
    passes: .alert(#"{"aps":{"alert":{"title":"Hi","loc-key":"GREET"}}}"#),
    fails: .alert(#"{"aps":{"alert":{"title":"Hi","body":{"loc-key":"GREET"}}}}"#),
    at: .alert(.title, .object), .alert(.subtitle, .object), .alert(.body, .object)
  ) { document, scene, node in
    guard isLiveText(document, node) else { return }
    let name = document.string(node - 1)
    scene.report(
      node, "\"\(name)\" is an object with a loc-key, as only Live Activities have it",
      help: name == "body" ? "write \"loc-key\" and \"loc-args\" into \"alert\"" : "write \"\(name)-loc-key\"")
  },
]

private let notText = Kinds.wrong(except: .string)
private let notNull = Kinds.any.subtracting(.null)

/// Bits of the keys that put text on the screen.
let alertTexts: UInt32 = [
  AlertKey.title, .subtitle, .body, .titleLocKey, .subtitleLocKey, .locKey,
].reduce(0) { $0 | 1 << UInt32($1.index) }

private let alertLocKeys: UInt32 = [AlertKey.titleLocKey, .subtitleLocKey, .locKey].reduce(0) {
  $0 | 1 << UInt32($1.index)
}

/// The first `{{name}}` of a text, nil when there is none: a name is short and on one line.
private func templateHole(_ text: Span<UInt8>) -> String? {
  let (open, close) = (UInt8(ascii: "{"), UInt8(ascii: "}"))
  var index = 0
  while index + 1 < text.count {
    index += 1
    guard text[index] == open, text[index - 1] == open else { continue }
    var end = index + 1
    while end < text.count, end - index <= 80, text[end] != close, text[end] != open { end += 1 }
    guard end + 1 < text.count, text[end] == close, text[end + 1] == close else { continue }
    // Braces around nothing are text about templates, not a hole.
    guard (index + 1..<end).contains(where: { text[$0] > 0x20 }) else { continue }
    return String(utf8: text.extracting(index - 1..<end + 2))
  }
  return nil
}

/// `{"loc-key": …}` in the place of a text.
private func isLiveText(_ document: Document, _ node: Int) -> Bool {
  document.kind(node) == .object && document.find("loc-key", in: node) != nil
}

private func locKey(_ scene: borrowing Scene, _ args: Int) -> AlertKey {
  if args == scene.alert(.locArgs) { return .locKey }
  return args == scene.alert(.titleLocArgs) ? .titleLocKey : .subtitleLocKey
}

/// How many arguments a format takes: `%@` counted, `%2$@` by its number, `%%` none.
func placeholders(_ format: String) -> Int {
  var counted = 0
  var highest = 0
  var rest = format.utf8[...]
  while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
    rest = rest[rest.index(after: percent)...]
    if rest.first == UInt8(ascii: "%") {
      rest = rest.dropFirst()
      continue
    }
    let digits = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }
    if let number = Int(String(Substring(digits))), rest.dropFirst(digits.count).first == UInt8(ascii: "$") {
      highest = max(highest, number)
    } else {
      counted += 1
    }
  }
  return max(counted, highest)
}
