// The headers of a record: what was asked for, what the kind fills in, what contradicts it.

import APNs
import Builder
import Options

struct Headers {
  private let arguments: Arguments
  private let kind: Kind?
  private let isBroadcast: Bool
  private let payload: Value?
  /// For new records, and for records that came in whole.
  private(set) var changes: (new: [Change], edits: [Change]) = ([], [])

  init(_ arguments: Arguments, _ kind: Kind?, _ isBroadcast: Bool, _ payload: Value?) throws(UsageError) {
    self.arguments = arguments
    self.kind = kind
    self.isBroadcast = isBroadcast
    self.payload = payload
    try asked()
    try topic()
    fillIn()
  }

  private static func usage(_ message: String) -> UsageError { BuildCommand.command.usageError(message) }

  private mutating func both(_ change: Change) {
    changes.new.append(change)
    changes.edits.append(change)
  }

  private mutating func asked() throws(UsageError) {
    if let type = arguments[BuildOptions.pushType] {
      if let word = type.plainText, let own = kind?.pushType, own.rawValue != word {
        throw Self.usage("--kind \(kind?.name ?? "") is of push type \(own.rawValue); leave out --push-type \(word)")
      }
      both(.set([.key("push_type")], type))
    }
    if let priority = arguments[BuildOptions.priority] {
      if case .json(let digits) = priority, let row = pushType?.row, kind != nil {
        let number = Int(String(decoding: digits, as: UTF8.self)) ?? 0
        if !row.priorities.contains(number) {
          let words = row.priorities.map(String.init).joined(separator: " or ")
          throw Self.usage("a push of type \(pushType?.rawValue ?? "") has priority \(words), not \(number)")
        }
      }
      both(.set([.key("priority")], priority))
    }
    let others: [(String, Option<Value>)] = [
      ("expiration", BuildOptions.expiration), ("collapse_id", BuildOptions.collapseID), ("id", BuildOptions.id),
      ("environment", BuildOptions.environment), ("credential", BuildOptions.credential),
    ]
    for (key, option) in others {
      if let value = arguments[option] { both(.set([.key(key)], value)) }
    }
  }

  /// The push type as far as it is known before any line is read.
  private var pushType: PushType? {
    kind?.pushType ?? arguments[BuildOptions.pushType]?.plainText.flatMap { PushType(rawValue: $0) }
  }

  private mutating func topic() throws(UsageError) {
    if let topic = arguments[BuildOptions.topic] {
      if let word = topic.plainText { try check(topic: word) }
      changes.new.append(.set([.key("topic")], topic))
      let isWish = arguments.origin(of: BuildOptions.topic) == .commandLine
      changes.edits.append(isWish ? .set([.key("topic")], topic) : .fill([.key("topic")], topic))
    }
    guard !isBroadcast, let suffix = pushType?.row.topicSuffix, !suffix.isEmpty else { return }
    both(.suffixTopic(suffix))
  }

  private func check(topic: String) throws(UsageError) {
    if let prefix = kind?.topicPrefix, !topic.hasPrefix(prefix) {
      throw Self.usage("with --kind \(kind?.name ?? "") the topic begins with '\(prefix)'; found '\(topic.prefix(60))'")
    }
    guard let type = PushType.bySuffix(of: topic) else { return }
    if isBroadcast { throw Self.usage("the topic of a broadcast is the bundle identifier alone, without a suffix") }
    if let own = pushType, own != type {
      throw Self.usage("the topic '\(topic.prefix(60))' is one of push type \(type.rawValue), not of \(own.rawValue)")
    }
  }

  private mutating func fillIn() {
    if let kind {
      if let type = kind.pushType { both(.set([.key("push_type")], .json("\"\(type.rawValue)\""))) }
      if let priority = kind.priority(for: payload) { both(.fill([.key("priority")], .json(String(priority)))) }
      let expiration = isBroadcast ? 0 : kind.pushType?.row.usualExpiration
      if let expiration { both(.fill([.key("expiration")], .json(String(expiration)))) }
      if let environment = kind.environment { both(.fill([.key("environment")], .json("\"\(environment.rawValue)\""))) }
    }
    if kind?.pushType != nil { return }
    inferType()
  }

  /// Without a kind the payload tells what the push is, where it can.
  private mutating func inferType() {
    func has(_ key: String) -> Bool { payload?.find([.key("aps"), .key(key)]) != nil }
    let type: PushType?
    if has("alert") || has("badge") || has("sound") {
      type = .alert
    } else if has("content-available") {
      type = .background
    } else if has("content-state") {
      type = .liveactivity
    } else if payload?.find([.key("mdm")]) != nil {
      type = .mdm
    } else {
      type = nil
    }
    // The topic's suffix knows better than the payload.
    let bySuffix = arguments[BuildOptions.topic]?.plainText.flatMap { PushType.bySuffix(of: $0) }
    guard let found = bySuffix ?? type else { return }
    changes.new.append(.fill([.key("push_type")], .json("\"\(found.rawValue)\"")))
    if found == .background { changes.new.append(.fill([.key("priority")], .json("5"))) }
  }
}
