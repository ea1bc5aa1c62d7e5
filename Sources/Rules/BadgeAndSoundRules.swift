// Rules for the number on the icon and for the sound.

import APNs
import JSON

let badgeRules: [Rule] = [
  Rule(
    "badge-type", .error, "badge is a number",
    why: "The device ignores anything else, and the badge does not change.",
    passes: .alert(#"{"aps":{"alert":"Hi","badge":3}}"#), fails: .alert(#"{"aps":{"alert":"Hi","badge":"3"}}"#),
    at: .aps(.badge, [.string, .array, .object])
  ) { document, scene, node in
    if isIncrement(document, node) { return }
    let digits = document.kind(node) == .string ? wholeNumber(document.string(node)) : nil
    scene.report(
      node, "\"badge\" is \(document.words(node)), not a number", help: digits.map { "write \($0)" },
      fix: digits.map { document.replace(node, by: $0) })
  },
  Rule(
    "badge-increment-word", .error, "badge is the number to show, not a change of it",
    why: "APNs knows no increment: words such as \"+1\" or \"auto\" are another service's.",
    passes: .alert(#"{"aps":{"alert":"Hi","badge":4}}"#), fails: .alert(#"{"aps":{"alert":"Hi","badge":"+1"}}"#),
    at: .aps(.badge, .string)
  ) { document, scene, node in
    guard isIncrement(document, node) else { return }
    scene.report(
      node, "\"badge\" is \(document.shown(node)): APNs cannot count",
      help: "send the number itself, kept by your server")
  },
  Rule(
    "badge-bool", .warning, "badge is a number, not true or false",
    why: "One system was seen to read 1 and 0.",
    passes: .alert(#"{"aps":{"alert":"Hi","badge":1}}"#), fails: .alert(#"{"aps":{"alert":"Hi","badge":true}}"#),
    at: .aps(.badge, .bool)
  ) { document, scene, node in
    scene.report(node, "\"badge\" is \(document.shown(node)), not a number")
  },
  Rule(
    "badge-negative", .error, "badge is not below 0",
    why: "A negative number is dropped; 0 is what takes the badge away.",
    passes: .alert(#"{"aps":{"badge":0}}"#), fails: .alert(#"{"aps":{"badge":-1}}"#), at: .aps(.badge, .oddNumber)
  ) { document, scene, node in
    guard document.bytes[document.start(node)] == UInt8(ascii: "-"), document.value(node) != 0 else { return }
    scene.report(node, "\"badge\" is \(document.shown(node))", help: "0 takes the badge away")
  },
  Rule(
    "badge-fraction", .warning, "badge is a whole number",
    why: "A badge shows whole numbers; what becomes of a fraction is not said.",
    passes: .alert(#"{"aps":{"alert":"Hi","badge":2}}"#), fails: .alert(#"{"aps":{"alert":"Hi","badge":1.5}}"#),
    at: .aps(.badge, .oddNumber)
  ) { document, scene, node in
    guard !document.isWhole(node) else { return }
    scene.report(node, "\"badge\" is written as \(document.shown(node)), not as a whole number")
  },
  Rule(
    "badge-large", .warning, "badge fits 32 bits",
    why: "No icon shows a number above 2147483647.",
    passes: .alert(#"{"aps":{"badge":9999}}"#), fails: .alert(#"{"aps":{"badge":4294967296}}"#),
    at: .aps(.badge, .oddNumber)
  ) { document, scene, node in
    // Nine digits always fit.
    guard document.end(node) - document.start(node) > 9, let value = document.value(node), value > 2_147_483_647 else {
      return
    }
    scene.report(node, "\"badge\" is \(document.shown(node)), more than 2147483647")
  },
]

let soundRules: [Rule] = [
  Rule(
    "sound-type", .error, "sound is a string or an object",
    why: "The device drops anything else: the push is silent.",
    passes: .alert(#"{"aps":{"alert":"Hi","sound":"default"}}"#), fails: .alert(#"{"aps":{"alert":"Hi","sound":1}}"#),
    at: .aps(.sound, [.number, .array, .bool])
  ) { document, scene, node in
    scene.report(node, "\"sound\" is \(document.words(node)), not a string or an object")
  },
  Rule(
    "sound-empty", .warning, "sound is not an empty string",
    why: "The key is dropped; leave it out.",
    passes: .alert(#"{"aps":{"alert":"Hi"}}"#), fails: .alert(#"{"aps":{"alert":"Hi","sound":""}}"#),
    at: .aps(.sound, .empty)
  ) { document, scene, node in
    guard document.isEmptyString(node), scene.type != .background else { return }
    scene.report(node, "\"sound\" is an empty string: nothing is played", help: "leave the key out")
  },
  Rule(
    "sound-default-case", .warning, "the default sound is called default",
    why: "Any other spelling is taken as the name of a file.",
    passes: .alert(#"{"aps":{"alert":"Hi","sound":"default"}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","sound":"Default"}}"#),
    at: .oddSound
  ) { document, scene, node in
    guard isDefaultMisspelt(document, node) else { return }
    scene.report(
      node, "\(document.shown(node)) is taken as the name of a file", help: "write \"default\"",
      fix: document.replace(node, by: "\"default\""))
  },
  Rule(
    "sound-no-extension", .warning, "the name of a sound file has an extension",
    why: "The file is looked up by its whole name; when it is not found, the default sound is played.",
    passes: .alert(#"{"aps":{"alert":"Hi","sound":"chime.caf"}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","sound":"chime"}}"#),
    at: .oddSound
  ) { document, scene, node in
    guard soundName(document, node) == .noExtension, !isDefaultMisspelt(document, node) else { return }
    scene.report(node, "\(document.shown(node)) has no extension", help: "name the file in full, such as chime.caf")
  },
  Rule(
    "sound-format", .warning, "a sound file is .aiff, .wav or .caf",
    why: "Other formats are not played for notifications: the default sound is.",
    passes: .alert(#"{"aps":{"alert":"Hi","sound":"chime.wav"}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","sound":"chime.mp3"}}"#),
    at: .oddSound
  ) { document, scene, node in
    guard soundName(document, node) == .otherFormat else { return }
    scene.report(node, "\(document.shown(node)) is not .aiff, .wav or .caf")
  },
  Rule(
    "sound-path", .warning, "a sound is a file's name, without folders",
    why: "Only the app's bundle and the folder Library/Sounds are searched.",
    passes: .alert(#"{"aps":{"alert":"Hi","sound":"chime.caf"}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","sound":"sounds/chime.caf"}}"#), at: .oddSound
  ) { document, scene, node in
    guard soundName(document, node) == .path else { return }
    scene.report(node, "\(document.shown(node)) is a path, not the name of a file")
  },
  Rule(
    "sound-dict-unknown-key", .warning, "sound as an object holds critical, name and volume",
    why: "Other keys are ignored.",
    passes: .alert(#"{"aps":{"alert":"Hi","sound":{"critical":1,"name":"a.caf","volume":1}}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","sound":{"critical":1,"name":"a.caf","file":"a.caf"}}}"#), at: .soundUnknown
  ) { document, scene, node in
    let near = nearest(document.string(node), in: SoundKey.allCases.map(\.rawValue)).flatMap { SoundKey(rawValue: $0) }
    scene.report(
      node, "\"\(document.name(node))\" is no key of \"sound\"", help: near.map { "did you mean \"\($0.rawValue)\"?" },
      fix: near.flatMap { scene.sound($0) == nil ? document.rename(node, to: $0.rawValue) : nil })
  },
  Rule(
    "sound-dict-not-critical", .warning, "sound as an object is for critical alerts",
    why: "Without critical the string form says the same, and volume is ignored.",
    passes: .alert(#"{"aps":{"alert":"Hi","sound":"a.caf"}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","sound":{"name":"a.caf","volume":0.5}}}"#), at: .soundWhole
  ) { document, scene, node in
    guard scene.sound(.critical) == nil else { return }
    if let level = scene.aps(.interruptionLevel), document.equals(level, "critical") { return }
    scene.report(
      node, "\"sound\" is an object without \"critical\": only its name counts", help: "write the name alone")
  },
  Rule(
    "sound-critical-value", .error, "critical is the number 1",
    why: "Anything that is no number is not understood, and the alert is not critical.",
    passes: .alert(#"{"aps":{"alert":"Hi","sound":{"critical":1,"name":"default","volume":1}}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","sound":{"critical":"yes","name":"default"}}}"#),
    at: .sound(.critical, [.string, .number, .array, .object])
  ) { document, scene, node in
    if let value = document.integer(node), value == 0 || value == 1 { return }
    if let value = document.value(node), value == 0 || value == 1 { return }
    let isOne = document.kind(node) == .string && document.equals(node, "1")
    scene.report(
      node, "\"critical\" is \(document.shown(node)), not the number 1",
      fix: isOne ? document.replace(node, by: "1") : nil)
  },
  Rule(
    "sound-critical-bool", .warning, "critical is the number 1, not true",
    why: "Apple's page says number.",
    passes: .alert(#"{"aps":{"alert":"Hi","sound":{"critical":1,"name":"default","volume":1}}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","sound":{"critical":true,"name":"default","volume":1}}}"#),
    at: .sound(.critical, .bool)
  ) { document, scene, node in
    scene.report(
      node, "\"critical\" is \(document.shown(node)); Apple's page says 1",
      fix: document.replace(node, by: document.kind(node) == .true ? "1" : "0"))
  },
  Rule(
    "sound-name-missing", .warning, "sound as an object has a name",
    why: "Without it the default sound is played.",
    passes: .alert(#"{"aps":{"alert":"Hi","sound":{"critical":1,"name":"default","volume":1}}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","sound":{"critical":1,"volume":1}}}"#), at: .soundWhole
  ) { document, scene, node in
    guard scene.sound(.name) == nil else { return }
    scene.report(node, "\"sound\" has no \"name\": the default sound is played", help: "write \"name\":\"default\"")
  },
  Rule(
    "sound-name-type", .error, "name is a non-empty string",
    why: "Anything else is not understood.",
    passes: .alert(#"{"aps":{"alert":"Hi","sound":{"critical":1,"name":"default"}}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","sound":{"critical":1,"name":7}}}"#),
    at: .sound(.name, .wrong(except: .text))
  ) { document, scene, node in
    if document.isText(node) { return }
    scene.report(
      node, document.kind(node) == .string ? "\"name\" is empty" : "\"name\" is \(document.words(node)), not a string")
  },
  Rule(
    "sound-volume-type", .error, "volume is a number",
    why: "Anything else is not understood.",
    passes: .alert(#"{"aps":{"alert":"Hi","sound":{"critical":1,"name":"default","volume":1.0}}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","sound":{"critical":1,"name":"default","volume":"1.0"}}}"#),
    at: .sound(.volume, .wrong(except: .number))
  ) { document, scene, node in
    scene.report(
      node, "\"volume\" is \(document.words(node)), not a number",
      fix: unquotedNumber(document, node).map { document.replace(node, by: $0) })
  },
  Rule(
    "sound-volume-range", .warning, "volume lies between 0 and 1",
    why: "What is beyond is cut to the range; a percentage was probably meant.",
    passes: .alert(#"{"aps":{"alert":"Hi","sound":{"critical":1,"name":"default","volume":0.8}}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","sound":{"critical":1,"name":"default","volume":80}}}"#),
    at: .sound(.volume, .number)
  ) { document, scene, node in
    guard let value = document.value(node), value < 0 || value > 1 else { return }
    scene.report(node, "\"volume\" is \(document.shown(node)), not between 0 and 1")
  },
  Rule(
    "sound-volume-zero", .warning, "a critical alert is not silent",
    why: "A volume of 0 is silence.",
    passes: .alert(#"{"aps":{"alert":"Hi","sound":{"critical":1,"name":"default","volume":1}}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","sound":{"critical":1,"name":"default","volume":0}}}"#),
    at: .sound(.volume, .number)
  ) { document, scene, node in
    guard document.value(node) == 0, let critical = scene.sound(.critical), document.value(critical) != 0 else {
      return
    }
    scene.report(node, "\"volume\" is 0: the critical alert is silent")
  },
  Rule(
    "sound-critical-entitlement", .note, "critical alerts need Apple's entitlement",
    why: "Without it, or without the user's consent, the system takes the sound as an ordinary one.",
    passes: .alert(#"{"aps":{"alert":"Hi","sound":"default"}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","sound":{"critical":1,"name":"default","volume":1}}}"#),
    at: .sound(.critical, [.number, .bool])
  ) { document, scene, node in
    guard document.value(node) != 0, document.kind(node) != .false else { return }
    scene.report(node, "a critical sound needs the critical-alerts entitlement and the user's consent")
  },
  Rule(
    "sound-with-passive", .warning, "a passive notification has no sound",
    why: "The level passive plays none.",
    passes: .alert(#"{"aps":{"alert":"Hi","interruption-level":"passive"}}"#),
    fails: .alert(#"{"aps":{"alert":"Hi","sound":"default","interruption-level":"passive"}}"#),
    at: .aps(.interruptionLevel, .string)
  ) { document, scene, node in
    guard let sound = scene.aps(.sound), !document.isEmptyString(sound), document.kind(sound) != .null,
      document.equals(node, "passive")
    else { return }
    scene.report(sound, "a notification of level passive plays no sound", help: "leave one of the two out")
  },
]

/// A text of decimal digits as a JSON number, nil when it is none.
func wholeNumber(_ text: String) -> String? {
  let digits = text.utf8
  guard !digits.isEmpty, digits.count <= 9, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
  return String(Int(text) ?? 0)
}

/// The JSON number a string holds.
func unquotedNumber(_ document: Document, _ node: Int) -> String? {
  guard document.kind(node) == .string, !document.tokens[node].hasEscapes else { return nil }
  let text = document.string(node)
  var reader = Reader()
  guard (try? reader.read(text.utf8Span.span)) != nil, reader.tokens.first?.kind == .number,
    reader.tokens.first?.end == text.utf8.count
  else { return nil }
  return text
}

/// Words of other services' dialects: `"+1"`, `"auto"`, `"Increment"`.
private func isIncrement(_ document: Document, _ node: Int) -> Bool {
  guard document.kind(node) == .string else { return false }
  let text = document.string(node)
  if text.hasPrefix("+") || text.hasPrefix("-") { return Int(text) != nil }
  return ["auto", "increment", "increase", "incr", "increaseby", "setto"].contains(text.lowercased())
}

/// `Default`, `DEFAULT`, `default.caf` and their like, but not `default`.
private func isDefaultMisspelt(_ document: Document, _ node: Int) -> Bool {
  let token = document.tokens[node]
  guard document.bytes[token.start + 1] | 0x20 == UInt8(ascii: "d"), !document.equals(node, "default") else {
    return false
  }
  let text = document.string(node).lowercased()
  return text == "default" || ["default.caf", "default.wav", "default.aiff", "default.mp3"].contains(text)
}

enum SoundName { case fine, misspeltDefault, noExtension, otherFormat, path }

/// What is wrong with the name of a sound file.
func soundName(_ document: Document, _ node: Int) -> SoundName {
  if document.equals(node, "default") { return .fine }
  let name = document.content(node)
  var dot: Int?
  for index in name.indices {
    switch name[index] {
    case UInt8(ascii: "/"): return .path
    case UInt8(ascii: "."): dot = index
    default: break
    }
  }
  guard !name.isEmpty else { return .fine }
  guard let dot else { return .noExtension }
  var ending: UInt64 = 0
  for index in dot + 1..<name.count { ending = ending << 8 | UInt64(name[index] | 0x20) }
  if isDefaultMisspelt(document, node) { return .misspeltDefault }
  // "caf", "wav", "aif", "aiff", "aifc".
  switch ending {
  case 0x63_6166, 0x77_6176, 0x61_6966, 0x6169_6666, 0x6169_6663: return .fine
  default: return .otherFormat
  }
}
