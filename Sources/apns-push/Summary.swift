// What came of a run: a table for people, an object for machines.

import JSON
import Provider

struct Summary {
  let recorder: Recorder
  /// How long the run took, in nanoseconds.
  let duration: UInt64

  private var seconds: Double { max(Double(duration) / 1e9, 1e-6) }
  private var counts: [(name: String, count: Int)] {
    let counts = recorder.counts
    return [
      ("accepted", counts.accepted), ("rejected", counts.rejected), ("invalid", counts.invalid),
      ("unknown", counts.unknown), ("unsent", counts.unsent),
    ]
  }
  private var reasons: [(name: String, count: Int)] {
    recorder.reasons.map { ($0.key, $0.value) }.sorted { $0.1 != $1.1 ? $0.1 > $1.1 : $0.0 < $1.0 }
  }
  private static let percentiles = [50.0, 90, 99, 99.9]

  /// Results a second; those of an earlier run took no time.
  private var rate: Int { Int(Double(recorder.counts.total - recorder.replayed) / seconds) }

  /// One JSON object and a newline.
  var json: [UInt8] {
    var out = Writer()
    out.beginObject()
    out.key("lines")
    out.integer(recorder.counts.total)
    for (name, count) in counts {
      out.key(name)
      out.integer(count)
    }
    out.key("reasons")
    out.beginObject()
    for (name, count) in reasons {
      out.key(name)
      out.integer(count)
    }
    out.endObject()
    out.key("resent")
    out.integer(recorder.resent)
    if recorder.replayed > 0 {
      out.key("replayed")
      out.integer(recorder.replayed)
    }
    out.key("seconds")
    out.number((seconds * 1000).rounded() / 1000)
    out.key("per_second")
    out.integer(rate)
    out.key("latency_us")
    out.beginObject()
    for percent in Self.percentiles where recorder.latencies.count > 0 {
      out.key("p\(text(percent))")
      out.integer(recorder.latencies.percentile(percent))
    }
    if recorder.latencies.count > 0 {
      out.key("max")
      out.integer(Int(recorder.latencies.largest / 1000))
    }
    out.endObject()
    // Answers by how long they took: each bound in milliseconds, and how many stayed below it and above the one before.
    out.key("latency_below_ms")
    out.beginObject()
    for row in recorder.latencies.count > 0 ? recorder.latencies.doublings : [] {
      out.key(String(row.milliseconds))
      out.integer(row.count)
    }
    out.endObject()
    out.endObject()
    out.newline()
    return out.bytes
  }

  /// Some lines of text, ending in a newline.
  var table: String {
    let total = recorder.counts.total
    let time = seconds < 10 ? milliseconds(Int(seconds * 1e6)) : "\(text(seconds)) s"
    var rows = ["\(total) \(total == 1 ? "line" : "lines") in \(time)" + (seconds < 0.1 ? "" : ", \(rate)/s")]
    if recorder.replayed > 0 { rows.append("  \(pad("from the journal", 28))\(left(recorder.replayed))") }
    for (name, count) in counts where count > 0 { rows.append("  \(pad(name, 28))\(left(count))\(share(count))") }
    for (name, count) in reasons { rows.append("    \(pad(name, 26))\(left(count))\(share(count))") }
    if recorder.resent > 0 { rows.append("  \(pad("sent again", 28))\(left(recorder.resent))") }
    if recorder.latencies.count > 0 {
      let parts = Self.percentiles.map { "p\(text($0)) \(milliseconds(recorder.latencies.percentile($0)))" }
      rows.append(
        "answers after: \(parts.joined(separator: ", ")), at most \(milliseconds(Int(recorder.latencies.largest / 1000)))"
      )
      rows += histogram
    }
    return rows.joined(separator: "\n") + "\n"
  }

  private var histogram: [String] {
    let rows = recorder.latencies.doublings
    let most = max(rows.map(\.count).max() ?? 1, 1)
    guard rows.count > 1 else { return [] }
    return rows.map { row in
      let bar = String(repeating: "#", count: row.count == 0 ? 0 : max(1, row.count * 40 / most))
      return "  \(pad("< \(row.milliseconds) ms", 12)) \(left(row.count)) \(bar)"
    }
  }

  private func share(_ count: Int) -> String {
    let total = max(recorder.counts.total, 1)
    let percent = Double(count) * 100 / Double(total)
    return count > 0 && percent < 0.1 ? "  < 0.1 %" : "  \(text(percent)) %"
  }

  private func milliseconds(_ microseconds: Int) -> String { "\(text(Double(microseconds) / 1000)) ms" }

  /// With one digit behind the point, none where that is 0.
  private func text(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }

  private func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }

  private func left(_ number: Int) -> String {
    let text = String(number)
    return String(repeating: " ", count: max(0, 9 - text.count)) + text
  }
}
