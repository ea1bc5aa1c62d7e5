// Bytes going out: what every writer of records needs on the array that it reuses.

extension [UInt8] {
  /// Appends bytes.
  @inlinable
  public mutating func append(_ span: Span<UInt8>) {
    unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// Appends a literal's UTF-8.
  @inlinable
  public mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { unsafe append(contentsOf: $0) }
  }

  /// Appends a string's UTF-8. A literal takes the overload above.
  @_disfavoredOverload
  @inlinable
  public mutating func append(_ text: String) {
    append(text.utf8Span.span)
  }

  /// Appends an integer in decimal notation.
  public mutating func append(decimal value: Int) {
    if value < 0 { append(UInt8(ascii: "-")) }
    var rest = value.magnitude
    var divisor: UInt = 1
    while rest / divisor >= 10 { divisor &*= 10 }
    while divisor > 0 {
      append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest / divisor))
      rest %= divisor
      divisor /= 10
    }
  }

  /// Appends a JSON string, quotes included, with this text; what is not UTF-8 becomes U+FFFD.
  ///
  /// Only what RFC 8259 section 7 demands is escaped: quote, backslash, control characters. Everything else goes out as
  /// UTF-8, which is what counts against APNs' size limits.
  public mutating func appendJSONString(_ utf8: Span<UInt8>) {
    append(UInt8(ascii: "\""))
    var index = 0
    var run = 0
    while index < utf8.count {
      let byte = utf8.byte(index)
      if byte >= 0x80 {
        let length = utf8.sequenceLength(at: index)
        if length > 0 {
          index += length
          continue
        }
      } else if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
        index += 1
        continue
      }
      append(utf8.extracting(run..<index))
      appendEscape(for: byte)
      index += 1
      run = index
    }
    append(utf8.extracting(run..<index))
    append(UInt8(ascii: "\""))
  }

  /// Appends a JSON string, quotes included, with this text.
  public mutating func appendJSONString(_ text: String) {
    appendJSONString(text.utf8Span.span)
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
    for half in [byte &>> 4, byte & 15] {
      append(half &+ (half < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") &- 10))
    }
  }
}
