// What each key of a notification record may hold. A record that passes can be turned into a request as it stands.

import JSON
import Spelling

extension Notification {
  mutating func check(_ key: Key, _ document: borrowing Document, _ node: Int, _ problems: inout [Problem]) {
    switch key {
    case .token: checkToken(document, node, &problems)
    case .channelID: checkChannel(document, node, &problems)
    case .topic, .credential: checkHeaderText(key, document, node, &problems)
    case .pushType: checkPushType(document, node, &problems)
    case .priority: checkPriority(document, node, &problems)
    case .expiration: checkExpiration(document, node, &problems)
    case .collapseID: checkCollapse(document, node, &problems)
    case .id: checkID(document, node, &problems)
    case .environment: checkEnvironment(document, node, &problems)
    case .payload: checkPayload(document, node, &problems)
    case .meta: break
    }
  }

  private func isString(
    _ key: Key, _ rule: String, _ document: borrowing Document, _ node: Int, _ problems: inout [Problem]
  ) -> Bool {
    if document.kind(node) == .string { return true }
    problems.append(
      Problem(rule, at: node, "\"\(key.rawValue)\" must be a string, this is \(Self.words(document, node))"))
    return false
  }

  private func checkToken(_ document: borrowing Document, _ node: Int, _ problems: inout [Problem]) {
    guard isString(.token, "record-type", document, node, &problems) else { return }
    if DeviceToken.isValid(document.content(node)) { return }
    var decoded: [UInt8] = []
    document.appendDecoded(node, to: &decoded)
    guard let fault = DeviceToken.fault(in: decoded.span) else { return }
    problems.append(Problem(fault.rule.description, at: node, fault.message))
  }

  private func checkChannel(_ document: borrowing Document, _ node: Int, _ problems: inout [Problem]) {
    guard isString(.channelID, "bc-channel-base64", document, node, &problems) else { return }
    var decoded: [UInt8] = []
    document.appendDecoded(node, to: &decoded)
    if Identifiers.isChannel(decoded.span) { return }
    problems.append(Problem("bc-channel-base64", at: node, "a channel identifier is base64"))
  }

  /// A header's value: visible characters without blanks, so that it cannot break out of its header.
  private func checkHeaderText(
    _ key: Key, _ document: borrowing Document, _ node: Int, _ problems: inout [Problem]
  ) {
    guard isString(key, "record-type", document, node, &problems) else { return }
    let text = document.content(node)
    var fault = text.isEmpty || document.tokens[node].hasEscapes
    for index in text.indices where text[index] <= 0x20 || text[index] >= 0x7f { fault = true }
    guard fault else { return }
    var decoded: [UInt8] = []
    document.appendDecoded(node, to: &decoded)
    if !decoded.isEmpty, decoded.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) { return }
    let rule = key == .topic ? "topic-syntax" : "record-type"
    problems.append(
      Problem(
        rule, at: node,
        decoded.isEmpty
          ? "\"\(key.rawValue)\" is empty" : "\"\(key.rawValue)\" holds a blank or a character outside ASCII"))
  }

  private mutating func checkPushType(_ document: borrowing Document, _ node: Int, _ problems: inout [Problem]) {
    guard isString(.pushType, "record-type", document, node, &problems) else { return }
    pushType = Self.pushType(document, node)
    if pushType != nil { return }
    let word = document.string(node)
    let lower = PushType(rawValue: word.lowercased())
    let near = lower?.rawValue ?? closest(to: word, among: PushType.allCases.map(\.rawValue))
    problems.append(
      Problem(
        lower == nil ? "push-type-unknown" : "push-type-case", at: node,
        "\"\(word.prefix(40))\" is not a push type",
        help: near.map { "did you mean \"\($0)\"?" }
          ?? "a push type is one of " + PushType.allCases.map(\.rawValue).joined(separator: ", ")))
  }

  /// The push type a string names; compared in place, since every line has one.
  private static func pushType(_ document: borrowing Document, _ node: Int) -> PushType? {
    if document.equals(node, "alert") { return .alert }
    if document.equals(node, "background") { return .background }
    if document.equals(node, "liveactivity") { return .liveactivity }
    if document.equals(node, "voip") { return .voip }
    return PushType(rawValue: document.string(node))
  }

  private mutating func checkPriority(_ document: borrowing Document, _ node: Int, _ problems: inout [Problem]) {
    guard let value = document.integer(node) else {
      problems.append(
        Problem(
          "priority-syntax", at: node,
          "\"priority\" must be the number 10, 5 or 1, this is \(Self.words(document, node))"))
      return
    }
    priority = value
    if value != 10 && value != 5 && value != 1 {
      problems.append(Problem("priority-value", at: node, "\"priority\" is \(value); APNs knows 10, 5 and 1"))
    }
  }

  private mutating func checkExpiration(_ document: borrowing Document, _ node: Int, _ problems: inout [Problem]) {
    guard let value = document.integer(node), value >= 0 else {
      problems.append(
        Problem(
          "expiration-syntax", at: node, "\"expiration\" must be UNIX seconds as a whole number from 0",
          help: "0 means one attempt; leave the key out to let APNs store the push"))
      return
    }
    expiration = value
  }

  private func checkCollapse(_ document: borrowing Document, _ node: Int, _ problems: inout [Problem]) {
    guard isString(.collapseID, "record-type", document, node, &problems) else { return }
    var decoded: [UInt8] = []
    let raw = document.content(node)
    if !document.tokens[node].hasEscapes, raw.count <= Identifiers.collapseLimit { return }
    document.appendDecoded(node, to: &decoded)
    if decoded.count > Identifiers.collapseLimit {
      problems.append(
        Problem("collapse-id-too-long", at: node, "\"collapse_id\" has \(decoded.count) bytes; 64 are allowed"))
    }
    if decoded.contains(where: { $0 < 0x20 || $0 == 0x7f }) {
      problems.append(Problem("header-value-space", at: node, "\"collapse_id\" holds a control character"))
    }
  }

  private func checkID(_ document: borrowing Document, _ node: Int, _ problems: inout [Problem]) {
    guard isString(.id, "apns-id-syntax", document, node, &problems) else { return }
    if Identifiers.isUUID(document.content(node)) { return }
    problems.append(
      Problem(
        "apns-id-syntax", at: node, "\"id\" is not a UUID in its canonical form",
        help: "32 hexadecimal digits in groups of 8-4-4-4-12; your own identifiers go under \"meta\""))
  }

  private mutating func checkEnvironment(_ document: borrowing Document, _ node: Int, _ problems: inout [Problem]) {
    if document.kind(node) == .string { environment = ServiceEnvironment(rawValue: document.string(node)) }
    if environment == nil {
      problems.append(Problem("record-type", at: node, "\"environment\" must be \"production\" or \"sandbox\""))
    }
  }

  private func checkPayload(_ document: borrowing Document, _ node: Int, _ problems: inout [Problem]) {
    if document.kind(node) == .object { return }
    problems.append(
      Problem(
        "json-not-object", at: node, "\"payload\" must be a JSON object, this is \(Self.words(document, node))",
        help: document.kind(node) == .string ? "it was encoded twice: put the object itself there, not its text" : nil))
  }
}
