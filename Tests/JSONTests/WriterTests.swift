// The writer and the bytes going out.
import Testing

@testable import JSON

@Suite struct WriterTests {
  private func written(_ body: (inout Writer) -> Void) -> String {
    var writer = Writer()
    body(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test func commasComeByThemselves() {
    let text = written { writer in
      writer.beginObject()
      writer.key("line")
      writer.integer(1)
      writer.key("list")
      writer.beginArray()
      writer.string("a")
      writer.bool(true)
      writer.bool(false)
      writer.null()
      writer.beginArray()
      writer.endArray()
      writer.beginObject()
      writer.endObject()
      writer.number(0.5)
      writer.raw(Array("[1]".utf8).span)
      writer.endArray()
      writer.key("last" + "")
      writer.string(utf8: Array("é".utf8).span)
      writer.endObject()
      writer.newline()
      writer.beginObject()
      writer.endObject()
      writer.newline()
    }
    #expect(text == #"{"line":1,"list":["a",true,false,null,[],{},0.5,[1]],"last":"é"}"# + "\n{}\n")
  }

  @Test func onlyWhatMustBeIsEscaped() {
    #expect(written { $0.string("\"\\/é新😀\u{7F}\u{2028}" + "") } == "\"\\\"\\\\/é新😀\u{7F}\u{2028}\"")
    #expect(written { $0.string("quote \" in a literal") } == #""quote \" in a literal""#)
    #expect(written { $0.key("a\"b" + "") } == #""a\"b":"#)
    var all = ""
    for value in UInt32(0)..<0x20 {
      if let scalar = Unicode.Scalar(value) { all.unicodeScalars.append(scalar) }
    }
    let expected =
      #""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f\u0010\u0011\u0012\u0013\u0014"#
      + #"\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f""#
    #expect(written { $0.string(all) } == expected)
  }

  @Test func whatIsNotUTF8BecomesAReplacement() {
    for (bytes, text) in [
      ([0x61, 0xFF, 0x62], "a\u{FFFD}b"), ([0xC3], "\u{FFFD}"), ([0xC3, 0xA9, 0xA9], "é\u{FFFD}"),
      ([0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"), ([0xE2, 0x82], "\u{FFFD}\u{FFFD}"), ([], ""),
    ] as [([UInt8], String)] {
      #expect(written { $0.string(utf8: bytes.span) } == "\"\(text)\"")
    }
  }

  @Test func everyByteAtEveryPlaceGivesJSON() {
    var seeded = Seeded(31)
    for _ in 0..<3000 {
      let bytes = (0..<seeded.below(70)).map { _ in
        seeded.chance(1, of: 8) ? UInt8(seeded.below(256)) : UInt8(ascii: "x")
      }
      var out: [UInt8] = []
      out.appendJSONString(bytes.span)
      #expect(mistake(in: out) == nil)
      if let text = String(validating: bytes, as: UTF8.self) {
        var reader = Reader()
        try? reader.read(out.span)
        let read = Document(out.span, reader.tokens.span).string(0)
        #expect(read == text)
      }
    }
  }

  @Test(arguments: [
    0, 1, -1, 9, 10, 99, 100, 12345, -12345, 999_999_999, 1_000_000_000, 4_294_967_296, .max, .min,
    1_000_000_000_000_000_000, -9_000_000_000_000_000_000, 99_999_999, 100_000_000,
  ])
  func integers(value: Int) {
    #expect(written { $0.integer(value) } == String(value))
  }

  @Test func integersOfEveryLength() {
    var seeded = Seeded(32)
    for _ in 0..<2000 {
      let value = Int(truncatingIfNeeded: seeded.next() >> UInt64(seeded.below(64)))
      #expect(written { $0.integer(value) } == String(value))
    }
  }

  @Test(arguments: [
    (0.0, "0"), (-0.0, "-0.0"), (1, "1"), (0.5, "0.5"), (-2.25, "-2.25"), (1e15, "1000000000000000"), (1e300, "1e+300"),
    (.leastNonzeroMagnitude, "5e-324"), (.infinity, "null"), (-.infinity, "null"), (.nan, "null"),
  ])
  func numbers(value: Double, text: String) {
    #expect(written { $0.number(value) } == text)
  }

  @Test func numbersReadBackTheSame() throws {
    var seeded = Seeded(33)
    for _ in 0..<2000 {
      let value = Double(bitPattern: seeded.next())
      guard value.isFinite else { continue }
      try withDocument(written { $0.number(value) }) { #expect($0.number(0) == value) }
    }
  }

  @Test func bytesKeepTheirRoom() {
    var writer = Writer()
    writer.string(String(repeating: "x", count: 1000))
    let room = writer.bytes.capacity
    writer.removeAll()
    #expect(writer.bytes.isEmpty && writer.bytes.capacity == room)
    writer.null()
    writer.null()
    #expect(String(decoding: writer.bytes, as: UTF8.self) == "null,null")
    writer.removeAll()
    writer.null()
    #expect(String(decoding: writer.bytes, as: UTF8.self) == "null")
  }

  @Test func piecesAreAppended() {
    var bytes: [UInt8] = []
    bytes.append("a")
    bytes.append("b" + "c")
    bytes.append(Array("de".utf8).span)
    bytes.append(decimal: -12)
    bytes.append(hexadecimal: 0x0F)
    bytes.append(hexadecimal: 0xA0)
    #expect(String(decoding: bytes, as: UTF8.self) == "abcde-120fa0")
  }
}
