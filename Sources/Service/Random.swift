// Numbers nobody needs to guard: identifiers the server gives, shares of a script.

import TLS

/// SplitMix64: one multiplication chain a number, repeatable from its seed.
struct Random {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// A seed of the operating system's.
  static func freshSeed() -> UInt64 { randomBytes(8).reduce(0) { $0 << 8 | UInt64($1) } }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed &>> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed &>> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed &>> 31
  }

  /// From 0 up to, and without, 1.
  mutating func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }

  /// Writes a random UUID (RFC 9562 version 4) in upper case, as APNs does, in place of the text.
  mutating func writeUUID(into text: inout [UInt8]) {
    text.removeAll(keepingCapacity: true)
    append(next() & ~0xF000 | 0x4000, dashesAt: 1 << 8 | 1 << 12, to: &text)
    text.append(UInt8(ascii: "-"))
    append(next() & ~(3 << 62) | 1 << 63, dashesAt: 1 << 4, to: &text)
  }

  /// Sixteen hexadecimal digits, with a dash before the digits whose bit is set.
  private func append(_ value: UInt64, dashesAt dashes: UInt32, to text: inout [UInt8]) {
    for digit in 0..<16 {
      if dashes >> UInt32(digit) & 1 == 1 { text.append(UInt8(ascii: "-")) }
      let nibble = UInt8(truncatingIfNeeded: value >> UInt64(60 - 4 * digit)) & 15
      text.append(nibble &+ (nibble < 10 ? 0x30 : 0x37))
    }
  }
}
