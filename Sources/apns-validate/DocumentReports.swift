// Reports that are one document: SARIF and JUnit.

import Filter
import JSON
import Rules

/// SARIF 2.1.0, which code scanning services read (OASIS, "Static Analysis Results Interchange Format").
enum SARIF {
  static func write(_ findings: [Placed], to out: inout [UInt8]) {
    var writer = Writer(out)
    writer.beginObject()
    member(&writer, "$schema", "https://json.schemastore.org/sarif-2.1.0.json")
    member(&writer, "version", "2.1.0")
    writer.key("runs")
    writer.beginArray()
    writer.beginObject()
    let ids = Set(findings.map(\.finding.rule))
    let rules = Rule.all.filter { ids.contains($0.id) }
    tool(&writer, rules)
    member(&writer, "columnKind", "unicodeCodePoints")
    writer.key("results")
    writer.beginArray()
    for placed in findings { result(&writer, placed, rules) }
    writer.endArray()
    writer.endObject()
    writer.endArray()
    writer.endObject()
    writer.newline()
    out = writer.bytes
  }

  private static func member(_ writer: inout Writer, _ key: String, _ value: String) {
    writer.key(key)
    writer.string(value)
  }

  private static func text(_ writer: inout Writer, _ key: String, _ value: String) {
    writer.key(key)
    writer.beginObject()
    member(&writer, "text", value)
    writer.endObject()
  }

  private static func tool(_ writer: inout Writer, _ rules: [Rule]) {
    writer.key("tool")
    writer.beginObject()
    writer.key("driver")
    writer.beginObject()
    member(&writer, "name", Validate.command.name)
    member(&writer, "version", Suite.version)
    member(&writer, "semanticVersion", Suite.version)
    writer.key("rules")
    writer.beginArray()
    for rule in rules {
      writer.beginObject()
      member(&writer, "id", rule.id)
      text(&writer, "shortDescription", rule.sentence)
      text(&writer, "fullDescription", rule.why)
      text(&writer, "help", "\(rule.why)\n\nWrong: \(rule.fails.shortText)\nRight: \(rule.passes.shortText)")
      writer.key("defaultConfiguration")
      writer.beginObject()
      member(&writer, "level", rule.severity.word)
      writer.endObject()
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    writer.endObject()
  }

  private static func result(_ writer: inout Writer, _ placed: Placed, _ rules: [Rule]) {
    let finding = placed.finding
    writer.beginObject()
    member(&writer, "ruleId", finding.rule)
    if let index = rules.firstIndex(where: { $0.id == finding.rule }) {
      writer.key("ruleIndex")
      writer.integer(index)
    }
    member(&writer, "level", finding.severity.word)
    text(&writer, "message", finding.help.map { "\(finding.message); \($0)" } ?? finding.message)
    writer.key("locations")
    writer.beginArray()
    writer.beginObject()
    writer.key("physicalLocation")
    writer.beginObject()
    writer.key("artifactLocation")
    writer.beginObject()
    member(&writer, "uri", uri(placed.file))
    writer.endObject()
    writer.key("region")
    writer.beginObject()
    for (key, value) in [
      ("startLine", placed.line), ("startColumn", placed.column), ("byteOffset", placed.offset),
      ("byteLength", finding.length),
    ] {
      writer.key(key)
      writer.integer(value)
    }
    writer.endObject()
    writer.endObject()
    if let pointer = finding.pointer {
      writer.key("logicalLocations")
      writer.beginArray()
      writer.beginObject()
      member(&writer, "fullyQualifiedName", pointer)
      writer.endObject()
      writer.endArray()
    }
    writer.endObject()
    writer.endArray()
    writer.endObject()
  }

  /// A path as a relative URI reference (RFC 3986).
  private static func uri(_ path: String) -> String {
    var out = path.hasPrefix("/") ? "file://" : ""
    for byte in path.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        out.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        out += "%" + (digits.utf8.count == 1 ? "0" : "") + digits
      }
    }
    return out
  }
}

/// JUnit's XML, as CI servers read it: a suite for each file, a case for each finding, or one for the whole good file.
enum JUnit {
  static func write(_ findings: [Placed], files: [String], to out: inout [UInt8]) {
    let failures = findings.count(where: \.isFailure)
    let tests = findings.count + files.count { file in !findings.contains { $0.file == file } }
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    text += "<testsuites name=\"apns-validate\" tests=\"\(tests)\" failures=\"\(failures)\" errors=\"0\">\n"
    for file in files { text += suite(file, findings.filter { $0.file == file }) }
    text += "</testsuites>\n"
    out.append(contentsOf: text.utf8)
  }

  private static func suite(_ file: String, _ findings: [Placed]) -> String {
    let failures = findings.count(where: \.isFailure)
    let name = escaped(file)
    var text =
      "  <testsuite name=\"\(name)\" tests=\"\(max(1, findings.count))\" failures=\"\(failures)\" errors=\"0\">\n"
    if findings.isEmpty { text += "    <testcase classname=\"\(name)\" name=\"valid\"/>\n" }
    for placed in findings {
      let finding = placed.finding
      let place = "\(placed.line):\(placed.column)"
      text += "    <testcase classname=\"\(name)\" name=\"\(place) \(finding.rule)\">\n"
      let help = finding.help.map { "\nhelp: \($0)" } ?? ""
      let words = escaped("\(file):\(place): \(finding.severity.word): \(finding.message)\(help)")
      if placed.isFailure {
        text += "      <failure type=\"\(finding.rule)\" message=\"\(escaped(finding.message))\">\(words)</failure>\n"
      } else {
        text += "      <system-out>\(words)</system-out>\n"
      }
      text += "    </testcase>\n"
    }
    return text + "  </testsuite>\n"
  }

  private static func escaped(_ text: String) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": out += "&amp;"
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "\"": out += "&quot;"
      case "\n": out += "&#10;"
      case "\t": out += "&#9;"
      // XML 1.0 has no other control characters.
      case "\u{0}"..."\u{1F}": out += "?"
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }
}
