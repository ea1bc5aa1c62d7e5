// Everything a run leaves behind: results, rejected lines, events, words, counts, latencies. Buffers only; the owner of
// the sender writes them where they belong.

import APNs
import JSON
import POSIX
import TLS

/// What a run has to say so far. Whole lines; the owner writes each buffer and empties it.
public struct Recorder {
  /// Result records, for standard output.
  public var results: [UInt8] = []
  /// Words for standard error.
  public var words: [UInt8] = []
  /// Input lines that did not end `accepted`, byte for byte. Filled when `keepsRejects` is set.
  public var rejects: [UInt8] = []
  /// Events as NDJSON. Filled when `keepsEvents` is set.
  public var events: [UInt8] = []
  public internal(set) var counts = Counts()
  /// How often each reason was given, beyond acceptance. At most a thousand different words are kept apart.
  public internal(set) var reasons: [String: Int] = [:]
  public internal(set) var latencies = Histogram()
  /// Results among `counts` that an earlier run had.
  public internal(set) var replayed = 0
  /// Requests that were sent a second time or more.
  public internal(set) var resent = 0

  let tool: String
  let keepsRejects: Bool
  let keepsEvents: Bool
  let redaction: Redaction?

  init(_ settings: SenderSettings) {
    tool = settings.tool
    keepsRejects = settings.keepsRejects
    keepsEvents = settings.keepsEvents
    redaction = settings.redactionKey.map { Redaction(key: $0) }
  }

  /// Words about lines that were left out: a wrong file must not fill the terminal.
  public private(set) var unsaid = 0
  private var said = 0
  private static let wordLimit = 20

  mutating func say(_ number: Int, _ column: Int?, _ message: String) {
    said += 1
    if said > Self.wordLimit {
      unsaid += 1
      return
    }
    words.append("\(tool): line \(number): ")
    if let column { words.append("column \(column): ") }
    words.append(message.visible)
    words.append("\n")
  }

  /// Words that may quote the input, without what may be a device token where those are not to be shown.
  func masked(_ text: String) -> String { redaction == nil ? text : Redaction.masked(text) }

  mutating func say(_ message: String) { words.append("\(tool): \(message.visible)\n") }

  mutating func reject(_ line: Span<UInt8>) {
    guard keepsRejects else { return }
    rejects.append(line)
    rejects.append(UInt8(ascii: "\n"))
  }

  mutating func count(_ outcome: Outcome, reason: String?) {
    counts.add(outcome)
    guard outcome != .accepted, let reason else { return }
    if reasons.count < 1000 || reasons[reason] != nil { reasons[reason, default: 0] += 1 }
  }

  /// Counts a result that an earlier run had.
  public mutating func countReplayed(_ outcome: Outcome, reason: String?) {
    count(outcome, reason: reason)
    replayed += 1
  }

  /// Appends an event: `{"event":"connected","time_ms":…` and the fields that the body adds.
  mutating func event(_ name: StaticString, at milliseconds: Int, _ more: (inout [UInt8]) -> Void = { _ in }) {
    guard keepsEvents else { return }
    events.append("{\"event\":\"")
    events.append(name)
    events.append("\",\"time_ms\":")
    events.append(decimal: milliseconds)
    more(&events)
    events.append("}\n")
  }
}

/// Device tokens as keyed hashes: the same token reads the same throughout a run, and nobody can send to it.
public struct Redaction: Sendable {
  private let key: [UInt8]

  public init(key: [UInt8]) { self.key = key }

  /// The text with a word in place of each run of eight hexadecimal digits or more.
  static func masked(_ text: String) -> String {
    var out = ""
    var run: [Unicode.Scalar] = []
    func end() {
      if run.count < 8 { out.unicodeScalars.append(contentsOf: run) } else { out += "redacted" }
      run.removeAll(keepingCapacity: true)
    }
    for scalar in text.unicodeScalars {
      if scalar.isASCII, DeviceToken.isHexadecimal(UInt8(truncatingIfNeeded: scalar.value)) {
        run.append(scalar)
      } else {
        end()
        out.unicodeScalars.append(scalar)
      }
    }
    end()
    return out
  }

  /// Appends `redacted-` and sixteen hexadecimal digits of an HMAC-SHA256.
  public func append(_ token: Span<UInt8>, to out: inout [UInt8]) {
    out.append("redacted-")
    for byte in hmacSHA256(key: key.span, token).prefix(8) { out.append(hexadecimal: byte) }
  }
}

/// Latencies in buckets that grow by a tenth or so: percentiles to within that, in constant memory.
public struct Histogram: Sendable {
  // Eight buckets for each doubling of microseconds, from 1 µs to beyond an hour.
  private var buckets = [Int](repeating: 0, count: 8 * 36)
  public private(set) var count = 0
  public private(set) var largest: UInt64 = 0

  public init() {}

  /// Adds a duration in nanoseconds.
  mutating func add(_ nanoseconds: UInt64) {
    let microseconds = max(nanoseconds / 1000, 1)
    let power = 63 - microseconds.leadingZeroBitCount
    let part = power >= 3 ? Int((microseconds >> UInt64(power - 3)) & 7) : Int((microseconds << UInt64(3 - power)) & 7)
    buckets[min(power * 8 + part, buckets.count - 1)] += 1
    count += 1
    largest = max(largest, nanoseconds)
  }

  /// The duration below which so many per cent lie, in microseconds.
  public func percentile(_ percent: Double) -> Int {
    let wanted = max(1, Int((Double(count) * percent / 100).rounded(.up)))
    var seen = 0
    for (index, amount) in buckets.enumerated() {
      seen += amount
      if seen >= wanted { return min(upperBound(index), Int(largest / 1000)) }
    }
    return Int(largest / 1000)
  }

  /// How many lie in each doubling of a millisecond, for a small picture: upper bound in milliseconds and amount.
  public var doublings: [(milliseconds: Int, count: Int)] {
    var rows: [(milliseconds: Int, count: Int)] = []
    var below = 0
    for power in 0..<36 {
      let amount = buckets[(power * 8)..<(power * 8 + 8)].reduce(0, +)
      if power < 10 {
        below += amount
        if power == 9 { rows.append((1, below)) }
      } else {
        rows.append((1 << (power - 9), amount))
      }
    }
    while let last = rows.last, last.count == 0, rows.count > 1 { rows.removeLast() }
    return rows
  }

  private func upperBound(_ index: Int) -> Int {
    let power = index / 8
    let part = index % 8
    let base = 1 << power
    return base + (part + 1) * base / 8
  }
}
