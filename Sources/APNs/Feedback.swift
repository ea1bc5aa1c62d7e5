// The feedback record: a device token that should not be used any longer, since when, and why.

import JSON

/// What a result record says about its device token.
public struct FeedbackSource: Sendable {
  /// The nodes of the result's members.
  public var token: Int?
  public var topic: Int?
  public var reasonNode: Int?
  public var meta: Int?
  public var outcome: Outcome?
  public var status: Int?
  /// The reason as APNs gave it.
  public var reason: String?
  /// Milliseconds since 1970, whichever unit the record used.
  public var timestampMilliseconds: Int?

  /// Reads a result record. Everything that keeps it from being one is added to `problems`.
  public static func read(_ document: borrowing Document, problems: inout [Problem]) -> FeedbackSource {
    var source = FeedbackSource()
    guard document.kind(0) == .object else {
      problems.append(
        Problem(
          "result-not-object", at: 0, "a result record is a JSON object, this is \(Notification.words(document, 0))"))
      return source
    }
    var seconds: Int?
    var member = 1
    while member < document.next(0) {
      let value = member + 1
      if document.equals(member, "token") { source.token = value }
      if document.equals(member, "topic") { source.topic = value }
      if document.equals(member, "meta") { source.meta = value }
      if document.equals(member, "status") { source.status = document.integer(value) }
      if document.equals(member, "timestamp") { seconds = document.integer(value) }
      if document.equals(member, "timestamp_ms") { source.timestampMilliseconds = document.integer(value) }
      if document.equals(member, "reason"), document.kind(value) == .string {
        source.reasonNode = value
        source.reason = document.string(value)
      }
      if document.equals(member, "outcome") {
        source.outcome = document.kind(value) == .string ? Outcome(rawValue: document.string(value)) : nil
        if source.outcome == nil {
          problems.append(
            Problem(
              "result-outcome", at: value,
              "\"outcome\" is none of \(Outcome.allCases.map(\.rawValue).joined(separator: ", "))"))
        }
      }
      member = document.next(value)
    }
    source.timestampMilliseconds = source.timestampMilliseconds ?? seconds.flatMap(milliseconds)
    source.checkWhole(document, &problems)
    return source
  }

  private func checkWhole(_ document: borrowing Document, _ problems: inout [Problem]) {
    if outcome == nil, problems.isEmpty {
      problems.append(Problem("result-outcome-missing", at: 0, "this is no result record: it has no \"outcome\""))
    }
    if let token, document.kind(token) != .string {
      problems.append(Problem("result-type", at: token, "\"token\" must be a string"))
    }
  }

  /// A UNIX time in milliseconds. Seconds of this century have ten digits, milliseconds thirteen: what is larger than
  /// any second before the year 5138 is taken for milliseconds.
  public static func milliseconds(_ time: Int) -> Int? {
    if time >= 100_000_000_000 { return time }
    let (value, overflow) = time.multipliedReportingOverflow(by: 1000)
    return overflow ? nil : value
  }
}

/// Where a feedback record comes from.
public enum FeedbackOrigin: String, Sendable {
  case result, service
}
