// The fast ways over bytes: text into a JSON string, device tokens into lower-case digits.

import JSON

extension [UInt8] {
  /// An array with the bytes of a span.
  init(copying span: Span<UInt8>) {
    self.init()
    append(span)
  }

  /// Appends text as the inside of a JSON string, without quotes.
  ///
  /// Only what RFC 8259 section 7 demands is escaped; everything else goes out as the UTF-8 it came as.
  /// - Returns: false when the text is not UTF-8; then it was not appended to its end.
  mutating func appendInside(_ text: Span<UInt8>) -> Bool {
    var run = 0
    var index = 0
    while index < text.count {
      if index &+ 16 <= text.count, text.isPlain(at: index) {
        index &+= 16
        continue
      }
      let byte = text[index]
      if byte >= 0x80 {
        let length = text.scalarLength(at: index)
        if length == 0 { return false }
        index &+= length
      } else if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
        index &+= 1
      } else {
        append(text.extracting(run..<index))
        appendEscape(byte)
        index &+= 1
        run = index
      }
    }
    append(run == 0 ? text : text.extracting(run..<index))
    return true
  }

  private mutating func appendEscape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append(#"\""#)
    case UInt8(ascii: "\\"): append(#"\\"#)
    case 0x08: append(#"\b"#)
    case 0x09: append(#"\t"#)
    case 0x0A: append(#"\n"#)
    case 0x0C: append(#"\f"#)
    case 0x0D: append(#"\r"#)
    default:
      append(#"\u00"#)
      append(hexadecimal: byte)
    }
  }

  /// Appends a device token with its digits in lower case.
  /// - Returns: false when the text is no plain token; nothing useful was appended then.
  mutating func appendToken(_ text: Span<UInt8>) -> Bool {
    guard text.count >= 2, text.count <= 200, text.count & 1 == 0 else { return false }
    var index = 0
    while index &+ 16 <= text.count {
      guard text.isLowerHexadecimal(at: index) else { break }
      index &+= 16
    }
    append(text.extracting(0..<index))
    while index < text.count {
      switch text[index] {
      case 0x30...0x39, 0x61...0x66: append(text[index])
      case 0x41...0x46: append(text[index] | 0x20)
      default: return false
      }
      index &+= 1
    }
    return true
  }
}

extension Span<UInt8> {
  /// The sixteen bytes from `index` on; the caller has made sure that there are so many.
  @inline(__always)
  func block(at index: Int) -> SIMD16<UInt8> {
    unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
  }

  /// Whether sixteen bytes are ASCII that stands in a JSON string as it is.
  @inline(__always)
  func isPlain(at index: Int) -> Bool {
    let block = block(at: index)
    // Flipping the second bit lets the quote change places with the space: one signed comparison then finds the quote, the
    // control characters below it and, being negative, everything that is not ASCII.
    let flipped = SIMD16<Int8>(truncatingIfNeeded: block ^ SIMD16(repeating: 2))
    let found = (flipped .< SIMD16(repeating: 0x21)) .| (block .== SIMD16(repeating: UInt8(ascii: "\\")))
    return isNowhere(found)
  }

  /// Whether sixteen bytes are digits of a token as it should be.
  @inline(__always)
  func isLowerHexadecimal(at index: Int) -> Bool {
    let block = block(at: index)
    // Unsigned comparison by the smaller of two: the processor has no other for bytes.
    let digits = block &- SIMD16(repeating: 0x30)
    let letters = block &- SIMD16(repeating: 0x61)
    let areDigits = pointwiseMin(digits, SIMD16(repeating: 9)) .== digits
    let areLetters = pointwiseMin(letters, SIMD16(repeating: 5)) .== letters
    return isNowhere(.!(areDigits .| areLetters))
  }

  /// Whether a comparison came out false everywhere. The library's `any` goes byte by byte.
  @inline(__always)
  private func isNowhere(_ mask: SIMDMask<SIMD16<Int8>>) -> Bool {
    let halves = unsafe unsafeBitCast(mask, to: SIMD2<UInt64>.self)
    return halves[0] | halves[1] == 0
  }

  /// How many bytes the UTF-8 sequence at `index` has (2, 3 or 4), or 0 when it is none (RFC 3629 section 4).
  func scalarLength(at index: Int) -> Int {
    let lead = self[index]
    let length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0
    guard length > 0, index &+ length <= count else { return 0 }
    for place in 1..<length where self[index &+ place] & 0xC0 != 0x80 { return 0 }
    let second = self[index &+ 1]
    switch lead {
    case 0xE0: return second >= 0xA0 ? 3 : 0
    case 0xED: return second < 0xA0 ? 3 : 0
    case 0xF0: return second >= 0x90 ? 4 : 0
    case 0xF4: return second < 0x90 ? 4 : 0
    default: return length
    }
  }
}
