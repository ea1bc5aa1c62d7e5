// Lines one at a time, for a tool that polls.

import POSIX

/// Lines one at a time for a tool with a loop of its own: it polls `input`, calls `read` when that is readable, and
/// takes lines while it has room for them.
public struct LineReader {
  /// What was found.
  public enum Found: Equatable, Sendable {
    case line(number: Int)
    /// A line longer than the limit, skipped.
    case tooLong(number: Int, length: Int)
    /// Nothing before the next `read`.
    case nothing
  }

  public let input: Descriptor
  /// The input has ended and every line was taken.
  public private(set) var isFinished = false
  /// The input began with a byte order mark, which was taken off.
  public private(set) var hadByteOrderMark = false
  private let lineLimit: Int
  private var reader: BlockReader
  private var block = Block()
  private var place = 0
  private var number = 1

  public init(_ input: Descriptor, lineLimit: Int) {
    self.input = input
    self.lineLimit = lineLimit
    reader = BlockReader(input, lineLimit: lineLimit)
  }

  /// Reads once; call it when the last `next` found nothing. It waits only when the descriptor has nothing to read.
  public mutating func read() throws(SystemError) {
    place = 0
    let step = try reader.step(&block)
    number = block.firstNumber
    if block.hadByteOrderMark { hadByteOrderMark = true }
    if step == .end { isFinished = true }
  }

  /// Hands the next line to the body; blank lines are passed over.
  public mutating func next(_ body: (_ line: Span<UInt8>, _ number: Int) -> Void) -> Found {
    while place < block.count {
      let line = block.line(at: place)
      let found = number
      place = line.next
      number += 1
      if line.range.count > lineLimit { return .tooLong(number: found, length: line.range.count) }
      if line.isBlank { continue }
      body(block.bytes.span.extracting(line.range), found)
      return .line(number: found)
    }
    guard let long = block.tooLong else { return .nothing }
    block.tooLong = nil
    return .tooLong(number: long.number, length: long.length)
  }
}
