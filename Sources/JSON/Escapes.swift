// Escapes in strings: read one behind the other, two at a time where they are plain.

extension Span<UInt8> {
  /// Reads escapes, one behind the other: text of other scripts is often nothing else.
  ///
  /// - Returns: the offset behind them, or the complement of the offset of one that is wrong.
  @inline(__always)
  func endOfEscapes(at start: Int, _ bits: inout UInt32) -> Int {
    var index = start
    repeat {
      while index &+ 16 <= count, holdsTwoEscapes(vector(index), &bits) { index &+= 12 }
      if peek(index) != UInt8(ascii: "\\") { return index }
      let next: UInt64 = index &+ 8 <= count ? UInt64(littleEndian: doubleWord(index)) : 0
      if next & 0xFFFF == 0x755C, !startsSurrogate(next) {  // \u
        let digits = UInt32(truncatingIfNeeded: next &>> 16)
        if !areHexadecimal(digits) { return ~index }
        if (digits | 0x2000) & 0xFFFF == 0x6631 { bits |= Token.extendedGreekBit }  // 1f
        index &+= 6
      } else {
        let length = escapeLength(at: index)
        if length == 0 { return ~index }
        index &+= length
      }
    } while peek(index) == UInt8(ascii: "\\")
    return index
  }

  /// Whether the first twelve bytes are two escapes of characters that are whole.
  @inline(__always)
  private func holdsTwoEscapes(_ bytes: SIMD16<UInt8>, _ bits: inout UInt32) -> Bool {
    let isDigit = (bytes &- SIMD16<UInt8>(repeating: 0x30)) .<= SIMD16<UInt8>(repeating: 9)
    let small = bytes | SIMD16<UInt8>(repeating: 0x20)
    let isLetter = (small &- SIMD16<UInt8>(repeating: 0x61)) .<= SIMD16<UInt8>(repeating: 5)
    let hexadecimal = unsafe unsafeBitCast(isDigit .| isLetter, to: SIMD2<UInt64>.self)
    let halves = unsafe unsafeBitCast(bytes, to: SIMD2<UInt64>.self)
    // Backslash and u stand at 0 and at 6, the digits behind them.
    let start = halves.x.littleEndian
    let areFormed = start & 0xFFFF_0000_0000_FFFF == 0x755C_0000_0000_755C
    let areDigits = hexadecimal.x.littleEndian | ~0x0000_FFFF_FFFF_0000 == .max
    let areOthers = hexadecimal.y.littleEndian | ~0x0000_0000_FFFF_FFFF == .max
    let first = start &>> 16
    let second = halves.y.littleEndian
    guard areFormed, areDigits, areOthers, first & 0xDF != 0x44, second & 0xDF != 0x44 else { return false }
    if (first | 0x2000) & 0xFFFF == 0x6631 || (second | 0x2000) & 0xFFFF == 0x6631 { bits |= Token.extendedGreekBit }
    return true
  }

  /// Whether the third byte is the `d` of a surrogate, or of one of the few characters that begin the same way.
  @inline(__always)
  private func startsSurrogate(_ escape: UInt64) -> Bool {
    (escape &>> 16 & 0xFF) | 0x20 == 0x64
  }

  /// Whether four bytes are hexadecimal digits, all at once: in each byte, adding what is missing to 0x80 sets its
  /// highest bit when it is a bound or above it.
  @inline(__always)
  private func areHexadecimal(_ bytes: UInt32) -> Bool {
    let letters = bytes | 0x2020_2020
    let digit = (bytes &+ 0x5050_5050) & ~(bytes &+ 0x4646_4646)
    let letter = (letters &+ 0x1F1F_1F1F) & ~(letters &+ 0x1919_1919)
    // A byte beyond ASCII would carry into the next one.
    return (digit | letter) & ~bytes & 0x8080_8080 == 0x8080_8080
  }

  /// How many bytes the escape at `index`, a backslash, has: 2, 6, or 12 for a surrogate pair; 0 when it is none.
  @inline(__always)
  func escapeLength(at index: Int) -> Int {
    switch peek(index &+ 1) {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return 2
    case UInt8(ascii: "u"):
      return unicodeEscapeLength(at: index)
    default:
      return 0
    }
  }

  @inline(never)
  func unicodeEscapeLength(at index: Int) -> Int {
    let first = hexadecimal(at: index &+ 2)
    guard first >= 0 else { return 0 }
    guard first & 0xF800 == 0xD800 else { return 6 }
    guard first < 0xDC00, peek(index &+ 6) == UInt8(ascii: "\\"), peek(index &+ 7) == UInt8(ascii: "u") else {
      return 0
    }
    return hexadecimal(at: index &+ 8) & ~0x3FF == 0xDC00 ? 12 : 0
  }

  /// The value of the four hexadecimal digits from `index` on, or -1 when they are not there.
  @usableFromInline
  func hexadecimal(at index: Int) -> Int {
    guard index &+ 4 <= count else { return -1 }
    var value = 0
    for offset in 0..<4 {
      guard let digit = hexadecimalDigit(byte(index &+ offset)) else { return -1 }
      value = value &<< 4 | digit
    }
    return value
  }
}

/// The value of a hexadecimal digit in either case, nil for any other byte.
@inlinable
func hexadecimalDigit(_ byte: UInt8) -> Int? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte &- UInt8(ascii: "0"))
  case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte &- UInt8(ascii: "a")) &+ 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte &- UInt8(ascii: "A")) &+ 10
  default: nil
  }
}
