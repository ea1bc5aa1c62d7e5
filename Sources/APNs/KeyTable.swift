// From a key's bytes to its row: one probe of a small hash table, no allocation.

import JSON

/// Looks up the keys of one table. The position of a key in the list it was made from is its index.
public struct KeyTable: Sendable {
  private struct Row {
    var first: UInt64
    var last: UInt64
    var count: Int32
    /// The next row with the same hash, -1 at the end.
    var next: Int32
  }

  private let words: [String]
  private let pool: [UInt8]
  private let starts: [Int]
  private let rows: [Row]
  private let slots: [Int8]
  /// A bit for each length that a key has: most other names end here.
  private let lengths: UInt32

  /// - Parameter words: the keys' texts, none of them empty, fewer than 127.
  public init(_ words: [String]) {
    self.words = words
    var pool: [UInt8] = []
    var starts: [Int] = []
    var rows: [Row] = []
    var slots = [Int8](repeating: -1, count: 64)
    var lengths: UInt32 = 0
    for (index, word) in words.enumerated() {
      precondition(word.utf8.count < 32, "a key has fewer than 32 bytes")
      lengths |= 1 << UInt32(word.utf8.count)
      let bytes = Array(word.utf8)
      starts.append(pool.count)
      pool.append(contentsOf: bytes)
      let slot = Self.slot(count: bytes.count, first: bytes[0], last: bytes[bytes.count - 1])
      rows.append(
        Row(
          first: Self.packed(bytes.prefix(8)), last: Self.packed(bytes.suffix(8)), count: Int32(bytes.count),
          next: Int32(slots[slot])))
      slots[slot] = Int8(index)
    }
    starts.append(pool.count)
    self.pool = pool
    self.starts = starts
    self.rows = rows
    self.slots = slots
    self.lengths = lengths
  }

  private static func packed(_ bytes: some Collection<UInt8>) -> UInt64 {
    var value: UInt64 = 0
    for byte in bytes.reversed() { value = value << 8 | UInt64(byte) }
    return value
  }

  @inline(__always)
  private static func slot(count: Int, first: UInt8, last: UInt8) -> Int {
    (count &* 7 &+ Int(first) &* 3 &+ Int(last)) & 63
  }

  /// The index of the key that a member's name is, nil for a name that is not in the table.
  public func index(_ document: Document, _ node: Int) -> Int? {
    let token = document.tokens[node]
    if token.hasEscapes { return words.firstIndex(of: document.string(node)) }
    let start = token.start &+ 1
    let count = token.end &- start &- 1
    guard count < 32, lengths & 1 << UInt32(truncatingIfNeeded: count) != 0 else { return nil }
    let first = document.bytes[start]
    var index = Int(slots[Self.slot(count: count, first: first, last: document.bytes[token.end &- 2])])
    while index >= 0 {
      let row = rows[index]
      if Int(row.count) == count, matches(document.bytes, start, count, row, index) { return index }
      index = Int(row.next)
    }
    return nil
  }

  /// Eight bytes at a time: the first, the last, and for long names what is between.
  @inline(__always)
  private func matches(_ bytes: Span<UInt8>, _ start: Int, _ count: Int, _ row: Row, _ index: Int) -> Bool {
    if count < 8 {
      guard start &+ 8 <= bytes.count else { return equals(bytes, start, count, index, from: 0) }
      let mask = UInt64.max &>> UInt64(64 &- count &* 8)
      return word(bytes, start) & mask == row.first
    }
    guard word(bytes, start) == row.first, word(bytes, start &+ count &- 8) == row.last else { return false }
    return count <= 16 || equals(bytes, start, count &- 8, index, from: 8)
  }

  @inline(__always)
  private func word(_ bytes: Span<UInt8>, _ offset: Int) -> UInt64 {
    unsafe UInt64(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  private func equals(_ bytes: Span<UInt8>, _ start: Int, _ count: Int, _ index: Int, from: Int) -> Bool {
    let pooled = starts[index]
    var place = from
    while place < count {
      if bytes[start &+ place] != pool[pooled &+ place] { return false }
      place &+= 1
    }
    return true
  }
}
