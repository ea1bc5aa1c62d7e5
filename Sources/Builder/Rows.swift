// Tables cut into rows (RFC 4180): a quoted field may hold line breaks, so a row may be several lines.

import POSIX

/// How a row ends.
enum RowEnd: Equatable {
  /// Behind its line end.
  case row(next: Int)
  /// Its quotes are wrong: a quote that nothing closes within the bound, or text behind a closing quote. Only the line
  /// where it starts is given up, so that one stray quote does not swallow the lines behind it.
  case broken(next: Int)
  /// The bytes end within the row.
  case unfinished
}

extension Span<UInt8> {
  /// The end of the row that starts at `start`.
  /// - Parameter limit: most bytes of a row that spans lines.
  func rowEnd(from start: Int, delimiter: UInt8, limit: Int) -> RowEnd {
    var index = start
    var isFieldStart = true
    while index < count {
      let byte = self[index]
      if byte == UInt8(ascii: "\n") { return .row(next: index + 1) }
      if byte == UInt8(ascii: "\""), isFieldStart {
        guard let behind = endOfQuotes(from: index + 1, limit: start + limit) else {
          return count - start > limit ? broken(start) : .unfinished
        }
        if behind >= count { return .unfinished }
        let next = self[behind]
        let isEnd = next == delimiter || next == UInt8(ascii: "\n") || next == UInt8(ascii: "\r")
        guard isEnd else { return broken(start) }
        index = behind
        isFieldStart = false
        continue
      }
      isFieldStart = byte == delimiter
      index += 1
    }
    return .unfinished
  }

  /// The place behind the closing quote of a field whose inside starts at `start`.
  func endOfQuotes(from start: Int, limit: Int) -> Int? {
    var index = start
    while let quote = firstIndex(of: UInt8(ascii: "\""), from: index), quote <= limit {
      if quote + 1 < count, self[quote + 1] == UInt8(ascii: "\"") {
        index = quote + 2
        continue
      }
      return quote + 1
    }
    return nil
  }

  private func broken(_ start: Int) -> RowEnd {
    guard let end = firstIndex(of: UInt8(ascii: "\n"), from: start) else { return .unfinished }
    return .broken(next: end + 1)
  }
}

/// Some consecutive rows of a table.
struct RowBlock {
  var bytes: [UInt8] = []
  /// Only the first `count` bytes are rows.
  var count = 0
  /// The number of the first line, from 1.
  var firstNumber = 1
  /// Without any quote among the bytes, every line is a row.
  var hasQuotes = false
  /// A line too long for memory that stood behind these rows: its number and its length in bytes.
  var tooLong: (number: Int, length: Int)?

  /// One row, without its line end: where it is, the number of its first line, whether its quotes are right.
  struct Row {
    var range: Range<Int>
    var number: Int
    var isBroken: Bool
  }

  /// The row at a place; both the place and the line number move behind it.
  @inline(__always)
  func row(at place: inout Int, number: inout Int, delimiter: UInt8, limit: Int) -> Row {
    let all = bytes.span.extracting(first: count)
    let start = place
    let first = number
    var isBroken = false
    if !hasQuotes {
      place = (all.firstIndex(of: UInt8(ascii: "\n"), from: start) ?? count - 1) + 1
      number += 1
    } else {
      switch all.rowEnd(from: start, delimiter: delimiter, limit: limit) {
      case .row(let next):
        place = next
        number += all.extracting(start..<next).occurrences(of: UInt8(ascii: "\n"))
      case .broken(let next):
        (place, isBroken) = (next, true)
        number += 1
      case .unfinished:
        // Only the end of the input leaves a row unfinished: the last line, or a quote that is never closed.
        let line = (all.firstIndex(of: UInt8(ascii: "\n"), from: start) ?? count - 1) + 1
        (place, isBroken) = (line, line < count || all.isOpen(from: start, delimiter: delimiter))
        number += 1
      }
    }
    var end = place
    if end > start, all[end - 1] == UInt8(ascii: "\n") { end -= 1 }
    if end > start, all[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    return Row(range: start..<end, number: first, isBroken: isBroken)
  }
}

extension Span<UInt8> {
  /// Whether the last row, which has no line end, has a quote that nothing closes, or text behind a closing one.
  func isOpen(from start: Int, delimiter: UInt8) -> Bool {
    var index = start
    var isFieldStart = true
    while index < count {
      if self[index] == UInt8(ascii: "\""), isFieldStart {
        guard let behind = endOfQuotes(from: index + 1, limit: count) else { return true }
        if behind == count { return false }
        if self[behind] != delimiter, self[behind] != UInt8(ascii: "\r") { return true }
        index = behind
        isFieldStart = false
        continue
      }
      isFieldStart = self[index] == delimiter
      index += 1
    }
    return false
  }
}

/// Cuts an input into blocks of whole rows. Holds at most one row more than a block.
struct RowReader {
  private let input: Descriptor
  private let delimiter: UInt8
  private let limit: Int
  private let chunk: Int
  private let knowsQuotes: Bool
  /// The input began with a byte order mark, which was taken off.
  private(set) var hadByteOrderMark = false
  private var rest: [UInt8] = []
  private var number = 1
  private var forgotten: Int?
  private var atEnd = false
  private var started = false

  /// - Parameters:
  ///   - delimiter: the byte between columns; nil when quotes mean nothing and every line is a row.
  ///   - chunk: how much is read at a time.
  ///   - beginning: what was read of the input already.
  init(_ input: Descriptor, delimiter: UInt8?, limit: Int, chunk: Int = 131_072, beginning: [UInt8] = []) {
    self.chunk = chunk
    rest = beginning
    knowsQuotes = delimiter != nil
    self.input = input
    self.delimiter = delimiter ?? 0
    self.limit = limit
  }

  /// Whether more can be read without waiting for the other side.
  var isReadable: Bool { atEnd || input.isReadable }

  /// Reads until there are rows; waits for the input. False when it has ended.
  mutating func next(_ block: inout RowBlock) throws(SystemError) -> Bool {
    block.tooLong = nil
    block.count = 0
    if atEnd { return false }
    while true {
      block.firstNumber = number
      var filled = begin(&block)
      switch try input.fill(&block.bytes, from: filled) {
      case .bytes(let count): filled += count
      case .wouldBlock:
        _ = input.waitUntil(milliseconds: -1)
        keep(block.bytes, 0, filled)
        continue
      case .end:
        atEnd = true
        dropByteOrderMark(&block, &filled)
        return finish(&block, filled)
      }
      dropByteOrderMark(&block, &filled)
      if cut(&block, filled) { return true }
    }
  }

  private mutating func begin(_ block: inout RowBlock) -> Int {
    let wanted = rest.count + chunk
    if block.bytes.count < wanted {
      block.bytes.append(contentsOf: repeatElement(0, count: wanted - block.bytes.count))
    }
    block.bytes.replaceSubrange(0..<rest.count, with: rest)
    return rest.count
  }

  private mutating func keep(_ bytes: [UInt8], _ start: Int, _ end: Int) {
    rest.removeAll(keepingCapacity: true)
    rest.append(contentsOf: bytes[start..<end])
  }

  private mutating func finish(_ block: inout RowBlock, _ filled: Int) -> Bool {
    if let forgotten {
      block.tooLong = (number, forgotten + filled)
      return true
    }
    block.count = filled
    block.hasQuotes = hasQuotes(block.bytes.span.extracting(first: filled))
    return filled > 0
  }

  /// Splits what was read behind its last whole row.
  private mutating func cut(_ block: inout RowBlock, _ filled: Int) -> Bool {
    if let before = forgotten { return skip(&block, filled, before) }
    let found = split(block.bytes.span.extracting(first: filled))
    block.hasQuotes = found.hasQuotes
    guard found.end > 0 else {
      if filled > limit + 1, !found.hasLineEnd {
        forgotten = filled
        rest.removeAll(keepingCapacity: true)
      } else {
        keep(block.bytes, 0, filled)
      }
      return false
    }
    number += found.lines
    block.count = found.end
    keep(block.bytes, found.end, filled)
    return true
  }

  private func split(_ all: Span<UInt8>) -> (end: Int, lines: Int, hasQuotes: Bool, hasLineEnd: Bool) {
    let newline = UInt8(ascii: "\n")
    let hasQuotes = hasQuotes(all)
    let end = hasQuotes ? lastRowEnd(all) : (all.lastIndex(of: newline, before: all.count) ?? -1) + 1
    guard end > 0 else { return (0, 0, hasQuotes, all.firstIndex(of: newline) != nil) }
    return (end, all.extracting(first: end).occurrences(of: newline), hasQuotes, true)
  }

  private func hasQuotes(_ all: Span<UInt8>) -> Bool {
    knowsQuotes && all.firstIndex(of: UInt8(ascii: "\"")) != nil
  }

  private func lastRowEnd(_ all: Span<UInt8>) -> Int {
    var place = 0
    while true {
      switch all.rowEnd(from: place, delimiter: delimiter, limit: limit) {
      case .row(let next), .broken(let next): place = next
      case .unfinished: return place
      }
    }
  }

  private mutating func skip(_ block: inout RowBlock, _ filled: Int, _ before: Int) -> Bool {
    guard let end = block.bytes.span.extracting(first: filled).firstIndex(of: UInt8(ascii: "\n")) else {
      forgotten = before + filled
      rest.removeAll(keepingCapacity: true)
      return false
    }
    block.tooLong = (number, before + end)
    number += 1
    forgotten = nil
    keep(block.bytes, end + 1, filled)
    return true
  }

  private mutating func dropByteOrderMark(_ block: inout RowBlock, _ filled: inout Int) {
    guard !started, filled >= 3 else { return }
    started = true
    // Spreadsheets begin a table with one as a matter of course; it is no fault.
    guard block.bytes[0] == 0xEF, block.bytes[1] == 0xBB, block.bytes[2] == 0xBF else { return }
    block.bytes.removeFirst(3)
    block.bytes.append(contentsOf: [0, 0, 0])
    filled -= 3
    hadByteOrderMark = true
  }
}
