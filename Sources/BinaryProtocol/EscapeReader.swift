// Bytes as programs write them into string literals: `b'\x02\x00P'` of Python, `"\2\0\0\0P"` of C and strace.

/// Takes literals apart, a character at a time.
struct EscapeReader: Sendable {
  /// What a character came to.
  enum Step: Equatable {
    case nothing
    case byte(UInt8)
    /// The end of an escape, and a character that stands for itself behind it.
    case bytes(UInt8, UInt8)
    /// What came before the first escape of a text without quotes.
    case text([UInt8])
    case problem(String)
  }

  private enum Place: Equatable {
    /// No quote seen yet: a backslash here means that there are none at all.
    case start
    case outside
    /// Within quotes; 0 for a text without them.
    case inside(quote: UInt8)
  }

  private enum Escape { case none, backslash, octal, hexadecimal, unicode, carriageReturn }

  private var place = Place.start
  private var escape = Escape.none
  private var value: UInt32 = 0
  private var digits = 0
  /// Periods behind a literal: strace cuts long ones short.
  private var periods = -1
  /// The line so far, while no quote was seen.
  private var line: [UInt8] = []
  private static let lineLimit = 4096

  /// The next character.
  mutating func step(_ byte: UInt8) -> Step {
    switch place {
    case .start: return stepAtStart(byte)
    case .outside: return stepOutside(byte)
    case .inside(let quote): return escape == .none ? literal(byte, quote) : continueEscape(byte, quote)
    }
  }

  /// The text has ended.
  mutating func finish() -> Step {
    defer { self = EscapeReader() }
    guard case .inside(let quote) = place else { return .nothing }
    if escape == .octal { return .byte(UInt8(truncatingIfNeeded: value)) }
    if escape != .none, escape != .carriageReturn { return .problem("the text ends inside an escape") }
    return quote == 0 ? .nothing : .problem("the text ends inside a string, whose quote is missing")
  }

  private mutating func stepAtStart(_ byte: UInt8) -> Step {
    if byte == UInt8(ascii: "\\"), line.count < Self.lineLimit {
      place = .inside(quote: 0)
      escape = .backslash
      defer { line = [] }
      return line.isEmpty ? .nothing : .text(line)
    }
    if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
      line.removeAll(keepingCapacity: true)
    } else if line.count < Self.lineLimit, !line.isEmpty || !byte.isBlank {
      line.append(byte)
    }
    return stepOutside(byte)
  }

  private mutating func stepOutside(_ byte: UInt8) -> Step {
    if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
      place = .inside(quote: byte)
      periods = -1
      return .nothing
    }
    // Only right behind a quote.
    if periods >= 0 { periods = byte == UInt8(ascii: ".") ? periods + 1 : -1 }
    return periods == 3 ? .problem("the string was cut short where it was printed: '...' stands behind it") : .nothing
  }

  private mutating func literal(_ byte: UInt8, _ quote: UInt8) -> Step {
    switch byte {
    case UInt8(ascii: "\\"): escape = .backslash
    case quote where quote != 0:
      place = .outside
      periods = 0
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
      if quote == 0 || byte == UInt8(ascii: "\r") { break }
      place = .outside
      return .problem("a string ends with its line, and its quote is missing")
    default: return .byte(byte)
    }
    return .nothing
  }

  private mutating func continueEscape(_ byte: UInt8, _ quote: UInt8) -> Step {
    switch escape {
    case .backslash: return begin(byte)
    case .octal:
      if 0x30...0x37 ~= byte {
        value = value << 3 | UInt32(byte - 0x30)
        digits += 1
        return digits == 3 ? end() : .nothing
      }
      return behind(end(), byte, quote)
    case .hexadecimal, .unicode:
      guard let digit = byte.hexadecimalValue else {
        escape = .none
        _ = literal(byte, quote)
        return .problem("an escape has too few hexadecimal digits, and is left out with what follows")
      }
      value = value << 4 | UInt32(digit)
      digits += 1
      return digits == (escape == .unicode ? 4 : 2) ? end() : .nothing
    case .carriageReturn:
      // The line goes on in the next one.
      escape = .none
      return byte == UInt8(ascii: "\n") ? .nothing : literal(byte, quote)
    case .none: return literal(byte, quote)
    }
  }

  /// The character behind the backslash.
  private mutating func begin(_ byte: UInt8) -> Step {
    (value, digits, escape) = (0, 0, .none)
    switch byte {
    case UInt8(ascii: "x"): escape = .hexadecimal
    case UInt8(ascii: "u"): escape = .unicode
    case 0x30...0x37:
      escape = .octal
      (value, digits) = (UInt32(byte - 0x30), 1)
    case UInt8(ascii: "a"): return .byte(7)
    case UInt8(ascii: "b"): return .byte(8)
    case UInt8(ascii: "t"): return .byte(9)
    case UInt8(ascii: "n"): return .byte(10)
    case UInt8(ascii: "v"): return .byte(11)
    case UInt8(ascii: "f"): return .byte(12)
    case UInt8(ascii: "r"): return .byte(13)
    case UInt8(ascii: "e"): return .byte(27)
    case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "?"), UInt8(ascii: "/"):
      return .byte(byte)
    case UInt8(ascii: "\r"): escape = .carriageReturn
    case UInt8(ascii: "\n"): break
    default: return .problem("\(DumpReader.shown(byte)) behind a backslash is no escape, and both are left out")
    }
    return .nothing
  }

  private mutating func end() -> Step {
    escape = .none
    if value > 0xFF { return .problem("an escape stands for more than a byte, and is left out") }
    return .byte(UInt8(truncatingIfNeeded: value))
  }

  /// A character that ends an escape and is itself the next.
  private mutating func behind(_ ended: Step, _ byte: UInt8, _ quote: UInt8) -> Step {
    let next = literal(byte, quote)
    guard case .byte(let first) = ended else { return ended }
    if case .byte(let second) = next { return .bytes(first, second) }
    return ended
  }
}

extension Span<UInt8> {
  /// Whether a text is made of string literals in which bytes are escaped.
  var holdsEscapes: Bool {
    var start = 0
    while start < count, self[start].isBlank { start += 1 }
    if start == count { return false }
    let isQuoted = self[start] == UInt8(ascii: "\"") || self[start] == UInt8(ascii: "'")
    var place = start
    // JSON has neither \x nor \0; its \u is for a text that is but one string.
    while place + 2 < count {
      defer { place += 1 }
      guard self[place] == UInt8(ascii: "\\") else { continue }
      let kind = self[place + 1]
      if 0x30...0x37 ~= kind { return true }
      if kind == UInt8(ascii: "x"), isHexadecimal(place + 2, 2) { return true }
      if kind == UInt8(ascii: "u"), isQuoted, isHexadecimal(place + 2, 4) { return true }
      place += 1
    }
    return false
  }

  private func isHexadecimal(_ place: Int, _ length: Int) -> Bool {
    place + length <= count && (place..<place + length).allSatisfy { self[$0].hexadecimalValue != nil }
  }

  /// Whether there is nothing but `\x` with two digits each, and what may stand between such: hexadecimal digits too, in
  /// which blanks count for nothing.
  var isBareEscapes: Bool {
    var place = 0
    while place < count {
      let byte = self[place]
      if byte == UInt8(ascii: "\\") {
        guard place + 3 < count, self[place + 1] | 0x20 == UInt8(ascii: "x"), isHexadecimal(place + 2, 2) else {
          // The end of what is looked at may cut one.
          return place + 3 >= count && count >= DumpForm.enough
        }
        place += 4
        continue
      }
      guard byte.isBlank || byte.isHexadecimalGarnish, byte | 0x20 != UInt8(ascii: "x"), byte != UInt8(ascii: "'"),
        byte != UInt8(ascii: "\"")
      else { return false }
      place += 1
    }
    return true
  }
}
