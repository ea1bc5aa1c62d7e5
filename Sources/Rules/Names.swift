// Keys of the root that resemble a key with a meaning: looked up by their letters alone.

import APNs
import JSON
import Spelling

/// What a name is when case, hyphens, underscores, blanks and invisible characters count for nothing.
func folded(_ name: String) -> [UInt8] {
  var out: [UInt8] = []
  for byte in name.utf8 {
    switch byte {
    case 0x41...0x5a: out.append(byte | 0x20)
    case 0x61...0x7a, 0x30...0x39: out.append(byte)
    default: break
    }
  }
  return out
}

/// The known key that a misspelt one was meant to be: the same letters, else the nearest.
func known<Key: RawRepresentable & CaseIterable>(_ name: String, in type: Key.Type) -> Key?
where Key.RawValue == String {
  let letters = folded(name)
  guard !letters.isEmpty else { return nil }
  return Key.allCases.first { folded($0.rawValue) == letters }
}

struct RootNames: Sendable {
  static let shared = RootNames()

  /// Hashes of the folded names.
  private let marks: [Bool]
  /// First and last letters of the folded names: most keys are settled by these two.
  private let pairs: [Bool]

  /// Spellings of `aps` keys that at the root are surely a slip. Left out are words that apps use for their own data:
  /// event, timestamp, category, attributes, thread_id.
  static let misplaced: [APSKey] = [
    .alert, .badge, .sound, .contentAvailable, .mutableContent, .interruptionLevel, .relevanceScore, .targetContentID,
    .filterCriteria, .contentState, .staleDate, .dismissalDate, .attributesType, .inputPushToken, .inputPushChannel,
    .contentChanged, .urlArgs, .threadID,
  ]

  init() {
    var marks = [Bool](repeating: false, count: 1024)
    var pairs = [Bool](repeating: false, count: 1024)
    let words = Self.misplaced.map(\.rawValue) + ["aps", "apn", "pushtype", "contentidentifier", "mdm"]
    for word in words {
      let letters = folded(word)
      marks[Self.hash(letters.span)] = true
      pairs[Self.pair(letters[0], letters[letters.count - 1])] = true
    }
    self.marks = marks
    self.pairs = pairs
  }

  @inline(__always)
  private static func pair(_ first: UInt8, _ last: UInt8) -> Int { Int(first & 31) &* 32 &+ Int(last & 31) }

  private static func hash(_ letters: Span<UInt8>) -> Int {
    var value: UInt32 = 0
    for index in letters.indices { value = value &* 31 &+ UInt32(letters[index]) }
    return Int((value ^ value >> 10) & 1023)
  }

  /// Whether a key deserves a second look. Most do not.
  @inline(__always)
  func isNotable(_ document: Document, _ node: Int) -> Bool {
    let token = document.token(node)
    if token.hasEscapes { return true }
    let start = token.start &+ 1
    let length = token.end &- start &- 1
    guard length >= 3, length <= 40 else { return false }
    let first = document.byte(start)
    let last = document.byte(token.end &- 2)
    // Letters alone settle it; an underscore or an invisible character at an end needs the whole name.
    let isPlain = (first | 0x20) &- 0x61 <= 25 && (last | 0x20) &- 0x61 <= 25
    if !isPlain || pairs[Self.pair(first, last)], isMarked(document, start, token.end &- 1) { return true }
    // "apns-topic" and its kin; "Simulator Target Bundle" and its misspellings.
    if first | 0x20 == UInt8(ascii: "a"), length > 5 { return document.byte(start &+ 3) | 0x20 == UInt8(ascii: "s") }
    return first | 0x20 == UInt8(ascii: "s") && length >= 15
  }

  private func isMarked(_ document: Document, _ start: Int, _ end: Int) -> Bool {
    var value: UInt32 = 0
    var index = start
    while index < end {
      var byte = document.bytes[index]
      if byte &- 0x41 <= 25 { byte |= 0x20 }
      if byte &- 0x61 <= 25 || byte &- 0x30 <= 9 { value = value &* 31 &+ UInt32(byte) }
      index &+= 1
    }
    return marks[Int((value ^ value &>> 10) & 1023)]
  }
}

/// The nearest of some names within two edits, nil when none is near or two are equally so.
func nearest(_ name: String, in candidates: [String]) -> String? {
  guard let near = closest(to: name, among: candidates) else { return nil }
  let others = candidates.filter { $0 != near }
  guard let other = closest(to: name, among: others) else { return near }
  // Both near: only an equal spelling would settle it.
  return folded(other) == folded(name) ? other : folded(near) == folded(name) ? near : nil
}

extension Rule {
  /// The rule whose name is nearest to a misspelt one.
  public static func nearest(to id: String) -> String? { closest(to: id, among: all.map(\.id)) }
}
