// What apns-feedback says of lines, as many times as it is of use.

import Filter
import POSIX

/// Remarks about the lines of one input. The wrong file has a fault in each of its lines: twenty show what it is.
struct Remarks: Sendable {
  private static let limit = 20

  private let count = Monitor(0)

  /// Whether one more is said; if not, it is counted.
  func takes() -> Bool {
    count.change { count in
      count += 1
      return count <= Self.limit
    }
  }

  /// Says how many were not said.
  /// - Parameter source: the tool, and where the input was named, the input.
  func finish(_ source: String) {
    let more = count.change { $0 } - Self.limit
    if more > 0 { Tool.say("\(source): \(more) more such lines") }
  }
}
