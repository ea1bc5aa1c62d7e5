// Where a new member of a record goes: records read the same way whatever made them.

import APNs

extension Value {
  /// The place for a new member: in a record before the first key that the manual names later, else at the end.
  static func place(of key: String, in members: [Member], isRecord: Bool) -> Int {
    guard isRecord, let rank = rank(key) else { return members.count }
    return members.firstIndex { (Self.rank($0.key) ?? Int.max) > rank } ?? members.count
  }

  private static func rank(_ key: String) -> Int? {
    Notification.Key(rawValue: key).flatMap { Notification.Key.allCases.firstIndex(of: $0) }
  }
}
