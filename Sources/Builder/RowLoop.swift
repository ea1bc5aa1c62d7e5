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
  ) throws(SystemError) -> Count {
    let source = Monitor(Source(table: table))
    let sink = Monitor(Sink(output: output, meter: progress ? Progress(tool: tool, input: table.input) : nil))
    let worker = Worker(loop: self, source: source, sink: sink)
    var threads: [Thread] = []
    for _ in 1..<max(jobs, 1) {
      guard let thread = try? Thread.start({ worker.run(makeProcessor()) }) else { break }
      threads.append(thread)
    }
    worker.run(makeProcessor())
    for thread in threads { thread.join() }
    return try sink.change { sink in
      sink.meter?.finish(records: sink.count.records)
      return sink.failure.map { .failure($0) } ?? Result<Count, SystemError>.success(sink.count)
    }.get()
  }
}

private struct Source {
  var table: TableInput
  var ticket = 0
  var isStopped = false
}

private struct Sink {
  let output: Descriptor
  var meter: Progress?
  var nextTicket = 0
  var count = Count()
  var failure: SystemError?
}

private struct Worker: Sendable {
  let loop: RowLoop
  let source: Monitor<Source>
  let sink: Monitor<Sink>

  func run<Processor: LineProcessor>(_ first: Processor) {
    var processor = first
    var block = RowBlock()
    var output = Output()
    while let ticket = take(&block) {
      var isAlive = true
      block.forEachRow(loop, &processor, into: &output) { output in
        // Short rows can make long records: what has been made goes out before there is too much of it.
        if isAlive, output.records.count > Self.usualOutput { isAlive = give(ticket, &output, isLast: false) }
        return isAlive
      }
      guard isAlive, give(ticket, &output, isLast: true) else { break }
    }
  }

  private static let usualOutput = 1_048_576

  private func take(_ block: inout RowBlock) -> Int? {
    if sink.change({ $0.failure != nil }) { return nil }
    let taken = source.change { source -> Result<Int?, SystemError> in
      if source.isStopped { return .success(nil) }
      do throws(SystemError) {
        guard try source.table.next(&block) else {
          source.isStopped = true
          return .success(nil)
        }
      } catch {
        source.isStopped = true
        return .failure(error)
      }
      defer { source.ticket += 1 }
      return .success(source.ticket)
    }
    switch taken {
    case .success(let ticket): return ticket
    case .failure(let error):
      sink.change { $0.failure = $0.failure ?? error }
      return nil
    }
  }

  /// Waits for its turn, writes and empties the output. The turn passes on with the last of a block.
  private func give(_ ticket: Int, _ output: inout Output, isLast: Bool) -> Bool {
    let isWritten = sink.wait { sink -> Bool? in
      // After a failure nobody's turn comes any more.
      if sink.failure != nil { return false }
      guard sink.nextTicket == ticket else { return nil }
      defer { if isLast { sink.nextTicket += 1 } }
      do throws(SystemError) {
        if !output.words.isEmpty { try? Descriptor.standardError.writeAll(output.words.span) }
        try sink.output.writeAll(output.records.span)
      } catch {
        sink.failure = error
        return false
      }
      sink.count.records += output.recordCount
      sink.count.faults += output.faultCount
      sink.meter?.show(records: sink.count.records)
      return true
    }
    output.records.removeAll(keepingCapacity: true)
    output.words.removeAll(keepingCapacity: true)
    output.recordCount = 0
    output.faultCount = 0
    return isWritten
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
