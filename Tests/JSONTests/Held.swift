// A document that may escape: `#expect` cannot look into one that may not. Each call goes to a fresh `Document`.
@testable import JSON

struct Held {
  let bytes: [UInt8]
  let tokens: [Token]

  init(_ text: String) throws(SyntaxError) {
    var reader = Reader()
    let bytes = Array(text.utf8)
    try reader.read(bytes.span)
    self.bytes = bytes
    tokens = reader.tokens
  }

  var value: Value { Value(Document(bytes.span, tokens.span)) }
  func kind(_ node: Int) -> Token.Kind { Document(bytes.span, tokens.span).kind(node) }
  func start(_ node: Int) -> Int { Document(bytes.span, tokens.span).start(node) }
  func end(_ node: Int) -> Int { Document(bytes.span, tokens.span).end(node) }
  func next(_ node: Int) -> Int { Document(bytes.span, tokens.span).next(node) }
  func count(_ node: Int) -> Int { Document(bytes.span, tokens.span).count(node) }
  func find(_ key: StaticString, in object: Int) -> Int? { Document(bytes.span, tokens.span).find(key, in: object) }
  @_disfavoredOverload
  func find(_ key: String, in object: Int) -> Int? { Document(bytes.span, tokens.span).find(key, in: object) }
  func equals(_ node: Int, _ text: StaticString) -> Bool { Document(bytes.span, tokens.span).equals(node, text) }
  @_disfavoredOverload
  func equals(_ node: Int, _ text: String) -> Bool { Document(bytes.span, tokens.span).equals(node, text) }
  func hasSameText(_ first: Int, _ second: Int) -> Bool { Document(bytes.span, tokens.span).hasSameText(first, second) }
  func raw(_ node: Int) -> String { String(utf8: Document(bytes.span, tokens.span).raw(node)) }
  func content(_ node: Int) -> String { String(utf8: Document(bytes.span, tokens.span).content(node)) }
  func string(_ node: Int) -> String { Document(bytes.span, tokens.span).string(node) }
  func appendDecoded(_ node: Int, to out: inout [UInt8]) {
    Document(bytes.span, tokens.span).appendDecoded(node, to: &out)
  }
  func decodedByteCount(_ node: Int) -> Int { Document(bytes.span, tokens.span).decodedByteCount(node) }
  func integer(_ node: Int) -> Int? { Document(bytes.span, tokens.span).integer(node) }
  func number(_ node: Int) -> Double? { Document(bytes.span, tokens.span).number(node) }
  func pointer(_ node: Int) -> String { Document(bytes.span, tokens.span).pointer(node) }
  func node(at pointer: String) -> Int? { Document(bytes.span, tokens.span).node(at: pointer) }
  func hasDuplicateKeys(in object: Int) -> Bool { Document(bytes.span, tokens.span).hasDuplicateKeys(in: object) }
  func firstDuplicateKey(in object: Int) -> [Int]? {
    Document(bytes.span, tokens.span).firstDuplicateKey(in: object).map { [$0.first, $0.second] }
  }
}

/// Reads a text and hands its document on.
func withDocument(_ text: String, _ body: (Held) throws -> Void) throws {
  try body(Held(text))
}
