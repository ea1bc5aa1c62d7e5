// What every option says about itself, whatever the type of its value: the one source of parser, help, manual, completions.

/// What a shell offers where a value or an operand is being typed.
public enum Completion: Sendable, Equatable {
  /// Nothing: the shell stays silent.
  case none
  /// Names of files.
  case files
  /// Names of files with one of these endings (without the dot, such as `p8`), and of directories on the way to them.
  case filesEnding([String])
  /// Names of directories.
  case directories
  /// A command and its arguments: names of programs first, whatever that program completes behind it.
  case commands
  /// These words.
  case words([String])
}

/// Why a text is no value of an option. The message goes on where "--name: " stopped.
public struct ValueError: Error, Equatable, Sendable {
  /// What was expected and what was found, such as "expected a whole number, found 'ten'".
  public var message: String

  /// - Parameter message: what was expected and what was found; no name of the option, no period at the end.
  public init(_ message: String) {
    self.message = message
  }
}

/// One option without the type of its value. Made by the functions of `Option`.
public struct Declaration: Sendable {
  /// The long name without dashes.
  public var name: String
  /// The letter of the short form.
  public var short: Character?
  /// The word that stands for the value, in capitals; nil for a flag.
  public var valueWord: String?
  /// One line, lower case, no period.
  public var summary: String
  /// One or more paragraphs for the manual, parted by empty lines.
  public var details: String
  /// The default as the pages show it.
  public var defaultText: String?
  /// The variable that gives the value when the command line does not.
  public var environment: String?
  /// The only words the value may be; empty when any text may come.
  public var choices: [(word: String, meaning: String)]
  /// What a shell offers for the value; choices are offered without being asked for.
  public var completion: Completion
  /// Whether each further use adds a value instead of replacing the one before.
  public var repeats: Bool
  /// Whether `--no-name` turns the flag off.
  public var negatable: Bool
  /// The value when the option stands alone, for one whose value may be left out: `--name` or `--name=VALUE`. The next
  /// argument is then never taken for the value.
  var bareValue: String?
  /// A default that was given as text or as a number, as it would be typed.
  var plainDefault: String?
  /// Text to value; the only way a value comes to be, from wherever the text came.
  var convert: @Sendable (String) throws(ValueError) -> any Sendable

  /// Whether the option stands alone.
  public var isFlag: Bool { valueWord == nil }
}

/// Something that holds a declaration: an `Option` of any type of value.
public protocol Declared: Sendable {
  /// The declaration.
  var declaration: Declaration { get }
}
