// What a document says of its nodes: places, members, text, numbers, pointers.
import Testing

@testable import JSON

@Suite struct DocumentTests {
  @Test func tapeIsFlatAndInOrder() throws {
    try withDocument(#" {"a" : [1, "x\n"], "b":{} } "#) { document in
      let kinds = (0..<document.tokens.count).map { document.kind($0) }
      #expect(kinds == [.object, .string, .array, .number, .string, .string, .object])
      #expect((0..<7).map { document.start($0) } == [1, 2, 8, 9, 12, 20, 24])
      #expect((0..<7).map { document.end($0) } == [28, 5, 18, 10, 17, 23, 26])
      #expect((0..<7).map { document.next($0) } == [7, 2, 5, 4, 5, 6, 7])
      #expect((0..<7).filter { document.tokens[$0].isKey } == [1, 5])
      #expect((0..<7).filter { document.tokens[$0].hasEscapes } == [4])
      #expect(document.count(0) == 2)
      #expect(document.count(2) == 2)
      #expect(document.count(6) == 0)
      #expect(document.count(3) == 0)
    }
  }

  @Test func tokensTellShortIntegersAndOddEscapes() throws {
    try withDocument(#"[0,7,1234567,12345678,-1,1.5,1e3,"\u1F600","\u1f00","\u0041","1F60"]"#) { document in
      #expect((0..<document.tokens.count).filter { document.tokens[$0].isShortInteger } == [1, 2, 3])
      #expect((0..<document.tokens.count).filter { document.tokens[$0].hasExtendedGreekEscape } == [8, 9])
    }
  }

  @Test func pairsAreFoundWhereverTheyStand() {
    for length in 0..<70 {
      var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: length + 8)
      for place in bytes.indices {
        bytes[place] = UInt8(ascii: "{")
        let alone = bytes.span.hasPair(of: UInt8(ascii: "{"), in: 4..<length + 4)
        #expect(!alone)
        if place + 1 < bytes.count {
          bytes[place + 1] = UInt8(ascii: "{")
          let found = bytes.span.hasPair(of: UInt8(ascii: "{"), in: 4..<length + 4)
          #expect(found == (place >= 4 && place + 2 <= length + 4), "a pair at \(place), \(length) bytes")
          bytes[place + 1] = UInt8(ascii: "a")
        }
        bytes[place] = UInt8(ascii: "a")
      }
    }
  }

  @Test func tokenIsSixteenBytes() {
    #expect(MemoryLayout<Token>.stride == 16)
  }

  @Test func orderAndDuplicatesAreKept() throws {
    try withDocument(#"{"b":1,"a":2,"b":3,"\u0062":4}"#) { document in
      #expect(
        document.value
          == .object([
            .init(key: "b", value: .number("1")), .init(key: "a", value: .number("2")),
            .init(key: "b", value: .number("3")), .init(key: "b", value: .number("4")),
          ]))
    }
  }

  @Test func lastMemberWins() throws {
    try withDocument(#"{"b":1,"a":2,"b":3,"\u0062":4}"#) { document in
      #expect(document.find("b", in: 0) == 8)
      #expect(document.find("a", in: 0) == 4)
      #expect(document.find("c", in: 0) == nil)
      #expect(document.find("a", in: 2) == nil)
      let name = "b"
      #expect(document.find(name, in: 0) == 8)
      #expect(document.find("a" + "", in: 0) == 4)
    }
  }

  @Test func namesAreFoundAtEveryLength() throws {
    for length in 0..<40 {
      let name = String(repeating: "k", count: length)
      try withDocument("{\"\(name)\":true,\"\(name)x\":false}") { document in
        #expect(document.find(name, in: 0) == 2)
        #expect(document.find(name + "x", in: 0) == 4)
        #expect(document.find(name + "y", in: 0) == nil)
        #expect(document.find(name + "xx", in: 0) == nil)
      }
    }
  }

  @Test func nestedMembersAreNotFound() throws {
    try withDocument(#"{"a":{"b":1},"c":["b"]}"#) { document in
      #expect(document.find("b", in: 0) == nil)
      #expect(document.find("b", in: 2) == 4)
    }
  }

  @Test func textIsComparedDecoded() throws {
    try withDocument(#"["aps","a\u0070s","\ud83d\ude00","😀","",12]"#) { document in
      #expect(document.equals(1, "aps"))
      #expect(document.equals(2, "aps"))
      #expect(!document.equals(2, "apt"))
      #expect(!document.equals(2, "ap"))
      #expect(!document.equals(2, "apss"))
      #expect(document.equals(3, "😀"))
      #expect(document.equals(4, "😀"))
      #expect(document.equals(5, ""))
      #expect(!document.equals(6, "12"))
      #expect(!document.equals(0, ""))
      #expect(document.hasSameText(1, 2))
      #expect(document.hasSameText(2, 1))
      #expect(document.hasSameText(3, 4))
      #expect(!document.hasSameText(1, 3))
      let aps = "aps"
      #expect(document.equals(1, aps) && document.equals(2, aps) && !document.equals(6, "1\(2)"))
    }
  }

  @Test func bytesAsTheyStand() throws {
    try withDocument(#"{"a\n":"x\ty", "n": -1.50e+2 }"#) { document in
      #expect((document.raw(1)) == #""a\n""#)
      #expect((document.content(1)) == #"a\n"#)
      #expect((document.raw(4)) == "-1.50e+2")
      #expect(document.content(4) == "")
      #expect(document.string(2) == "x\ty")
      #expect(document.string(4) == "")
      #expect(document.decodedByteCount(2) == 3)
      #expect(document.decodedByteCount(4) == 0)
      var out = Array("<".utf8)
      document.appendDecoded(2, to: &out)
      document.appendDecoded(4, to: &out)
      #expect(String(utf8: out.span) == "<x\ty")
    }
  }

  @Test func decodedTextOfEveryEscape() throws {
    try withDocument(#"["\"\\\/\b\f\n\r\t","a\u00e9\u65b0\ud83d\ude00z"]"#) { document in
      #expect(document.string(1) == "\"\\/\u{8}\u{C}\n\r\t")
      #expect(document.string(2) == "aé新😀z")
      #expect(document.decodedByteCount(2) == "aé新😀z".utf8.count)
    }
  }

  @Test(arguments: [
    ("0", 0), ("-0", 0), ("7", 7), ("-7", -7), ("9223372036854775807", .max), ("-9223372036854775808", .min),
    ("9223372036854775808", nil), ("-9223372036854775809", nil), ("1.0", nil), ("1e3", nil), ("\"1\"", nil),
    ("123456789012345678901234567890", nil), ("true", nil),
  ])
  func integers(text: String, value: Int?) throws {
    try withDocument(text) { #expect($0.integer(0) == value) }
  }

  @Test(arguments: [
    "0", "-0", "1", "0.1", "-0.1", "1e3", "1E-3", "3.141592653589793", "0.30000000000000004", "1e22", "1e23", "1e-22",
    "123456789012345678", "9007199254740993", "5e-324", "2.2250738585072014e-308", "1.7976931348623157e308",
    "0.000000000000000000000000000001", "100000000000000000000000000000000", "187.83", "1e-400", "4.35", "8.5e-5",
  ])
  func numbers(text: String) throws {
    try withDocument(text) { #expect($0.number(0) == Double(text)) }
  }

  @Test func numbersOfTheGenerator() throws {
    var seeded = Seeded(11)
    for _ in 0..<3000 {
      let text = Value.randomNumber(&seeded)
      let expected = Double(text).flatMap { $0.isFinite ? $0 : nil }
      try withDocument(text) { #expect($0.number(0) == expected, "\(text)") }
    }
  }

  @Test func whatIsNoFiniteNumberHasNoValue() throws {
    try withDocument(#"[1e400,-1e400,"1",null]"#) { document in
      for node in 1...4 { #expect(document.number(node) == nil) }
    }
  }

  @Test func firstDuplicateIsFound() throws {
    try withDocument(#"{"a":1,"b":2,"\u0062":3,"a":4}"#) { document in
      #expect(document.firstDuplicateKey(in: 0) == [3, 5])
      #expect(document.hasDuplicateKeys(in: 0))
    }
    try withDocument(#"{"a":{"a":1},"b":["a"],"A":2}"#) { document in
      #expect(document.firstDuplicateKey(in: 0) == nil)
      #expect(document.firstDuplicateKey(in: 1) == nil)
    }
  }

  @Test func duplicatesInALargeObject() throws {
    let count = 20_000
    let members = (0..<count).map { #""key\#($0)":0"# }
    try withDocument("{" + members.joined(separator: ",") + "}") {
      #expect($0.firstDuplicateKey(in: 0) == nil)
    }
    // The last member repeats a key in the middle, in another spelling.
    try withDocument("{" + members.joined(separator: ",") + #","\u006bey777":1}"#) { document in
      #expect(document.firstDuplicateKey(in: 0) == [1 + 777 * 2, 1 + count * 2])
    }
  }
}
