// The parser: arguments and environment against the declarations.

import Spelling

extension Command {
  /// Reads a command line. Touches no file and no network.
  ///
  /// `--name value`, `--name=value`, `-n value`, `-nvalue`, bundles of short flags, `--no-name` for negatable flags; `--` ends
  /// the options, `-` is an operand. A value is the next argument whatever it looks like, so that text from elsewhere can be
  /// passed on. Abbreviations are not taken: a script that uses one breaks when an option is added.
  /// - Parameter arguments: without the name of the program.
  /// - Parameter environment: a variable's value; an empty one counts as unset.
  /// - Returns: the values. When `request` is set, the rest of the command line was not read.
  /// - Throws: the first mistake from the left; then the environment's.
  public func parse(
    _ arguments: [String], environment: (String) -> String? = { _ in nil }
  ) throws(UsageError) -> Arguments {
    var parser = Parser(self)
    try parser.readAll(arguments)
    if parser.result.request != nil { return parser.result }
    try parser.readEnvironment(environment)
    try parser.checkOperands()
    return parser.result
  }
}

/// One run over a command line.
struct Parser {
  let command: Command
  let declarations: [Declaration]
  var byName: [String: Declaration] = [:]
  var byShort: [Character: Declaration] = [:]
  var result: Arguments

  init(_ command: Command) {
    self.command = command
    declarations = command.declarations + [Command.generatePage.declaration]
    result = Arguments(of: command)
    for declaration in declarations {
      byName[declaration.name] = declaration
      if let short = declaration.short { byShort[short] = declaration }
    }
  }

  mutating func readAll(_ arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    while let argument = rest.popFirst(), result.request == nil {
      if argument == "--" {
        result.separator = result.operands.count
        result.operands += rest
        return
      } else if argument.hasPrefix("--") {
        try readLong(argument, &rest)
      } else if argument.hasPrefix("-"), argument != "-" {
        try readShorts(argument, &rest)
      } else {
        result.operands.append(argument)
      }
    }
  }

  /// `--name`, `--name=value`, `--no-name`.
  private mutating func readLong(_ argument: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
    let body = argument.dropFirst(2)
    let equals = body.firstIndex(of: "=")
    let name = String(body[..<(equals ?? body.endIndex)])
    let attached = equals.map { String(body[body.index(after: $0)...]) }
    let shown = "--\(name)"
    guard let (declaration, isNegated) = find(name) else { throw unknown(shown) }
    if declaration.isFlag {
      if attached != nil {
        throw command.error(.unexpectedValue, shown, "option '\(shown)' takes no value; write '\(shown)' alone")
      }
      return store(!isNegated, for: declaration, from: .commandLine)
    }
    guard let text = attached ?? declaration.bareValue ?? rest.popFirst() else {
      throw missingValue(shown, "\(shown)=", declaration)
    }
    try take(text, for: declaration, named: shown)
  }

  /// `-x`, `-xvalue`, `-x value`, `-xyz`. A long name behind one dash is refused, though it could be read as letters: whoever
  /// types `-topic` does not mean `-t opic`.
  private mutating func readShorts(_ argument: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
    var letters = argument.dropFirst()
    if let long = find(String(letters.prefix { $0 != "=" })), long.0.name != Command.generatePage.declaration.name {
      throw unknown(quoted(argument), subject: argument, suggestion: "-\(argument)")
    }
    while let letter = letters.popFirst(), result.request == nil {
      let shown = "-\(letter)"
      guard let declaration = byShort[letter] else { throw unknownShort(shown, in: argument) }
      if declaration.isFlag {
        store(true, for: declaration, from: .commandLine)
        continue
      }
      guard let text = letters.isEmpty ? rest.popFirst() : String(letters) else {
        throw missingValue(shown, "\(shown) ", declaration)
      }
      return try take(text, for: declaration, named: shown)
    }
  }

  /// The declaration of a name, and whether the name is its `no-` form.
  private func find(_ name: String) -> (Declaration, isNegated: Bool)? {
    if let declaration = byName[name] { return (declaration, false) }
    guard name.hasPrefix("no-"), let declaration = byName[String(name.dropFirst(3))], declaration.negatable else {
      return nil
    }
    return (declaration, true)
  }

  private mutating func take(_ text: String, for declaration: Declaration, named shown: String) throws(UsageError) {
    do {
      store(try declaration.convert(text), for: declaration, from: .commandLine)
    } catch {
      throw command.error(.invalidValue, shown, "\(shown): \(error.message)")
    }
  }

  private mutating func store(_ value: any Sendable, for declaration: Declaration, from origin: Arguments.Origin) {
    let given = Arguments.Given(value: value, origin: origin)
    if declaration.repeats {
      result.given[declaration.name, default: []].append(given)
    } else {
      result.given[declaration.name] = [given]
    }
    switch declaration.name {
    case Command.help.declaration.name: result.request = .page(.help)
    case Command.version.declaration.name: result.request = .version
    case Command.generatePage.declaration.name:
      if let word = value as? String, let page = Page(rawValue: word) { result.request = .page(page) }
    default: break
    }
  }

  mutating func readEnvironment(_ environment: (String) -> String?) throws(UsageError) {
    for declaration in declarations {
      guard let variable = declaration.environment, result.given[declaration.name] == nil,
        let text = environment(variable), !text.isEmpty
      else { continue }
      do {
        store(try declaration.convert(text), for: declaration, from: .environment(variable))
      } catch {
        throw command.error(
          .invalidValue, variable, "environment variable \(variable) (for --\(declaration.name)): \(error.message)")
      }
    }
  }

  func checkOperands() throws(UsageError) {
    let operands = result.operands
    guard let operand = command.operand else {
      guard let first = operands.first else { return }
      throw command.error(.unexpectedOperand, first, "unexpected operand \(quoted(first)); only options are taken")
    }
    if operand.isRequired, operands.isEmpty {
      throw command.error(.missingOperand, operand.word, "missing operand \(operand.word): \(operand.summary)")
    }
    if !operand.repeats, operands.count > 1 {
      let second = operands[1]
      throw command.error(
        .unexpectedOperand, second, "unexpected operand \(quoted(second)); one \(operand.word) is taken")
    }
  }
}

extension Parser {
  private func missingValue(_ shown: String, _ form: String, _ declaration: Declaration) -> UsageError {
    command.error(
      .missingValue, shown, "option '\(shown)' needs a value; write '\(form)\(declaration.valueWord ?? "")'")
  }

  /// An unknown long option, with the nearest declared one, or the only one that it begins.
  private func unknown(_ shown: String) -> UsageError {
    var names: [String] = []
    for declaration in command.declarations {
      names.append(declaration.name)
      if declaration.negatable { names.append("no-\(declaration.name)") }
    }
    let typed = String(shown.dropFirst(2))
    var near = closest(to: typed, among: names)
    if near == nil, !typed.isEmpty {
      let begun = names.filter { $0.hasPrefix(typed) }
      if begun.count == 1 { near = begun[0] }
    }
    return unknown(quoted(shown), subject: shown, suggestion: near.map { "--\($0)" })
  }

  /// An unknown letter.
  private func unknownShort(_ shown: String, in argument: String) -> UsageError {
    let place = argument == shown ? quoted(shown) : "\(quoted(shown)) in \(quoted(argument))"
    return unknown(place, subject: shown, suggestion: nil)
  }

  private func unknown(_ place: String, subject: String, suggestion: String?) -> UsageError {
    let question = suggestion.map { "; did you mean \(quoted($0))?" } ?? ""
    return command.error(.unknownOption, subject, "unknown option \(place)\(question)", suggestion: suggestion)
  }
}
