// A second reader, slow and plain, byte by byte after RFC 8259's grammar: what the fast one is compared with.
@testable import JSON

/// A token as the plain reader sees it.
struct PlainToken: Equatable {
  var kind: Token.Kind
  var isKey = false
  var hasEscapes = false
  var start: Int
  var end: Int
  var next: Int
}

struct PlainReader {
  struct Stop: Error {
    var offset: Int
  }

  let bytes: [UInt8]
  var index = 0
  var tokens: [PlainToken] = []

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The tokens, or the offset of the first mistake.
  static func read(_ bytes: [UInt8]) -> Result<[PlainToken], Stop> {
    var reader = PlainReader(bytes)
    do {
      try reader.value()
      reader.space()
      if reader.index < bytes.count { throw Stop(offset: reader.index) }
      return .success(reader.tokens)
    } catch {
      return .failure(error as! Stop)
    }
  }

  private var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func space() {
    while let byte, [0x20, 0x0A, 0x0D, 0x09].contains(byte) { index += 1 }
  }

  private mutating func expect(_ character: Character) throws {
    guard byte == character.asciiValue else { throw Stop(offset: index) }
    index += 1
  }

  private mutating func value() throws {
    space()
    let place = tokens.count
    let start = index
    switch byte.map({ Character(Unicode.Scalar($0)) }) {
    case "{": try container(.object, close: "}")
    case "[": try container(.array, close: "]")
    case "\"": try string(isKey: false)
    case "t": try word("true", .true)
    case "f": try word("false", .false)
    case "n": try word("null", .null)
    case "-", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9":
      try number()
      tokens.append(PlainToken(kind: .number, start: start, end: index, next: 0))
    default: throw Stop(offset: index)
    }
    tokens[place].end = index
    tokens[place].next = tokens.count
  }

  private mutating func container(_ kind: Token.Kind, close: Character) throws {
    tokens.append(PlainToken(kind: kind, start: index, end: 0, next: 0))
    index += 1
    space()
    if byte == close.asciiValue {
      index += 1
      return
    }
    while true {
      if kind == .object {
        space()
        guard byte == UInt8(ascii: "\"") else { throw Stop(offset: index) }
        try string(isKey: true)
        space()
        try expect(":")
      }
      try value()
      space()
      if byte == close.asciiValue {
        index += 1
        return
      }
      try expect(",")
    }
  }

  private mutating func word(_ word: String, _ kind: Token.Kind) throws {
    let rest = bytes[index...]
    guard rest.starts(with: word.utf8) else {
      throw Stop(offset: word.utf8.starts(with: rest) ? bytes.count : index)
    }
    tokens.append(PlainToken(kind: kind, start: index, end: 0, next: 0))
    index += word.utf8.count
  }

  private mutating func digits() throws {
    guard let first = byte, (0x30...0x39).contains(first) else { throw Stop(offset: index) }
    while let byte, (0x30...0x39).contains(byte) { index += 1 }
  }

  private mutating func number() throws {
    if byte == UInt8(ascii: "-") { index += 1 }
    if byte == UInt8(ascii: "0") { index += 1 } else { try digits() }
    if byte == UInt8(ascii: ".") {
      index += 1
      try digits()
    }
    if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
      index += 1
      if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { index += 1 }
      try digits()
    }
  }

  private mutating func string(isKey: Bool) throws {
    var token = PlainToken(kind: .string, isKey: isKey, start: index, end: 0, next: tokens.count + 1)
    index += 1
    while true {
      guard let byte else { throw Stop(offset: bytes.count) }
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") {
        token.hasEscapes = true
        try escape()
      } else if byte < 0x20 {
        throw Stop(offset: index)
      } else {
        try character()
      }
    }
    index += 1
    token.end = index
    tokens.append(token)
  }

  /// One character, by the standard library's own decoder.
  private mutating func character() throws {
    for length in 1...4 where index + length <= bytes.count {
      let piece = Array(bytes[index..<index + length])
      if let text = String(validating: piece, as: UTF8.self), text.unicodeScalars.count == 1 {
        index += length
        return
      }
    }
    // Cut off, if some continuation makes a character of what is left.
    let rest = Array(bytes[index...].prefix(3))
    if index + rest.count == bytes.count, isBeginning(rest) { throw Stop(offset: bytes.count) }
    throw Stop(offset: index)
  }

  private func isBeginning(_ rest: [UInt8]) -> Bool {
    let completions: [[UInt8]] = [
      [0x80], [0xA0], [0x90], [0x80, 0x80], [0xA0, 0x80], [0x90, 0x80], [0x80, 0x80, 0x80],
      [0x90, 0x80, 0x80],
    ]
    return completions.contains {
      String(validating: rest + $0, as: UTF8.self).map { $0.unicodeScalars.count == 1 } ?? false
    }
  }

  private mutating func escape() throws {
    let start = index
    index += 1
    guard let byte else { throw Stop(offset: bytes.count) }
    if byte != UInt8(ascii: "u") {
      guard "\"\\/bfnrt".utf8.contains(byte) else { throw Stop(offset: start) }
      index += 1
      return
    }
    let half = try digits(from: start)
    if (0xDC00...0xDFFF).contains(half) { throw Stop(offset: start) }
    guard (0xD800...0xDBFF).contains(half) else { return }
    // The partner, byte by byte, so that a cut one is told from a wrong one.
    for allowed in ["\\", "u", "dD", "cdefCDEF", "0123456789abcdefABCDEF", "0123456789abcdefABCDEF"] {
      guard let byte = self.byte else { throw Stop(offset: bytes.count) }
      guard allowed.utf8.contains(byte) else { throw Stop(offset: start) }
      index += 1
    }
  }

  private mutating func digits(from start: Int) throws -> Int {
    var value = 0
    for _ in 0..<4 {
      index += 1
      guard let byte else { throw Stop(offset: bytes.count) }
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw Stop(offset: start) }
      value = value * 16 + digit
    }
    index += 1
    return value
  }
}
