// The loop of every line filter: blocks in, records and words out, in the order of the input.

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

/// How many records a loop has seen.
public struct Tally: Sendable, Equatable {
  public var records = 0
  public var faults = 0

  public var status: Status { faults == 0 ? .ok : .findings }
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
    let source = Monitor(Source(reader: BlockReader(input, lineLimit: lineLimit)))
    let sink = Monitor(Sink(output: output, meter: progress ? Progress(tool: tool, input: input) : nil))
    let worker = Worker(tool: tool, lineLimit: lineLimit, source: source, sink: sink)
    var threads: [Thread] = []
    for _ in 1..<max(jobs, 1) {
      // With fewer threads than asked for the work is done all the same.
      guard let thread = try? Thread.start({ worker.run(makeProcessor()) }) else { break }
      threads.append(thread)
    }
    worker.run(makeProcessor())
    for thread in threads { thread.join() }
    return try sink.change { sink in
      sink.meter?.finish(records: sink.tally.records)
      return sink.failure.map { .failure($0) } ?? Result<Tally, SystemError>.success(sink.tally)
    }.get()
  }
}

private struct Source {
  var reader: BlockReader
  var ticket = 0
  var stopped = false
}

private struct Sink {
  let output: Descriptor
  var meter: Progress?
  var nextTicket = 0
  var tally = Tally()
  var failure: SystemError?
}

/// Takes a block, works, waits for its turn, writes: no queue, so memory is bounded by the number of workers.
private struct Worker: Sendable {
  let tool: String
  let lineLimit: Int
  let source: Monitor<Source>
  let sink: Monitor<Sink>

  func run<Processor: LineProcessor>(_ first: Processor) {
    var processor = first
    var block = Block()
    var output = Output()
    while let ticket = take(&block) {
      output.clear()
      work(&processor, block, &output)
      guard give(ticket, output) else { break }
    }
  }

  private func take(_ block: inout Block) -> Int? {
    // The two locks are never held together: a reader may wait for its input as long as it likes.
    if sink.change({ $0.failure != nil }) { return nil }
    let taken = source.change { source -> Result<Int?, SystemError> in
      if source.stopped { return .success(nil) }
      do throws(SystemError) {
        guard try source.reader.next(&block) else {
          source.stopped = true
          return .success(nil)
        }
      } catch {
        source.stopped = true
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

  private func work<Processor: LineProcessor>(_ processor: inout Processor, _ block: Block, _ output: inout Output) {
    if block.hadByteOrderMark {
      output.say(tool, line: 1, "warning: the input starts with a byte order mark, which was ignored")
    }
    block.forEachLine { line, number in
      output.recordCount += 1
      if line.count > lineLimit {
        skip(&processor, number, line.count, &output)
      } else {
        processor.process(line, number: number, into: &output)
      }
    }
    if let long = block.tooLong {
      output.recordCount += 1
      skip(&processor, long.number, long.length, &output)
    }
  }

  private func skip<Processor: LineProcessor>(
    _ processor: inout Processor, _ number: Int, _ length: Int, _ output: inout Output
  ) {
    output.faultCount += 1
    output.say(
      tool, line: number, "skipped: the line has \(length) bytes, more than --max-line \(lineLimit)")
    processor.skipped(lineNumber: number, into: &output)
  }

  private func give(_ ticket: Int, _ output: Output) -> Bool {
    sink.wait { sink -> Bool? in
      guard sink.nextTicket == ticket else { return nil }
      defer { sink.nextTicket += 1 }
      if sink.failure != nil { return false }
      do throws(SystemError) {
        if !output.words.isEmpty { try? Descriptor.standardError.writeAll(output.words.span) }
        try sink.output.writeAll(output.records.span)
      } catch {
        sink.failure = error
        return false
      }
      sink.tally.records += output.recordCount
      sink.tally.faults += output.faultCount
      sink.meter?.show(records: sink.tally.records)
      return true
    }
  }
}
