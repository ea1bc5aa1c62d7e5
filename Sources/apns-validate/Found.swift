// What was found on the way to the report: written as it comes, or kept up to a bound for reports that are one document.

import JSON
import POSIX
import Rules

/// The findings of a run.
struct FoundList {
  /// SARIF and JUnit are written at the end; services that read them take fewer.
  static let keptLimit = 25_000

  var counts = Counts()
  var failures = 0
  private(set) var kept: [Placed] = []
  /// Those that no longer fitted.
  private(set) var dropped = 0
  var out: [UInt8] = []
  /// Why the report could not be written.
  private(set) var failed: SystemError?

  mutating func keep(_ placed: Placed) {
    if kept.count < Self.keptLimit { kept.append(placed) } else { dropped += 1 }
  }

  /// Writes what has been reported when it is enough to be worth a call.
  mutating func flushIfLarge() {
    guard out.count > 65_536, failed == nil else { return }
    do throws(SystemError) { try flush() } catch { failed = error }
  }

  mutating func flush() throws(SystemError) {
    let bytes = out
    out.removeAll(keepingCapacity: out.capacity < 1 << 20)
    try Descriptor.standardOutput.writeAll(bytes.span)
  }
}

/// Reports the findings of one text.
struct FindingReport {
  let name: String
  let lineBase: Int
  let offsetBase: Int
  /// Nil when findings are only counted.
  let format: ReportFormat?
  let colour: Bool
  private var lines = LineIndex()

  init(name: String, lineBase: Int, offsetBase: Int, format: ReportFormat?, colour: Bool) {
    self.name = name
    self.lineBase = lineBase
    self.offsetBase = offsetBase
    self.format = format
    self.colour = colour
  }

  mutating func take(_ finding: Finding, _ bytes: Span<UInt8>, _ setup: Setup, into list: inout FoundList) {
    guard finding.severity >= setup.shown else { return }
    list.counts.count(finding.severity)
    if finding.severity >= setup.failOn { list.failures += 1 }
    guard let format, list.failed == nil else { return }
    let place = lines.place(min(finding.offset, bytes.count), bytes)
    var placed = Placed(
      finding, file: name, line: lineBase + place.line, bytes: bytes, lineStart: place.start, lineEnd: place.end,
      offsetBase: offsetBase)
    placed.isFailure = finding.severity >= setup.failOn
    switch format {
    case .sarif, .junit: list.keep(placed)
    default:
      LineReport.append(placed, as: format, colour: colour, to: &list.out)
      list.flushIfLarge()
    }
  }
}
