// Result records: one for each line, written straight into the buffer that goes to standard output.

import APNs
import JSON

/// What is known of an ending beyond the flight itself.
struct Ending {
  var outcome: Outcome
  var status = 0
  var reason: String?
  var advice: Advice?
  /// Milliseconds since 1970.
  var timestamp: Int?
  var error: String?
  /// Why it counts as accepted where nobody said so; nil where somebody did.
  var basis: String?
  /// The environment that answered, where the line did not choose it.
  var environment: ServiceEnvironment?
  /// Milliseconds from the first attempt to now; below 0 when it was never sent.
  var elapsed = -1

  init(_ outcome: Outcome) { self.outcome = outcome }
}

extension Flight {
  /// Appends the result, except for what only the answer knows (`apns-id`, `apns-unique-id`): see `more`.
  func appendResult(
    _ ending: Ending, _ redaction: Redaction?, to out: inout [UInt8], more: (inout [UInt8]) -> Void
  ) {
    let bytes = bytes.span
    ResultLine.begin(&out, line: number)
    if id.isPresent { quoted("id", id, &out) }
    if token.isPresent {
      if let redaction { appendRedacted(token, redaction, &out) } else { quoted("token", token, &out) }
    }
    if channel.isPresent { quoted("channel_id", channel, &out) }
    if ending.outcome == .rejected, topic.isPresent {
      ResultLine.text(&out, "topic", bytes.extracting(topic.range))
    }
    switch ending.outcome {
    case .accepted where ending.basis == nil: out.append(",\"outcome\":\"accepted\",\"status\":200")
    default:
      ResultLine.word(&out, "outcome", ending.outcome.rawValue)
      if ending.status > 0 { ResultLine.integer(&out, "status", ending.status) }
    }
    if let reason = ending.reason { ResultLine.text(&out, "reason", reason) }
    if let advice = ending.advice { ResultLine.word(&out, "advice", advice.rawValue) }
    if let time = ending.timestamp {
      ResultLine.integer(&out, "timestamp", time / 1000)
      ResultLine.integer(&out, "timestamp_ms", time)
    }
    if let environment = ending.environment { ResultLine.word(&out, "environment", environment.rawValue) }
    more(&out)
    if let error = ending.error { ResultLine.text(&out, "error", error) }
    if let basis = ending.basis { ResultLine.word(&out, "basis", basis) }
    if attempts > 0 { ResultLine.integer(&out, "attempts", attempts) }
    if ending.elapsed >= 0 { ResultLine.integer(&out, "elapsed_ms", ending.elapsed) }
    if meta.isPresent { ResultLine.raw(&out, "meta", bytes.extracting(meta.range)) }
    ResultLine.end(&out)
  }

  private func appendRedacted(_ piece: Piece, _ redaction: Redaction, _ out: inout [UInt8]) {
    out.append(",\"token\":\"")
    redaction.append(bytes.span.extracting(piece.range), to: &out)
    out.append("\"")
  }

  /// Tokens, identifiers and channels were checked to hold nothing that JSON escapes.
  private func quoted(_ key: StaticString, _ piece: Piece, _ out: inout [UInt8]) {
    out.append(",\"")
    out.append(key)
    out.append("\":\"")
    out.append(bytes.span.extracting(piece.range))
    out.append("\"")
  }
}

/// The result of a line that never became a flight.
enum InvalidResult {
  /// - Parameter record: what could be read of the line, nil when it is no JSON.
  static func append(
    line number: Int, _ document: borrowing Document, _ record: Notification, error: String,
    _ redaction: Redaction?, to out: inout [UInt8]
  ) {
    ResultLine.begin(&out, line: number)
    // An id that is none may be a device token in the wrong place.
    if let node = record.id, redaction == nil || Identifiers.isUUID(document.content(node)) {
      copy("id", node, document, &out)
    }
    if let redaction, let node = record.token {
      ResultLine.word(&out, "token", "")
      out.removeLast()
      redaction.append(document.raw(node), to: &out)
      out.append("\"")
    } else {
      copy("token", record.token, document, &out)
    }
    copy("channel_id", record.channelID, document, &out)
    finish(error, &out)
    if let meta = record.meta { ResultLine.raw(&out, "meta", document.raw(meta)) }
    ResultLine.end(&out)
  }

  static func append(line number: Int, error: String, to out: inout [UInt8]) {
    ResultLine.begin(&out, line: number)
    finish(error, &out)
    ResultLine.end(&out)
  }

  private static func finish(_ error: String, _ out: inout [UInt8]) {
    ResultLine.word(&out, "outcome", Outcome.invalid.rawValue)
    ResultLine.word(&out, "advice", Advice.fix.rawValue)
    ResultLine.text(&out, "error", error)
  }

  private static func copy(
    _ key: StaticString, _ node: Int?, _ document: borrowing Document, _ out: inout [UInt8]
  ) {
    guard let node, document.kind(node) == .string else { return }
    ResultLine.raw(&out, key, document.raw(node))
  }
}
