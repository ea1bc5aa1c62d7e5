// Bytes going out: what every writer of records needs on the array that it reuses.

extension [UInt8] {
  /// Appends bytes.
  @inlinable
  public mutating func append(_ span: Span<UInt8>) {
    append(most: span.count) { $0.put(span) }
  }

  /// Appends a line and its end.
  @inlinable
  public mutating func append(line: Span<UInt8>) {
    append(most: line.count &+ 1) {
      $0.put(line)
      $0.put(UInt8(ascii: "\n"))
    }
  }

  /// Appends a literal's UTF-8.
  @inlinable
  public mutating func append(_ text: StaticString) {
    append(text.utf8Bytes)
  }

  /// Appends a string's UTF-8. A literal takes the overload above.
  @_disfavoredOverload
  @inlinable
  public mutating func append(_ text: String) {
    append(text.utf8Span.span)
  }

  /// Appends an integer in decimal notation.
  public mutating func append(decimal value: Int) {
    // Twenty bytes hold any: a sign and nineteen digits.
    append(most: 20) { room in
      if value < 0 { room.put(UInt8(ascii: "-")) }
      var rest = value.magnitude
      var count = 1
      var limit: UInt = 10
      while count < 19, rest >= limit {
        limit &*= 10
        count &+= 1
      }
      // From the last digit to the first, packed so that the first comes lowest: eight digits to a word.
      var words: [3 of UInt64] = [0, 0, 0]
      for place in stride(from: count &- 1, through: 0, by: -1) {
        let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
        words[place &>> 3] |= UInt64(digit &+ 0x30) &<< (UInt64(place & 7) &* 8)
        rest = quotient
      }
      for place in 0..<count {
        room.put(UInt8(truncatingIfNeeded: words[place &>> 3] &>> (UInt64(place & 7) &* 8)))
      }
    }
  }

  /// Appends a JSON string, quotes included, with this text; what is not UTF-8 becomes U+FFFD.
  ///
  /// Only what RFC 8259 section 7 demands is escaped: quote, backslash, control characters. Everything else goes out as
  /// UTF-8, which is what counts against APNs' size limits.
  public mutating func appendJSONString(_ utf8: Span<UInt8>) {
    let end = utf8.endOfPlain(from: 0)
    if end == utf8.count { return appendQuoted(utf8) }
    append(UInt8(ascii: "\""))
    append(utf8.extracting(..<end))
    var index = end
    while index < utf8.count {
      appendEscape(for: utf8[index])
      let run = index + 1
      index = utf8.endOfPlain(from: run)
      append(utf8.extracting(run..<index))
    }
    append(UInt8(ascii: "\""))
  }

  /// Appends a JSON string, quotes included, with this text.
  @inlinable
  public mutating func appendJSONString(_ text: String) {
    appendJSONString(text.utf8Span.span)
  }

  @inline(__always)
  private mutating func appendQuoted(_ plain: Span<UInt8>) {
    append(most: plain.count + 2) { room in
      room.put(UInt8(ascii: "\""))
      room.put(plain)
      room.put(UInt8(ascii: "\""))
    }
  }

  private mutating func appendEscape(for byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append(#"\""#)
    case UInt8(ascii: "\\"): append(#"\\"#)
    case 0x08: append(#"\b"#)
    case 0x09: append(#"\t"#)
    case 0x0A: append(#"\n"#)
    case 0x0C: append(#"\f"#)
    case 0x0D: append(#"\r"#)
    case 0x80...: append("\u{FFFD}")
    default:
      append(#"\u00"#)
      append(hexadecimal: byte)
    }
  }

  /// Appends a byte as two lower-case hexadecimal digits.
  @inlinable
  public mutating func append(hexadecimal byte: UInt8) {
    append(most: 2) { room in
      room.put(hexadecimalText(byte &>> 4))
      room.put(hexadecimalText(byte & 15))
    }
  }
}

/// A number below sixteen as a lower-case hexadecimal digit.
@inlinable @inline(__always)
func hexadecimalText(_ digit: UInt8) -> UInt8 {
  digit &+ (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") &- 10)
}
