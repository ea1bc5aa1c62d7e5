// Blocks of whole lines: the unit in which input is read and work is handed out.

import POSIX

/// Some consecutive lines of the input.
public struct Block {
  /// The bytes; only the first `count` are lines.
  var bytes: [UInt8] = []
  var count = 0
  /// The number of the first line, from 1.
  var firstNumber = 1
  /// A line too long for memory that stood behind these lines: its number and its length in bytes.
  var tooLong: (number: Int, length: Int)?
  /// The input began with a byte order mark, which was taken off.
  var hadByteOrderMark = false

  /// The line that starts at `start`: its bytes without the line end, where the next one starts, whether it holds
  /// nothing but blanks.
  @inline(__always)
  func line(at start: Int) -> (range: Range<Int>, next: Int, isBlank: Bool) {
    let all = bytes.span.extracting(first: count)
    let newline = all.firstIndex(of: UInt8(ascii: "\n"), from: start) ?? count
    let end = newline > start && all[newline - 1] == UInt8(ascii: "\r") ? newline - 1 : newline
    var first = start
    while first < end, all[first] == 0x20 || all[first] == 0x09 { first += 1 }
    return (start..<end, newline + 1, first == end)
  }
}

/// Cuts an input into blocks of whole lines. Holds at most one line more than a block.
struct BlockReader: BlockSource {
  static var empty: Block { Block() }

  /// What one step came to.
  enum Step { case lines, partial, end }

  private static let usualSize = 131_072

  private let input: Descriptor
  private let lineLimit: Int
  /// What the last read left behind the last line end: the first `restCount` bytes. A line that grows over many reads
  /// changes places with the block, so that it is not copied for each of them.
  private var rest: [UInt8] = []
  private var restCount = 0
  private var number = 1
  /// The bytes already forgotten of a line that is too long; nil when no such line is being read.
  private var forgotten: Int?
  private var atEnd = false
  private var started = false

  init(_ input: Descriptor, lineLimit: Int) {
    self.input = input
    self.lineLimit = lineLimit
  }

  /// Reads until there are lines; waits for the input. False when it has ended.
  mutating func next(_ block: inout Block) throws(SystemError) -> Bool {
    while true {
      switch try step(&block) {
      case .lines: return true
      case .end: return false
      case .partial: continue
      }
    }
  }

  /// Reads once. `lines`: the block holds lines, or tells of one that was too long. `partial`: no line has ended yet.
  mutating func step(_ block: inout Block) throws(SystemError) -> Step {
    block.firstNumber = number
    block.tooLong = nil
    block.hadByteOrderMark = false
    block.count = 0
    if atEnd { return .end }
    let before = begin(&block)
    var filled = before
    switch try input.fill(&block.bytes, from: filled) {
    case .bytes(let count): filled += count
    case .wouldBlock:
      // Standard input may have been made non-blocking by somebody who shares it.
      _ = input.waitUntil(milliseconds: -1)
      keepAll(&block, filled)
      return .partial
    case .end:
      atEnd = true
      dropByteOrderMark(&block, &filled)
      return ending(&block, filled)
    }
    dropByteOrderMark(&block, &filled)
    return cut(&block, filled, min(before, filled))
  }

  /// Makes room and puts what was left of the last block at the start of this one.
  private mutating func begin(_ block: inout Block) -> Int {
    if restCount > Self.usualSize {
      swap(&block.bytes, &rest)
    } else if restCount > 0 {
      if block.bytes.count < restCount { block.bytes.append(contentsOf: rest[block.bytes.count..<restCount]) }
      block.bytes.replaceSubrange(0..<restCount, with: rest[0..<restCount])
    }
    let wanted = restCount + Self.usualSize
    if block.bytes.count < wanted {
      block.bytes.append(contentsOf: repeatElement(0, count: max(wanted, restCount * 2) - block.bytes.count))
    }
    return restCount
  }

  private mutating func keep(_ bytes: [UInt8], _ start: Int, _ end: Int) {
    rest.removeAll(keepingCapacity: true)
    rest.append(contentsOf: bytes[start..<end])
    restCount = rest.count
  }

  private mutating func keepAll(_ block: inout Block, _ filled: Int) {
    swap(&block.bytes, &rest)
    restCount = filled
  }

  private mutating func forget() {
    rest = []
    restCount = 0
  }

  private mutating func ending(_ block: inout Block, _ filled: Int) -> Step {
    if let forgotten {
      block.tooLong = (number, forgotten + filled)
      return .lines
    }
    block.count = filled
    return filled > 0 ? .lines : .end
  }

  /// Splits what was read behind its last line end. `before` bytes of it are known to hold none.
  private mutating func cut(_ block: inout Block, _ filled: Int, _ before: Int) -> Step {
    if let forgotten { return skip(&block, filled, forgotten) }
    guard let last = lastLineEnd(block.bytes, before, filled) else {
      if filled > lineLimit + 1 {
        forgotten = filled
        forget()
      } else {
        keepAll(&block, filled)
      }
      return .partial
    }
    keep(block.bytes, last + 1, filled)
    block.count = last + 1
    number += block.bytes.span.extracting(first: last + 1).occurrences(of: UInt8(ascii: "\n"))
    return .lines
  }

  private func lastLineEnd(_ bytes: [UInt8], _ start: Int, _ end: Int) -> Int? {
    let fresh = bytes.span.extracting(start..<end)
    return fresh.lastIndex(of: UInt8(ascii: "\n"), before: fresh.count).map { $0 + start }
  }

  /// The end of a line that is too long, or more of it to forget.
  private mutating func skip(_ block: inout Block, _ filled: Int, _ before: Int) -> Step {
    guard let end = lineEnd(block.bytes, filled) else {
      forgotten = before + filled
      forget()
      return .partial
    }
    block.tooLong = (number, before + end)
    number += 1
    forgotten = nil
    keep(block.bytes, end + 1, filled)
    return .lines
  }

  private func lineEnd(_ bytes: [UInt8], _ count: Int) -> Int? {
    bytes.span.extracting(first: count).firstIndex(of: UInt8(ascii: "\n"))
  }

  private mutating func dropByteOrderMark(_ block: inout Block, _ filled: inout Int) {
    // Fewer than three bytes cannot decide it yet, unless they are all there is.
    guard !started, filled >= 3 else { return }
    started = true
    guard block.bytes[0] == 0xEF, block.bytes[1] == 0xBB, block.bytes[2] == 0xBF else { return }
    block.bytes.removeFirst(3)
    block.bytes.append(contentsOf: [0, 0, 0])
    filled -= 3
    block.hadByteOrderMark = true
  }
}
