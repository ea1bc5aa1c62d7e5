// What --fix does: the one right answer, everything else untouched, nothing left for a second run.
import APNs
import JSON
import Testing

@testable import Rules

struct MendTests {
  private func mended(_ text: String) -> String {
    var validator = Validator()
    return String(decoding: validator.mendAll(Array(text.utf8)).text, as: UTF8.self)
  }

  @Test(
    "Mistakes with one right answer are mended",
    arguments: [
      (#"{"aps":{"alert":"Hi","mutable_content":1}}"#, #"{"aps":{"alert":"Hi","mutable-content":1}}"#),
      (#"{"aps":{"alert":"Hi","badge":"3"}}"#, #"{"aps":{"alert":"Hi","badge":3}}"#),
      (#"{"aps":{"alert":{"titel":"Hi","body":"There"}}}"#, #"{"aps":{"alert":{"title":"Hi","body":"There"}}}"#),
      (#"{"APS":{"alert":"Hi"}}"#, #"{"aps":{"alert":"Hi"}}"#),
      (#"{"aps":{"alert":"Hi"},"badge":3}"#, #"{"aps":{"alert":"Hi","badge":3}}"#),
      (#"{"badge":3, "aps": {"alert": "Hi"}, "x":1}"#, #"{"aps": {"alert": "Hi","badge":3}, "x":1}"#),
      (#"{"aps":{},"content_available":true}"#, #"{"aps":{"content-available":1}}"#),
      (
        #"{"aps":{"title":"Hi","body":"There","badge":1}}"#,
        #"{"aps":{"alert":{"title":"Hi","body":"There"},"badge":1}}"#
      ),
      (#"{"aps":{"alert":{"body":"There"},"title":"Hi"}}"#, #"{"aps":{"alert":{"body":"There","title":"Hi"}}}"#),
      (#"{"aps":{"alert":{"body":"Hi","sound":"default"}}}"#, #"{"aps":{"alert":{"body":"Hi"},"sound":"default"}}"#),
      (#"{"aps":{"alert":"Hi","sound":"Default"}}"#, #"{"aps":{"alert":"Hi","sound":"default"}}"#),
      (
        #"{"aps":{"alert":"Hi","interruption-level":"timeSensitive"}}"#,
        #"{"aps":{"alert":"Hi","interruption-level":"time-sensitive"}}"#
      ),
      (
        #"{"apns-topic":"a.b","token":"<A1B2c3d4 e5f60718>","pushType":"Alert","priority":"10","payload":{"aps":{"alert":"Hi"}}}"#,
        #"{"topic":"a.b","token":"a1b2c3d4e5f60718","push_type":"alert","priority":10,"payload":{"aps":{"alert":"Hi"}}}"#
      ),
      (
        #"{"token":"\#(Example.token)","aps":{"alert":"Hi"},"topic":"com.example.app","push_type":"alert"}"#,
        #"{"token":"\#(Example.token)","payload":{"aps":{"alert":"Hi"}},"topic":"com.example.app","push_type":"alert"}"#
      ),
      (
        #"{"path":"/3/device/\#(Example.token.uppercased())","headers":{"apns-topic":"a.b"},"aps":{"alert":"Hi"}}"#,
        #"{"path":"/3/device/\#(Example.token)","headers":{"apns-topic":"a.b"},"payload":{"aps":{"alert":"Hi"}}}"#
      ),
    ])
  func mends(_ broken: String, _ right: String) {
    #expect(mended(broken) == right)
  }

  @Test(
    "What has more than one right answer stays",
    arguments: [
      #"{"aps":{"alert":"Hi","mutable-content":1,"mutable_content":0}}"#, #"{"aps":{"alert":"Hi","badge":"many"}}"#,
      #"{"aps":{"alert":"Hi","badge":3},"badge":4}"#, #"{"aps":{"alert":"Hi","title":"Ho"}}"#,
      #"{"token":"{length = 32, bytes = 0x24bf ... 7c32}","topic":"a.b","push_type":"alert","payload":{"aps":{"alert":"Hi"}}}"#,
      #"{"token":"\#(Example.token)","aps":{"alert":"Hi"},"aps":{"alert":"Ho"}}"#,
      #"{"token":"\#(Example.token)","aps":{"alert":"Hi"},"payload":{"x":1}}"#,
      "{\"aps\":{\"alert\":\"Hi\",}}\n",
    ])
  func leaves(_ text: String) {
    #expect(mended(text) == text)
  }

  @Test("Layout and order of everything else stay, and a second run finds nothing")
  func keepsLayout() {
    let text = "{\n  \"aps\": {\n    \"alert\": \"Hi\"\n  },\n  \"content_available\": true\n}\n"
    let right = "{\n  \"aps\": {\n    \"alert\": \"Hi\",\n    \"content-available\": 1\n  }\n}\n"
    #expect(mended(text) == right)
    #expect(mended(right) == right)
  }

  @Test("Every fix of every rule's example removes its finding")
  func examples() {
    for rule in Rule.all where !rule.fails.isFile {
      var validator = Validator(settings: settings(rule.fails.options))
      let bytes = rule.fails.bytes
      guard validator.check(bytes.span, fallback: .record) else { continue }
      let fixable = Set(validator.findings.filter { $0.fix != nil }.map(\.rule))
      let (text, _) = validator.mend(bytes, fallback: .record)
      _ = validator.check(text.span, fallback: .record)
      #expect(validator.findings.allSatisfy { $0.fix == nil }, "\(rule.id)")
      #expect(validator.findings.allSatisfy { !fixable.contains($0.rule) }, "\(rule.id)")
    }
  }

  @Test(
    "Real texts stay JSON, and a second run has nothing to do", arguments: RealCase.all.filter { $0.kind != "token" })
  func realCases(_ real: RealCase) throws {
    var settings = Settings()
    settings.pushType = real.pushType.flatMap { PushType(rawValue: $0) }
    var validator = Validator(settings: settings)
    let (once, _) = validator.mendAll(Array(real.input.utf8))
    let (twice, again) = validator.mendAll(once)
    #expect(again.isEmpty && once == twice)
    var reader = Reader()
    let original = Array(real.input.utf8)
    if (try? reader.read(original.span)) != nil { try reader.read(once.span) }
  }

  @Test("Many blank lines, and many mended ones, take time in proportion")
  func large() {
    // A step back to the start for each line would be ten thousand million steps here.
    var text = [UInt8](repeating: 0x0A, count: 200_000)
    for _ in 0..<20_000 { text.append(contentsOf: #"{"aps":{"badge":"3"}}"#.utf8 + [0x0A]) }
    var validator = Validator()
    let (mended, done) = validator.mendAll(text)
    #expect(done.count == 20_000 && done.last?.line == 220_000)
    #expect(mended.count == text.count - 40_000)
    let (rest, nothing) = validator.mendAll([UInt8](repeating: 0x20, count: 100_000) + Array("]\n".utf8))
    #expect(rest.count == 100_002 && nothing.isEmpty)
  }

  @Test("A byte order mark is taken off, and said")
  func byteOrderMark() {
    var validator = Validator()
    let (mended, done) = validator.mendAll([0xEF, 0xBB, 0xBF] + Array(#"{"aps":{"badge":"3"}}"#.utf8))
    #expect(String(decoding: mended, as: UTF8.self) == #"{"aps":{"badge":3}}"#)
    #expect(done.map(\.rule) == ["json-bom", "badge-type"] && done.map(\.line) == [1, 1])
  }
}
