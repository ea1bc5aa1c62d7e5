// The loop over the rows of a table: as the loop over lines, but a row may be several lines.

import Filter
import POSIX

/// Hands rows to workers and writes what they make of them in the order of the input. The processors get whole rows where
/// a line loop gives them lines.
public struct RowLoop: Sendable {
  let tool: String
  let delimiter: UInt8
  let limit: Int
  let jobs: Int
  let progress: Bool

  /// - Parameters:
  ///   - delimiter: the byte between columns.
  ///   - limit: most bytes of a row.
  ///   - jobs: workers side by side.
  public init(tool: String, delimiter: UInt8, limit: Int, jobs: Int = 1, progress: Bool = false) {
    self.tool = tool
    self.delimiter = delimiter
    self.limit = limit
    self.jobs = jobs
    self.progress = progress
  }

  /// Runs until the input ends. The header must have been taken off: see `TableInput`.
  public func run<Processor: LineProcessor>(
    _ table: TableInput, to output: Descriptor = .standardOutput, _ makeProcessor: @escaping @Sendable () -> Processor
  ) throws(SystemError) -> Tally {
    let loop = self
    return try BlockLoop.run(
      RowSource(table: table), to: output, jobs: jobs,
      meter: progress ? Progress(tool: tool, input: table.input) : nil
    ) { RowWorker(loop: loop, processor: makeProcessor()) }
  }
}

private struct RowSource: BlockSource {
  var table: TableInput

  static var empty: RowBlock { RowBlock() }

  mutating func next(_ block: inout RowBlock) throws(SystemError) -> Bool { try table.next(&block) }
}

/// Hands the rows of a block to a processor.
private struct RowWorker<Processor: LineProcessor>: BlockWorker {
  let loop: RowLoop
  var processor: Processor

  mutating func work(_ block: RowBlock, into output: inout Output, flush: (inout Output) -> Bool) {
    block.forEachRow(loop, &processor, into: &output, goOn: flush)
  }
}

extension RowBlock {
  /// Hands each row to the processor; blank ones are passed over.
  /// - Parameter goOn: called behind each row; false ends the matter.
  func forEachRow<Processor: LineProcessor>(
    _ loop: RowLoop, _ processor: inout Processor, into output: inout Output, goOn: (inout Output) -> Bool
  ) {
    var place = 0
    var number = firstNumber
    while place < count {
      let row = row(at: &place, number: &number, delimiter: loop.delimiter, limit: loop.limit)
      take(row, loop, &processor, into: &output)
      if !goOn(&output) { return }
    }
    guard let long = tooLong else { return }
    output.recordCount += 1
    output.faultCount += 1
    output.say(
      loop.tool, line: long.number, "skipped: the row has \(long.length) bytes, more than --max-line \(loop.limit)")
  }

  @inline(__always)
  func take<Processor: LineProcessor>(
    _ row: Row, _ loop: RowLoop, _ processor: inout Processor, into output: inout Output
  ) {
    let line = bytes.span.extracting(row.range)
    if row.range.count < 100, line.isBlank { return }
    output.recordCount += 1
    if row.isBroken {
      output.faultCount += 1
      output.say(
        loop.tool, line: row.number,
        "the quotes of the row are wrong: a quoted field ends in a quote before the next column; quotes inside are doubled"
      )
    } else if row.range.count > loop.limit {
      output.faultCount += 1
      output.say(
        loop.tool, line: row.number,
        "skipped: the row has \(row.range.count) bytes, more than --max-line \(loop.limit)")
    } else {
      processor.process(line, number: row.number, into: &output)
    }
  }
}

extension Span<UInt8> {
  /// Whether there is nothing here but blanks.
  var isBlank: Bool {
    for index in indices where self[index] != 0x20 && self[index] != 0x09 { return false }
    return true
  }
}
