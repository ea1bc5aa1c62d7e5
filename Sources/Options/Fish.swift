// Completion for fish: one `complete` line for each option. complete(1) of fish.

extension Command {
  func renderFish() -> String {
    var lines = [
      "# fish completion for \(name).",
      "# Made by '\(name) --generate-page fish' from the declarations of its options: change those.",
      "",
    ]
    lines += fish(operand)
    for option in declarations {
      let short = option.short.map { " -s \($0)" } ?? ""
      lines.append(
        "complete -c \(name)\(short) -l \(option.name)\(value(of: option)) -d \(quotedForFish(option.summary))")
      if option.negatable {
        lines.append("complete -c \(name) -l no-\(option.name) -d \(quotedForFish("turn off --\(option.name)"))")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func value(of option: Declaration) -> String {
    if option.isFlag { return "" }
    // Neither -x nor -r: what is offered then is offered behind "--name=" alone.
    let lead = option.bareValue == nil ? " -x" : " -f"
    if option.bareValue != nil, option.completion == .none { return "" }
    if !option.choices.isEmpty {
      let rows = option.choices.map { "\($0.word)\\t\(inner($0.meaning))" }
      return "\(lead) -a " + quotedForFish(rows.joined(separator: " "))
    }
    switch option.completion {
    case .none: return " -x"
    case .files: return option.bareValue == nil ? " -r -F" : " -F"
    case .commands: return "\(lead) -a '(__fish_complete_command)'"
    default: return "\(lead) -a " + candidates(option.completion)
    }
  }

  private func fish(_ operand: Operand?) -> [String] {
    switch operand?.completion ?? .none {
    case .files: return []
    case .none: return ["complete -c \(name) -f"]
    case .commands:
      let function = "__\(shellName)_command"
      return [
        "# What the command behind -- would be offered by itself.",
        "function \(function)",
        "  set -l words (commandline -opc)",
        "  set -l at (contains -i -- -- $words)",
        "  and complete -C (string join ' ' -- (string escape -- $words[(math $at + 1)..]) (commandline -ct))",
        "end",
        "complete -c \(name) -f",
        "complete -c \(name) -n 'contains -- -- (commandline -opc)' -x -a '(\(function))'",
      ]
    case let completion: return ["complete -c \(name) -f -a \(candidates(completion))"]
    }
  }

  private func candidates(_ completion: Completion) -> String {
    switch completion {
    case .filesEnding(let endings):
      return "'(__fish_complete_suffix \(endings.map { ".\($0)" }.joined(separator: " ")))'"
    case .directories: return "'(__fish_complete_directories)'"
    case .words(let words): return quotedForFish(words.joined(separator: " "))
    case .none, .files, .commands: return "''"
    }
  }

  /// Text in single quotes.
  private func quotedForFish(_ text: String) -> String { "'" + escape(text, "'\\") + "'" }

  /// Text in double quotes, for the second evaluation of candidates.
  private func inner(_ text: String) -> String { "\"" + escape(text, "\"$\\") + "\"" }

  private func escape(_ text: String, _ signs: String) -> String {
    text.reduce(into: "") { out, character in
      if signs.contains(character) { out.append("\\") }
      out.append(character)
    }
  }
}
