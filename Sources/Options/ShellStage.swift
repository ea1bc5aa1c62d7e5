// Just enough of a shell to read our own examples: words, quotes, pipes. POSIX Shell Command Language, section 2.

/// One command of a pipeline.
struct ShellStage: Equatable {
  /// The words after the removal of quotes; assignments in front of the command are left out.
  var words: [String] = []
  /// Whether the shell would put something in that is not known here.
  var isComputed = false

  /// The commands of a line or of several.
  static func stages(of line: String) -> [ShellStage] {
    var reader = Reader(Array(line))
    return reader.read()
  }
}

private struct Reader {
  let line: [Character]
  var at = 0
  var stages: [ShellStage] = []
  var stage = ShellStage()
  var word: String?
  /// The next word is the target of a redirection.
  var isRedirected = false

  init(_ line: [Character]) { self.line = line }

  mutating func read() -> [ShellStage] {
    while let character = next() {
      switch character {
      case "\\":
        if let escaped = next(), escaped != "\n" { word = (word ?? "") + String(escaped) }
      case "'", "\"": quoted(by: character)
      case "#" where word == nil: while let other = next(), other != "\n" {}
      case "|", "&", ";", "\n", ")": endStage()
      case "<", ">": redirect()
      case "$", "`":
        stage.isComputed = true
        word = (word ?? "") + String(character)
      case "(":
        // The word a substitution stands for is part of the command around it.
        if word == "$" || isRedirected { endWord(redirected: false) }
        endStage()
      case _ where character.isWhitespace: endWord()
      default: word = (word ?? "") + String(character)
      }
    }
    endStage()
    return stages
  }

  private mutating func next() -> Character? {
    guard at < line.count else { return nil }
    at += 1
    return line[at - 1]
  }

  private mutating func quoted(by mark: Character) {
    var text = word ?? ""
    while let character = next(), character != mark {
      if mark == "\"", character == "\\", let escaped = next() {
        text.append(escaped)
        continue
      }
      if mark == "\"", character == "$" || character == "`" { stage.isComputed = true }
      text.append(character)
    }
    word = text
  }

  private mutating func redirect() {
    // "2>" is a redirection too: the digit is no word of the command.
    if let digits = word, digits.allSatisfy(\.isNumber) { word = nil }
    endWord()
    while at < line.count, line[at] == "<" || line[at] == ">" || line[at] == "&" { at += 1 }
    if at < line.count, line[at] == "(" {
      stage.isComputed = true
      word = "substituted"
      endWord()
    } else {
      isRedirected = true
    }
  }

  private mutating func endWord(redirected: Bool = true) {
    guard let text = word else { return }
    word = nil
    if isRedirected, redirected {
      isRedirected = false
      return
    }
    let isAssignment = stage.words.isEmpty && text.first != "-" && text.contains("=")
    if !isAssignment { stage.words.append(text) }
  }

  private mutating func endStage() {
    endWord()
    isRedirected = false
    if !stage.words.isEmpty { stages.append(stage) }
    stage = ShellStage()
  }
}
