// Tables: the rows are the same however the input is cut into pieces.
import POSIX
import Testing

@testable import Builder

/// A row as it was found.
private struct Found: Equatable {
  var text: String
  var number: Int
  var isBroken: Bool
}

/// The rows of a table that is read in chunks of this size, and the lines that were too long.
private func rows(_ table: String, chunk: Int, limit: Int = 1000) throws -> (rows: [Found], tooLong: [Int]) {
  let folder = try File.makeTemporaryDirectory(prefix: "rows")
  let path = folder + "/table"
  defer {
    File.remove(path)
    File.removeDirectory(folder)
  }
  try File.create(path).writeAll(table)
  var reader = RowReader(try File.open(path), delimiter: UInt8(ascii: ","), limit: limit, chunk: chunk)
  var block = RowBlock()
  var found: [Found] = []
  var tooLong: [Int] = []
  while try reader.next(&block) {
    var (place, number) = (0, block.firstNumber)
    while place < block.count {
      let row = block.row(at: &place, number: &number, delimiter: UInt8(ascii: ","), limit: limit)
      let text = String(decoding: block.bytes[row.range], as: UTF8.self)
      found.append(Found(text: text, number: row.number, isBroken: row.isBroken))
    }
    if let long = block.tooLong { tooLong.append(long.number) }
  }
  return (found, tooLong)
}

@Suite struct RowTests {
  @Test(arguments: [
    ("a,b\n1,2\n", ["a,b", "1,2"]), ("a,\"b\nc\",d\ne\n", ["a,\"b\nc\",d", "e"]), ("\"x\"\r\ny\r\n", ["\"x\"", "y"]),
    ("\"a\"\"b\n\"\n", ["\"a\"\"b\n\""]), ("a\"b\nc\n", ["a\"b", "c"]), ("no end", ["no end"]),
    ("\"end\"", ["\"end\""]),
    ("\"\"\"\"\nx\n", ["\"\"\"\"", "x"]), ("a,\"\"\nb\n", ["a,\"\"", "b"]), ("\u{FEFF}a\nb\n", ["a", "b"]),
    ("\n\nx\n", ["", "", "x"]),
  ])
  func splitting(_ table: String, _ expected: [String]) throws {
    for chunk in [1, 2, 3, 5, 8, 131_072] {
      let found = try rows(table, chunk: chunk).rows
      #expect(found.map(\.text) == expected)
      #expect(found.allSatisfy { !$0.isBroken })
    }
  }

  @Test func brokenQuotesCostOneLineEach() throws {
    let table = "\"a\nb\n\"c\"d\ne\n\"f\n\"\"\ng\n"
    for chunk in [1, 2, 3, 7, 131_072] {
      let found = try rows(table, chunk: chunk).rows
      #expect(found.map(\.text) == ["\"a", "b", "\"c\"d", "e", "\"f", "\"\"", "g"])
      #expect(found.map(\.number) == [1, 2, 3, 4, 5, 6, 7])
      #expect(found.map(\.isBroken) == [true, false, true, false, true, false, false])
    }
  }

  @Test func aQuoteThatNothingClosesIsBounded() throws {
    let lines = (0..<200).map { "line \($0)" }.joined(separator: "\n")
    for chunk in [1, 64, 131_072] {
      let found = try rows("\"open\n" + lines + "\n", chunk: chunk, limit: 100).rows
      #expect(found.count == 201)
      #expect(found.map(\.isBroken) == [true] + [Bool](repeating: false, count: 200))
    }
  }

  @Test func aLineWithoutEndIsForgotten() throws {
    let long = String(repeating: "x", count: 5000)
    for chunk in [16, 100, 1024] {
      let found = try rows("a\n" + long + "\nb\n" + long, chunk: chunk, limit: 100)
      #expect(found.rows.filter { $0.text.count <= 100 }.map(\.text) == ["a", "b"])
      #expect(found.rows.filter { $0.text.count > 100 }.count + found.tooLong.count == 2)
    }
  }

  /// Bytes that mean something to a table, in any order: all chunk sizes agree.
  @Test(arguments: 0..<60)
  func anyTableReadInAnyPieces(_ seed: Int) throws {
    var random = SplitMix(state: UInt64(seed))
    let pieces = ["\"", "\"", ",", "\n", "\n", "a", "bc", "\r\n", "\"\"", "é"]
    let table = (0..<Int.random(in: 1...80, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
      .joined()
    let whole = try rows(table, chunk: 131_072, limit: 40)
    for chunk in [1, 2, 3, 5, 13, 50] {
      let parts = try rows(table, chunk: chunk, limit: 40)
      #expect(parts.rows == whole.rows, "chunks of \(chunk) of \(table.debugDescription)")
    }
    // Nothing is lost: what the rows hold and the ends of lines are the whole table.
    let kept = whole.rows.map(\.text).joined().utf8.filter { $0 != 0x0A && $0 != 0x0D }
    #expect(Array(kept) == Array(table.utf8.filter { $0 != 0x0A && $0 != 0x0D }))
  }

  @Test(arguments: [
    ("a,b", ["a", "b"]), ("", [""]), (",", ["", ""]), ("\"a,\"\"b\",c", ["a,\"b", "c"]), ("a,\"\",", ["a", "", ""]),
    ("a,b\"c", ["a", "b\"c"]), ("\"é\n\",\"x\"", ["é\n", "x"]),
  ])
  func fields(_ row: String, _ expected: [String]) {
    var fields = RowFields()
    let bytes = Array(row.utf8)
    fields.split(bytes.span, delimiter: UInt8(ascii: ","))
    let source = fields.isCopied ? fields.copy : bytes
    #expect(fields.fields.map { String(decoding: source[$0.range], as: UTF8.self) } == expected)
  }
}
