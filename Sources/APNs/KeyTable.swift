// From a key's bytes to its row: one probe of a small hash table, no allocation.

import JSON

/// Looks up the keys of one table. The position of a key in the list it was made from is its index.
public struct KeyTable: Sendable {
  private struct Slot {
    /// The first eight bytes of the key and the last, the first byte lowest; shorter keys are filled with zeros.
    var first: UInt64 = 0
    var last: UInt64 = 0
    /// Bytes of the key; 0 in an empty slot.
    var count = 0
    var index = 0
  }

  private let words: [String]
  private let slots: [Slot]
  /// A bit for each length that a key has: most other names end here.
  private let lengths: UInt32

  private static let mask = 63

  /// - Parameter words: the keys' texts, at most 32, none of them empty or longer than 31 bytes.
  public init(_ words: [String]) {
    precondition(words.count <= 32, "a table holds at most 32 keys, so that half of its slots are empty")
    self.words = words
    var slots = [Slot](repeating: Slot(), count: Self.mask + 1)
    var lengths: UInt32 = 0
    for (index, word) in words.enumerated() {
      let bytes = Array(word.utf8)
      precondition((1...31).contains(bytes.count), "a key has 1 to 31 bytes")
      lengths |= 1 << UInt32(bytes.count)
      var slot = Self.slot(count: bytes.count, first: bytes[0], last: bytes[bytes.count - 1])
      while slots[slot].count > 0 { slot = (slot + 1) & Self.mask }
      slots[slot] = Slot(
        first: Self.packed(bytes.prefix(8)), last: Self.packed(bytes.suffix(8)), count: bytes.count, index: index)
    }
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
    (count &* 7 &+ Int(first) &* 3 &+ Int(last)) & mask
  }

  /// The index of the key that a member's name is, nil for a name that is not in the table.
  public func index(_ document: Document, _ node: Int) -> Int? {
    let token = document.tokens[node]
    if token.hasEscapes { return words.firstIndex(of: document.string(node)) }
    let start = token.start &+ 1
    let count = token.end &- start &- 1
    guard count < 32, lengths & 1 << UInt32(truncatingIfNeeded: count) != 0 else { return nil }
    let bytes = document.bytes
    // The tape's offsets lie inside the text, and the mask inside the table: no need to ask again.
    let first = unsafe bytes[unchecked: start]
    let last = unsafe bytes[unchecked: start &+ count &- 1]
    var place = Self.slot(count: count, first: first, last: last)
    let table = slots.span
    while true {
      let slot = unsafe table[unchecked: place]
      if slot.count == count, matches(bytes, start, slot) { return slot.index }
      if slot.count == 0 { return nil }
      place = (place &+ 1) & Self.mask
    }
  }

  /// Eight bytes at a time: the first, the last, and for long names what is between.
  @inline(__always)
  private func matches(_ bytes: Span<UInt8>, _ start: Int, _ slot: Slot) -> Bool {
    let count = slot.count
    if count < 8 {
      guard start &+ 8 <= bytes.count else { return equals(bytes, start, slot) }
      return word(bytes, start) & UInt64.max &>> UInt64(64 &- count &* 8) == slot.first
    }
    guard word(bytes, start) == slot.first, word(bytes, start &+ count &- 8) == slot.last else { return false }
    return count <= 16 || equals(bytes, start, slot)
  }

  /// The caller has made sure that there are eight bytes.
  @inline(__always)
  private func word(_ bytes: Span<UInt8>, _ offset: Int) -> UInt64 {
    unsafe UInt64(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
  }

  /// Byte for byte: for long names, and at the very end of a text.
  private func equals(_ bytes: Span<UInt8>, _ start: Int, _ slot: Slot) -> Bool {
    let name = words[slot.index].utf8Span.span
    for place in name.indices where bytes[start + place] != name[place] { return false }
    return true
  }
}
