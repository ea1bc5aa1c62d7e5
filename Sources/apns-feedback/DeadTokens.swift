// The tokens to drop, each once: a table of compact entries, since a run may find very many.

import Builder
import JSON

/// Tokens with the newest refusal of each.
struct DeadTokens: Sendable {
  /// A token's bytes where they are thirty-two or fewer; of a longer one the first word is its place in `long`.
  private struct Key: Equatable, Sendable {
    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    /// Digits.
    var count: Int32 = 0

    static func == (one: Key, other: Key) -> Bool { one.count == other.count && one.words == other.words }
  }

  private struct Entry: Sendable {
    var key: Key
    /// The number of what stands behind the time.
    var tail: UInt32
    /// Milliseconds since 1970; the smallest integer when the refusal bears no time.
    var time: Int
    /// The line where the token first came, and two bits: milliseconds are shown; the token is spared.
    private var packed: Int

    init(key: Key, tail: UInt32, time: Int, line: Int, showsMilliseconds: Bool) {
      (self.key, self.tail, self.time) = (key, tail, time)
      packed = line << 2 | (showsMilliseconds ? 1 : 0)
    }

    var line: Int {
      get { packed >> 2 }
      set { packed = newValue << 2 | packed & 3 }
    }
    var showsMilliseconds: Bool {
      get { packed & 1 == 1 }
      set { packed = packed & ~1 | (newValue ? 1 : 0) }
    }
    var isSpared: Bool {
      get { packed & 2 == 2 }
      set { packed = packed & ~2 | (newValue ? 2 : 0) }
    }
  }

  private var entries = Chunks<Entry>()
  /// The digits of tokens of more than thirty-two bytes.
  private var long: [UInt8] = []
  private var tails = Tails()
  /// Open addressing: one more than the index of an entry, 0 for a free place.
  private var slots = [UInt32](repeating: 0, count: 1024)
  private var isInOrder = true

  var isEmpty: Bool { entries.count == 0 }

  /// Adds a refusal. Of two the later stays; of two at the same time the one that came first.
  /// - Parameters:
  ///   - token: lower-case digits.
  ///   - tail: what its record has behind the time, from the comma to the line's end.
  mutating func add(_ token: Span<UInt8>, _ refusal: Refusal, tail: Span<UInt8>, line: Int) {
    let time = refusal.time ?? Int.min
    if let index = find(token) {
      var entry = entries[index]
      let isNewer = time > entry.time || time == entry.time && line < entry.line
      if line < entry.line { isInOrder = false }
      entry.line = min(entry.line, line)
      if isNewer {
        entry.showsMilliseconds = refusal.showsMilliseconds
        let old = entry.tail
        entry.tail = tails.take(tail)
        tails.release(old)
        entry.time = time
      }
      entries[index] = entry
      return
    }
    if entries.count > 0, entries[entries.count - 1].line > line { isInOrder = false }
    entries.append(
      Entry(
        key: key(token), tail: tails.take(tail), time: time, line: line, showsMilliseconds: refusal.showsMilliseconds))
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
    var record: [UInt8] = []
    var digits: [UInt8] = []
    func tell(_ index: Int) throws {
      let entry = entries[index]
      if entry.isSpared { return }
      digits.removeAll(keepingCapacity: true)
      appendDigits(entry.key, to: &digits)
      record.removeAll(keepingCapacity: true)
      Refusal(time: entry.time == Int.min ? nil : entry.time, showsMilliseconds: entry.showsMilliseconds)
        .appendHead(token: digits.span, to: &record)
      tails.append(entry.tail, to: &record)
      try body(record.span)
    }
    if isInOrder {
      for index in 0..<entries.count { try tell(index) }
    } else {
      let order = (0..<UInt32(truncatingIfNeeded: entries.count)).sorted {
        entries[Int($0)].line < entries[Int($1)].line
      }
      for index in order { try tell(Int(index)) }
    }
  }

  // MARK: Tokens

  private mutating func key(_ token: Span<UInt8>) -> Key {
    guard token.count > 64 else { return Self.shortKey(token) }
    let start = long.count
    long.append(token)
    return Key(words: (UInt64(start), 0, 0, 0), count: Int32(truncatingIfNeeded: token.count))
  }

  private static func shortKey(_ token: Span<UInt8>) -> Key {
    func word(_ number: Int) -> UInt64 {
      var word: UInt64 = 0
      for place in (16 * number)..<max(16 * number, min(16 * number + 16, token.count)) {
        let byte = token[place]
        word = word << 4 | UInt64(byte <= 0x39 ? byte & 0x0F : (byte & 0x0F) &+ 9)
      }
      return word
    }
    return Key(words: (word(0), word(1), word(2), word(3)), count: Int32(truncatingIfNeeded: token.count))
  }

  private func appendDigits(_ key: Key, to out: inout [UInt8]) {
    if key.count > 64 {
      let start = Int(key.words.0)
      return out.append(long.span.extracting(start..<start + Int(key.count)))
    }
    var left = Int(key.count)
    for word in [key.words.0, key.words.1, key.words.2, key.words.3] where left > 0 {
      let digits = min(left, 16)
      for place in stride(from: digits - 1, through: 0, by: -1) {
        let digit = UInt8(truncatingIfNeeded: word >> UInt64(4 * place)) & 0x0F
        out.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
      }
      left -= digits
    }
  }

  // MARK: The table

  private func find(_ token: Span<UInt8>) -> Int? {
    let short = token.count > 64 ? nil : Self.shortKey(token)
    var slot = (short.map(Self.hash) ?? Self.hash(token)) & (slots.count - 1)
    while slots[slot] != 0 {
      let index = Int(slots[slot]) - 1
      let key = entries[index].key
      if let short { if key == short { return index } } else if holds(key, token) { return index }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  private func holds(_ key: Key, _ token: Span<UInt8>) -> Bool {
    guard Int(key.count) == token.count else { return false }
    let start = Int(key.words.0)
    for index in token.indices where long[start + index] != token[index] { return false }
    return true
  }

  private mutating func place(_ index: Int) {
    let key = entries[index].key
    let start = Int(truncatingIfNeeded: key.words.0)
    let hash = key.count > 64 ? Self.hash(long.span.extracting(start..<start + Int(key.count))) : Self.hash(key)
    var slot = hash & (slots.count - 1)
    while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = UInt32(truncatingIfNeeded: index + 1)
  }

  private mutating func grow() {
    slots = [UInt32](repeating: 0, count: slots.count * 2)
    for index in 0..<entries.count { place(index) }
  }

  // Under this process's own seed: nobody can choose tokens that collide.
  private static func hash(_ key: Key) -> Int {
    var hasher = Hasher()
    hasher.combine(key.words.0)
    hasher.combine(key.words.1)
    hasher.combine(key.words.2)
    hasher.combine(key.words.3)
    return hasher.finalize()
  }

  private static func hash(_ token: Span<UInt8>) -> Int {
    var hasher = Hasher()
    for index in token.indices { hasher.combine(token[index]) }
    return hasher.finalize()
  }
}
