// Real notifications, each with the verdict of a careful person (Cases/real.ndjson), and valid ones (Cases/corpus.ndjson).
import APNs
import Foundation
import Testing

@testable import Rules

struct RealCase: Decodable, Sendable, CustomTestStringConvertible {
  let id: String
  let kind: String
  let pushType: String?
  let expect: String
  let confidence: String
  let why: String
  let input: String

  var testDescription: String { id }

  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Cases")

  static let all = read("real.ndjson")

  /// Shapes of the field, composed after what services and questions show.
  static let composed = read("composed.ndjson")

  private static func read(_ name: String) -> [RealCase] {
    guard let data = try? Data(contentsOf: folder.appendingPathComponent(name)) else { return [] }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return data.split(separator: 0x0A).compactMap { try? decoder.decode(RealCase.self, from: Data($0)) }
  }

  /// What the validator says, without a clock: stored bodies have old timestamps.
  var findings: [Finding] {
    var settings = Settings()
    var form = Form.record
    var text = input
    switch kind {
    case "payload", "apns-file":
      form = kind == "payload" ? .payload : .apns
      settings.pushType = pushType.flatMap { PushType(rawValue: $0) }
    case "token":
      let token = String(decoding: (try? JSONEncoder().encode(input)) ?? Data(), as: UTF8.self)
      text = #"{"token":\#(token),"topic":"com.example.app","push_type":"alert","payload":{"aps":{"alert":"Hi"}}}"#
    default: break
    }
    return check(text, form: form, settings: settings)
  }

  var verdict: String {
    switch findings.map(\.severity).max() ?? .off {
    case .error: "invalid"
    case .warning: "warn"
    default: "valid"
    }
  }
}

/// All findings of a text.
func check(_ text: String, form: Form? = nil, settings: Settings = Settings(), isLines: Bool = false) -> [Finding] {
  var check = TextCheck(
    name: "text", form: form, isLines: isLines, validator: Validator(settings: settings))
  var memory = RunMemory()
  var found: [Finding] = []
  check.run(Array(text.utf8).span, memory: &memory) { found.append($0) }
  return found
}

struct RealCaseTests {
  @Test("The validator and a careful person agree", arguments: RealCase.all.filter { $0.confidence != "arguable" })
  func agrees(_ real: RealCase) {
    #expect(real.verdict == real.expect, "\(real.why) \(real.findings.map { "\($0.rule): \($0.message)" })")
  }

  @Test("Shapes of the field get the verdict a careful person would give", arguments: RealCase.composed)
  func composed(_ real: RealCase) {
    #expect(real.verdict == real.expect, "\(real.input) \(real.findings.map { "\($0.rule): \($0.message)" })")
  }

  @Test("No valid notification gets an error, however arguable the case")
  func noFalseErrors() {
    #expect(RealCase.all.count > 200)
    for real in RealCase.all where real.expect == "valid" { #expect(real.verdict != "invalid", "\(real.id)") }
  }

  @Test("No payload of the corpus gets an error")
  func corpus() throws {
    let text = try String(contentsOf: RealCase.folder.appendingPathComponent("corpus.ndjson"), encoding: .utf8)
    #expect(text.utf8.count(where: { $0 == 0x0A }) >= 425)
    let errors = check(text, form: .payload, isLines: true).filter { $0.severity == .error }
    #expect(errors.isEmpty, "\(errors.map { "\($0.rule) at \($0.offset)" })")
    // The same as lines of a filter, where a line is a record when nothing tells.
    var validator = Validator()
    for line in text.utf8.split(separator: 0x0A) {
      let bytes = Array(line)
      _ = validator.check(bytes.span, fallback: .record)
      #expect(validator.worst != .error && validator.form == .payload, "\(String(line) ?? "")")
    }
  }
}
