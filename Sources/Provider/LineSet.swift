// Which lines of a journal are finished, and which were sent.

/// Numbers of lines, a bit each.
struct LineSet {
  private var words: [UInt64] = []

  var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

  func contains(_ line: Int) -> Bool {
    guard line >= 0, line >> 6 < words.count else { return false }
    return words[line >> 6] >> UInt64(line & 63) & 1 == 1
  }

  mutating func remove(_ line: Int) {
    guard contains(line) else { return }
    words[line >> 6] &= ~(1 << UInt64(line & 63))
  }

  /// Says whether it was not there before.
  @discardableResult
  mutating func insert(_ line: Int) -> Bool {
    // A billion lines are 125 MB of bits; what is beyond is no line number of a real run.
    guard line >= 0, line < 1_000_000_000 else { return false }
    if line >> 6 >= words.count { words.append(contentsOf: repeatElement(0, count: (line >> 6) - words.count + 1)) }
    let mask: UInt64 = 1 << UInt64(line & 63)
    defer { words[line >> 6] |= mask }
    return words[line >> 6] & mask == 0
  }
}
