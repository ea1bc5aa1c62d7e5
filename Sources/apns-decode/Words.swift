// What apns-decode says on standard error: each kind of remark a few times, then only its number.

import Filter
import POSIX

/// Remarks of a run. A dump of a million tuples may have a million faults of the same kind; the first twenty show it,
/// and the malformed records themselves are on standard output in any case.
struct Words {
  private static let limit = 20

  private var text: [UInt8] = []
  private var counts: [(rule: String, count: Int)] = []
  /// Faults that make the status 1.
  private(set) var faults = 0

  /// Says something about a place.
  /// - Parameter rule: its kind, shown in brackets.
  /// - Parameter isFault: whether it makes the status 1.
  mutating func say(
    _ file: String?, _ place: @autoclosure () -> String, _ message: @autoclosure () -> String, rule: String,
    isFault: Bool
  ) {
    if isFault { faults += 1 }
    let index = counts.firstIndex { $0.rule == rule } ?? counts.count
    if index == counts.count { counts.append((rule, 0)) }
    counts[index].count += 1
    guard counts[index].count <= Self.limit else { return }
    let name = file.map { "\($0): " } ?? ""
    text.append(contentsOf: "apns-decode: \(name)\(place()): \(message()) [\(rule)]".visible.utf8)
    text.append(UInt8(ascii: "\n"))
  }

  /// Whether a remark of this kind would only be counted; then it is.
  mutating func onlyCounts(_ rule: String) -> Bool {
    guard let index = counts.firstIndex(where: { $0.rule == rule }), counts[index].count >= Self.limit else {
      return false
    }
    counts[index].count += 1
    return true
  }

  /// Says something about the whole of an input.
  mutating func say(_ file: String?, _ message: String) {
    text.append(contentsOf: "apns-decode: \(file.map { "\($0): " } ?? "")\(message)".visible.utf8)
    text.append(UInt8(ascii: "\n"))
  }

  /// Writes what was said.
  mutating func flush() {
    guard !text.isEmpty else { return }
    // What cannot be said is not worth dying for.
    try? Descriptor.standardError.writeAll(text.span)
    text.removeAll(keepingCapacity: true)
  }

  /// Ends the run: what was not shown is counted.
  mutating func finish() {
    for (rule, count) in counts where count > Self.limit { say(nil, "\(count - Self.limit) more [\(rule)]") }
    flush()
  }
}
