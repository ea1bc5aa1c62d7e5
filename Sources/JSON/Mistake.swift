// From the place where the parser stopped to the words for it: what was expected, what was found, which kind.

/// What the parser was waiting for when a byte did not fit.
private enum Expectation: String {
  case value = "a value"
  case firstElement = "a value or ']'"
  case firstKey = "a key in double quotes or '}'"
  case key = "a key in double quotes"
  case colon = "':' behind the key"
  case memberEnd = "',' or '}'"
  case elementEnd = "',' or ']'"
  case end = "the end of the text"
}

extension Span<UInt8> {
  /// The mistake behind a parser's stop.
  ///
  /// - Parameters:
  ///   - outcome: where and why the parser stopped.
  ///   - last: the last token that it read.
  ///   - from: where the text starts.
  @inline(never)
  func mistake(_ outcome: Outcome, last: Token?, from: Int, depthLimit: Int) -> SyntaxError {
    let at = outcome.offset
    switch outcome.stop {
    case .string: return mistakeInString(at: at)
    case .number: return mistakeInNumber(at: at)
    case .depth:
      return SyntaxError(
        offset: at, kind: .tooDeep, expected: "at most \(depthLimit) arrays and objects inside each other",
        found: "one more")
    default: break
    }
    guard let last else {
      if at == from, let mark = byteOrderMark(at: at) { return mark }
      return at < count ? stray(at: at, .value, behind: 0) : error(at, .emptyInput, "a value")
    }
    let before = lastToken(before: at, from: from)
    let expected = outcome.stop == .trailing ? .end : expectation(behind: before, last: last, closer: outcome.closer)
    if at >= count { return error(at, .unexpectedEnd, expected.rawValue) }
    if last.kind == .number, last.end == at, let mistake = mistakeBehindNumber(last, at: at) { return mistake }
    return stray(at: at, expected, behind: before)
  }

  /// What belongs behind the byte `before`, which is outside of strings.
  private func expectation(behind before: UInt8, last: Token, closer: UInt8) -> Expectation {
    let isObject = closer == UInt8(ascii: "}")
    switch before {
    case UInt8(ascii: ":"): return .value
    case UInt8(ascii: ","): return isObject ? .key : .value
    case UInt8(ascii: "["): return .firstElement
    case UInt8(ascii: "{"): return .firstKey
    case UInt8(ascii: "\"") where last.isKey: return .colon
    default: return isObject ? .memberEnd : .elementEnd
    }
  }

  /// The mistake of a byte that cannot stand where it does.
  private func stray(at offset: Int, _ expected: Expectation, behind before: UInt8) -> SyntaxError {
    let special: SyntaxError? =
      switch expected {
      case .value, .firstElement: mistakeInValue(at: offset, behind: before)
      case .key, .firstKey: mistakeInKey(at: offset, behind: before)
      default: nil
      }
    if let special { return special }
    return error(offset, kindOfStray(at: offset, isTrailing: expected == .end), expected.rawValue)
  }

  /// The last byte before `offset` that is not white space, 0 when there is none behind `from`.
  private func lastToken(before offset: Int, from: Int) -> UInt8 {
    var index = offset - 1
    while index >= from {
      switch byte(index) {
      case 0x20, 0x0A, 0x0D, 0x09: index -= 1
      default: return byte(index)
      }
    }
    return 0
  }

  private func error(_ offset: Int, _ kind: SyntaxError.Kind, _ expected: String) -> SyntaxError {
    SyntaxError(offset: offset, kind: kind, expected: expected, found: description(at: offset))
  }

  /// A byte that nothing more special is known about.
  private func kindOfStray(at offset: Int, isTrailing: Bool) -> SyntaxError.Kind {
    switch byte(offset) {
    case UInt8(ascii: "#"): return .comment
    case UInt8(ascii: "/") where peek(offset + 1) == UInt8(ascii: "/") || peek(offset + 1) == UInt8(ascii: "*"):
      return .comment
    case 0x80... where sequenceLength(at: offset) == 0: return .notUTF8
    default: return isTrailing ? .trailingData : .unexpectedByte
    }
  }

  private func mistakeInValue(at offset: Int, behind before: UInt8) -> SyntaxError? {
    switch byte(offset) {
    case UInt8(ascii: "'"):
      return error(offset, .singleQuote, "a value; strings stand in double quotes")
    case UInt8(ascii: "+"):
      return error(offset, .plusSign, "a number without a plus sign")
    case UInt8(ascii: "."):
      return error(offset, .badNumber, "a digit before the decimal point")
    case UInt8(ascii: "]") where before == UInt8(ascii: ","):
      return error(offset, .trailingComma, "a value behind the comma")
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
      return mistakeInWord(at: offset)
    default:
      return nil
    }
  }

  private func mistakeInWord(at offset: Int) -> SyntaxError {
    let word = self.word(from: offset)
    if offset + word.utf8.count == count, ["true", "false", "null"].contains(where: { $0.hasPrefix(word) }) {
      return error(count, .unexpectedEnd, "the rest of true, false or null")
    }
    if ["nan", "inf", "infinity"].contains(word.lowercased()) {
      return SyntaxError(offset: offset, kind: .nan, expected: "a finite number", found: "'\(word)'")
    }
    return SyntaxError(offset: offset, kind: .badWord, expected: "a value", found: "'\(word)'")
  }

  private func mistakeInKey(at offset: Int, behind before: UInt8) -> SyntaxError? {
    switch byte(offset) {
    case UInt8(ascii: "'"):
      return error(offset, .singleQuote, "a key in double quotes")
    case UInt8(ascii: "}") where before == UInt8(ascii: ","):
      return error(offset, .trailingComma, "a key behind the comma")
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
      UInt8(ascii: "$"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
      let word = self.word(from: offset)
      return SyntaxError(
        offset: offset, kind: .unquotedKey, expected: "a key in double quotes",
        found: word.isEmpty ? description(at: offset) : "'\(word)'")
    default:
      return nil
    }
  }

  private func mistakeInNumber(at offset: Int) -> SyntaxError {
    if offset >= count { return error(count, .unexpectedEnd, "a digit") }
    let word = self.word(from: offset)
    if ["nan", "inf", "infinity"].contains(word.lowercased()) {
      return SyntaxError(offset: offset - 1, kind: .nan, expected: "a finite number", found: "'-\(word)'")
    }
    return error(offset, .badNumber, "a digit")
  }

  /// A number ended where it cannot: `01`, `0x1F`, `1_000`, `1.5f`, `1.2.3`.
  private func mistakeBehindNumber(_ number: Token, at offset: Int) -> SyntaxError? {
    let digits = number.end - number.start - (byte(number.start) == UInt8(ascii: "-") ? 1 : 0)
    let isZero = digits == 1 && byte(offset - 1) == UInt8(ascii: "0")
    switch byte(offset) {
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      return error(offset, .badNumber, "no digit behind a leading zero")
    case UInt8(ascii: "x"), UInt8(ascii: "X"), UInt8(ascii: "o"), UInt8(ascii: "O"), UInt8(ascii: "b"),
      UInt8(ascii: "B"):
      if isZero { return error(offset, .prefixedNumber, "a number in decimal notation") }
      return error(offset, .badNumber, "the end of the number")
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
      UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"):
      return error(offset, .badNumber, "the end of the number")
    default:
      return nil
    }
  }

  private func mistakeInString(at offset: Int) -> SyntaxError {
    if offset >= count { return error(count, .unexpectedEnd, "'\"' at the end of the string") }
    let first = byte(offset)
    if first < 0x20 { return error(offset, .controlCharacter, "an escape for the control character") }
    if first >= 0x80 {
      return isCutSequence(at: offset)
        ? error(count, .unexpectedEnd, "the rest of a character") : error(offset, .notUTF8, "UTF-8")
    }
    if offset + 1 >= count { return error(count, .unexpectedEnd, "the rest of an escape") }
    switch byte(offset + 1) {
    case UInt8(ascii: "U"):
      return SyntaxError(
        offset: offset, kind: .bigUEscape, expected: #"the character itself or \u with four digits"#, found: #"'\U'"#)
    case UInt8(ascii: "u"):
      return mistakeInUnicodeEscape(at: offset)
    default:
      return SyntaxError(
        offset: offset, kind: .badEscape, expected: #"one of "\/bfnrtu behind the backslash"#,
        found: description(at: offset + 1))
    }
  }

  private func mistakeInUnicodeEscape(at offset: Int) -> SyntaxError {
    for index in offset + 2..<offset + 6 {
      if index >= count { return error(count, .unexpectedEnd, "the rest of an escape") }
      if hexadecimalDigit(byte(index)) == nil {
        return SyntaxError(
          offset: offset, kind: .badEscape, expected: #"four hexadecimal digits behind \u"#,
          found: description(at: index))
      }
    }
    let expected = "both halves of a surrogate pair"
    let half = text(from: offset, to: offset + 6)
    if hexadecimal(at: offset + 2) >= 0xDC00 {
      return SyntaxError(
        offset: offset, kind: .loneSurrogate, expected: expected, found: "the second half \(half) alone")
    }
    // The second half may be cut off: that is an end, not a surrogate without partner.
    for (index, wanted) in zip(offset + 6..<offset + 12, ["\\", "u", "dD", "cdefCDEF", "", ""]) {
      if index >= count { return error(count, .unexpectedEnd, "the second half of a surrogate pair") }
      let isFit = wanted.isEmpty ? hexadecimalDigit(byte(index)) != nil : wanted.utf8.contains(byte(index))
      if !isFit { break }
    }
    return SyntaxError(
      offset: offset, kind: .loneSurrogate, expected: expected, found: "the first half \(half) alone")
  }

  /// Whether the text ends inside the UTF-8 sequence at `offset`, which is right as far as it goes.
  private func isCutSequence(at offset: Int) -> Bool {
    let lead = byte(offset)
    let length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead <= 0xF4 ? 4 : 0
    guard offset + length > count else { return false }
    guard offset + 1 < count else { return true }
    let second = byte(offset + 1)
    let low: UInt8 = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80
    let high: UInt8 = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF
    guard second >= low, second <= high else { return false }
    return offset + 2 >= count || byte(offset + 2) & 0xC0 == 0x80
  }

  private func byteOrderMark(at offset: Int) -> SyntaxError? {
    let expected = "a value"
    switch (peek(offset), peek(offset + 1), peek(offset + 2)) {
    case (0xEF, 0xBB, 0xBF):
      return SyntaxError(offset: offset, kind: .byteOrderMark, expected: expected, found: "a byte order mark")
    case (0xFE, 0xFF, _), (0xFF, 0xFE, _):
      return SyntaxError(offset: offset, kind: .byteOrderMark, expected: expected, found: "a byte order mark of UTF-16")
    default:
      return nil
    }
  }

  /// The letters, digits and underscores from `offset` on, the first 32 of them.
  private func word(from offset: Int) -> String {
    var end = offset
    while end < count, end < offset + 32 {
      switch byte(end) {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
        UInt8(ascii: "$"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        end += 1
      default:
        return text(from: offset, to: end)
      }
    }
    return text(from: offset, to: end)
  }

  private func text(from start: Int, to end: Int) -> String {
    var text = ""
    for index in start..<end { text.unicodeScalars.append(Unicode.Scalar(byte(index))) }
    return text
  }

  /// What stands at `offset`, in words.
  private func description(at offset: Int) -> String {
    if offset >= count { return "the end of the text" }
    let first = byte(offset)
    switch first {
    case 0x09: return "a tab"
    case 0x0A: return "a line feed"
    case 0x0D: return "a carriage return"
    case 0x20: return "a space"
    case 0x21..<0x7F: return "'\(Unicode.Scalar(first))'"
    case 0x80...:
      guard let scalar = scalar(at: offset) else { fallthrough }
      return "'\(scalar)'"
    default:
      let digits = String(first, radix: 16, uppercase: true)
      return "the byte 0x\(digits.count == 1 ? "0" : "")\(digits)"
    }
  }

  private func scalar(at offset: Int) -> Unicode.Scalar? {
    let length = sequenceLength(at: offset)
    guard length > 0 else { return nil }
    var value = UInt32(byte(offset)) & (0x7F >> UInt32(length))
    for index in offset + 1..<offset + length { value = value << 6 | UInt32(byte(index)) & 0x3F }
    return Unicode.Scalar(value)
  }
}
