// The loop of every line filter: lines in, records and words out, in the order of the input.

import POSIX

/// What one block came to.
public struct Output {
  /// Bytes for standard output: whole lines.
  public var records: [UInt8] = []
  /// Bytes for standard error: whole lines.
  public var words: [UInt8] = []
  /// Records that were read, and those of them that are at fault.
  public var recordCount = 0
  public var faultCount = 0

  public init() {}

  /// Says something about a line on standard error.
  public mutating func say(_ tool: String, line number: Int, _ message: String) {
    words.append(contentsOf: "\(tool): line \(number): \(message.visible)\n".utf8)
  }

  /// Bytes that wait to be written.
  var size: Int { records.count + words.count }

  mutating func clear() {
    records.removeAll(keepingCapacity: true)
    words.removeAll(keepingCapacity: true)
    recordCount = 0
    faultCount = 0
  }
}

/// The work of a filter on one line. Each worker has its own processor, so it may keep what it needs between lines.
public protocol LineProcessor: SendableMetatype {
  /// Works on a line (without its end; never blank) and adds to `output`.
  mutating func process(_ line: Span<UInt8>, number: Int, into output: inout Output)
  /// A line longer than the limit was skipped. The words have been said; a filter may add a record.
  mutating func skipped(lineNumber: Int, into output: inout Output)
}

extension LineProcessor {
  public mutating func skipped(lineNumber: Int, into output: inout Output) {}
}

public struct LineLoop: Sendable {
  public let tool: String
  public let lineLimit: Int
  public let jobs: Int
  public let progress: Bool

  public init(tool: String, lineLimit: Int = 1_048_576, jobs: Int = 1, progress: Bool = false) {
    self.tool = tool
    self.lineLimit = lineLimit
    self.jobs = jobs
    self.progress = progress
  }

  /// Runs until the input ends. Throws when the input cannot be read or the output not be written; a closed output is
  /// such an error too (`SystemError.isBrokenPipe`).
  public func run<Processor: LineProcessor>(
    from input: Descriptor = .standardInput, to output: Descriptor = .standardOutput,
    _ makeProcessor: @escaping @Sendable () -> Processor
  ) throws(SystemError) -> Tally {
    let (tool, lineLimit) = (tool, lineLimit)
    return try BlockLoop.run(
      BlockReader(input, lineLimit: lineLimit), to: output, jobs: jobs,
      meter: progress ? Progress(tool: tool, input: input) : nil
    ) { LineWorker(tool: tool, lineLimit: lineLimit, processor: makeProcessor()) }
  }
}

/// Hands the lines of a block to a processor.
private struct LineWorker<Processor: LineProcessor>: BlockWorker {
  let tool: String
  let lineLimit: Int
  var processor: Processor

  mutating func work(_ block: Block, into output: inout Output, flush: (inout Output) -> Bool) {
    if block.hadByteOrderMark {
      output.say(tool, line: 1, "warning: the input starts with a byte order mark, which was ignored")
    }
    var place = 0
    var number = block.firstNumber
    while place < block.count {
      let line = block.line(at: place)
      place = line.next
      defer { number += 1 }
      if line.isBlank { continue }
      output.recordCount += 1
      if line.range.count > lineLimit {
        skip(number, line.range.count, &output)
      } else {
        processor.process(block.bytes.span.extracting(line.range), number: number, into: &output)
      }
      guard flush(&output) else { return }
    }
    guard let long = block.tooLong else { return }
    output.recordCount += 1
    skip(long.number, long.length, &output)
  }

  private mutating func skip(_ number: Int, _ length: Int, _ output: inout Output) {
    output.faultCount += 1
    output.say(tool, line: number, "skipped: the line has \(length) bytes, more than --max-line \(lineLimit)")
    processor.skipped(lineNumber: number, into: &output)
  }
}
