// Completion for zsh: one call of _arguments. zshcompsys(1).

extension Command {
  func renderZsh() -> String {
    let function = "_\(name)"
    var specs = declarations.flatMap { zsh($0) }
    if let operand { specs += zsh(operand) }
    return """
      #compdef \(name)
      # zsh completion for \(name).
      # Made by '\(name) --generate-page zsh' from the declarations of its options: change those.

      \(operand?.completion == .commands ? commandFunction : "")\(function)() {
        _arguments -s -S : \\
          \(specs.joined(separator: " \\\n    "))
      }

      # Loaded from fpath the file is the function; sourced, it only registers it.
      if [[ ${funcstack[1]} == \(function) ]]; then
        \(function) "$@"
      elif (( $+functions[compdef] )); then
        compdef \(function) \(name)
      fi

      """
  }

  /// Hands the words of the command that is run to that command's own completion.
  private var commandFunction: String {
    """
    _\(name)_command() {
      # A -- in front of all words is left among them.
      if [[ ${words[1]} == -- ]]; then
        shift words
        (( CURRENT -= 1 ))
      fi
      _normal
    }


    """
  }

  /// The specifications of one option: its forms exclude each other unless it may be repeated.
  private func zsh(_ option: Declaration) -> [String] {
    let short = option.short.map { "-\($0)" }
    let forms = (short.map { [$0] } ?? []) + option.longForms
    let explanation = "[\(escape(option.summary, "[]"))]"
    let lead = option.repeats ? "*" : forms.count > 1 ? "(\(forms.joined(separator: " ")))" : ""
    guard let word = option.valueWord else {
      return forms.map { form in
        let text = form.hasPrefix("--no-") && form != "--\(option.name)" ? "[turn off --\(option.name)]" : explanation
        return quotedForShell(lead + form + text)
      }
    }
    // Two colons: the value may be left out; "=-": it must stand in the same word.
    let isOptional = option.bareValue != nil
    let value = (isOptional ? "::" : ":") + "\(escape(word, ":")):\(action(option.completion, option.choices))"
    return forms.map { form in
      quotedForShell(lead + form + (form.hasPrefix("--") ? isOptional ? "=-" : "=" : "+") + explanation + value)
    }
  }

  private func zsh(_ operand: Operand) -> [String] {
    let word = escape(operand.word, ":")
    if operand.completion == .commands {
      return [quotedForShell("(-)1:\(word):_command_names -e"), quotedForShell("*::\(word):_\(name)_command")]
    }
    let place = operand.repeats ? "*" : operand.isRequired ? "1" : "1:"
    return [quotedForShell("\(place):\(word):\(action(operand.completion, []))")]
  }

  private func action(_ completion: Completion, _ choices: [(word: String, meaning: String)]) -> String {
    if !choices.isEmpty {
      // Read as an escape when shown, evaluated by the shell before that, parted at colons first: three layers.
      let rows = choices.map { choice in
        let meaning = escape(escape(escape(choice.meaning, "\\"), "\"$`\\"), ":")
        return "\(choice.word)\\:\"\(meaning)\""
      }
      return "((\(rows.joined(separator: " "))))"
    }
    switch completion {
    case .none: return " "
    case .files: return "_files"
    case .filesEnding(let endings): return "_files -g \"*.(\(endings.joined(separator: "|")))(-.)\""
    case .directories: return "_files -/"
    case .commands: return "_command_names -e"
    case .words(let words):
      // A word that ends in a sign is the beginning of a value: no space behind it.
      let isOpen = words.contains { $0.hasSuffix(":") || $0.hasSuffix("=") }
      let list = words.map { escape($0, ":") }.joined(separator: " ")
      return isOpen ? " compadd -S \"\" -- \(list)" : "(\(list))"
    }
  }

  private func escape(_ text: String, _ signs: String) -> String {
    text.reduce(into: "") { out, character in
      if signs.contains(character) { out.append("\\") }
      out.append(character)
    }
  }
}
