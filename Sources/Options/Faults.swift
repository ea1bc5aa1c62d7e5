// The set of declarations looked at as a whole: what no single declaration can get wrong alone.

import Spelling

extension Command {
  /// What is wrong with the declarations, one sentence each; empty when all is well. For tests: each tool's tests expect
  /// the list of its command to be empty.
  public func faults() -> [String] {
    var check = Check(self)
    check.words()
    for option in declarations { check.option(option) }
    check.uniqueness()
    check.references()
    check.examples()
    return check.faults
  }
}

private struct Check {
  let command: Command
  let options: [Declaration]
  var faults: [String] = []

  init(_ command: Command) {
    self.command = command
    options = command.declarations
  }

  mutating func expect(_ condition: Bool, _ fault: String) {
    if !condition { faults.append(fault) }
  }

  /// The command's own words.
  mutating func words() {
    expect(isName(command.name), "the command's name '\(command.name)' is not made of small letters, digits and dashes")
    expect(!command.version.isEmpty, "there is no version")
    let date = command.date.split(separator: "-", omittingEmptySubsequences: false)
    let isDate = date.map(\.count) == [4, 2, 2] && (1...12).contains(Int(date[1]) ?? 0)
    expect(isDate, "the date '\(command.date)' is not like 2026-11-30")
    summary(command.summary, of: "the command")
    expect(!command.description.isEmpty, "there is no description")
    expect(!command.exitStatuses.isEmpty, "there are no exit statuses")
    expect(!command.examples.isEmpty, "there are no examples")
    let own = command.seeAlso.contains { $0 == command.name || $0 == "\(command.name)(1)" }
    expect(!own, "the command refers to itself under 'see also'")
    if let operand = command.operand {
      expect(isValueWord(operand.word), "the operand's word '\(operand.word)' is not in capitals")
      summary(operand.summary, of: "the operand")
    }
    for group in command.groups {
      expect(!group.title.isEmpty && !group.options.isEmpty, "the group '\(group.title)' has no title or no options")
    }
  }

  mutating func option(_ option: Declaration) {
    let name = "--\(option.name)"
    expect(isName(option.name), "\(name): the name is not made of small letters, digits and single dashes")
    expect(!option.name.hasPrefix("no-"), "\(name): 'no-' belongs to negatable flags")
    if let short = option.short {
      expect(short.isASCII && (short.isLetter || short.isNumber), "\(name): -\(short) is no letter or digit")
    }
    if let word = option.valueWord {
      expect(isValueWord(word), "\(name): the value's word '\(word)' is not in capitals")
    }
    summary(option.summary, of: name)
    expect(!option.details.isEmpty, "\(name): there is no paragraph for the manual")
    if let variable = option.environment {
      expect(isVariable(variable), "\(name): '\(variable)' is no name for a variable")
    }
    for choice in option.choices {
      let isWord = !choice.word.isEmpty && !choice.word.contains { $0.isWhitespace || "\"'$`\\".contains($0) }
      expect(isWord, "\(name): the choice '\(choice.word)' is not one plain word")
      expect(!choice.meaning.isEmpty, "\(name): the choice '\(choice.word)' has no meaning")
    }
    for word in repeated(option.choices.map(\.word)) { faults.append("\(name): the choice '\(word)' comes twice") }
    if case .filesEnding(let endings) = option.completion {
      expect(!endings.contains { $0.isEmpty || $0.hasPrefix(".") }, "\(name): an ending is empty or begins with a dot")
    }
    if let text = option.plainDefault {
      do {
        _ = try option.convert(text)
      } catch {
        faults.append("\(name): the default is no value: \(error.message)")
      }
    }
  }

  mutating func uniqueness() {
    let all = options + [Command.generatePage.declaration]
    for form in repeated(all.flatMap(\.longForms)) { faults.append("\(form) is declared twice") }
    for short in repeated(all.compactMap(\.short)) { faults.append("-\(short) is declared twice") }
    let variables = options.compactMap(\.environment) + command.environment.map(\.name)
    for variable in repeated(variables) { faults.append("the variable \(variable) is declared twice") }
  }

  /// Options that prose names and nobody declared.
  mutating func references() {
    let known = Set(options.flatMap { $0.longForms + ($0.short.map { ["-\($0)"] } ?? []) })
    let vocabulary = Vocabulary(of: command)
    for (place, text) in prose() {
      for reference in vocabulary.options(in: text) where !known.contains(reference) {
        let near = closest(to: reference, among: known.sorted()).map { "; did you mean \($0)?" } ?? ""
        faults.append("\(place) names \(reference), which is no option\(near)")
      }
      for word in vocabulary.looseBackquotes(in: text) {
        faults.append("\(place): a backquote in \(word) has no partner, or touches another pair")
      }
    }
    for line in command.usageLines {
      for token in line.split(whereSeparator: { " []|()".contains($0) }) where token.hasPrefix("-") && token != "-" {
        let form = String(token.prefix { $0 != "=" })
        expect(form == "--" || known.contains(form), "the usage names \(form), which is no option")
      }
    }
  }

  /// Every text of the pages, and where it stands.
  private func prose() -> [(place: String, text: String)] {
    var prose = [(place: "the summary", text: command.summary)]
    prose += command.description.map { ("the description", $0) }
    for option in options {
      let texts = [option.summary, option.details, option.defaultText ?? ""] + option.choices.map(\.meaning)
      prose += texts.map { ("--\(option.name)", $0) }
    }
    for section in command.sections { prose += section.paragraphs.map { ("the chapter '\(section.title)'", $0) } }
    prose += command.environment.map { ("the variable \($0.name)", $0.meaning) }
    prose += command.files.map { ("the file \($0.path)", $0.meaning) }
    prose += command.exitStatuses.map { ("the status \($0.status)", $0.meaning) }
    prose += command.examples.map { ("the example '\($0.purpose)'", $0.purpose) }
    if let operand = command.operand { prose.append(("the operand", operand.summary)) }
    return prose
  }

  /// Examples are typed as they stand: their options must exist and their values must be values.
  mutating func examples() {
    for example in command.examples {
      let stages = ShellStage.stages(of: example.command).filter { $0.words.first == command.name }
      expect(!stages.isEmpty, "the example '\(example.purpose)' does not call \(command.name)")
      for stage in stages {
        do {
          _ = try command.parse(Array(stage.words.dropFirst()))
        } catch {
          // What the shell puts in is not known here.
          if error.kind == .invalidValue, stage.isComputed { continue }
          faults.append("the example '\(example.purpose)' cannot be typed: \(error.message)")
        }
      }
    }
  }

  private mutating func summary(_ text: String, of place: String) {
    expect(!text.isEmpty, "\(place): there is no summary")
    expect(!text.hasSuffix("."), "\(place): the summary ends with a period")
    expect(text.count <= 80 && !text.contains("\n"), "\(place): the summary is longer than 80 characters or one line")
    // "TCP port" may begin with a capital, "The port" may not.
    let second = text.dropFirst().first
    let isSentence = text.first?.isUppercase == true && (second?.isLowercase ?? true || second == " ")
    expect(!isSentence, "\(place): the summary begins with a capital")
  }

  private func isName(_ name: String) -> Bool {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    return name.count > 1 && name.first?.isLetter == true
      && parts.allSatisfy { part in
        !part.isEmpty && part.allSatisfy { $0.isASCII && ($0.isNumber || $0.isLowercase) }
      }
  }

  private func isValueWord(_ word: String) -> Bool {
    !word.isEmpty && !word.contains { $0.isLowercase || $0.isWhitespace || !$0.isASCII }
  }

  private func isVariable(_ name: String) -> Bool {
    name.first?.isNumber == false && name.allSatisfy { $0.isASCII && ($0.isUppercase || $0.isNumber || $0 == "_") }
  }

  private func repeated<Element: Hashable>(_ elements: [Element]) -> [Element] {
    var seen: Set<Element> = []
    return elements.filter { !seen.insert($0).inserted }
  }
}

extension Vocabulary {
  /// Options of this command that a text names, in running text or in backquotes. What stands in backquotes behind the name
  /// of another program is that program's.
  func options(in text: String) -> [String] {
    var found: [String] = []
    for block in blocks(text) {
      switch block {
      case .literal(let lines): found += lines.flatMap(typedOptions)
      case .paragraph(let words): found += words.flatMap(options)
      case .list(let points): found += points.flatMap { $0.flatMap(options) }
      }
    }
    return found
  }

  /// Words with a backquote that marks nothing.
  func looseBackquotes(in text: String) -> [String] {
    let words = blocks(text).flatMap { block in
      switch block {
      case .literal: [Word]()
      case .paragraph(let words): words
      case .list(let points): points.flatMap { $0 }
      }
    }
    return words.filter { ($0.kind == .plain && $0.text.contains("`")) || $0.after.contains("`") }.map(\.text)
  }

  private func options(in word: Word) -> [String] {
    switch word.kind {
    case .option: [String(word.text.prefix { $0 != "=" })]
    case .literal: typedOptions(word.text)
    default: []
    }
  }

  private func typedOptions(_ line: String) -> [String] {
    let stages = ShellStage.stages(of: line).filter { $0.words.first == command || $0.words.first?.first == "-" }
    return stages.flatMap { stage in
      stage.words.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }.map { String($0.prefix { $0 != "=" }) }
    }
  }
}
