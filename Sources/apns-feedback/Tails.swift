// What records have behind token and time: mostly one of a few texts, so each is kept once.

import JSON

/// Texts by number, each kept once for as long as it is used.
struct Tails: Sendable {
  private struct Entry: Sendable {
    var start: Int
    var length: Int
    var uses: Int
  }

  private var text: [UInt8] = []
  private var entries: [Entry] = []
  /// Numbers of entries that were given up.
  private var free: [UInt32] = []
  /// Open addressing: one more than the number of an entry, 0 for a free place.
  private var slots = [UInt32](repeating: 0, count: 256)
  private var wasted = 0
  private var last: UInt32 = 0

  /// The text's number; one more use of it.
  mutating func take(_ tail: Span<UInt8>) -> UInt32 {
    let index = find(tail) ?? insert(tail)
    if entries[Int(index)].uses == 0 { wasted -= entries[Int(index)].length }
    entries[Int(index)].uses += 1
    last = index
    return index
  }

  /// One use less.
  mutating func release(_ index: UInt32) {
    entries[Int(index)].uses -= 1
    guard entries[Int(index)].uses == 0 else { return }
    wasted += entries[Int(index)].length
    if wasted > text.count / 2, wasted > 65_536 { compact() }
  }

  func append(_ index: UInt32, to out: inout [UInt8]) {
    let entry = entries[Int(index)]
    out.append(text.span.extracting(entry.start..<entry.start + entry.length))
  }

  private func holds(_ index: UInt32, _ tail: Span<UInt8>) -> Bool {
    let entry = entries[Int(index)]
    guard entry.length == tail.count else { return false }
    for place in tail.indices where text[entry.start + place] != tail[place] { return false }
    return true
  }

  private func find(_ tail: Span<UInt8>) -> UInt32? {
    if Int(last) < entries.count, holds(last, tail) { return last }
    var slot = Self.hash(tail) & (slots.count - 1)
    while slots[slot] != 0 {
      if holds(slots[slot] - 1, tail) { return slots[slot] - 1 }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  private mutating func insert(_ tail: Span<UInt8>) -> UInt32 {
    let entry = Entry(start: text.count, length: tail.count, uses: 0)
    text.append(tail)
    wasted += tail.count
    let index: UInt32
    if let given = free.popLast() {
      index = given
      entries[Int(index)] = entry
    } else {
      index = UInt32(truncatingIfNeeded: entries.count)
      entries.append(entry)
    }
    if (entries.count - free.count) * 4 > slots.count * 3 { rebuild(slots.count * 2) } else { place(index) }
    return index
  }

  private mutating func place(_ index: UInt32) {
    let entry = entries[Int(index)]
    var slot = Self.hash(text.span.extracting(entry.start..<entry.start + entry.length)) & (slots.count - 1)
    while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = index + 1
  }

  private mutating func rebuild(_ count: Int) {
    slots = [UInt32](repeating: 0, count: count)
    for index in entries.indices where entries[index].length >= 0 { place(UInt32(truncatingIfNeeded: index)) }
  }

  /// Forgets what is no longer used.
  private mutating func compact() {
    var packed: [UInt8] = []
    packed.reserveCapacity(text.count - wasted)
    for index in entries.indices where entries[index].length >= 0 {
      let entry = entries[index]
      if entry.uses == 0 {
        entries[index].length = -1
        free.append(UInt32(truncatingIfNeeded: index))
        continue
      }
      entries[index].start = packed.count
      packed.append(text.span.extracting(entry.start..<entry.start + entry.length))
    }
    text = packed
    wasted = 0
    rebuild(slots.count)
  }

  /// Under this process's own seed: nobody can choose texts that collide.
  private static func hash(_ tail: Span<UInt8>) -> Int {
    var hasher = Hasher()
    var word: UInt64 = 0
    for index in tail.indices {
      word = word << 8 | UInt64(tail[index])
      if index & 7 == 7 { hasher.combine(word) }
    }
    hasher.combine(word)
    hasher.combine(tail.count)
    return hasher.finalize()
  }
}
