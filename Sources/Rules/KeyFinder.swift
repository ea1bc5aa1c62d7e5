// From a key's bytes to its row, for the four objects whose keys Apple names: one probe, no allocation, no call.

import APNs
import JSON

/// Looks keys up. A table for each level, all in one piece of memory that belongs to the walk itself.
struct KeyFinder: Sendable {
  enum Level: Int { case root, aps, alert, sound }

  private struct Slot: BitwiseCopyable, Sendable {
    /// Bytes 0 to 7, filled with zeros, 8 to 15, and the last eight, the first byte lowest; zeros where there are none.
    var first: UInt64 = 0
    var second: UInt64 = 0
    var last: UInt64 = 0
    /// Bytes of the key; 0 in an empty slot.
    var count: Int32 = 0
    var index: Int32 = 0
  }

  private static let size = 64
  /// Longer keys than this there are none.
  private static let longest = 24
  private var slots: [Slot]

  init() {
    slots = Array(repeating: Slot(), count: 4 * Self.size)
    for level in [Level.root, .aps, .alert, .sound] {
      for (index, word) in Self.words(level).enumerated() { add(word, index, level) }
    }
  }

  private static func words(_ level: Level) -> [String] {
    switch level {
    case .root: RootKey.allCases.map(\.rawValue)
    case .aps: APSKey.allCases.map(\.rawValue)
    case .alert: AlertKey.allCases.map(\.rawValue)
    case .sound: SoundKey.allCases.map(\.rawValue)
    }
  }

  private mutating func add(_ word: String, _ index: Int, _ level: Level) {
    let bytes = Array(word.utf8)
    precondition((1...Self.longest).contains(bytes.count), "the finder compares 24 bytes")
    func packed(_ bytes: some Collection<UInt8>) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    var slot = Slot(first: packed(bytes.prefix(8)), count: Int32(bytes.count), index: Int32(index))
    if bytes.count > 8 { slot.last = packed(bytes.suffix(8)) }
    if bytes.count > 16 { slot.second = packed(bytes[8..<16]) }
    var place = Self.place(slot.first, bytes.count)
    while slots[level.rawValue * Self.size + place].count > 0 { place = (place + 1) & (Self.size - 1) }
    slots[level.rawValue * Self.size + place] = slot
  }

  @inline(__always)
  private static func place(_ first: UInt64, _ count: Int) -> Int {
    // With these factors no two keys of a table share a place.
    let mixed = (first &+ UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15) &* 0x5727_D740_FAD1_3805
    return Int(truncatingIfNeeded: mixed &>> 58)
  }

  /// The position of a key in its enumeration, or -1 for any other name.
  @inline(__always)
  func index(_ document: Document, _ node: Int, _ key: Token, _ level: Level) -> Int {
    if key.hasEscapes { return escaped(document, node, level) }
    let start = key.start &+ 1
    let count = key.end &- start &- 1
    if UInt(bitPattern: count &- 1) >= UInt(Self.longest) { return -1 }
    var first = document.word(start)
    if count < 8 { first &= UInt64.max &>> UInt64(truncatingIfNeeded: 64 &- count &* 8) }
    var place = Self.place(first, count)
    let table = slots.span
    while true {
      // The mask keeps the place inside the table.
      let slot = unsafe table[unchecked: level.rawValue &* Self.size &+ place]
      if slot.first == first, Int(slot.count) == count {
        let isSame =
          count <= 8
          || document.word(start &+ count &- 8) == slot.last
            && (count <= 16 || document.word(start &+ 8) == slot.second)
        if isSame { return Int(slot.index) }
      }
      if slot.count == 0 { return -1 }
      place = (place &+ 1) & (Self.size &- 1)
    }
  }

  @inline(never)
  private func escaped(_ document: Document, _ node: Int, _ level: Level) -> Int {
    Self.words(level).firstIndex(of: document.string(node)) ?? -1
  }
}

extension Document {
  /// The eight bytes from `start` on, inside the text, the first one lowest; zeros for those behind the text's end.
  @inline(__always)
  func word(_ start: Int) -> UInt64 {
    if start &+ 8 <= bytes.count {
      return unsafe UInt64(
        littleEndian: bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt64.self))
    }
    return wordAtEnd(start)
  }

  @inline(never)
  private func wordAtEnd(_ start: Int) -> UInt64 {
    var word: UInt64 = 0
    for index in start..<bytes.count { word |= UInt64(bytes[index]) << UInt64((index - start) * 8) }
    return word
  }
}
