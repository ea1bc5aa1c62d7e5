// Words about rules: one rule explained, all rules listed.

import Filter
import JSON
import Options
import Rules

enum Explain {
  /// What --explain or --list-rules write; nil when neither is given.
  static func asked(_ arguments: Arguments) throws -> [UInt8]? {
    let ids = arguments.all(Validate.explain)
    let lists = arguments.has(Validate.listRules)
    guard lists || !ids.isEmpty else { return nil }
    if lists, !ids.isEmpty { throw Validate.command.usageError("--explain and --list-rules exclude each other") }
    let format = arguments.isGiven(Validate.format) ? arguments[Validate.format] : nil
    if let format, format != "json", format != "text" {
      throw Validate.command.usageError("rules are told as text or json, not as \(format)", subject: "--format")
    }
    if lists { return list(try chosen(arguments.operands), asJSON: format == "json") }
    let rules = try (ids + arguments.operands).map { try rule($0) }
    if format == "json" { return list(rules, asJSON: true) }
    return Array(rules.map(page).joined(separator: "\n").utf8)
  }

  private static func rule(_ id: String) throws -> Rule {
    if let rule = Rule.named(id) { return rule }
    if ["bin-", "dump-", "feedback-"].contains(where: { id.hasPrefix($0) }) {
      throw Failure("'\(id)' is a rule of apns-decode: see 'man apns-decode'")
    }
    let begun = Rule.all.filter { !id.isEmpty && $0.id.hasPrefix(id) }
    if begun.count == 1 { return begun[0] }
    throw Failure("there is no rule '\(id)'\(Setup.suggestion(id))\(hint(id, begun))")
  }

  /// Where the rule that was meant may be found.
  private static func hint(_ id: String, _ begun: [Rule]) -> String {
    let near = begun.isEmpty ? Rule.all.filter { !id.isEmpty && $0.id.contains(id) } : begun
    guard !near.isEmpty else { return "; --list-rules lists them" }
    let shown = near.prefix(8).map(\.id).joined(separator: ", ")
    let words = begun.isEmpty ? "with the word" : "these begin so"
    return "; \(words): \(shown)\(near.count > 8 ? ", …" : ""); --list-rules \(id) tells what they are"
  }

  /// The rules that have one of some words in their name, sentence or chapter; all without any.
  private static func chosen(_ words: [String]) throws -> [Rule] {
    if words.isEmpty { return Rule.all }
    let wanted = words.map { $0.lowercased() }
    let rules = Rule.all.filter { rule in
      let text = "\(rule.id) \(rule.sentence) \(rule.group.rawValue)".lowercased()
      return wanted.contains { text.contains($0) }
    }
    if rules.isEmpty {
      throw Failure("no rule has '\(words.joined(separator: "' or '"))' in its name, sentence or chapter")
    }
    return rules
  }

  /// A rule in full.
  static func page(_ rule: Rule) -> String {
    var text = "\(rule.id) (\(rule.severity.word)): \(rule.sentence)\n\n"
    text += wrapped(rule.why) + "\n"
    if let refusal = rule.refusal { text += wrapped("APNs refuses the request with \(refusal).") + "\n" }
    if let need = rule.needs { text += wrapped("The rule is silent without \(need.rawValue).") + "\n" }
    if rule.isSharperWithClock { text += wrapped("With \(Rule.Need.clock.rawValue), the rule says more.") + "\n" }
    text += "Wrong:\n\(example(rule.fails))\nRight:\n\(example(rule.passes))\n"
    text += "Switch it off with --disable \(rule.id), or change its level with --severity \(rule.id)=LEVEL.\n"
    return text
  }

  private static func example(_ example: Example) -> String {
    // A line that can be piped into the tool, unless it is one of those that are too long on purpose.
    let full = example.text
    let isShown =
      full.utf8.count <= 600 && !full.isEmpty && full.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{FEFF}" }
    var text = "    \(isShown && !full.contains("\u{FFFD}") ? full : example.shortText)\n"
    if example.isSimulatorFile {
      text += "    in a file .apns\n"
    } else if example.isFile {
      text += "    in a file, or into apns-validate -\n"
    }
    if !example.options.isEmpty { text += "    with \(example.options.joined(separator: " "))\n" }
    return text
  }

  /// A paragraph in lines of at most 78 columns.
  private static func wrapped(_ paragraph: String) -> String {
    var lines: [String] = []
    var line = ""
    for word in paragraph.split(separator: " ") {
      if !line.isEmpty, line.count + word.count >= 78 {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " " + word
    }
    lines.append(line)
    return lines.joined(separator: "\n") + "\n"
  }

  /// Rules, one a line.
  private static func list(_ rules: [Rule], asJSON: Bool) -> [UInt8] {
    var writer = Writer()
    for rule in rules {
      guard asJSON else {
        let pad = String(repeating: " ", count: max(1, 32 - rule.id.utf8.count))
        let level = rule.severity.word + String(repeating: " ", count: 9 - rule.severity.word.utf8.count)
        writer.bytes.append(contentsOf: "\(rule.id)\(pad)\(level)\(rule.sentence)\n".utf8)
        continue
      }
      writer.beginObject()
      for (key, value) in [
        ("id", rule.id), ("group", rule.group.rawValue), ("severity", rule.severity.word), ("sentence", rule.sentence),
        ("why", rule.why), ("passes", rule.passes.text), ("fails", rule.fails.text),
      ] {
        writer.key(key)
        writer.string(value)
      }
      if let refusal = rule.refusal {
        writer.key("refusal")
        writer.string(refusal)
      }
      if let need = rule.needs {
        writer.key("needs")
        writer.string(need.rawValue)
      }
      writer.endObject()
      writer.newline()
    }
    return writer.bytes
  }
}
