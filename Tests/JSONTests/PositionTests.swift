// Lines and columns as a person counts them.
import Testing

@testable import JSON

@Suite struct PositionTests {
  @Test(arguments: [
    ("", 0, 1, 1), ("abc", 0, 1, 1), ("abc", 2, 1, 3), ("abc", 3, 1, 4), ("abc", 99, 1, 4), ("abc", -5, 1, 1),
    ("a\nb", 1, 1, 2), ("a\nb", 2, 2, 1), ("a\r\nb", 3, 2, 1), ("a\n\nb", 3, 3, 1), ("é1", 2, 1, 2), ("新聞x", 6, 1, 3),
    ("😀x", 4, 1, 2), ("e\u{301}x", 3, 1, 3), ("\n", 1, 2, 1),
  ])
  func positions(text: String, offset: Int, line: Int, column: Int) {
    let found = position(of: offset, in: Array(text.utf8).span)
    #expect(found.line == line)
    #expect(found.column == column)
  }

  @Test func mistakeInPrettyText() throws {
    let text = "{\n  \"é\": 1,\n  \"ü\": tru,\n}"
    let found = try #require(mistake(in: Array(text.utf8)))
    let place = position(of: found.offset, in: Array(text.utf8).span)
    #expect(place.line == 3)
    #expect(place.column == 8)
  }

  @Test func bytesThatAreNotUTF8DoNotTrap() {
    let bytes: [UInt8] = [0xFF, 0x80, 0x0A, 0xC3]
    #expect(position(of: 4, in: bytes.span) == (2, 2))
  }
}
