// Templates: what is a hole, what is text.
import Options
import Testing

@testable import Builder

@Suite struct TemplateTests {
  @Test(arguments: [
    ("plain", [Template.Part.text("plain")]),
    ("", []),
    ("Hi {{name}}!", [.text("Hi "), .hole(name: "name", fallback: nil), .text("!")]),
    ("{{ a.b | no one }}", [.hole(name: "a.b", fallback: "no one")]),
    ("{{a|}}", [.hole(name: "a", fallback: "")]),
    ("{{a|b|c}}", [.hole(name: "a", fallback: "b|c")]),
    (#"\{{a}}"#, [.text("{{a}}")]),
    (#"\\{{a}}"#, [.text(#"\"#), .hole(name: "a", fallback: nil)]),
    (#"C:\temp {x} }} {"#, [.text(#"C:\temp {x} }} {"#)]),
    (#"{"n":{{n}}}"#, [.text(#"{"n":"#), .hole(name: "n", fallback: nil), .text("}")]),
    ("{{名前|友}}", [.hole(name: "名前", fallback: "友")]),
  ])
  func parts(_ text: String, _ expected: [Template.Part]) throws {
    #expect(try Template(text).parts == expected)
  }

  @Test(arguments: ["{{a", "x {{ }} y", "{{|b}}", "{{a}"])
  func mistakes(_ text: String) {
    #expect(throws: ValueError.self) { try Template(text) }
  }
}
