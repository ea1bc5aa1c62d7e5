// Completion for bash. Needs bash alone: the package bash-completion may be absent. Held to `shellcheck -s bash`.

extension Command {
  func renderBash() -> String {
    let function = "_" + shellName
    var lines = prologue(function)
    lines += cases(of: declarations.filter { !$0.isFlag && $0.bareValue == nil }, function, "$prev").map { "    " + $0 }
    let attached = declarations.filter { $0.bareValue != nil && $0.completion != .none }
    if !attached.isEmpty {
      // The value may be left out: only behind the sign is it looked for.
      lines += ["    if [[ -n $sign ]]; then"]
      lines += cases(of: attached, function, "$prev").map { "      " + $0 } + ["    fi"]
    }
    let words = declarations.flatMap { option in
      (option.short.map { ["-\($0)"] } ?? []) + option.longForms
    }
    lines += ["    if [[ $cur == -* ]]; then", "      \(function)_add -W '"]
    lines += wrapped(words.joined(separator: " "), to: 100).map { "        " + $0 }
    lines += ["      ' -- \"$cur\"", "      return", "    fi", "  fi"]
    lines += bash(operand?.completion ?? .none, function, isOperand: true).map { "  " + $0 }
    lines += ["}", "", "complete -F \(function) \(name)"]
    return lines.joined(separator: "\n") + "\n"
  }

  /// What every command has the same: up to where options are looked at.
  private func prologue(_ function: String) -> [String] {
    let text = """
      # bash completion for \(name).
      # Made by '\(name) --generate-page bash' from the declarations of its options: change those.

      # Adds what compgen says, one candidate a line, whatever is in it.
      \(function)_add() {
        local line
        while IFS='' read -r line; do
          COMPREPLY+=("$line")
          [[ $line == *[:=] ]] && compopt -o nospace 2> /dev/null
        done < <(compgen "$@")
      }

      \(function)() {
        local cur=${COMP_WORDS[COMP_CWORD]} prev='' after=''\(hasAttached ? " sign=''" : "") i
        COMPREPLY=()
        ((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD - 1]}
        # In --name=value the sign is a word of its own.
        if [[ $cur == '=' ]]; then
          cur=''\(hasAttached ? " sign=1" : "")
        elif [[ $prev == '=' ]] && ((COMP_CWORD > 1)); then
          prev=${COMP_WORDS[COMP_CWORD - 2]}\(hasAttached ? " sign=1" : "")
        fi
        for ((i = 1; i < COMP_CWORD; i++)); do
          [[ ${COMP_WORDS[i]} == -- ]] && after=$((i + 1)) && break
        done
        if [[ -z $after ]]; then
      """
    return [text]
  }

  /// Whether an option takes its value behind the sign alone.
  private var hasAttached: Bool { declarations.contains { $0.bareValue != nil && $0.completion != .none } }

  /// What comes behind each option with a value; options that are offered the same share a branch.
  private func cases(of options: [Declaration], _ function: String, _ word: String) -> [String] {
    if options.isEmpty { return [] }
    var branches: [(forms: [String], body: [String])] = []
    for option in options {
      let forms = (option.short.map { ["-\($0)"] } ?? []) + ["--\(option.name)"]
      let body = bash(option.completion, function)
      if let same = branches.firstIndex(where: { $0.body == body }) {
        branches[same].forms += forms
      } else {
        branches.append((forms, body))
      }
    }
    let lines = branches.flatMap { branch in
      // A line of patterns goes on only behind a backslash.
      ["  " + wrapped(branch.forms.joined(separator: " | ") + ")", to: 100).joined(separator: " \\\n        ")]
        + branch.body.map { "    " + $0 } + ["    return", "    ;;"]
    }
    return ["case \(word) in"] + lines + ["esac"]
  }

  /// The lines that offer something. Files without a filter are left to readline, which knows all about quoting.
  private func bash(_ completion: Completion, _ function: String, isOperand: Bool = false) -> [String] {
    switch completion {
    case .none: return isOperand ? [":"] : []
    case .files: return ["compopt -o default 2> /dev/null"]
    case .directories: return ["compopt -o dirnames 2> /dev/null"]
    case .filesEnding(let endings):
      return ["compopt -o filenames 2> /dev/null", "\(function)_add -d -- \"$cur\""]
        + endings.map { "\(function)_add -f -X '!*.\($0)' -- \"$cur\"" }
    case .words(let words):
      return ["\(function)_add -W \(quotedForShell(words.joined(separator: " "))) -- \"$cur\""]
    case .commands:
      guard isOperand else { return ["\(function)_add -c -- \"$cur\""] }
      return [
        "# The command's name; its arguments are files, or what bash-completion knows of it.",
        "if ((COMP_CWORD == ${after:-COMP_CWORD})); then",
        "  \(function)_add -c -- \"$cur\"",
        "elif declare -F _command_offset > /dev/null; then",
        "  _command_offset \"${after:-1}\"",
        "else",
        "  compopt -o default 2> /dev/null",
        "fi",
      ]
    }
  }
}

extension Command {
  /// The name as part of a function's name.
  var shellName: String { String(name.map { $0 == "-" ? "_" : $0 }) }
}

extension Declaration {
  /// `--name`, and `--no-name` where there is one.
  var longForms: [String] { ["--\(name)"] + (negatable ? ["--no-\(name)"] : []) }
}

/// Text between single quotes, for bash and zsh.
func quotedForShell(_ text: String) -> String {
  "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
