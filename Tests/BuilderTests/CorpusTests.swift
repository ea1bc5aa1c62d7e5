// Real payloads: a payload that is given as a base comes out as it went in, and changes leave the rest alone.
import Foundation
import JSON
import Testing

@testable import Builder

@Suite struct CorpusTests {
  private static let lines: [Substring] = {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let file = tests.appendingPathComponent("RulesTests/Cases/corpus.ndjson")
    return ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(separator: "\n")
  }()

  private func payload(_ record: Value) throws -> String {
    var runner = Runner(RunSettings())
    let program = try Program(record)
    var out: [UInt8] = []
    let token = Array("aa".utf8)
    try runner.run(program, token.span, token: Field(0, 2), [], .bare, into: &out)
    return String(decoding: out[runner.payload], as: UTF8.self)
  }

  private func canonical(_ json: String) throws -> NSDictionary {
    let value = try JSONSerialization.jsonObject(with: Data(json.utf8))
    return try #require(value as? NSDictionary)
  }

  @Test func everyPayloadIsRebuilt() throws {
    #expect(Self.lines.count > 400)
    for line in Self.lines {
      let base = try Value(plainJSON: Array(line.utf8))
      let record = Value.object([.init("token", .token), .init("payload", base)])
      #expect(try payload(record) == line)
    }
  }

  @Test func takenApartAndPutTogetherItIsTheSame() throws {
    let path: [PathStep] = [.key("payload"), .key("aps"), .key("x-test")]
    for line in Self.lines where line.contains("\"aps\"") {
      let record = Value.object([.init("token", .token), .init("payload", try Value(plainJSON: Array(line.utf8)))])
      let changed = try record.applying([.set(path, .json("1")), .unset(path)])
      #expect(try canonical(payload(changed)) == canonical(String(line)))
      let merged = try Value.object([.init("payload", .json("{}"))]).applying([
        .merge([.key("payload")], .json(Array(line.utf8)))
      ])
      #expect(try canonical(payload(merged)) == canonical(String(line)))
    }
  }
}
