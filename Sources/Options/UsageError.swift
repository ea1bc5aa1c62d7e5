// What was wrong with the command line or the environment, and what to do about it. Exit status 2.

/// A command line that cannot be obeyed. Nothing was processed.
public struct UsageError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What kind of mistake it is, for tests: wording may change, this does not.
  public enum Kind: Equatable, Sendable {
    /// An option nobody declared.
    case unknownOption
    /// An option at the end that lacks its value.
    case missingValue
    /// A flag that was given a value.
    case unexpectedValue
    /// A value that does not convert; from the command line or a variable.
    case invalidValue
    /// An operand where none, or no further one, is taken.
    case unexpectedOperand
    /// No operand where one is needed.
    case missingOperand
    /// An option that this run cannot do without.
    case missingOption
    /// Anything a tool found wrong by itself.
    case other
  }

  /// The command's name.
  public var command: String
  /// What kind of mistake it is.
  public var kind: Kind
  /// The option ("--topic", as typed), variable or operand at fault; nil when there is no single one.
  public var subject: String?
  /// The sentence, without the command's name and without a period.
  public var message: String
  /// The option or word that was probably meant.
  public var suggestion: String?

  /// What to do next.
  public var hint: String { "try '\(command) --help'" }

  /// The two lines for stderr, without a newline at the end.
  public var description: String { "\(command): \(message)\n\(hint)" }
}

extension Command {
  /// A usage error that a tool found by itself, such as two options that exclude each other.
  /// - Parameter message: one sentence without the command's name and without a period: what is wrong and what to do.
  /// - Parameter subject: the option, variable or operand at fault.
  public func usageError(_ message: String, subject: String? = nil) -> UsageError {
    error(.other, subject, message)
  }

  func error(
    _ kind: UsageError.Kind, _ subject: String?, _ message: String, suggestion: String? = nil
  ) -> UsageError {
    UsageError(command: name, kind: kind, subject: subject, message: message, suggestion: suggestion)
  }
}
