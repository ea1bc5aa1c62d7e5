// What may be done to a request instead of answering it as APNs would. Nothing here knows HTTP: the binary gateway
// reads the same values.

import APNs
import HTTP2

/// What a script's rule or a magic token does. Several fields may be set; an unset one does nothing.
struct Deed: Sendable {
  /// The answer; nil leaves what the checks came to.
  var reply: Reply?
  /// Milliseconds before it.
  var delay = 0
  /// No answer at all.
  var isSilent = false
  /// RST_STREAM with this code in place of an answer.
  var reset: ErrorCode?
  var goAway: GoAway?
  var close: Close?
  /// Nothing more is read from this connection; the milliseconds, 0 for ever.
  var stopReading: Int?
  /// Everything this connection is sent from now on goes out a byte at a time, with so many milliseconds between.
  var dribble: Int?
  /// The stream limit that is announced.
  var streamLimit: Int?
  /// So many of the next connections fail in their TLS handshake.
  var failTLS = 0
  /// So many of the next connections are closed as soon as they are accepted.
  var refuse = 0
  /// Milliseconds in which nobody listens.
  var refuseMilliseconds = 0
  /// The answer to everything that comes later on this connection.
  var wedge: Reply?
  /// Everything that comes later on this connection is left without an answer.
  var wedgeIsSilent = false
  /// The binary gateway's error packet; over HTTP/2 it does nothing.
  var error: ErrorOrder?

  struct GoAway: Sendable {
    /// Streams from this one's to the last that counts as processed: 0 is this one, -1 the one before.
    var offset = 0
    var code = ErrorCode.noError
    /// The debug data: `{"reason":"…"}`, or empty.
    var debug: [UInt8] = []
  }

  enum Close: Sendable {
    /// In order, after what is to be sent.
    case now
    /// With a reset of the TCP connection, at once.
    case abort
    /// In the middle of the answer's frames.
    case midFrame
  }

  /// The request gets no answer of its own.
  var isWithoutAnswer: Bool {
    if isSilent || reset != nil { return true }
    switch close {
    case .now, .abort: return true
    case .midFrame, nil: return false
    }
  }

  /// A debug text as APNs puts it into GOAWAY.
  static func debug(_ reason: String) -> [UInt8] { Reply(status: 200, reason: reason).body }
}

/// Device tokens that make the server misbehave without a script: their first eight digits decide.
enum MagicToken {
  struct Row: Sendable {
    let digits: String
    let deed: Deed
    let meaning: String
  }

  /// - Parameter timestamp: the one of 410 answers, milliseconds since 1970.
  static func rows(timestamp: Int) -> [Row] {
    func answer(_ digits: String, _ reason: String) -> Row {
      let reply = Reply.named(reason, timestamp: Reason.named(reason)?.status == 410 ? timestamp : nil)
      var deed = Deed()
      deed.reply = reply
      return Row(digits: digits, deed: deed, meaning: "\(reply.status) \(reason)")
    }
    func doing(_ digits: String, _ meaning: String, _ change: (inout Deed) -> Void) -> Row {
      var deed = Deed()
      change(&deed)
      return Row(digits: digits, deed: deed, meaning: meaning)
    }
    return [
      answer("dead4000", "BadDeviceToken"),
      answer("dead4001", "DeviceTokenNotForTopic"),
      answer("dead4002", "TopicDisallowed"),
      answer("dead4030", "ExpiredProviderToken"),
      answer("dead4031", "InvalidProviderToken"),
      answer("dead4032", "Forbidden"),
      answer("dead4100", "Unregistered"),
      answer("dead4101", "ExpiredToken"),
      answer("dead4130", "PayloadTooLarge"),
      answer("dead4290", "TooManyRequests"),
      answer("dead4291", "TooManyProviderTokenUpdates"),
      answer("dead5000", "InternalServerError"),
      answer("dead5030", "ServiceUnavailable"),
      doing("dead5031", "503 Shutdown, and GOAWAY with that reason") {
        $0.reply = Reply.named("Shutdown")
        $0.goAway = Deed.GoAway(debug: Deed.debug("Shutdown"))
      },
      doing("deadffff", "no answer") { $0.isSilent = true },
      doing("deadfff0", "RST_STREAM with REFUSED_STREAM") { $0.reset = .refusedStream },
      doing("deadfff1", "the connection is closed without an answer") { $0.close = .now },
    ]
  }

}

/// The magic tokens for a manual: the first eight digits and what they do.
public var magicTokenTable: [(digits: String, meaning: String)] {
  MagicToken.rows(timestamp: 0).map { ($0.digits, $0.meaning) }
}

/// The magic tokens of a running server, looked up by a token's digits.
struct MagicTokens: Sendable {
  private let rows: [(digits: [UInt8], row: MagicToken.Row)]

  init(timestamp: Int) { rows = MagicToken.rows(timestamp: timestamp).map { (Array($0.digits.utf8), $0) } }

  /// What the token stands for; nil for an ordinary one.
  func row(_ token: Span<UInt8>) -> MagicToken.Row? {
    // Ordinary tokens seldom begin with d: one comparison for most.
    guard token.count >= 8, token[0] | 0x20 == UInt8(ascii: "d") else { return nil }
    for entry in rows where token.extracting(first: 8).equalsIgnoringCase(entry.digits) { return entry.row }
    return nil
  }
}
