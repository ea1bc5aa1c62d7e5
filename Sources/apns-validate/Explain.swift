// Words about rules: one rule explained, all rules listed.

import Filter
import JSON
import Rules

enum Explain {
  /// A rule in full.
  static func page(_ rule: Rule) -> String {
    var text = "\(rule.id) (\(rule.severity.word)): \(rule.sentence)\n\n"
    text += wrapped(rule.why) + "\n"
    if let refusal = rule.refusal { text += wrapped("APNs refuses the request with \(refusal).") + "\n" }
    if let need = rule.needs { text += wrapped("The rule is silent without \(need.rawValue).") + "\n" }
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

  /// All rules, one a line.
  static func list(asJSON: Bool) -> [UInt8] {
    var writer = Writer()
    for rule in Rule.all {
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
