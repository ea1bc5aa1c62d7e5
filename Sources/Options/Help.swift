// --help: usage, one paragraph, options by group in two columns, examples.

extension Command {
  func renderHelp(width: Int, colour: Bool) -> String {
    var page = HelpPage(width: width, colour: colour)
    for (index, line) in usageLines.enumerated() {
      page.put((index == 0 ? page.bold("Usage:") : "      ") + " \(name) \(line)\n")
    }
    page.put("\n")
    page.paragraph(description.first ?? summary, indent: 0)
    // What goes in and what comes out is sooner seen than told.
    if description.count > 1, description[1].hasPrefix("    ") { page.put("\n\(description[1])\n") }
    if let operand {
      page.heading("Operands")
      page.row(operand.word + (operand.repeats ? "..." : ""), operand.summary)
    }
    for group in allGroups where !group.options.isEmpty {
      page.heading(group.title)
      for option in group.options { page.option(option.declaration) }
    }
    if !environment.isEmpty {
      page.heading("Environment")
      for row in environment { page.row(row.name, row.meaning) }
    }
    if !examples.isEmpty { page.heading("Examples") }
    for example in examples {
      page.paragraph(example.purpose + ":", indent: 2)
      for line in example.command.split(separator: "\n", omittingEmptySubsequences: false) {
        page.put("    \(line)\n")
      }
    }
    page.put("\nThe whole manual: man \(name)\n")
    return page.text
  }
}

/// The help as it grows.
private struct HelpPage {
  /// Where the second column starts.
  static let column = 28

  let width: Int
  let colour: Bool
  var text = ""

  init(width: Int, colour: Bool) {
    self.width = width
    self.colour = colour
  }

  mutating func put(_ more: String) { text += more }

  func bold(_ words: String) -> String { colour ? "\u{1B}[1m\(words)\u{1B}[0m" : words }

  mutating func heading(_ title: String) { put("\n\(bold("\(title):"))\n") }

  mutating func paragraph(_ words: String, indent: Int) {
    for line in wrapped(plain(words), to: width - indent) {
      put(String(repeating: " ", count: indent) + line + "\n")
    }
  }

  /// A term and what it means; a term that does not fit its column has a line of its own.
  mutating func row(_ term: String, _ meaning: String) {
    let column = HelpPage.column
    let lines = wrapped(plain(meaning), to: width - column)
    let pad = column - 2 - term.count
    put("  \(bold(term))")
    put(pad < 2 ? "\n" + String(repeating: " ", count: column) : String(repeating: " ", count: pad))
    put(lines.joined(separator: "\n" + String(repeating: " ", count: column)) + "\n")
  }

  mutating func option(_ option: Declaration) {
    let short = option.short.map { "-\($0), " } ?? "    "
    let value = option.valueWord.map { option.bareValue == nil ? " \($0)" : "[=\($0)]" } ?? ""
    let name = option.negatable ? "[no-]\(option.name)" : option.name
    row("\(short)--\(name)\(value)", option.summary + notes(option))
  }

  /// What else must be known to use it: choices, default, variable.
  private func notes(_ option: Declaration) -> String {
    var notes: [String] = []
    if !option.choices.isEmpty { notes.append(alternatives(option.choices.map(\.word))) }
    if option.repeats { notes.append("may be repeated") }
    if let text = option.defaultText { notes.append("default: \(text)") }
    if let variable = option.environment { notes.append("environment: \(variable)") }
    return notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))"
  }

  /// Prose without its marks: backquotes become quotes.
  private func plain(_ words: String) -> String {
    String(words.map { $0 == "`" ? "'" : $0 })
  }
}

/// Text broken into lines at white space. A word longer than the width has a line of its own.
func wrapped(_ text: String, to width: Int) -> [String] {
  var lines: [String] = []
  var line = ""
  for word in text.split(whereSeparator: \.isWhitespace) {
    if !line.isEmpty, line.count + 1 + word.count > width {
      lines.append(line)
      line = ""
    }
    line += line.isEmpty ? String(word) : " \(word)"
  }
  if !line.isEmpty || lines.isEmpty { lines.append(line) }
  return lines
}
