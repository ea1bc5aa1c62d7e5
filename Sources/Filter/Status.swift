// How a run can end: the exit statuses of every tool of the suite.

/// Exit statuses, the same for all tools. A run ended by signal n has the status 128+n.
public enum Status: Int32, CaseIterable, Sendable {
  case ok = 0
  case findings = 1
  case usage = 2
  case stopped = 3

  /// The manual's sentence.
  public var meaning: String {
    switch self {
    case .ok: "Every record did what was asked."
    case .findings: "The run finished; at least one record is invalid, rejected, unknown or malformed."
    case .usage:
      "Usage: an unknown option, a file that cannot be read, credentials that cannot work. Nothing was processed."
    case .stopped:
      "Stopped early: the service is out of reach or refuses everything, or the disk is full. What was not attempted is "
        + "said line by line."
    }
  }

  /// The rows for a manual.
  public static var rows: [(status: String, meaning: String)] {
    allCases.map { (String($0.rawValue), $0.meaning) }
      + [("128+n", "Ended by signal n, after what was in hand was written. A closed standard output is a quiet end.")]
  }
}

/// What keeps a whole run from going on, in words that say what to do.
public struct Failure: Error, Sendable, Equatable {
  public let message: String
  public let status: Status

  public init(_ message: String, status: Status = .usage) {
    self.message = message
    self.status = status
  }
}

/// The version of the suite, and the day of it.
public enum Suite {
  public static let version = "0.1.0"
  public static let date = "2026-11-30"
}
