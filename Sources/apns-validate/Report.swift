// Reports: the formats in which findings are written.

import Filter
import JSON
import POSIX
import Rules

enum ReportFormat: String { case text, json, github, sarif, junit }

/// Counts of a run.
struct Counts: Sendable {
  var files = 0
  var records = 0
  var errors = 0
  var warnings = 0
  var notes = 0
  var fixes = 0

  mutating func count(_ severity: Severity) {
    switch severity {
    case .error: errors += 1
    case .warning: warnings += 1
    case .note: notes += 1
    case .off: break
    }
  }

  private func words(_ count: Int, _ one: String, _ many: String? = nil) -> String {
    "\(count) \(count == 1 ? one : many ?? one + "s")"
  }

  var summary: String {
    var parts: [String] = []
    if files > 0 { parts.append(words(files, "file")) }
    parts += [words(records, "record"), words(errors, "error"), words(warnings, "warning")]
    if notes > 0 { parts.append(words(notes, "note")) }
    if fixes > 0 { parts.append(words(fixes, "fix", "fixes")) }
    return parts.joined(separator: ", ")
  }
}

/// The formats that write each finding as it comes.
enum LineReport {
  static func append(_ placed: Placed, as format: ReportFormat, colour: Bool, to out: inout [UInt8]) {
    switch format {
    case .json: json(placed, &out)
    case .github: github(placed, &out)
    default: text(placed, colour, &out)
    }
  }

  private static func text(_ placed: Placed, _ colour: Bool, _ out: inout [UInt8]) {
    let finding = placed.finding
    func paint(_ code: String, _ text: String) -> String { colour ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
    let code = finding.severity == .error ? "1;31" : finding.severity == .warning ? "1;35" : "1;36"
    var text = paint("1", "\(placed.file.visible):\(placed.line):\(placed.column):") + " "
    text += paint(code, "\(finding.severity.word):") + " \(finding.message.visible) [\(finding.rule)]\n"
    if !placed.excerpt.isEmpty {
      text += "  \(placed.excerpt)\n  " + String(repeating: " ", count: placed.caret.start)
      text += paint(code, "^" + String(repeating: "~", count: placed.caret.length - 1)) + "\n"
    }
    if let help = finding.help { text += "  help: \(help.visible)\n" }
    out.append(contentsOf: text.utf8)
  }

  private static func json(_ placed: Placed, _ out: inout [UInt8]) {
    let finding = placed.finding
    var writer = Writer(out)
    writer.beginObject()
    writer.key("file")
    writer.string(placed.file)
    writer.key("line")
    writer.integer(placed.line)
    writer.key("column")
    writer.integer(placed.column)
    writer.key("offset")
    writer.integer(placed.offset)
    if let pointer = finding.pointer {
      writer.key("pointer")
      writer.string(pointer)
    }
    writer.key("rule")
    writer.string(finding.rule)
    writer.key("severity")
    writer.string(finding.severity.word)
    writer.key("message")
    writer.string(finding.message)
    if let help = finding.help {
      writer.key("help")
      writer.string(help)
    }
    if let refusal = finding.refusal {
      writer.key("refusal")
      writer.string(refusal)
    }
    writer.endObject()
    writer.newline()
    out = writer.bytes
  }

  /// GitHub's workflow commands: percent, line ends, and in properties colon and comma are escaped.
  private static func github(_ placed: Placed, _ out: inout [UInt8]) {
    let finding = placed.finding
    let command = finding.severity == .note ? "notice" : finding.severity.word
    func data(_ text: String) -> String {
      text.map { $0 == "%" ? "%25" : $0 == "\r" ? "%0D" : $0 == "\n" ? "%0A" : String($0) }.joined()
    }
    func property(_ text: String) -> String {
      data(text).map { $0 == ":" ? "%3A" : $0 == "," ? "%2C" : String($0) }.joined()
    }
    var text = "::\(command) file=\(property(placed.file)),line=\(placed.line),col=\(placed.column)"
    text += ",title=\(property(finding.rule))::\(data(finding.message))"
    if let help = finding.help { text += "%0A\(data(help))" }
    out.append(contentsOf: (text + "\n").utf8)
  }
}
