// Apple's table of push types as bytes, so that no request makes the checks allocate.

import APNs

/// One push type, laid out for comparing.
struct PushTypeBytes: Sendable {
  let type: PushType
  let name: [UInt8]
  let suffix: [UInt8]
  /// Bit p is set when the priority p is allowed.
  let priorities: UInt16
  let limit: Int
  let needsCertificate: Bool

  static let all: [PushTypeBytes] = PushType.allCases.map { type in
    let row = type.row
    return PushTypeBytes(
      type: type, name: Array(type.rawValue.utf8), suffix: Array(row.topicSuffix.utf8),
      priorities: row.priorities.reduce(0) { $0 | 1 << UInt16($1) }, limit: row.payloadLimit,
      needsCertificate: row.credential == .certificate)
  }

  /// The place of the type with that name; -1 for none.
  static func place(named name: Span<UInt8>) -> Int {
    for index in all.indices where name.equals(all[index].name) { return index }
    return -1
  }

  /// The place of the type whose suffix the topic bears, the longest winning; -1 for a topic without one.
  static func place(bySuffixOf topic: Span<UInt8>) -> Int {
    var best = -1
    for index in all.indices where !all[index].suffix.isEmpty && topic.ends(with: all[index].suffix) {
      if best < 0 || all[best].suffix.count < all[index].suffix.count { best = index }
    }
    return best
  }
}
