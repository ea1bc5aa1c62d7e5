// Where a string must stop, as one bit for each byte, and whether the bytes are UTF-8: sixty-four bytes at a time.
//
// Finding the end of a string by loading its bytes makes each load wait for the end of the string before. These bits
// depend on nothing that was parsed, so they are found in one go, without branches, a kilobyte ahead of the parser.

/// The stops of a kilobyte of the text.
///
/// A byte stops a string when it is a quote, a backslash or a control character; in a block of 64 bytes that is not
/// UTF-8 also when it is not ASCII. Nothing stops behind the text's end.
@safe struct Stops {
  static let size = 64 * 16
  /// How many words of memory `init` needs: one bit for each byte, the first one's lowest, and behind them a word of
  /// zeros, so that a window may hang over.
  static let wordCount = 17
  /// Offset of the first byte.
  private(set) var start: Int
  private let words: UnsafeMutableBufferPointer<UInt64>

  /// The empty stops of what lies before `offset`, in memory for `wordCount` words that outlives them.
  init(before offset: Int, words: UnsafeMutableBufferPointer<UInt64>) {
    start = offset &- Stops.size
    unsafe words.initialize(repeating: 0)
    unsafe self.words = words
  }

  /// The stops from `place` on, a distance from `start` below `size`: those of 57 bytes or some more.
  @inline(__always)
  func window(at place: Int) -> UInt64 {
    assert(place >= 0 && place < Stops.size)
    let bytes = unsafe UnsafeRawBufferPointer(words)
    let word = unsafe bytes.loadUnaligned(fromByteOffset: place &>> 3, as: UInt64.self)
    return word.littleEndian &>> UInt64(truncatingIfNeeded: place & 7)
  }

  /// Moves on to the kilobyte that starts at `offset`, inside the text.
  @inline(never)
  mutating func fill(from offset: Int, of bytes: Span<UInt8>) {
    start = offset
    var place = offset
    var index = 0
    while index < 16, place < bytes.count {
      unsafe words[index] = bytes.stops(from: place).littleEndian
      place &+= 64
      index &+= 1
    }
    unsafe words[index] = 0
  }
}

/// The 64 bytes of a block.
private struct Vectors {
  var a: SIMD16<UInt8>
  var b: SIMD16<UInt8>
  var c: SIMD16<UInt8>
  var d: SIMD16<UInt8>

  /// One bit for each byte for which `test` says yes.
  ///
  /// Swift cannot say `pmovmskb`. So each lane gives a bit of its own to byte `n % 8` of one word, and the word is then
  /// an eight by eight matrix of bits on its side, which three rounds of swaps turn upright.
  @inline(__always)
  func bits(_ test: (SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>>) -> UInt64 {
    let first = lanes(test(a)) & weights(0x01, 0x02)
    let second = lanes(test(b)) & weights(0x04, 0x08)
    let third = lanes(test(c)) & weights(0x10, 0x20)
    let fourth = lanes(test(d)) & weights(0x40, 0x80)
    let halves = unsafe unsafeBitCast((first | second) | (third | fourth), to: SIMD2<UInt64>.self)
    var word = halves.x | halves.y
    var swap = (word ^ (word &>> 7)) & 0x00AA_00AA_00AA_00AA
    word ^= swap ^ (swap &<< 7)
    swap = (word ^ (word &>> 14)) & 0x0000_CCCC_0000_CCCC
    word ^= swap ^ (swap &<< 14)
    swap = (word ^ (word &>> 28)) & 0x0000_0000_F0F0_F0F0
    return word ^ swap ^ (swap &<< 28)
  }

  /// C0 and C1, which start nothing, and E0 and ED, which restrict the byte behind them.
  @inline(__always)
  static func special(_ block: SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>> {
    ((block & SIMD16<UInt8>(repeating: 0xFE)) .== SIMD16<UInt8>(repeating: 0xC0))
      .| (block .== SIMD16<UInt8>(repeating: 0xE0)) .| (block .== SIMD16<UInt8>(repeating: 0xED))
  }

  /// Whether `test` says yes for any byte.
  @inline(__always)
  func any(_ test: (SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>>) -> Bool {
    let found = (lanes(test(a)) | lanes(test(b))) | (lanes(test(c)) | lanes(test(d)))
    let halves = unsafe unsafeBitCast(found, to: SIMD2<UInt64>.self)
    return halves.x | halves.y != 0
  }

  @inline(__always)
  private func lanes(_ mask: SIMDMask<SIMD16<Int8>>) -> SIMD16<UInt8> {
    unsafe unsafeBitCast(mask, to: SIMD16<UInt8>.self)
  }

  @inline(__always)
  private func weights(_ low: UInt8, _ high: UInt8) -> SIMD16<UInt8> {
    SIMD16<UInt8>(
      low, low, low, low, low, low, low, low, high, high, high, high, high, high, high, high)
  }

  @inline(__always)
  var isASCII: Bool {
    let any = unsafe unsafeBitCast((a | b) | (c | d), to: SIMD2<UInt64>.self)
    return (any.x | any.y) & 0x8080_8080_8080_8080 == 0
  }
}

extension Span<UInt8> {
  /// The stops of the 64 bytes from `start` on, inside the text.
  @inline(__always)
  func stops(from start: Int) -> UInt64 {
    if start &+ 64 <= count {
      return stops(
        Vectors(a: vector(start), b: vector(start &+ 16), c: vector(start &+ 32), d: vector(start &+ 48)),
        from: start, shift: 0)
    }
    guard count >= 64 else { return stopsOfShortText(from: start) }
    // The last block: the last 64 bytes of the text, those before it shifted out.
    let first = count &- 64
    return stops(
      Vectors(a: vector(first), b: vector(first &+ 16), c: vector(first &+ 32), d: vector(first &+ 48)),
      from: start, shift: UInt64(truncatingIfNeeded: start &- first))
  }

  @inline(__always)
  private func stops(_ vectors: Vectors, from start: Int, shift: UInt64) -> UInt64 {
    // Flipping the second bit lets the quote (0x22) change places with the space (0x20): one comparison finds it and
    // the control characters.
    let flip = SIMD16<UInt8>(repeating: 0x02)
    let backslash = SIMD16<UInt8>(repeating: UInt8(ascii: "\\"))
    if vectors.isASCII {
      // Comparing as signed numbers takes one instruction less.
      let last = SIMD16<Int8>(repeating: 0x20)
      let stops = vectors.bits { (SIMD16<Int8>(truncatingIfNeeded: $0 ^ flip) .<= last) .| ($0 .== backslash) }
      return stops &>> shift
    }
    let last = SIMD16<UInt8>(repeating: 0x20)
    let stops = vectors.bits { (($0 ^ flip) .<= last) .| ($0 .== backslash) } &>> shift
    return stops | doubts(vectors, from: start, shift: shift)
  }

  /// The stops of a text of fewer than 64 bytes.
  @inline(never)
  private func stopsOfShortText(from start: Int) -> UInt64 {
    var parts: [4 of SIMD16<UInt8>] = .init(repeating: SIMD16(repeating: 0))
    var part = 0
    while part &* 16 < count {
      parts[part] = partialVector(part &* 16)
      part &+= 1
    }
    let vectors = Vectors(a: parts[0], b: parts[1], c: parts[2], d: parts[3])
    // The zeros behind the end are control characters: no stops.
    let inside: UInt64 = (1 &<< UInt64(truncatingIfNeeded: count &- start)) &- 1
    return stops(vectors, from: start, shift: UInt64(truncatingIfNeeded: start)) & inside
  }

  /// Checks the UTF-8 sequences of a block that has any (RFC 3629 section 4).
  ///
  /// - Returns: the bytes at which the parser must look itself: none when all is well, else all that are not ASCII.
  @inline(never)
  private func doubts(_ vectors: Vectors, from start: Int, shift: UInt64) -> UInt64 {
    let outside = vectors.bits { $0 .>= SIMD16<UInt8>(repeating: 0x80) } &>> shift
    let leads = vectors.bits { $0 .>= SIMD16<UInt8>(repeating: 0xC0) } &>> shift
    let carried = continuation(at: start)
    var expected = carried | leads &<< 1
    // Sequences that are looked at one by one: those of four bytes, and those that leave the block, so that the next
    // block can rely on them.
    var doubtful = leads & (1 &<< 63)
    if vectors.any({ $0 .>= SIMD16<UInt8>(repeating: 0xE0) }) {
      let longer = vectors.bits { $0 .>= SIMD16<UInt8>(repeating: 0xE0) } &>> shift
      expected |= longer &<< 2
      doubtful |= longer & (1 &<< 62)
      if vectors.any({ $0 .>= SIMD16<UInt8>(repeating: 0xF0) }) {
        let longest = vectors.bits { $0 .>= SIMD16<UInt8>(repeating: 0xF0) } &>> shift
        expected |= longest &<< 3
        doubtful |= longest
      }
    }
    if vectors.any({ Vectors.special($0) }) { doubtful |= vectors.bits { Vectors.special($0) } &>> shift }
    var isGood = expected == outside & ~leads
    while doubtful != 0, isGood {
      isGood = sequenceLength(at: start &+ doubtful.trailingZeroBitCount) != 0
      doubtful &= doubtful &- 1
    }
    return isGood ? 0 : outside & ~carried
  }

  /// The bytes from `start` on, the first one's bit lowest, that belong to a sequence which starts before.
  @inline(__always)
  private func continuation(at start: Int) -> UInt64 {
    var lead = start &- 1
    while lead >= 0, start &- lead < 4 {
      if byte(lead) >= 0xC0 {
        let inside = sequenceLength(at: lead) &- (start &- lead)
        return inside > 0 ? (1 &<< UInt64(truncatingIfNeeded: inside)) &- 1 : 0
      }
      lead &-= 1
    }
    return 0
  }
}
