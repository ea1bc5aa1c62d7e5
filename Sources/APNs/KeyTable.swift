// From a key's bytes to its row: one probe of a small hash table, no allocation.

import JSON

/// Looks up the keys of one table. The position of a key in the list it was made from is its index.
public struct KeyTable: Sendable {
  private let words: [String]
  private let pool: [UInt8]
  private let starts: [Int]
  private let slots: [UInt8]
  private let next: [UInt8]

  /// - Parameter words: the keys' texts, none of them empty, fewer than 255.
  public init(_ words: [String]) {
    self.words = words
    var pool: [UInt8] = []
    var starts: [Int] = []
    var slots = [UInt8](repeating: 255, count: 64)
    var next = [UInt8](repeating: 255, count: words.count)
    for (index, word) in words.enumerated() {
      starts.append(pool.count)
      pool.append(contentsOf: word.utf8)
      let count = pool.count - starts[index]
      let slot = Self.slot(count: count, first: pool[starts[index]], last: pool[pool.count - 1])
      next[index] = slots[slot]
      slots[slot] = UInt8(index)
    }
    starts.append(pool.count)
    self.pool = pool
    self.starts = starts
    self.slots = slots
    self.next = next
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
    guard count > 0 else { return nil }
    let first = document.bytes[start]
    var index = Int(slots[Self.slot(count: count, first: first, last: document.bytes[token.end &- 2])])
    while index != 255 {
      if matches(document, start, count, index) { return index }
      index = Int(next[index])
    }
    return nil
  }

  @inline(__always)
  private func matches(_ document: Document, _ start: Int, _ count: Int, _ index: Int) -> Bool {
    let from = starts[index]
    guard starts[index &+ 1] &- from == count else { return false }
    var place = 0
    while place < count {
      if document.bytes[start &+ place] != pool[from &+ place] { return false }
      place &+= 1
    }
    return true
  }
}
