// The accept/reject table against the reader, each text also moved through the blocks that the scan works in.
import Testing

@testable import JSON

/// What the reader says: nil when it accepts.
func mistake(in bytes: [UInt8], depthLimit: Int = 512) -> SyntaxError? {
  var reader = Reader(depthLimit: depthLimit)
  do throws(SyntaxError) {
    try reader.read(bytes.span)
    return nil
  } catch {
    return error
  }
}

@Suite struct AcceptTests {
  @Test func tableIsLargeAndItsNamesAreUnique() {
    #expect(allCases.count >= 200)
    for cases in [structureCases, numberCases, wordCases, stringCases, utf8Cases] {
      #expect(Set(cases.map(\.name)).count == cases.count)
    }
  }

  @Test(arguments: allCases)
  func verdict(of row: Case) {
    let found = mistake(in: row.bytes)
    #expect(found?.kind == row.mistake?.kind)
    #expect(found?.offset == row.mistake?.offset)
  }

  @Test(arguments: allCases)
  func verdictDoesNotDependOnThePlace(of row: Case) {
    // A mark is one only at the very start.
    if row.mistake?.kind == .byteOrderMark { return }
    for shift in 1..<130 {
      let found = mistake(in: Array(repeating: 0x20, count: shift) + row.bytes)
      #expect(found?.kind == row.mistake?.kind, "shifted by \(shift)")
      #expect(found?.offset == row.mistake.map { $0.offset + shift }, "shifted by \(shift)")
    }
  }

  @Test(arguments: allCases)
  func verdictDoesNotDependOnWhatFollows(of row: Case) {
    // Space behind turns "cut" into "wrong": only texts that do not end too early keep their verdict.
    if row.mistake?.kind == .unexpectedEnd || row.mistake?.kind == .emptyInput { return }
    for length in [1, 15, 16, 63, 64, 65, 1100] {
      let found = mistake(in: row.bytes + Array(repeating: 0x20, count: length))
      #expect(found?.kind == row.mistake?.kind, "followed by \(length) spaces")
      #expect(found?.offset == row.mistake?.offset, "followed by \(length) spaces")
    }
  }

  @Test(arguments: [
    ("[1}", "expected ',' or ']', found '}'"),
    (#"{"a":}"#, "expected a value, found '}'"),
    ("[", "expected a value or ']', found the end of the text"),
    (#"{"a" 1}"#, "expected ':' behind the key, found '1'"),
    ("{1:2}", "expected a key in double quotes, found '1'"),
    ("[True]", "expected a value, found 'True'"),
    ("[“a”]", "expected a value or ']', found '“'"),
    ("\"a\tb\"", "expected an escape for the control character, found a tab"),
    ("[] []", "expected the end of the text, found '['"),
  ])
  func wordsSayWhatWasExpectedAndFound(text: String, message: String) {
    #expect(mistake(in: Array(text.utf8))?.message == message)
  }

  @Test func depthIsLimited() {
    for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
      let fits = String(repeating: open, count: 512) + (open == "[" ? "" : "1") + String(repeating: close, count: 512)
      #expect(mistake(in: Array(fits.utf8)) == nil)
      let deep = mistake(in: Array((open + fits + close).utf8))
      #expect(deep?.kind == .tooDeep)
      #expect(deep?.offset == 512 * open.utf8.count + (open == "[" ? 0 : 0))
    }
    #expect(mistake(in: Array("[[]]".utf8), depthLimit: 1)?.kind == .tooDeep)
    #expect(mistake(in: Array("[[1],[2]]".utf8), depthLimit: 2) == nil)
    #expect(mistake(in: Array("[]".utf8), depthLimit: 0)?.kind == .tooDeep)
    #expect(mistake(in: Array("1".utf8), depthLimit: 0) == nil)
  }

  @Test func depthIsNoRecursion() {
    let levels = 1_000_000
    let deep = Array(repeating: UInt8(ascii: "["), count: levels) + Array(repeating: UInt8(ascii: "]"), count: levels)
    #expect(mistake(in: deep, depthLimit: levels) == nil)
    #expect(mistake(in: deep)?.kind == .tooDeep)
    #expect(mistake(in: Array(deep.prefix(levels)), depthLimit: levels)?.kind == .unexpectedEnd)
  }
}
