// A writer of mdoc: running text to lines, and whatever means something to roff made harmless. mdoc(7), roff(7).

struct Mdoc {
  private(set) var text = ""
  /// The line of running text that is being filled.
  private var line = ""

  /// A macro line; the arguments are macros and escaped words.
  mutating func macro(_ words: String) {
    flush()
    text += ".\(words)\n"
  }

  /// Running text.
  mutating func put(_ words: [Word]) {
    for (index, word) in words.enumerated() {
      if word.kind == .plain { put(plain: word.text) } else { put(marked: word) }
      // Sentences start on lines of their own: roff knows the end of a sentence by the end of a line. "e.g. this" is none.
      let end = word.text.reversed().drop { "\"')]".contains($0) }.first
      let isBeforeSmall = index + 1 < words.count && words[index + 1].text.first?.isLowercase == true
      if let end, ".!?".contains(end), !isBeforeSmall { flush() }
    }
    flush()
  }

  /// Blocks one behind the other; the first goes on with what stands before it.
  mutating func put(_ blocks: [Block]) {
    for (index, block) in blocks.enumerated() {
      switch block {
      case .paragraph(let words):
        // `.Bd` and `.Bl` bring their own space; a `.Pp` before them is a fault.
        if index > 0 { macro("Pp") }
        put(words)
      case .literal(let lines): literal(lines)
      case .list(let points):
        macro("Bl -bullet")
        for point in points {
          macro("It")
          put(point)
        }
        macro("El")
      }
    }
  }

  /// Lines as they stand, indented.
  mutating func literal(_ lines: [String]) {
    macro("Bd -literal -offset indent")
    for line in lines {
      let escaped = Mdoc.literal(line)
      text += (escaped.hasPrefix(".") ? "\\&" : "") + escaped + "\n"
    }
    macro("Ed")
  }

  mutating func flush() {
    if line.isEmpty { return }
    text += line + "\n"
    line = ""
  }

  /// One word of running text.
  private mutating func put(plain word: String) {
    let escaped = Mdoc.escaped(word)
    if !line.isEmpty, line.utf8.count + 1 + escaped.utf8.count > 78 { flush() }
    if line.isEmpty {
      line = (escaped.first == "." || escaped.first == "'" ? "\\&" : "") + escaped
    } else {
      line += " " + escaped
    }
  }

  /// A word that has a macro, on a line of its own.
  private mutating func put(marked word: Word) {
    flush()
    var parts = Mdoc.marked(word)
    // Closing punctuation is known to every macro; anything else that touches is joined by hand.
    if !word.before.isEmpty { parts = "No \(Mdoc.argument(word.before)) Ns \(parts)" }
    if word.after.allSatisfy({ ".,;:!?)]".contains($0) }) {
      parts += word.after.map { " \($0)" }.joined()
    } else {
      parts += " Ns No \(Mdoc.argument(word.after))"
    }
    macro(parts)
  }

  /// The macro of a word.
  static func marked(_ word: Word) -> String {
    switch word.kind {
    case .plain: return "No \(argument(word.text))"
    case .option: return flag(word.text)
    case .literal: return "Ql \(argument(word.text))"
    case .variable: return "Ev \(word.text)"
    case .value: return "Ar \(argument(word.text))"
    case .manual: return "Xr \(word.text.dropLast(3)) \(word.text.dropLast().suffix(1))"
    case .command: return "Nm"
    }
  }

  /// `--name=VALUE`, `--name`, `-n` as macros.
  static func flag(_ option: String) -> String {
    let parts = option.split(separator: "=", maxSplits: 1)
    let name = "Fl \(parts[0].dropFirst())"
    return parts.count == 2 ? "\(name) Ns = Ns Ar \(argument(String(parts[1])))" : name
  }

  /// Text for a text line. roff would make accents of these signs. groff_char(7).
  static func escaped(_ text: String) -> String { escape(text) { signs[$0] } }

  /// Text that is shown letter by letter: besides, no dash becomes a hyphen and no quote is bent. man-pages(7).
  static func literal(_ text: String) -> String {
    escape(text) { scalar in
      switch scalar {
      case "-": "\\-"
      case "'": "\\(aq"
      default: signs[scalar]
      }
    }
  }

  private static let signs: [Unicode.Scalar: String] = ["\\": "\\e", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti"]

  /// Text as one argument of a macro, itself neither a macro nor punctuation.
  static func argument(_ text: String) -> String {
    let body = literal(text).split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\(dq")
    // The names of macros have two or three signs.
    let isHarmless = text.utf8.count > 3 || text.allSatisfy(\.isNumber) || text.utf8.count == 1
    let hasWord = text.contains { $0.isLetter || $0.isNumber }
    let guarded = isHarmless && hasWord ? body : "\\&" + body
    return body.contains(" ") ? "\"\(guarded)\"" : guarded
  }

  /// What roff would read as its own, and what is beyond ASCII, by the names roff has for it.
  private static func escape(_ text: String, _ special: (Unicode.Scalar) -> String?) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
      if let name = special(scalar) {
        out += name
      } else if scalar.isASCII {
        out.unicodeScalars.append(scalar)
      } else {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        out += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
      }
    }
    return out
  }
}
