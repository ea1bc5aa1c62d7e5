// A line on standard error that tells a waiting person how far the run is.

import POSIX

/// Written over itself at most five times a second; taken away at the end.
public struct Progress: Sendable {
  private let tool: String
  private let start: UInt64
  private let clock: Clock
  private let total: Int?
  private let input: Descriptor
  private var lastShown: UInt64 = 0
  private var shown = false

  public init(tool: String, input: Descriptor, clock: Clock = .system) {
    self.tool = tool
    self.clock = clock
    self.input = input
    total = input.regularFileLength
    start = clock.monotonic()
  }

  /// Whether progress is wanted: when asked for, else when a person looks at standard error and not at the records.
  public static func isWanted(asked: Bool?) -> Bool {
    asked ?? (Descriptor.standardError.isTerminal && !Descriptor.standardOutput.isTerminal)
  }

  /// Shows the state when the last time is long enough ago. `extra` is what the tool itself has to say.
  public mutating func show(records: Int, extra: String = "") {
    let now = clock.monotonic()
    guard now - max(lastShown, start) >= 200_000_000 else { return }
    lastShown = now
    shown = true
    let seconds = Double(now - start) / 1e9
    let rate = Int(Double(records) / max(seconds, 0.001))
    var text = "\(tool): \(records) lines, \(rate)/s"
    if let total, total > 0, let position = input.position, position > 0, position <= total {
      text += ", \(position * 100 / total) %"
      let left = Int(seconds * Double(total - position) / Double(position))
      if left > 0 { text += ", \(left) s left" }
    }
    if !extra.isEmpty { text += ", " + extra }
    try? Descriptor.standardError.writeAll("\r\u{1B}[K" + text)
  }

  /// Takes the line away.
  public mutating func finish(records: Int) {
    guard shown else { return }
    try? Descriptor.standardError.writeAll("\r\u{1B}[K")
  }
}
