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

  /// Calls the body for each line, without its line end. Blank lines are skipped, but they count.
  func forEachLine(_ body: (_ line: Span<UInt8>, _ number: Int) -> Void) {
    let all = bytes.span.extracting(first: count)
    var start = 0
    var number = firstNumber
    while start < count {
      let end = all.firstIndex(of: UInt8(ascii: "\n"), from: start) ?? count
      let line = all.extracting(start..<trimmed(all, start, end))
      if !line.isEmpty, !isBlank(line) { body(line, number) }
      number += 1
      start = end + 1
    }
  }

  private func trimmed(_ all: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
    end > start && all[end - 1] == UInt8(ascii: "\r") ? end - 1 : end
  }

  private func isBlank(_ line: Span<UInt8>) -> Bool {
    if line[0] > 0x20 { return false }
    for index in line.indices where line[index] != 0x20 && line[index] != 0x09 { return false }
    return true
  }
}

/// Cuts an input into blocks of whole lines. Holds at most one line more than a block.
struct BlockReader {
  private static let usualSize = 131_072

  private let input: Descriptor
  private let lineLimit: Int
  private var rest: [UInt8] = []
  private var number = 1
  private var atEnd = false
  private var started = false

  init(_ input: Descriptor, lineLimit: Int) {
    self.input = input
    self.lineLimit = lineLimit
  }

  /// Reads the next block: what one read gives, as far as it holds whole lines. False when the input has ended.
  mutating func next(_ block: inout Block) throws(SystemError) -> Bool {
    block.firstNumber = number
    block.tooLong = nil
    block.hadByteOrderMark = false
    block.count = 0
    if atEnd { return false }
    var filled = begin(&block)
    while true {
      switch try read(&block.bytes, filled) {
      case .bytes(let count): filled += count
      case .wouldBlock: continue
      case .end:
        atEnd = true
        dropByteOrderMark(&block, &filled)
        finish(&block, filled)
        return filled > 0
      }
      dropByteOrderMark(&block, &filled)
      if let last = block.bytes.span.lastIndex(of: UInt8(ascii: "\n"), before: filled) {
        rest.removeAll(keepingCapacity: true)
        rest.append(contentsOf: block.bytes[(last + 1)..<filled])
        finish(&block, last + 1)
        return true
      }
      if filled > lineLimit + 1 {
        try skipLine(&block, filled)
        return true
      }
    }
  }

  /// Puts what was left of the last block at the start of this one.
  private mutating func begin(_ block: inout Block) -> Int {
    let wanted = max(Self.usualSize, rest.count + Self.usualSize / 2)
    if block.bytes.count < wanted {
      block.bytes.append(contentsOf: repeatElement(0, count: wanted - block.bytes.count))
    }
    block.bytes.replaceSubrange(0..<rest.count, with: rest)
    return rest.count
  }

  private func read(_ bytes: inout [UInt8], _ filled: Int) throws(SystemError) -> Descriptor.Transfer {
    if filled == bytes.count { bytes.append(contentsOf: repeatElement(0, count: bytes.count)) }
    let got = try input.fill(&bytes, from: filled)
    // Standard input may have been made non-blocking by somebody who shares it.
    if case .wouldBlock = got { _ = input.waitUntil(milliseconds: -1) }
    return got
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

  private mutating func finish(_ block: inout Block, _ count: Int) {
    block.count = count
    let lines = block.bytes.span.extracting(first: count)
    number += lines.occurrences(of: UInt8(ascii: "\n"))
  }

  private func lineEnd(_ bytes: [UInt8], _ count: Int) -> Int? {
    bytes.span.extracting(first: count).firstIndex(of: UInt8(ascii: "\n"))
  }

  /// Reads on until the line ends, forgetting its bytes.
  private mutating func skipLine(_ block: inout Block, _ filled: Int) throws(SystemError) {
    var length = filled
    rest.removeAll(keepingCapacity: true)
    block.count = 0
    while true {
      switch try read(&block.bytes, 0) {
      case .wouldBlock: continue
      case .end:
        atEnd = true
        block.tooLong = (number, length)
        return
      case .bytes(let count):
        guard let end = lineEnd(block.bytes, count) else {
          length += count
          continue
        }
        block.tooLong = (number, length + end)
        number += 1
        rest.append(contentsOf: block.bytes[(end + 1)..<count])
        return
      }
    }
  }
}
