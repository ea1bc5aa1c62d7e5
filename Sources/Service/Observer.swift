// What the server has seen: the log, the words on standard error, the summary.

import JSON
import POSIX

/// Counts, logs, and says what is odd. One thread uses it.
public final class Observer {
  /// Where the log goes; nil for none.
  private let log: Descriptor?
  private let words: Descriptor?
  private let clock: Clock
  private var buffer: [UInt8] = []
  /// Why the log could not be written.
  public private(set) var failure: SystemError?
  /// Whether each frame is logged.
  let logsFrames: Bool

  private(set) var connections = 0
  /// Requests to send something.
  public private(set) var notifications = 0
  private(set) var accepted = 0
  private(set) var withoutAnswer = 0
  private(set) var troubles = 0
  private var byReason: [String: Int] = [:]
  /// Oddities that are said; the rest is counted. A flood must not fill a CI log.
  private static let wordLimit = 20

  /// - Parameters:
  ///   - log: gets a JSON line for each event.
  ///   - words: gets a line for each oddity, and the summary; nil for silence.
  public init(log: Descriptor?, frames: Bool, words: Descriptor?, clock: Clock) {
    (self.log, logsFrames, self.words, self.clock) = (log, frames && log != nil, words, clock)
  }

  var isLogging: Bool { log != nil }

  /// Adds an event to the log; the body writes its members.
  func event(_ name: StaticString, connection: Int?, _ body: (inout Writer) -> Void = { _ in }) {
    guard log != nil, failure == nil else { return }
    var writer = Writer(buffer)
    buffer = []
    writer.beginObject()
    writer.key("time_ms")
    writer.integer(clock.unixMilliseconds())
    writer.key("event")
    writer.string(name)
    if let connection {
      writer.key("connection")
      writer.integer(connection)
    }
    body(&writer)
    writer.endObject()
    writer.newline()
    buffer = writer.bytes
    if buffer.count > 65_536 { flush() }
  }

  /// Something odd on a connection: logged, and said.
  func trouble(_ name: StaticString, connection: Int?, _ message: String) {
    troubles += 1
    event(name, connection: connection) {
      $0.key("message")
      $0.string(message)
    }
    if troubles <= Self.wordLimit {
      say(connection.map { "connection \($0): \(message)" } ?? message)
    } else if troubles == Self.wordLimit + 1 {
      say("more oddities are counted, and no longer said here; --log tells them all")
    }
  }

  func connected() { connections += 1 }

  /// Counts a notification by its answer; nil for none.
  func count(_ reply: Reply?) {
    notifications += 1
    guard let reply else {
      withoutAnswer += 1
      return
    }
    if reply.isSuccess { accepted += 1 } else { byReason[reply.reason, default: 0] += 1 }
  }

  /// A line on standard error.
  func say(_ text: String) { try? words?.writeAll("apns-server: \(text.visible)\n") }

  /// Writes what is buffered. What keeps it from that is kept for whoever runs the server.
  func flush() {
    guard let log, failure == nil, !buffer.isEmpty else { return }
    var bytes: [UInt8] = []
    swap(&bytes, &buffer)
    do throws(SystemError) { try log.writeAll(bytes.span) } catch { failure = error }
    bytes.removeAll(keepingCapacity: true)
    swap(&bytes, &buffer)
  }

  /// The final words.
  func summarize() {
    var text = "\(notifications) received, \(accepted) accepted"
    for (reason, count) in byReason.sorted(by: { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }) {
      text += ", \(count) \(reason)"
    }
    if withoutAnswer > 0 { text += ", \(withoutAnswer) without an answer" }
    text += "; \(connections) \(connections == 1 ? "connection" : "connections")"
    if troubles > 0 { text += ", \(troubles) \(troubles == 1 ? "oddity" : "oddities")" }
    say(text)
    flush()
  }
}
