// Whatever text comes in, what goes out is JSON within the limit, cut where a reader sees the end of a character.
import APNs
import JSON
import Options
import Testing

@testable import Builder

/// Text that is hard to cut: families, flags, skin tones, stacked accents, letters of many scripts, what JSON escapes.
private let alphabet: [String] = [
  "a", " ", "ß", "é", "e\u{301}", "👨‍👩‍👧‍👦", "🇩🇪", "🇯🇵", "👍🏽", "❤️", "각", "\u{1112}\u{1161}\u{11AB}", "क्षि", "م", "رحبا", "速",
  "報", "ي", "\"", "\\", "\n", "\t", "\u{0}", "\u{1F}", "\u{7F}", "\r\n", "Z\u{337}\u{322}\u{31B}\u{34D}", "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
  "\u{200D}", "\u{FE0F}",
  "\u{10FFFF}", "{{", "}}", "…",
]

private struct Made {
  var payload: [UInt8]
  var body: String
  var title: String
}

private func make(
  _ template: Template, _ value: String, limit: Int, truncate: Bool = true
) throws -> Made {
  let body: [PathStep] = [.key("payload"), .key("aps"), .key("alert"), .key("body")]
  let value = Array(value.utf8)
  let record = try Value.json(#"{"payload":{"aps":{"alert":{"title":"T"}}}}"#).applying([.set(body, .text(template))])
  var settings = RunSettings()
  settings.payloadLimit = limit
  var runner = Runner(settings)
  let program = try Program(record, truncatable: truncate ? [body] : [])
  var out: [UInt8] = []
  let fields = program.columns.map { _ in Field(0, value.count) }
  try runner.run(program, value.span, token: .missing, fields, .object, into: &out)
  var reader = Reader()
  try reader.read(out.span)
  let tokens = reader.tokens
  let document = Document(out.span, tokens.span)
  guard let node = document.node(at: "/payload/aps/alert/body"),
    let title = document.node(at: "/payload/aps/alert/title")
  else { throw LineFault("the texts are gone") }
  return Made(payload: Array(out[runner.payload]), body: document.string(node), title: document.string(title))
}

@Suite struct TruncationTests {
  @Test(arguments: 0..<40)
  func randomTexts(_ seed: Int) throws {
    var random = SplitMix(state: UInt64(seed))
    for _ in 0..<12 {
      let count = Int.random(in: 0...120, using: &random)
      let text = (0..<count).map { _ in alphabet.randomElement(using: &random) ?? "" }.joined()
      let template = try Template("Hi {{name}}, bye")
      let whole = "Hi \(text), bye"
      let limit = Int.random(in: 60...500, using: &random)
      let full = try make(template, text, limit: 100_000)
      #expect(full.body == whole)
      let short = try make(template, text, limit: limit)
      #expect(short.payload.count <= limit)
      #expect(short.title == "T")
      if full.payload.count <= limit {
        #expect(short.body == whole, "cut although it fitted")
      } else {
        try expectCut(short, of: whole, limit: limit)
      }
    }
  }

  private func expectCut(_ short: Made, of whole: String, limit: Int) throws {
    #expect(short.body.unicodeScalars.last == "…")
    let kept = String(short.body.unicodeScalars.dropLast())
    // Between characters as Swift (Unicode Annex 29) sees them: the kept ones are the first of the whole.
    let characters = Array(whole)
    let prefix = Array(characters.prefix(kept.count))
    #expect(String(prefix) == kept)
    // One character more would have been too much.
    let next = String(characters[kept.count])
    var escaped: [UInt8] = []
    _ = escaped.appendInside(next.utf8Span.span)
    #expect(short.payload.count + escaped.count > limit)
  }

  @Test func withoutFieldsToCutTheLineIsAtFault() {
    #expect(throws: LineFault.self) { try make(Template("{{name}}"), "xxxxxxxx", limit: 20, truncate: false) }
    #expect(throws: LineFault.self) { try make(Template("{{name}}"), "xxxxxxxx", limit: 20) }
  }

  @Test func textThatIsNotUTF8IsRefused() throws {
    let hostile: [[UInt8]] = [
      [0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80],
      [0xE2, 0x82], [0x80],
    ]
    for bytes in hostile {
      var out: [UInt8] = []
      let alone = out.appendInside(bytes.span)
      let between = [UInt8](repeating: 0x61, count: 20) + bytes + [UInt8](repeating: 0x61, count: 20)
      let inText = out.appendInside(between.span)
      #expect(!alone && !inText)
    }
  }

  @Test func insideOfStringsIsWhatJSONReadsBack() throws {
    var random = SplitMix(state: 5)
    for _ in 0..<300 {
      let text = (0..<Int.random(in: 0...40, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? "" }
        .joined()
      var out: [UInt8] = [UInt8(ascii: "\"")]
      let isUTF8 = out.appendInside(text.utf8Span.span)
      #expect(isUTF8)
      out.append(UInt8(ascii: "\""))
      #expect(try unquoted(out[...]) == text)
    }
  }
}
