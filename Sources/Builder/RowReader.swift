// Reading tables: blocks of whole rows, cut from what comes in.

import POSIX

/// Cuts an input into blocks of whole rows. Holds at most one row more than a block.
struct RowReader {
  private let input: Descriptor
  private let delimiter: UInt8
  private let limit: Int
  private let lineLimit: Int
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
  ///   - limit: most bytes of a row that spans lines.
  ///   - lineLimit: most bytes of a line that are kept in memory; the same when nil.
  ///   - chunk: how much is read at a time.
  ///   - beginning: what was read of the input already.
  init(
    _ input: Descriptor, delimiter: UInt8?, limit: Int, lineLimit: Int? = nil, chunk: Int = 131_072,
    beginning: [UInt8] = []
  ) {
    self.lineLimit = lineLimit ?? limit
    self.chunk = chunk
    rest = beginning
    knowsQuotes = delimiter != nil
    self.input = input
    self.delimiter = delimiter ?? 0
    self.limit = limit
  }

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
      if filled > lineLimit + 1, !found.hasLineEnd {
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
