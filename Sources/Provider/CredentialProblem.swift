// What can be wrong with a credential, and what to do about it.

/// One thing about a credential that somebody should know.
public struct CredentialProblem: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Severity: String, Sendable, Comparable {
    /// Worth knowing; nothing needs to be done.
    case note
    /// It works, but not for long, or not as it was meant.
    case warning
    /// The credential cannot be used.
    case error

    private var rank: Int {
      switch self {
      case .note: 0
      case .warning: 1
      case .error: 2
      }
    }

    public static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }
  }

  /// The problem's name, for scripts: short, kebab-case, for ever.
  public let id: String
  public let severity: Severity
  /// One sentence without a period. It holds nothing of a key or a passphrase.
  public let message: String
  /// What to do.
  public let help: String?

  public init(_ id: String, _ message: String, help: String? = nil, severity: Severity = .error) {
    self.id = id
    self.severity = severity
    self.message = message
    self.help = help
  }

  /// The sentence and what to do, for standard error.
  public var description: String { help.map { "\(message); \($0)" } ?? message }
}
