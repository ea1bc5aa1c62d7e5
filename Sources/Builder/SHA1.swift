// SHA-1 (FIPS 180-4), for name-based UUIDs alone: RFC 9562 section 5.5 prescribes it. Not for anything secret.

import JSON

/// A digest that takes its input piece by piece.
struct SHA1 {
  private var state: (UInt32, UInt32, UInt32, UInt32, UInt32) = (
    0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0
  )
  private var rest: [UInt8] = []
  private var length = 0

  mutating func update(_ bytes: Span<UInt8>) {
    length &+= bytes.count
    var index = 0
    if !rest.isEmpty {
      index = min(64 - rest.count, bytes.count)
      rest.append(bytes.extracting(0..<index))
      guard rest.count == 64 else { return }
      let block = rest
      compress(block.span, 0)
      rest.removeAll(keepingCapacity: true)
    }
    while index + 64 <= bytes.count {
      compress(bytes, index)
      index += 64
    }
    rest.append(bytes.extracting(index..<bytes.count))
  }

  /// The twenty bytes of the digest; nothing may be added behind this.
  mutating func finish() -> [UInt8] {
    let bits = UInt64(length) &* 8
    rest.append(0x80)
    while rest.count % 64 != 56 { rest.append(0) }
    for shift in stride(from: 56, through: 0, by: -8) { rest.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift))) }
    let tail = rest
    for start in stride(from: 0, to: tail.count, by: 64) { compress(tail.span, start) }
    var digest: [UInt8] = []
    for word in [state.0, state.1, state.2, state.3, state.4] {
      for shift: UInt32 in [24, 16, 8, 0] { digest.append(UInt8(truncatingIfNeeded: word >> shift)) }
    }
    return digest
  }

  private mutating func compress(_ bytes: Span<UInt8>, _ start: Int) {
    var words = InlineArray<80, UInt32>(repeating: 0)
    for index in 0..<16 {
      let place = start + index * 4
      words[index] =
        UInt32(bytes[place]) << 24 | UInt32(bytes[place + 1]) << 16 | UInt32(bytes[place + 2]) << 8
        | UInt32(bytes[place + 3])
    }
    for index in 16..<80 {
      words[index] = rotate(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1)
    }
    var (a, b, c, d, e) = state
    func turn(_ mix: UInt32, _ constant: UInt32, _ word: UInt32) {
      let next = rotate(a, 5) &+ mix &+ e &+ constant &+ word
      (e, d, c, b, a) = (d, c, rotate(b, 30), a, next)
    }
    for index in 0..<20 { turn(d ^ b & (c ^ d), 0x5A82_7999, words[index]) }
    for index in 20..<40 { turn(b ^ c ^ d, 0x6ED9_EBA1, words[index]) }
    for index in 40..<60 { turn(b & c | d & (b | c), 0x8F1B_BCDC, words[index]) }
    for index in 60..<80 { turn(b ^ c ^ d, 0xCA62_C1D6, words[index]) }
    state = (state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d, state.4 &+ e)
  }

  @inline(__always)
  private func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word &<< count | word &>> (32 &- count) }
}
