// The notification record: what its keys are, and which of them stand in a line.

import JSON
import Spelling

/// A refusal of a record before anything is sent: the validator's rule, the place, the words.
public struct Problem: Equatable, Sendable {
  /// Identifier of the rule, such as `token-odd-length`.
  public let rule: String
  /// The token (in the JSON reader's tape) of the value or key that is at fault.
  public let node: Int
  public let message: String
  /// What to do, when there is more to say than the message does.
  public let help: String?

  public init(_ rule: String, at node: Int, _ message: String, help: String? = nil) {
    self.rule = rule
    self.node = node
    self.message = message
    self.help = help
  }
}

/// One notification record as it stands in a line: for each key the place of its value in the reader's tape.
public struct Notification: Sendable {
  /// The keys of a record, in the order of the manual.
  public enum Key: String, CaseIterable, Sendable {
    case token
    case channelID = "channel_id"
    case topic
    case pushType = "push_type"
    case priority, expiration
    case collapseID = "collapse_id"
    case id, environment, credential, payload, meta
  }

  public var token: Int?
  public var channelID: Int?
  public var topic: Int?
  public var pushTypeNode: Int?
  public var priorityNode: Int?
  public var expirationNode: Int?
  public var collapseID: Int?
  public var id: Int?
  public var environmentNode: Int?
  public var credential: Int?
  public var payload: Int?
  public var meta: Int?

  /// The values of keys whose text is not what counts.
  public var pushType: PushType?
  public var priority: Int?
  public var expiration: Int?
  public var environment: ServiceEnvironment?

  public init() {}

  /// Most bytes the payload may have: by channel, then by type.
  public var payloadLimit: Int {
    if channelID != nil { return PushType.broadcastPayloadLimit }
    return pushType?.row.payloadLimit ?? PushType.ordinaryPayloadLimit
  }

  /// Reads the record in the document. Everything that keeps it from being sent is added to `problems`; an empty list
  /// means it can be sent as far as its own line can tell. No allocation for a good record.
  public static func read(_ document: borrowing Document, problems: inout [Problem]) -> Notification {
    var record = Notification()
    guard document.kind(0) == .object else {
      problems.append(
        Problem(
          "record-not-object", at: 0, "a notification record is a JSON object, this is \(words(document, 0))",
          help: document.kind(0) == .array ? "jq -c '.[]' puts each element on a line" : nil))
      return record
    }
    var member = 1
    let end = document.next(0)
    while member < end {
      let value = member + 1
      record.take(document, key: member, value: value, problems: &problems)
      member = document.next(value)
    }
    record.checkWhole(document, problems: &problems)
    return record
  }

  /// Strange keys beyond these are not listed: one line may hold a hundred thousand.
  private static let problemLimit = 500

  private mutating func take(
    _ document: borrowing Document, key: Int, value: Int, problems: inout [Problem]
  ) {
    guard let name = Self.key(document, key) else {
      if problems.count < Self.problemLimit { problems.append(Self.unknownKey(document, key)) }
      return
    }
    if place(name) != nil, problems.count >= Self.problemLimit { return }
    if place(name) != nil {
      problems.append(
        Problem("record-duplicate-key", at: key, "the record has the key \"\(name.rawValue)\" twice"))
      return
    }
    setPlace(name, value)
    check(name, document, value, &problems)
  }

  /// The node of the key's value, nil when the record does not have it.
  public func place(_ key: Key) -> Int? {
    switch key {
    case .token: token
    case .channelID: channelID
    case .topic: topic
    case .pushType: pushTypeNode
    case .priority: priorityNode
    case .expiration: expirationNode
    case .collapseID: collapseID
    case .id: id
    case .environment: environmentNode
    case .credential: credential
    case .payload: payload
    case .meta: meta
    }
  }

  private mutating func setPlace(_ key: Key, _ node: Int) {
    switch key {
    case .token: token = node
    case .channelID: channelID = node
    case .topic: topic = node
    case .pushType: pushTypeNode = node
    case .priority: priorityNode = node
    case .expiration: expirationNode = node
    case .collapseID: collapseID = node
    case .id: id = node
    case .environment: environmentNode = node
    case .credential: credential = node
    case .payload: payload = node
    case .meta: meta = node
    }
  }

  private static let table = KeyTable(Key.allCases.map(\.rawValue))
  private static let keys = Key.allCases

  /// The key a member's name stands for.
  private static func key(_ document: borrowing Document, _ node: Int) -> Key? {
    table.index(document, node).map { keys[$0] }
  }

  private static func unknownKey(_ document: borrowing Document, _ node: Int) -> Problem {
    let name = document.string(node)
    let shown = name.count > 40 ? String(name.prefix(40)) + "…" : name
    let bare = name.lowercased().hasPrefix("apns-") ? String(name.dropFirst(5)) : name
    var help = "what is to be carried along untouched goes under \"meta\""
    if APSKey(rawValue: name) != nil {
      help = "this is a key of the payload: put it into \"aps\""
    } else if let near = closest(to: bare, among: Key.allCases.map(\.rawValue)) {
      help = "did you mean \"\(near)\"?"
    } else if name == "aps" {
      help = "this is a bare payload: put it under \"payload\""
    }
    return Problem("record-unknown-key", at: node, "a notification record has no key \"\(shown)\"", help: help)
  }

  private func checkWhole(_ document: borrowing Document, problems: inout [Problem]) {
    if token == nil && channelID == nil {
      problems.append(
        Problem("record-token-missing", at: 0, "the record has no \"token\" (and no \"channel_id\")"))
    }
    if token != nil, let channelID {
      problems.append(
        Problem(
          "record-token-and-channel", at: channelID, "the record has a \"token\" and a \"channel_id\"",
          help: "a push goes to one device or to one channel"))
    }
    guard let payload else {
      problems.append(Problem("record-payload-missing", at: 0, "the record has no \"payload\""))
      return
    }
    let size = document.end(payload) - document.start(payload)
    if size > payloadLimit {
      problems.append(
        Problem(
          "payload-too-large", at: payload,
          "the payload has \(size) bytes; \(limitOwner) may have \(payloadLimit)"))
    }
  }

  private var limitOwner: String {
    if channelID != nil { return "a broadcast" }
    return pushType.map { "a push of type \($0.rawValue)" } ?? "a push"
  }

  static func words(_ document: borrowing Document, _ node: Int) -> String {
    switch document.kind(node) {
    case .object: "an object"
    case .array: "an array"
    case .string: "a string"
    case .number: "a number"
    case .true, .false: "a Boolean"
    case .null: "null"
    }
  }
}
