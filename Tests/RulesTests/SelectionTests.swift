// Which rules are asked, and how bad their findings are.
import APNs
import Testing

@testable import Rules

struct SelectionTests {
  private func rules(_ text: String, _ change: (inout Selection) -> Void) -> [String] {
    var selection = Selection()
    change(&selection)
    var validator = Validator(selection)
    _ = validator.check(Array(text.utf8).span)
    return validator.findings.map { "\($0.rule):\($0.severity.word)" }
  }

  private let text = #"{"aps":{"alert":{"title":"Hi"},"badge":"3","order":7}}"#

  @Test("All rules are asked by default")
  func all() {
    #expect(rules(text) { _ in } == ["alert-title-only:note", "badge-type:error", "aps-unknown-key:warning"])
  }

  @Test("A rule can be switched off, asked alone, or taken otherwise")
  func choices() {
    #expect(rules(text) { $0.disabled = ["badge-type"] } == ["alert-title-only:note", "aps-unknown-key:warning"])
    #expect(rules(text) { $0.only = ["badge-type"] } == ["badge-type:error"])
    #expect(
      rules(text) {
        $0.severities = ["badge-type": .note]
        $0.least = .warning
      } == ["aps-unknown-key:warning"])
    #expect(rules(text) { $0.least = .error } == ["badge-type:error"])
    #expect(rules("{") { $0.disabled = ["json-invalid"] } == [])
  }

  @Test("Header rules apply to a bare payload when its headers are given, and only then")
  func headers() {
    let silent = #"{"aps":{"content-available":1}}"#
    #expect(check(silent).isEmpty)
    #expect(
      check(silent, settings: settings(["--push-type", "alert"])).map(\.rule) == ["alert-type-nothing-to-show"])
    var voip = settings(["--push-type", "voip"])
    voip.topic = "com.example.app"
    #expect(check(#"{"call":7}"#, settings: voip).map(\.rule) == ["topic-suffix-missing"])
  }

  @Test("Rules that need a clock are silent without")
  func clock() {
    let record =
      #"{"token":"\#(Example.token)","topic":"com.example.app","push_type":"alert","expiration":1700000000,"payload":{"aps":{"alert":"Hi"}}}"#
    #expect(check(record).isEmpty)
    #expect(check(record, settings: settings(["--now", "1790000000"])).map(\.rule) == ["expiration-past"])
  }

  @Test("What one document said is forgotten with the next")
  func forgets() {
    var validator = Validator()
    func finds(_ text: String, as form: Form? = nil) -> Bool {
      let bytes = Array(text.utf8)
      return validator.check(bytes.span, as: form)
    }
    let bad = finds(#"{"aps":{"alert":{"titel":"x"},"sound":{"critical":1},"x":1},"badge":1}"#)
    let good = finds(#"{"aps":{"alert":"Hi"}}"#)
    let record = finds(#"{"token":"x"}"#, as: .record)
    let again = finds(#"{"aps":{"alert":"Hi"}}"#)
    #expect(bad && record)
    #expect(!good && !again)
  }
}
