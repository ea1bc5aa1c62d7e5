// Random JSON from a seed: values, the same value written in many ways, and damage.
@testable import JSON

/// A small generator with a seed (SplitMix64), so that a failure can be seen again.
struct Seeded: RandomNumberGenerator {
  var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
  mutating func chance(_ part: Int, of whole: Int) -> Bool { below(whole) < part }
}

/// A JSON value with everything that a reader must keep: order, duplicate keys, the text of numbers.
indirect enum Value: Equatable {
  case object([Member])
  case array([Value])
  case string(String)
  case number(String)
  case bool(Bool)
  case null

  struct Member: Equatable {
    var key: String
    var value: Value
  }
}

extension Value {
  static func random(_ seeded: inout Seeded, depth: Int = 0) -> Value {
    switch seeded.below(depth > 4 ? 4 : 7) {
    case 0: return .string(randomText(&seeded))
    case 1: return .number(randomNumber(&seeded))
    case 2: return .bool(seeded.chance(1, of: 2))
    case 3: return .null
    case 4: return .array((0..<seeded.below(6)).map { _ in random(&seeded, depth: depth + 1) })
    default:
      return .object(
        (0..<seeded.below(6)).map { _ in
          Member(key: randomText(&seeded, limit: 12), value: random(&seeded, depth: depth + 1))
        })
    }
  }

  static func randomText(_ seeded: inout Seeded, limit: Int = 90) -> String {
    let alphabets: [ClosedRange<UInt32>] = [
      0x20...0x7E, 0x20...0x7E, 0x00...0x7F, 0x80...0x7FF, 0x800...0xD7FF, 0xE000...0xFFFF, 0x1F300...0x1FAFF,
      0x10000...0x10FFFF, 0x3040...0x30FF, 0x410...0x44F,
    ]
    var text = ""
    var alphabet = alphabets[0]
    for _ in 0..<seeded.below(seeded.chance(1, of: 3) ? limit : 12) {
      if seeded.chance(1, of: 6) { alphabet = alphabets[seeded.below(alphabets.count)] }
      let scalar = UInt32.random(in: alphabet, using: &seeded)
      if let scalar = Unicode.Scalar(scalar) { text.unicodeScalars.append(scalar) }
    }
    return text
  }

  static func randomNumber(_ seeded: inout Seeded) -> String {
    func digits(_ count: Int) -> String { String((0..<count).map { _ in Character("\(seeded.below(10))") }) }
    var text = seeded.chance(1, of: 3) ? "-" : ""
    text +=
      seeded.chance(1, of: 4) ? "0" : "\(seeded.below(9) + 1)" + digits(seeded.below(seeded.chance(1, of: 5) ? 40 : 5))
    if seeded.chance(1, of: 3) { text += "." + digits(seeded.below(20) + 1) }
    if seeded.chance(1, of: 5) { text += ["e", "E", "e+", "E-"][seeded.below(4)] + digits(seeded.below(3) + 1) }
    return text
  }

  /// The value as the writer writes it.
  func write(to writer: inout Writer) {
    switch self {
    case .object(let members):
      writer.beginObject()
      for member in members {
        writer.key(member.key)
        member.value.write(to: &writer)
      }
      writer.endObject()
    case .array(let elements):
      writer.beginArray()
      for element in elements { element.write(to: &writer) }
      writer.endArray()
    case .string(let text): writer.string(text)
    case .number(let text): writer.raw(Array(text.utf8).span)
    case .bool(let value): writer.bool(value)
    case .null: writer.null()
    }
  }

  /// The value with white space and escapes at random.
  func spell(_ seeded: inout Seeded, into text: inout String) {
    func space() {
      while seeded.chance(1, of: 6) { text += [" ", "\n", "\t", "\r\n", "        "][seeded.below(5)] }
    }
    func string(_ content: String) {
      text += "\""
      for scalar in content.unicodeScalars { Value.spell(scalar, &seeded, into: &text) }
      text += "\""
    }
    space()
    switch self {
    case .object(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        space()
        string(member.key)
        space()
        text += ":"
        member.value.spell(&seeded, into: &text)
      }
      space()
      text += "}"
    case .array(let elements):
      text += "["
      for (index, element) in elements.enumerated() {
        if index > 0 { text += "," }
        element.spell(&seeded, into: &text)
      }
      space()
      text += "]"
    case .string(let content): string(content)
    case .number(let number): text += number
    case .bool(let value): text += value ? "true" : "false"
    case .null: text += "null"
    }
    space()
  }

  private static func spell(_ scalar: Unicode.Scalar, _ seeded: inout Seeded, into text: inout String) {
    let short: [Unicode.Scalar: String] = [
      "\"": #"\""#, "\\": #"\\"#, "/": #"\/"#, "\u{8}": #"\b"#, "\u{C}": #"\f"#, "\n": #"\n"#, "\r": #"\r"#,
      "\t": #"\t"#,
    ]
    let mustEscape = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
    if !mustEscape, !seeded.chance(1, of: 12) {
      text.unicodeScalars.append(scalar)
    } else if let short = short[scalar], seeded.chance(2, of: 3) {
      text += short
    } else {
      for unit in String(scalar).utf16 {
        let digits = String(unit, radix: 16, uppercase: seeded.chance(1, of: 2))
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
  }

  /// The value a document holds at a node.
  init(_ document: borrowing Document, _ node: Int = 0) {
    switch document.kind(node) {
    case .object:
      var members: [Member] = []
      var key = node + 1
      while key < document.next(node) {
        members.append(Member(key: document.string(key), value: Value(document, key + 1)))
        key = document.next(key + 1)
      }
      self = .object(members)
    case .array:
      var elements: [Value] = []
      var element = node + 1
      while element < document.next(node) {
        elements.append(Value(document, element))
        element = document.next(element)
      }
      self = .array(elements)
    case .string: self = .string(document.string(node))
    case .number: self = .number(String(utf8: document.raw(node)))
    case .true: self = .bool(true)
    case .false: self = .bool(false)
    case .null: self = .null
    }
  }
}

/// Some bytes replaced, removed, doubled, or put in: mostly bytes that mean something in JSON or UTF-8.
func damaged(_ bytes: [UInt8], _ seeded: inout Seeded) -> [UInt8] {
  let telling =
    Array("{}[]:,\"\\/'+-.eEu0123456789tfnabN \n\t".utf8) + [
      0x00, 0x1F, 0x7F, 0x80, 0xA0, 0xBF, 0xC0, 0xC3, 0xE0, 0xE2, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF,
    ]
  var bytes = bytes
  for _ in 0...seeded.below(3) {
    let byte = seeded.chance(4, of: 5) ? telling[seeded.below(telling.count)] : UInt8(seeded.below(256))
    let place = seeded.below(bytes.count + 1)
    switch seeded.below(5) {
    case 0: bytes.insert(byte, at: place)
    case 1 where place < bytes.count: bytes.remove(at: place)
    case 2 where place < bytes.count: bytes.removeSubrange(place..<min(bytes.count, place + seeded.below(20)))
    case 3: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + seeded.below(20))], at: place)
    default: if place < bytes.count { bytes[place] = byte }
    }
  }
  return bytes
}
