// Tables: a header that names the columns, rows that fill the holes.

import Filter
import JSON
import Options
import POSIX
import Spelling

/// A table whose header has been read.
public struct TableInput: Sendable {
  let input: Descriptor
  private let loop: RowLoop
  private var reader: RowReader
  /// The rows that were read together with the header.
  private var first: RowBlock?
  /// The names of the columns, in order.
  public private(set) var header: [String] = []
  /// The number of the header's line.
  public private(set) var headerNumber = 1

  /// Reads up to the end of the header.
  /// - Throws: `Failure` in words when there is none; `SystemError` when the input cannot be read.
  public init(_ input: Descriptor, _ loop: RowLoop) throws {
    self.input = input
    self.loop = loop
    reader = RowReader(input, delimiter: loop.delimiter, limit: loop.limit)
    var block = RowBlock()
    while header.isEmpty {
      guard try reader.next(&block) else { return }
      try findHeader(block)
    }
  }

  private mutating func findHeader(_ block: RowBlock) throws {
    if let long = block.tooLong, block.count == 0 {
      throw Failure("line \(long.number): the header has \(long.length) bytes, more than --max-line \(loop.limit)")
    }
    var place = 0
    var number = block.firstNumber
    while place < block.count, header.isEmpty {
      let row = block.row(at: &place, number: &number, delimiter: loop.delimiter, limit: loop.limit)
      let line = block.bytes.span.extracting(row.range)
      if line.isBlank { continue }
      if row.isBroken { throw Failure("line \(row.number): the quotes of the header are wrong") }
      headerNumber = row.number
      header = try names(line)
    }
    guard !header.isEmpty else { return }
    var rest = RowBlock()
    rest.bytes = Array(block.bytes[place..<max(place, block.count)])
    rest.count = rest.bytes.count
    rest.firstNumber = number
    rest.hasQuotes = block.hasQuotes
    rest.tooLong = block.tooLong
    first = rest
  }

  private func names(_ line: Span<UInt8>) throws -> [String] {
    if line.isUTF16 { throw Failure("line \(headerNumber): \(LineBuilder.utf16)") }
    var row = RowFields()
    row.split(line, delimiter: loop.delimiter)
    return try row.fields.indices.map { index in
      let range = row.fields[index].range
      let bytes = row.isCopied ? Array(row.copy[range]) : Array(copying: line.extracting(range))
      guard let name = String(validating: bytes, as: UTF8.self) else {
        throw Failure(
          "line \(headerNumber): the header is not UTF-8; convert the table, as with iconv -f LATIN1 -t UTF-8")
      }
      return trimmed(name)
    }
  }

  mutating func next(_ block: inout RowBlock) throws(SystemError) -> Bool {
    if let rows = first {
      first = nil
      if rows.count > 0 || rows.tooLong != nil {
        block = rows
        return true
      }
    }
    return try reader.next(&block)
  }
}

/// The fields of a row.
struct RowFields: Sendable {
  var fields: [Field] = []
  /// The row with its quotes taken off, when there are any: then the fields lie in it.
  var copy: [UInt8] = []
  private(set) var isCopied = false

  /// Finds the fields. The row's quotes are right.
  @inline(__always)
  mutating func split(_ row: Span<UInt8>, delimiter: UInt8) {
    fields.removeAll(keepingCapacity: true)
    isCopied = false
    var start = 0
    while true {
      if start < row.count, row[start] == UInt8(ascii: "\"") { return splitQuoted(row, delimiter: delimiter) }
      guard let end = row.firstIndex(of: delimiter, from: start) else { break }
      fields.append(Field(start, end))
      start = end &+ 1
    }
    fields.append(Field(start, row.count))
  }

  private mutating func splitQuoted(_ row: Span<UInt8>, delimiter: UInt8) {
    isCopied = true
    copy.removeAll(keepingCapacity: true)
    fields.removeAll(keepingCapacity: true)
    var index = 0
    repeat {
      let start = copy.count
      if index < row.count, row[index] == UInt8(ascii: "\"") {
        index += 1
        while index < row.count {
          if row[index] == UInt8(ascii: "\"") {
            index += 1
            guard index < row.count, row[index] == UInt8(ascii: "\"") else { break }
          }
          copy.append(row[index])
          index += 1
        }
      } else {
        while index < row.count, row[index] != delimiter {
          copy.append(row[index])
          index += 1
        }
      }
      fields.append(Field(start, copy.count))
      index += 1
    } while index <= row.count
  }
}

/// The work of apns-build on rows.
public struct TableBuilder: LineProcessor {
  let recipe: Recipe
  let layout: TableLayout
  let delimiter: UInt8
  var maker: Maker
  var row = RowFields()
  var wanted: [Field] = []

  public init(_ recipe: Recipe, _ layout: TableLayout, delimiter: UInt8) {
    self.recipe = recipe
    self.layout = layout
    self.delimiter = delimiter
    maker = Maker(recipe)
  }

  public mutating func process(_ line: Span<UInt8>, number: Int, into output: inout Output) {
    row.split(line, delimiter: delimiter)
    do throws(LineFault) {
      guard row.fields.count <= layout.count else {
        throw LineFault(
          "the row has \(row.fields.count) columns, the header \(layout.count): a field with a "
            + (delimiter == UInt8(ascii: ",") ? "comma" : delimiter == UInt8(ascii: "\t") ? "tab" : "delimiter")
            + " in it stands in quotes")
      }
      wanted.removeAll(keepingCapacity: true)
      for column in layout.columns {
        wanted.append(column < row.fields.count ? row.fields[column] : .missing)
      }
      let token = layout.token < row.fields.count ? row.fields[layout.token] : .missing
      if row.isCopied {
        let copy = row.copy
        try maker.make(recipe.program, copy.span, token: token, wanted, .table, into: &output)
      } else {
        try maker.make(recipe.program, line, token: token, wanted, .table, into: &output)
      }
    } catch {
      output.say(recipe.tool, line: number, error.message)
      output.faultCount += 1
    }
  }
}

/// Where in a table's rows the wanted columns are.
public struct TableLayout: Sendable {
  /// How many columns the header names.
  let count: Int
  let token: Int
  /// For each column of the program its place in a row.
  let columns: [Int]

  /// Finds the columns a recipe wants.
  /// - Throws: `Failure` that names the column the header lacks.
  public init(_ table: TableInput, _ recipe: Recipe) throws(Failure) {
    count = table.header.count
    do throws(LineFault) { try recipe.checkComplete() } catch { throw Failure(error.message) }
    token = recipe.program.needsToken ? try Self.place(recipe.tokenField, table, isToken: true) : 0
    var places: [Int] = []
    for name in recipe.program.columns {
      if recipe.program.isOptional(name), !table.header.contains(name) {
        places.append(Int.max)
      } else {
        places.append(try Self.place(name, table, isToken: false))
      }
    }
    columns = places
  }

  private static func place(_ name: String, _ table: TableInput, isToken: Bool) throws(Failure) -> Int {
    let places = table.header.indices.filter { table.header[$0] == name }
    if places.count > 1 {
      throw Failure("line \(table.headerNumber): the header has two columns \"\(name)\"")
    }
    if let place = places.first { return place }
    let near = closest(to: name, among: table.header).map { "; did you mean \"\($0)\"?" } ?? ""
    let names = table.header.prefix(20).map { "\"\($0.prefix(40))\"" }.joined(separator: ", ")
    var advice = isToken ? "; --token-field names another column" : ""
    // What spreadsheets write where the comma parts whole from fraction.
    if table.header.count == 1, table.header[0].contains(";") { advice = "; --delimiter ';' reads such tables" }
    throw Failure(
      "line \(table.headerNumber): the header has no column \"\(name)\", it has \(names)\(near.isEmpty || table.header.count == 1 ? advice : near)"
    )
  }
}
