// The scans that take most of the time: the end of a string, one UTF-8 sequence, one number.
//
// Each returns the offset behind what it read, or the complement (`~`) of the offset where it had to stop.

extension Span<UInt8> {
  /// Reads a string's inside from `start`, which is behind its opening quote, up to its closing quote.
  ///
  /// - Returns: the offset of the closing quote, or the complement of the offset of the first byte that is wrong.
  @inline(__always)
  func endOfString(from start: Int, stops: inout Stops, bits: inout UInt32) -> Int {
    // Most strings end within the window, and hold nothing that stops.
    let place = start &- stops.start
    if place < Stops.size {
      let window = stops.window(at: place)
      let index = start &+ window.trailingZeroBitCount
      if window != 0, byte(index) == UInt8(ascii: "\"") { return index }
    }
    let found = endOfLongString(from: start, &stops)
    bits |= found.bits
    return found.end
  }

  /// The same for a string that goes on behind the window, or stops for more than its end.
  @inline(never)
  func endOfLongString(from start: Int, _ stops: inout Stops) -> (end: Int, bits: UInt32) {
    var bits: UInt32 = 0
    var index = start
    while index < count {
      if index &- stops.start >= Stops.size { stops.fill(from: index, of: self) }
      let place = index &- stops.start
      let window = stops.window(at: place)
      if window == 0 {
        // Behind the kilobyte the window shows zeros that mean nothing.
        index = min(index &+ 64 &- (place & 7), stops.start &+ Stops.size)
        continue
      }
      index &+= window.trailingZeroBitCount
      let byte = byte(index)
      if byte == UInt8(ascii: "\"") { return (index, bits) }
      if byte == UInt8(ascii: "\\") {
        bits |= Token.escapeBit
        index = endOfEscapes(at: index, &bits)
      } else {
        index = endOfSequences(at: index)
      }
      if index < 0 { return (index, bits) }
    }
    return (~count, bits)
  }

  /// Reads UTF-8 sequences, one behind the other.
  ///
  /// - Returns: the offset behind them, or the complement of the offset of a byte that is wrong.
  @inline(never)
  func endOfSequences(at start: Int) -> Int {
    if byte(start) < 0x80 { return ~start }
    var index = start
    while peek(index) >= 0x80 {
      let length = sequenceLength(at: index)
      if length == 0 { return ~index }
      index &+= length
    }
    return index
  }

  /// How many bytes the UTF-8 sequence at `index` has (2, 3 or 4), or 0 when it is none (RFC 3629 section 4).
  ///
  /// The byte at `index` is not ASCII.
  @inline(__always)
  func sequenceLength(at index: Int) -> Int {
    let word = wordOrZeros(index)
    let lead = word & 0xFF
    if lead < 0xE0 {
      return lead >= 0xC2 && word & 0xC000 == 0x8000 ? 2 : 0
    }
    if lead < 0xF0 {
      // The lead's low half and the second byte's bit 0x20 tell overlong forms (E0 80–9F) and surrogates (ED A0–BF).
      let edge = word & 0x200F
      return word & 0xC0_C000 == 0x80_8000 && edge != 0 && edge != 0x200D ? 3 : 0
    }
    guard lead <= 0xF4, word & 0xC0C0_C000 == 0x8080_8000 else { return 0 }
    // U+10000 to U+10FFFF: F0 needs a second byte from 0x90 on, F4 one below.
    let high = word & 0x3000
    if lead == 0xF0 { return high != 0 ? 4 : 0 }
    return lead < 0xF4 || high == 0 ? 4 : 0
  }

  /// Reads a number from `start`, its minus sign or first digit (RFC 8259 section 6). Most are a few digits.
  @inline(__always)
  func endOfNumber(from start: Int, bits: inout UInt32) -> Int {
    if start &+ 8 <= count {
      let next = UInt64(littleEndian: doubleWord(start))
      let digits = leadingDigits(next)
      if digits &- 1 < 7 {
        let following = UInt8(truncatingIfNeeded: next &>> (UInt64(truncatingIfNeeded: digits) &* 8))
        let isWhole = following != UInt8(ascii: ".") && following | 0x20 != UInt8(ascii: "e")
        if isWhole, digits == 1 || next & 0xFF != UInt64(UInt8(ascii: "0")) {
          bits |= Token.shortBit
          return start &+ Int(digits)
        }
      }
    }
    return endOfLongNumber(from: start)
  }

  /// How many of eight bytes are decimal digits, from the first on.
  @inline(__always)
  private func leadingDigits(_ bytes: UInt64) -> UInt {
    // Digits become 0 to 9; what is above sets its highest bit. A carry reaches only bytes behind the first other one.
    let values = bytes ^ 0x3030_3030_3030_3030
    let others = ((values &+ 0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080
    return UInt(truncatingIfNeeded: others.trailingZeroBitCount &>> 3)
  }

  /// The same for a number of any length.
  @inline(never)
  func endOfLongNumber(from start: Int) -> Int {
    var index = start
    if peek(index) == UInt8(ascii: "-") { index &+= 1 }
    let first = peek(index) &- UInt8(ascii: "0")
    guard first <= 9 else { return ~index }
    index &+= 1
    if first != 0 { index = endOfDigits(from: index) }
    if peek(index) == UInt8(ascii: ".") {
      index &+= 1
      guard peek(index) &- UInt8(ascii: "0") <= 9 else { return ~index }
      index = endOfDigits(from: index &+ 1)
    }
    if peek(index) | 0x20 == UInt8(ascii: "e") {
      index &+= 1
      if peek(index) == UInt8(ascii: "+") || peek(index) == UInt8(ascii: "-") { index &+= 1 }
      guard peek(index) &- UInt8(ascii: "0") <= 9 else { return ~index }
      index = endOfDigits(from: index &+ 1)
    }
    return index
  }

  @inline(__always)
  func endOfDigits(from start: Int) -> Int {
    var index = start
    while index &+ 8 <= count {
      let digits = leadingDigits(UInt64(littleEndian: doubleWord(index)))
      index &+= Int(digits)
      if digits < 8 { return index }
    }
    while peek(index) &- UInt8(ascii: "0") <= 9 { index &+= 1 }
    return index
  }

  /// The first byte from `start` on that a JSON string cannot hold as it is: quote, backslash, control character, or
  /// not UTF-8. The text's end when there is none.
  func endOfPlain(from start: Int) -> Int {
    var index = start
    while index < count {
      if index &+ 16 <= count {
        // Flipping the second bit moves the quote to 0x20; as signed numbers all that is not ASCII lies below, too.
        let block = vector(index)
        let flipped = SIMD16<Int8>(truncatingIfNeeded: block ^ SIMD16<UInt8>(repeating: 0x02))
        let backslash = SIMD16<UInt8>(repeating: UInt8(ascii: "\\"))
        let found = places(of: (flipped .<= SIMD16<Int8>(repeating: 0x20)) .| (block .== backslash))
        index &+= found == 0 ? 16 : found.trailingZeroBitCount &>> 2
        if found == 0 { continue }
      }
      let byte = byte(index)
      if byte >= 0x80 {
        let length = sequenceLength(at: index)
        if length == 0 { return index }
        index &+= length
      } else if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        return index
      } else {
        index &+= 1
      }
    }
    return index
  }

  /// The next byte that is not white space (RFC 8259 section 2), 0 behind the end; `index` moves to it.
  @inline(__always)
  func skipSpace(_ index: inout Int) -> UInt8 {
    let byte = peek(index)
    if byte > 0x20 { return byte }
    index = endOfSpace(from: index)
    return peek(index)
  }

  @inline(never)
  func endOfSpace(from start: Int) -> Int {
    var index = start
    while true {
      switch peek(index) {
      case 0x20, 0x0A, 0x0D, 0x09: index &+= 1
      default: return index
      }
    }
  }

  /// The four bytes from `index` on, with zeros for those behind the end.
  @inline(__always)
  func wordOrZeros(_ index: Int) -> UInt32 {
    if index &+ 4 <= count { return word(index) }
    var value: UInt32 = 0
    for offset in 0..<4 where index &+ offset < count {
      value |= UInt32(byte(index &+ offset)) &<< UInt32(8 &* offset)
    }
    return value
  }
}

/// Four bits for each lane, the first lane's lowest: a place is the number of trailing zeros divided by four.
///
/// Shifting pairs of lanes and narrowing them is the cheapest way from a vector to one word that Swift can say.
@inline(__always)
func places(of mask: SIMDMask<SIMD16<Int8>>) -> UInt64 {
  let pairs = unsafe unsafeBitCast(mask, to: SIMD8<UInt16>.self)
  return unsafe unsafeBitCast(SIMD8<UInt8>(truncatingIfNeeded: pairs &>> 4), to: UInt64.self).littleEndian
}
