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
