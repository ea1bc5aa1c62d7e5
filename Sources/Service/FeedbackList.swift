// The list of the feedback service: told once, then forgotten.

import APNs
import BinaryProtocol
import JSON

/// Tuples that wait to be told.
public struct FeedbackList: Sendable {
  private var bytes: [UInt8] = []
  public private(set) var count = 0

  /// More than this a server that nobody asks does not gather, in bytes.
  private static let limit = 67_108_864

  public init() {}

  /// Reads a list: NDJSON of feedback records, of which `token` and `timestamp` count, or bare tokens, a line each.
  /// - Parameter time: UNIX seconds for tokens without one.
  public init(_ text: Span<UInt8>, time: Int) throws(ScriptError) {
    var reader = Reader()
    var start = 0
    var number = 0
    while start < text.count {
      number += 1
      var end = start
      while end < text.count, text[end] != 0x0A { end += 1 }
      let next = end + 1
      if end > start, text[end - 1] == 0x0D { end -= 1 }
      let line = text.extracting(start..<end)
      start = next
      if line.isEmpty { continue }
      do throws(RuleMistake) {
        if line[0] == UInt8(ascii: "{") { try take(line, &reader, time) } else { try take(digits: line, time) }
      } catch {
        throw ScriptError(line: number, column: 1, message: error.message)
      }
    }
  }

  private mutating func take(_ line: Span<UInt8>, _ reader: inout Reader, _ time: Int) throws(RuleMistake) {
    do throws(SyntaxError) { try reader.read(line) } catch { throw RuleMistake(0, "not JSON: \(error.message)") }
    let tokens = reader.tokens
    let document = Document(line, tokens.span)
    guard let node = document.find("token", in: 0), document.kind(node) == .string else {
      throw RuleMistake(0, "the record has no \"token\"")
    }
    let seconds = document.find("timestamp", in: 0).flatMap { document.integer($0) } ?? time
    let digits = Array(document.string(node).utf8)
    try take(digits: digits.span, seconds)
  }

  private mutating func take(digits: Span<UInt8>, _ time: Int) throws(RuleMistake) {
    guard DeviceToken.isValid(digits) else {
      throw RuleMistake(0, "a device token is an even number of hexadecimal digits, 200 at most")
    }
    guard let seconds = UInt32(exactly: time) else { throw RuleMistake(0, "\"timestamp\" is in UNIX seconds") }
    var token: [UInt8] = []
    for place in stride(from: 0, to: digits.count, by: 2) {
      token.append(Self.value(digits[place]) << 4 | Self.value(digits[place + 1]))
    }
    add(token.span, at: seconds)
  }

  private static func value(_ digit: UInt8) -> UInt8 { digit <= 0x39 ? digit & 0x0F : (digit & 0x0F) &+ 9 }

  /// Adds a token.
  /// - Parameter time: UNIX seconds.
  mutating func add(_ token: Span<UInt8>, at time: UInt32) {
    guard bytes.count < Self.limit, (try? bytes.appendFeedback(timestamp: time, token: token)) != nil else { return }
    count += 1
  }

  /// Takes everything out.
  mutating func takeAll() -> [UInt8] {
    defer { (bytes, count) = ([], 0) }
    return bytes
  }
}

extension Server {
  /// Tells the list, once, and closes; inside its last tuple when it is to be cut short.
  func serveFeedback(_ connection: Connection, isCutShort: Bool) {
    observer.event("feedback", connection: connection.number) {
      $0.key("tuples")
      $0.integer(self.feedback.count)
    }
    send(connection, feedback.takeAll().dropLast(isCutShort ? 5 : 0) + [])
    connection.ending = .orderly
  }
}
