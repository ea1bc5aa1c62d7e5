// Lists of devices as other programs keep them: objects, tables or bare tokens, recognised from their first line.

import Filter
import JSON
import Options
import POSIX
import Spelling

/// One line or row of a list.
public struct DeviceEntry: Sendable {
  /// The number of its first line.
  public var number = 0
  /// The device token, digits in lower case; empty when there is none, as in a header or a blank line.
  public var token: [UInt8] = []
  /// Milliseconds since 1970 in the time column.
  public var time: Int?
  /// Why token or time could not be read.
  public var fault: String?
}

/// A list of devices, read row by row.
public struct DeviceList {
  enum Form: Equatable {
    case objects, bare
    case table(delimiter: UInt8)
  }

  private let path: String
  private let tokenField: String
  private let timeField: String?
  private let form: Form
  private let input: Descriptor
  /// What was read to recognise the form.
  private let beginning: [UInt8]
  private var reader = Reader()
  private var fields = RowFields()
  private var tokenColumn: Int?
  private var timeColumn: Int?

  /// Opens a list and looks at its first line.
  /// - Parameters:
  ///   - tokenField: the member or column with the token.
  ///   - timeField: the member or column with a time; nil when none is wanted.
  ///   - delimiter: the byte between the columns of a table; nil to recognise commas and tabs.
  /// - Throws: `Failure` when it cannot be read, its form cannot be told, or it lacks a column.
  public init(_ path: String, tokenField: String, timeField: String? = nil, delimiter: UInt8? = nil) throws(Failure) {
    self.path = path
    self.tokenField = tokenField
    self.timeField = timeField
    do throws(SystemError) {
      input = try File.open(path)
      var found: Form
      (beginning, found) = try Self.recognise(input, tokenField)
      if let delimiter, found != .objects { found = .table(delimiter: delimiter) }
      form = found
    } catch {
      throw Failure("cannot read \(path): \(error.message)")
    }
    if let strange = Self.strangeJSON(beginning) { throw Failure("\(path): \(strange)") }
    if form == .bare, let line = Self.strangeLine(beginning, tokenField) {
      let isNear = Self.isNear(line, tokenField)
      throw Failure(
        "\(path): the first line is neither an object, a header with a column \"\(tokenField)\", nor a device token: "
          + "'\(line.prefix(60))'"
          + (isNear
            ? Self.hint(line, "--token-field")
            : "; a table with other columns than of commas or tabs wants --delimiter CHARACTER"))
    }
    if timeField != nil, form == .bare {
      throw Failure("\(path): bare tokens have no \"\(timeField ?? "")\"; give objects, or a table with a header")
    }
  }

  /// Reads up to the end of the first line that is not blank, and tells the form from it.
  private static func recognise(
    _ file: Descriptor, _ tokenField: String
  ) throws(SystemError) -> (read: [UInt8], form: Form) {
    var bytes: [UInt8] = []
    while true {
      let isAtEnd: Bool
      switch try file.read(into: &bytes, limit: 65_536) {
      case .bytes: isAtEnd = false
      case .end: isAtEnd = true
      case .wouldBlock:
        _ = file.waitUntil(milliseconds: -1)
        continue
      }
      if let form = recognise(bytes, isAtEnd: isAtEnd || bytes.count > 1 << 20, tokenField) { return (bytes, form) }
    }
  }

  private static func recognise(_ bytes: [UInt8], isAtEnd: Bool, _ tokenField: String) -> Form? {
    let all = bytes.span
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    var start = bytes.starts(with: mark) ? 3 : 0
    while start < all.count {
      let newline = all.firstIndex(of: UInt8(ascii: "\n"), from: start)
      if newline == nil, !isAtEnd { return nil }
      let line = all.extracting(start..<(newline ?? all.count))
      if !line.isBlank, line.count > 1 || line[0] != UInt8(ascii: "\r") {
        return recognise(line.withoutBlanks, tokenField)
      }
      start = (newline ?? all.count) + 1
    }
    return isAtEnd ? .bare : nil
  }

  private static func recognise(_ line: Span<UInt8>, _ tokenField: String) -> Form {
    if line[0] == UInt8(ascii: "{"), !line.isDataDescription { return .objects }
    if line.firstIndex(of: UInt8(ascii: "\t")) != nil { return .table(delimiter: UInt8(ascii: "\t")) }
    if line.firstIndex(of: UInt8(ascii: ",")) != nil { return .table(delimiter: UInt8(ascii: ",")) }
    let word = trimmed(String(utf8: line).replacing("\r", with: ""))
    // A table of one column has no delimiter.
    return word == tokenField || word == "\"\(tokenField)\"" ? .table(delimiter: UInt8(ascii: ",")) : .bare
  }

  /// JSON that is no line of NDJSON: an array, or an object over several lines.
  private static func strangeJSON(_ bytes: [UInt8]) -> String? {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.dropFirst(bytes.starts(with: mark) ? 3 : 0).drop { $0 <= 0x20 }
    if text.first == UInt8(ascii: "[") {
      return "this is a JSON array, and one object a line is read: jq -c '.[]' makes them"
    }
    guard text.first == UInt8(ascii: "{") else { return nil }
    let line = Array(text.prefix { $0 != UInt8(ascii: "\n") })
    var reader = Reader()
    // Cut off where the line ends, and good JSON so far.
    guard line.count < text.count, !line.span.isDataDescription else { return nil }
    do throws(SyntaxError) { try reader.read(line.span) } catch {
      if error.offset >= line.count || line.span.withoutBlanks.count == 1 {
        return "this is JSON over several lines, and one object a line is read: jq -c . makes them"
      }
    }
    return nil
  }

  private static func hint(_ name: String?, _ option: String) -> String {
    name.map { "; did you mean \(option) '\($0.prefix(60))'?" } ?? ""
  }

  /// Whether a name differs in nothing but the case of its letters, or hardly.
  private static func isNear(_ name: String, _ wanted: String) -> Bool {
    name != wanted && closest(to: name, among: [wanted]) != nil
  }

  /// The first line, when it is no bare token and looks like several columns or like the name of one.
  private static func strangeLine(_ bytes: [UInt8], _ tokenField: String) -> String? {
    var digits: [UInt8] = []
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    for line in bytes.dropFirst(bytes.starts(with: mark) ? 3 : 0).split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      let text = trimmed(String(decoding: line, as: UTF8.self))
      if text.isEmpty { continue }
      if digits.appendToken(text.utf8Span.span) { return nil }
      if (try? TokenForms.normalised(text.utf8Span.span)) != nil { return nil }
      let isColumns = text.contains { ";|".contains($0) } || text.contains(tokenField) || isNear(text, tokenField)
      return isColumns ? text : nil
    }
    return nil
  }

  /// Hands over every row with its bytes as they stand, line end included. Header and blank lines come without a token.
  public mutating func visit(
    _ body: (_ raw: Span<UInt8>, _ entry: borrowing DeviceEntry) throws -> Void
  ) throws {
    var delimiter: UInt8?
    if case .table(let byte) = form { delimiter = byte }
    // Nothing of the list may be lost: the bound of a line is only there for memory's sake.
    let limit = 1 << 20
    var rows = RowReader(input, delimiter: delimiter, limit: limit, lineLimit: limit << 4, beginning: beginning)
    var block = RowBlock()
    var entry = DeviceEntry()
    var isFirst = true
    while try rows.next(&block) {
      if isFirst, rows.hadByteOrderMark {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        try body(mark.span, DeviceEntry())
      }
      isFirst = false
      var (place, number) = (0, block.firstNumber)
      while place < block.count {
        let start = place
        let row = block.row(at: &place, number: &number, delimiter: delimiter ?? 0, limit: limit)
        try read(block.bytes.span.extracting(row.range), row, &entry)
        try body(block.bytes.span.extracting(start..<place), entry)
      }
      if block.tooLong != nil { throw Failure("\(path): a line has more than 16 MiB", status: .stopped) }
    }
  }

  private mutating func read(_ line: Span<UInt8>, _ row: RowBlock.Row, _ entry: inout DeviceEntry) throws {
    entry.number = row.number
    entry.token.removeAll(keepingCapacity: true)
    entry.time = nil
    entry.fault = nil
    if line.isBlank { return }
    if row.isBroken {
      entry.fault = "the quotes of the row are wrong"
      return
    }
    switch form {
    case .bare: take(token: line.withoutBlanks, &entry)
    case .objects: readObject(line, &entry)
    case .table(let delimiter): try readRow(line, delimiter, &entry)
    }
  }

  private func take(token: Span<UInt8>, _ entry: inout DeviceEntry) {
    do throws(TokenError) {
      if !entry.token.appendToken(token) { entry.token = try TokenForms.normalised(token) }
    } catch {
      entry.token.removeAll()
      entry.fault = token.isUTF16 ? LineBuilder.utf16 : error.message
    }
  }

  private mutating func readObject(_ line: Span<UInt8>, _ entry: inout DeviceEntry) {
    do throws(SyntaxError) {
      try reader.read(line)
    } catch {
      entry.fault = "not JSON: \(error.message) at column \(JSON.position(of: error.offset, in: line).column)"
      return
    }
    let tokens = reader.tokens
    let document = Document(line, tokens.span)
    guard let node = document.find(tokenField, in: 0), document.kind(node) == .string else {
      entry.fault = "there is no \"\(tokenField)\"" + Self.hint(near(in: document), "--token-field")
      return
    }
    let token = document.string(node)
    take(token: token.utf8Span.span, &entry)
    guard let timeField, entry.fault == nil, let time = document.find(timeField, in: 0) else { return }
    let text = document.kind(time) == .string ? document.string(time) : String(utf8: document.raw(time))
    read(time: text, &entry)
  }

  /// The object's member that may have been meant.
  private func near(in document: borrowing Document) -> String? {
    guard document.kind(0) == .object else { return nil }
    var member = 1
    while member < document.next(0) {
      let name = document.string(member)
      if Self.isNear(name, tokenField) { return name }
      member = document.next(member + 1)
    }
    return nil
  }

  private mutating func readRow(_ line: Span<UInt8>, _ delimiter: UInt8, _ entry: inout DeviceEntry) throws {
    fields.split(line, delimiter: delimiter)
    let copy = fields.copy
    let source = fields.isCopied ? copy.span : line
    guard let tokenColumn else { return try findColumns(source, entry.number) }
    guard tokenColumn < fields.fields.count else {
      entry.fault = "the row has no column \"\(tokenField)\""
      return
    }
    take(token: source.extracting(fields.fields[tokenColumn].range), &entry)
    guard let timeColumn, entry.fault == nil, timeColumn < fields.fields.count else { return }
    read(time: trimmed(String(utf8: source.extracting(fields.fields[timeColumn].range))), &entry)
  }

  private mutating func findColumns(_ header: Span<UInt8>, _ number: Int) throws {
    let names = fields.fields.map { field in trimmed(String(utf8: header.extracting(field.range))) }
    func place(_ name: String) throws(Failure) -> Int {
      if let place = names.firstIndex(of: name) { return place }
      throw Failure(
        "\(path): line \(number): the header has no column \"\(name)\", it has \(names.joined(separator: ", "))"
          + Self.hint(names.first { Self.isNear($0, name) }, name == tokenField ? "--token-field" : "--time-field"))
    }
    tokenColumn = try place(tokenField)
    if let timeField { timeColumn = try place(timeField) }
  }

  /// A time in seconds or milliseconds, which no time of this age can be taken for the other, or a date.
  private func read(time text: String, _ entry: inout DeviceEntry) {
    if text.isEmpty || text == "null" { return }
    if let number = Int(text), number >= 0 {
      entry.time = Moment.milliseconds(number)
    } else if let number = Double(text), number >= 0, number < 1e15 {
      entry.time = number >= 1e11 ? Int(number) : Int(number * 1000)
    } else if let seconds = Calendar.seconds(of: text) ?? Calendar.seconds(of: text + "T00:00:00Z") {
      entry.time = seconds * 1000
    } else {
      entry.fault =
        "\"\(timeField ?? "")\" is no time: '\(text.prefix(40))'; expected UNIX seconds, milliseconds or a date"
    }
  }
}

extension Moment {
  /// A UNIX time in milliseconds, whichever unit it was in.
  static func milliseconds(_ time: Int) -> Int? {
    if time >= firstMillisecond { return time }
    return time * 1000
  }
}
