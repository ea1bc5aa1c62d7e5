// Option: one declaration, typed by the value it yields, and the functions that make the kinds of it.

/// An option of a command. Declared once, as a constant, and listed in a group of its `Command`.
///
/// All makers share these parameters:
/// - `name`: the long name, without dashes: small letters, digits, single dashes.
/// - `short`: the letter of the short form, for the few options used daily.
/// - `value`: the word for the value in usage lines, in capitals.
/// - `summary`: one line without a period, small first letter.
/// - `details`: the manual's paragraph (or several, parted by an empty line). Other options are named as `--name`,
///   words to type stand in backquotes.
/// - `defaultText`: the default in words, where the value itself is computed or would not be understood.
/// - `environment`: a variable that gives the value when the command line does not; empty counts as unset.
/// - `completion`: what a shell offers for the value.
/// - `repeats`: `Arguments.all` yields every value in order; without it the last one wins.
public struct Option<Value: Sendable>: Declared {
  /// The declaration without the type.
  public private(set) var declaration: Declaration
  /// The value when neither command line nor environment gives one.
  public let defaultValue: Value?

  /// An option whose text `parse` turns into a value of any type.
  /// - Parameter choices: the only words that are let through to `parse`, each with its meaning; empty lets all through.
  /// - Parameter parse: text to value; throws what was expected and what was found.
  public static func custom(
    _ name: String, short: Character? = nil, value: String, _ summary: String, _ details: String = "",
    choices: [(word: String, meaning: String)] = [], default: Value? = nil, defaultText: String? = nil,
    environment: String? = nil, completion: Completion = .none, repeats: Bool = false,
    parse: @escaping @Sendable (String) throws(ValueError) -> Value
  ) -> Option<Value> {
    let words = choices.map(\.word)
    return Option(
      declaration: Declaration(
        name: name, short: short, valueWord: value, summary: summary, details: details, defaultText: defaultText,
        environment: environment, choices: choices, completion: choices.isEmpty ? completion : .words(words),
        repeats: repeats, negatable: false,
        plainDefault: nil,
        convert: { (text) throws(ValueError) -> any Sendable in
          if !words.isEmpty { try check(text, isAmong: words) }
          return try parse(text)
        }),
      defaultValue: `default`)
  }
}

extension Option {
  /// The same, with a value that may be left out: `--name` alone means `--name=bareValue`. Not for options with a short
  /// form.
  public func bare(_ bareValue: String) -> Option {
    var copy = self
    copy.declaration.bareValue = bareValue
    return copy
  }

  /// The same, with a default that `Command.faults` tries as if it had been typed.
  private func trying(_ plainDefault: String?) -> Option {
    var copy = self
    copy.declaration.plainDefault = plainDefault
    return copy
  }
}

extension Option where Value == String {
  /// An option that takes any text.
  public static func text(
    _ name: String, short: Character? = nil, value: String, _ summary: String, _ details: String = "",
    default: String? = nil, defaultText: String? = nil, environment: String? = nil, completion: Completion = .none,
    repeats: Bool = false
  ) -> Option<String> {
    custom(
      name, short: short, value: value, summary, details, default: `default`, defaultText: defaultText ?? `default`,
      environment: environment, completion: completion, repeats: repeats, parse: { $0 }
    ).trying(`default`)
  }

  /// An option that takes one of some words.
  /// - Parameter choices: the words, each with what it means.
  public static func choice(
    _ name: String, short: Character? = nil, value: String, _ choices: [(word: String, meaning: String)],
    _ summary: String, _ details: String = "", default: String? = nil, defaultText: String? = nil,
    environment: String? = nil, repeats: Bool = false
  ) -> Option<String> {
    custom(
      name, short: short, value: value, summary, details, choices: choices, default: `default`,
      defaultText: defaultText ?? `default`, environment: environment, repeats: repeats, parse: { $0 }
    ).trying(`default`)
  }
}

extension Option where Value == Int {
  /// An option that takes a whole number.
  /// - Parameter range: the numbers allowed; an error names it.
  public static func integer(
    _ name: String, short: Character? = nil, value: String, _ summary: String, _ details: String = "",
    range: ClosedRange<Int> = Int.min...Int.max, default: Int? = nil, defaultText: String? = nil,
    environment: String? = nil, completion: Completion = .none, repeats: Bool = false
  ) -> Option<Int> {
    custom(
      name, short: short, value: value, summary, details, default: `default`,
      defaultText: defaultText ?? `default`.map { String($0) }, environment: environment, completion: completion,
      repeats: repeats, parse: { (text) throws(ValueError) in try wholeNumber(text, in: range) }
    ).trying(`default`.map { String($0) })
  }
}

extension Option where Value == Bool {
  /// An option without a value.
  /// - Parameter negatable: whether `--no-name` turns it off again; the way to switch off what is on by default.
  public static func flag(
    _ name: String, short: Character? = nil, _ summary: String, _ details: String = "", negatable: Bool = false,
    default: Bool = false, environment: String? = nil
  ) -> Option<Bool> {
    Option(
      declaration: Declaration(
        name: name, short: short, valueWord: nil, summary: summary, details: details,
        defaultText: `default` ? "on" : nil, environment: environment, choices: [], completion: .none, repeats: false,
        negatable: negatable, plainDefault: nil,
        convert: { (text) throws(ValueError) -> any Sendable in try truth(text) }),
      defaultValue: `default`)
  }
}
