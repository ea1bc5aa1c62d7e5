// What was typed, as values: the answer of `Command.parse`.

/// The values of one run. Looked up by the option's declaration, so that a value's type is the declaration's.
public struct Arguments: Sendable {
  /// Where a value came from.
  public enum Origin: Equatable, Sendable {
    /// An argument.
    case commandLine
    /// The variable of this name.
    case environment(String)
  }

  /// A question that is answered with a text on stdout and exit status 0 in place of the command's work.
  public enum Request: Equatable, Sendable {
    /// `--help` or `--generate-page`.
    case page(Page)
    /// `--version`.
    case version
  }

  struct Given: Sendable {
    var value: any Sendable
    var origin: Origin
  }

  /// The command that was parsed for.
  let command: Command
  var given: [String: [Given]] = [:]

  /// What stands besides the options, in order.
  public internal(set) var operands: [String] = []
  /// How many operands came before `--`; nil when there was no `--`.
  public internal(set) var separator: Int?
  /// `--help`, `--version` or `--generate-page`, when one of them came: nothing behind it was read.
  public internal(set) var request: Request?

  init(of command: Command) {
    self.command = command
  }

  /// The value: the last one of the command line, else the environment's, else the default.
  public subscript<Value>(_ option: Option<Value>) -> Value? {
    given[option.declaration.name]?.last?.value as? Value ?? option.defaultValue
  }

  /// Every value in the order given; the environment's or the default alone when none was.
  public func all<Value>(_ option: Option<Value>) -> [Value] {
    guard let list = given[option.declaration.name] else { return option.defaultValue.map { [$0] } ?? [] }
    return list.compactMap { $0.value as? Value }
  }

  /// Whether a flag is on.
  public func has(_ flag: Option<Bool>) -> Bool { self[flag] ?? false }

  /// Whether the command line or the environment gave a value.
  public func isGiven<Value>(_ option: Option<Value>) -> Bool { origin(of: option) != nil }

  /// Where the value came from; nil when it is the default or there is none.
  public func origin<Value>(of option: Option<Value>) -> Origin? { given[option.declaration.name]?.last?.origin }

  /// The value, or a usage error that names the option and its variable.
  public func require<Value>(_ option: Option<Value>) throws(UsageError) -> Value {
    if let value = self[option] { return value }
    let name = "--\(option.declaration.name)"
    let variable = option.declaration.environment.map { ", or set \($0)" } ?? ""
    throw command.error(
      .missingOption, name, "missing \(name); give \(name)=\(option.declaration.valueWord ?? "")\(variable)")
  }

  /// The text that answers a request, ending in a newline; nil when the command shall do its work.
  /// - Parameter width: columns of the terminal, for the help.
  /// - Parameter colour: whether the help may use colour.
  public func answer(width: Int = 80, colour: Bool = false) -> String? {
    switch request {
    case nil: nil
    case .version: "\(command.name) \(command.version)\n"
    case .page(let page): command.render(page, width: width, colour: colour)
    }
  }
}
