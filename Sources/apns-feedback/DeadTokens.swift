// The tokens to drop, each once: a table of compact entries, since a run may find very many.

import Builder
import JSON

/// Tokens with the newest refusal of each.
struct DeadTokens: Sendable {
  private struct Entry: Sendable {
    /// Where the record is in `text`; its token follows the first ten bytes, `{"token":"`.
    var start: Int
    var length: Int32
    var tokenLength: Int32
    /// Milliseconds since 1970; the smallest integer when the refusal bears no time.
    var time: Int
    /// The line where the token first came.
    var line: Int
    var isSpared = false
  }

  private static let head = 10

  private var text: [UInt8] = []
  private var entries: [Entry] = []
  /// Open addressing: one more than the index of an entry, 0 for a free place.
  private var slots = [UInt32](repeating: 0, count: 1024)
  private var wasted = 0

  var isEmpty: Bool { entries.isEmpty }

  /// Adds a refusal. Of two the later stays; of two at the same time the one that came first.
  /// - Parameters:
  ///   - record: a feedback record that begins with its token, in lower-case digits.
  ///   - time: milliseconds since 1970.
  mutating func add(_ record: Span<UInt8>, tokenLength: Int, time: Int?, line: Int) {
    let time = time ?? Int.min
    let token = record.extracting(Self.head..<Self.head + tokenLength)
    if let index = find(token) {
      let old = entries[index]
      entries[index].line = min(old.line, line)
      guard time > old.time || time == old.time && line < old.line else { return }
      wasted += Int(old.length)
      entries[index].time = time
      entries[index].start = text.count
      entries[index].length = Int32(truncatingIfNeeded: record.count)
      text.append(record)
      if wasted > text.count / 2, wasted > 65_536 { compact() }
      return
    }
    entries.append(
      Entry(
        start: text.count, length: Int32(truncatingIfNeeded: record.count),
        tokenLength: Int32(truncatingIfNeeded: tokenLength), time: time, line: line))
    text.append(record)
    if entries.count * 4 > slots.count * 3 { grow() } else { place(entries.count - 1) }
  }

  /// Spares a token that was registered later than it was refused. Without a time of the refusal nobody can say so.
  mutating func spare(_ token: Span<UInt8>, registered: Int) {
    guard let index = find(token), entries[index].time != Int.min else { return }
    if registered > entries[index].time { entries[index].isSpared = true }
  }

  /// Whether a token is to be dropped.
  func contains(_ token: Span<UInt8>) -> Bool {
    guard let index = find(token) else { return false }
    return !entries[index].isSpared
  }

  /// Hands over the records in the order in which their tokens first came.
  func visit(_ body: (Span<UInt8>) throws -> Void) rethrows {
    for entry in entries.sorted(by: { $0.line < $1.line }) where !entry.isSpared {
      try body(text.span.extracting(entry.start..<entry.start + Int(entry.length)))
    }
  }

  // MARK: The table

  private func find(_ token: Span<UInt8>) -> Int? {
    var slot = Self.hash(token) & (slots.count - 1)
    while slots[slot] != 0 {
      let index = Int(slots[slot]) - 1
      if holds(entries[index], token) { return index }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  private func holds(_ entry: Entry, _ token: Span<UInt8>) -> Bool {
    guard Int(entry.tokenLength) == token.count else { return false }
    let start = entry.start + Self.head
    for index in token.indices where text[start + index] != token[index] { return false }
    return true
  }

  private mutating func place(_ index: Int) {
    var slot = hash(of: index) & (slots.count - 1)
    while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = UInt32(truncatingIfNeeded: index + 1)
  }

  private func hash(of index: Int) -> Int {
    let start = entries[index].start + Self.head
    return Self.hash(text.span.extracting(start..<start + Int(entries[index].tokenLength)))
  }

  private mutating func grow() {
    slots = [UInt32](repeating: 0, count: slots.count * 2)
    for index in entries.indices { place(index) }
  }

  private mutating func compact() {
    var packed: [UInt8] = []
    packed.reserveCapacity(text.count - wasted)
    for index in entries.indices {
      let start = entries[index].start
      entries[index].start = packed.count
      packed.append(text.span.extracting(start..<start + Int(entries[index].length)))
    }
    text = packed
    wasted = 0
  }

  /// Under this process's own seed: nobody can choose tokens that collide.
  private static func hash(_ token: Span<UInt8>) -> Int {
    var hasher = Hasher()
    var word: UInt64 = 0
    for index in token.indices {
      // Four bits of each digit are all that tells it from the others.
      let byte = token[index]
      word = word << 4 | UInt64(byte <= 0x39 ? byte & 0x0F : (byte & 0x0F) &+ 9)
      if index & 15 == 15 {
        hasher.combine(word)
        word = 0
      }
    }
    hasher.combine(word)
    return hasher.finalize()
  }
}
