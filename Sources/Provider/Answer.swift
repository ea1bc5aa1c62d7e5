// What an answer of APNs says, and what follows from it.

import APNs
import HTTP2
import JSON

/// An answer with another status than 200, taken apart.
struct Refusal {
  var status: Int
  /// The reason's word, nil when the body had none.
  var reason: String?
  /// Milliseconds since 1970, with 410 only.
  var timestamp: Int?
  /// The `Date` header, for refusals that a wrong clock may explain.
  var date: [UInt8]?
  /// Seconds of a `Retry-After` header, whether it gave these or a date.
  var retryAfter: Int?

  var advice: Advice? { Reason.advice(name: reason, status: status) }

  /// Another connection may be answered otherwise, and this one will not be.
  var isAboutConnection: Bool { reason.flatMap { Reason.named($0) }?.isAboutConnection ?? false }

  /// Reads the answer in a slot. A body that is no JSON, or empty, leaves the status to speak for itself.
  /// - Parameter now: UNIX seconds.
  static func read(_ session: ClientSession, _ slot: Int32, _ reader: inout Reader, now: Int) -> Refusal {
    var refusal = Refusal(status: session.status(slot))
    if refusal.status == 403, let text = session.field(slot, "date") {
      var bytes: [UInt8] = []
      bytes.append(text)
      refusal.date = bytes
    }
    if let text = session.field(slot, "retry-after") {
      refusal.retryAfter = decimal(text) ?? ClockSkew.unixSeconds(text).map { max(0, $0 - now) }
    }
    let body = session.body(slot)
    guard (try? reader.read(body)) != nil else { return refusal }
    let document = Document(body, reader.tokens.span)
    if let node = document.find("reason", in: 0), document.kind(node) == .string {
      // Only a word: whatever else a stranger's server writes there is not ours to print in full.
      let text = document.string(node)
      refusal.reason = String(text.unicodeScalars.prefix(64).filter { $0.value >= 0x20 })
    }
    if let node = document.find("timestamp", in: 0) { refusal.timestamp = document.integer(node) }
    return refusal
  }

  private static func decimal(_ text: Span<UInt8>) -> Int? {
    guard !text.isEmpty, text.count <= 7 else { return nil }
    var value = 0
    for index in text.indices {
      guard (0x30...0x39).contains(text[index]) else { return nil }
      value = value * 10 + Int(text[index] - 0x30)
    }
    return value
  }
}
