// Prose as the pages see it: blocks of words, each word known for what it is, so that a page can dress it and a test can
// ask whether the options it names exist.

/// A block of prose.
enum Block: Equatable {
  /// Running text.
  case paragraph([Word])
  /// Lines shown as they stand.
  case literal([String])
  /// Points, each running text.
  case list([[Word]])
}

/// One word with the punctuation that touches it.
struct Word: Equatable {
  /// What the word names.
  enum Kind: Equatable {
    case plain
    /// An option: `--name`, `--name=VALUE`, `-n`.
    case option
    /// Text to type, from between backquotes; may hold spaces.
    case literal
    /// An environment variable.
    case variable
    /// The word that stands for a value or an operand.
    case value
    /// Another manual: `name(1)`.
    case manual
    /// The command's own name.
    case command
  }

  var kind: Kind
  /// What touches the word on its left, such as "(".
  var before = ""
  var text: String
  /// What touches it on its right, such as ".)".
  var after = ""
}

/// What words can be known by.
struct Vocabulary {
  /// The command's own name.
  var command: String
  /// The variables it reads.
  var variables: Set<String>
  /// Words for values and operands in the prose at hand.
  var values: Set<String> = []

  init(of command: Command) {
    self.command = command.name
    variables = Set(command.declarations.compactMap(\.environment) + command.environment.map(\.name))
    if let operand = command.operand { values = [operand.word] }
  }

  /// The same with the words for a value in place of the operand's: "NAME=TEXT" is known as NAME, as TEXT, and as a whole.
  func with(valueOf option: Declaration) -> Vocabulary {
    var copy = self
    let word = option.valueWord ?? ""
    copy.values = Set(word.split { !$0.isLetter }.map { String($0) })
    copy.values.insert(word)
    return copy
  }

  /// Prose as blocks; paragraphs are parted by empty lines.
  func blocks(_ prose: String) -> [Block] {
    paragraphs(prose).map { lines in
      if lines.allSatisfy({ $0.hasPrefix("    ") }) { return .literal(lines.map { String($0.dropFirst(4)) }) }
      guard lines[0].hasPrefix("- ") else { return .paragraph(words(lines.joined(separator: " "))) }
      var points: [String] = []
      for line in lines {
        if line.hasPrefix("- ") {
          points.append(String(line.dropFirst(2)))
        } else {
          points[points.count - 1] += " " + line
        }
      }
      return .list(points.map(words))
    }
  }

  /// Running text as words.
  func words(_ text: String) -> [Word] {
    chunks(text).map(word)
  }

  /// Lines of each paragraph; no paragraph is empty.
  private func paragraphs(_ prose: String) -> [[String]] {
    var all: [[String]] = [[]]
    for line in prose.split(separator: "\n", omittingEmptySubsequences: false) {
      if !line.allSatisfy(\.isWhitespace) {
        all[all.count - 1].append(String(line))
      } else if !all[all.count - 1].isEmpty {
        all.append([])
      }
    }
    return all.filter { !$0.isEmpty }
  }

  /// Text parted at white space outside backquotes.
  private func chunks(_ text: String) -> [String] {
    var chunks: [String] = []
    var chunk = ""
    var isQuoted = false
    for character in text {
      if character == "`" { isQuoted.toggle() }
      if character.isWhitespace, !isQuoted {
        if !chunk.isEmpty { chunks.append(chunk) }
        chunk = ""
      } else {
        chunk.append(character)
      }
    }
    if !chunk.isEmpty { chunks.append(chunk) }
    return chunks
  }

  private func word(_ chunk: String) -> Word {
    let quoted = chunk.split(separator: "`", maxSplits: 2, omittingEmptySubsequences: false).map { String($0) }
    if quoted.count == 3, !quoted[1].isEmpty {
      return Word(kind: .literal, before: quoted[0], text: quoted[1], after: quoted[2])
    }
    let body = chunk.drop { "([\"'".contains($0) }
    let before = String(chunk[..<body.startIndex])
    let (kind, length) = classify(body)
    guard kind != .plain else { return Word(kind: .plain, text: chunk) }
    let end = body.index(body.startIndex, offsetBy: length)
    return Word(kind: kind, before: before, text: String(body[..<end]), after: String(body[end...]))
  }

  /// What a chunk without opening punctuation begins with, and how many characters of it are that.
  private func classify(_ body: Substring) -> (Word.Kind, length: Int) {
    if body.hasPrefix("-") { return option(body) }
    let name = body.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.+".contains($0)) }
    let rest = body[name.endIndex...]
    if !name.isEmpty, rest.first == "(", rest.dropFirst().first?.isNumber == true, rest.dropFirst(2).first == ")" {
      return (.manual, name.count + 3)
    }
    let trimmed = body.reversed().drop { ".,;:!?)]\"'".contains($0) }
    let core = String(trimmed.reversed())
    if core == command { return (.command, core.count) }
    if variables.contains(core) { return (.variable, core.count) }
    if values.contains(core) { return (.value, core.count) }
    return (.plain, body.count)
  }

  private func option(_ body: Substring) -> (Word.Kind, length: Int) {
    let dashes = body.prefix { $0 == "-" }.count
    let name = body.dropFirst(dashes).prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    guard let first = name.first, first.isLetter, dashes == 2 || (dashes == 1 && name.count == 1) else {
      return (.plain, body.count)
    }
    guard dashes == 2, body[name.endIndex...].first == "=" else { return (.option, dashes + name.count) }
    let value = body[name.endIndex...].dropFirst().prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
    return (.option, dashes + name.count + (value.isEmpty ? 0 : 1 + value.count))
  }
}

/// A summary as a sentence: capital first letter, unless the first word is something to type, and a period where it has
/// no end of its own. Nothing stays nothing.
func sentence(_ summary: String) -> String {
  guard let first = summary.first, let last = summary.last else { return "" }
  let end = ".!?".contains(last) ? "" : "."
  return (first.isLowercase ? first.uppercased() : String(first)) + summary.dropFirst() + end
}
