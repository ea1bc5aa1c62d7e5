// The loop behind every filter: blocks are read one after the other, worked on side by side, and what they come to is
// written in the order of the input.

import POSIX

/// Where the blocks of a loop come from.
public protocol BlockSource: Sendable, SendableMetatype {
  associatedtype Block
  /// An empty block, to be filled again and again.
  static var empty: Block { get }
  /// Fills the block; waits for the input. False when that has ended.
  mutating func next(_ block: inout Block) throws(SystemError) -> Bool
}

/// The work on a block. Each worker of a loop has its own, so it may keep what it needs between blocks.
public protocol BlockWorker<Block>: SendableMetatype {
  associatedtype Block
  /// Works on a block and adds to `output`.
  /// - Parameter flush: to be called behind each record: writes what has been made once there is much of it. False says
  ///   that nobody wants any more.
  mutating func work(_ block: Block, into output: inout Output, flush: (inout Output) -> Bool)
}

/// How many records a loop has seen.
public struct Tally: Sendable, Equatable {
  public var records = 0
  public var faults = 0

  public init(records: Int = 0, faults: Int = 0) {
    self.records = records
    self.faults = faults
  }

  public var status: Status { faults == 0 ? .ok : .findings }
}

public enum BlockLoop {
  /// Runs until the source ends. Throws when it cannot be read or the output not be written; a closed output is such an
  /// error too (`SystemError.isBrokenPipe`).
  /// - Parameters:
  ///   - jobs: workers side by side.
  ///   - meter: shows progress; nil shows none.
  public static func run<Source: BlockSource, Worker: BlockWorker<Source.Block>>(
    _ source: Source, to output: Descriptor, jobs: Int, meter: Progress?, _ makeWorker: @escaping @Sendable () -> Worker
  ) throws(SystemError) -> Tally {
    let line = Line(source: Monitor(Intake(source: source)), sink: Monitor(Sink(output: output, meter: meter)))
    var threads: [Thread] = []
    for _ in 1..<max(jobs, 1) {
      // With fewer threads than asked for the work is done all the same.
      guard let thread = try? Thread.start({ line.run(makeWorker()) }) else { break }
      threads.append(thread)
    }
    line.run(makeWorker())
    for thread in threads { thread.join() }
    return try line.sink.change { sink in
      sink.meter?.finish(records: sink.tally.records)
      return sink.failure.map { .failure($0) } ?? Result<Tally, SystemError>.success(sink.tally)
    }.get()
  }
}

private struct Intake<Source: BlockSource> {
  var source: Source
  var ticket = 0
  var isStopped = false
}

private struct Sink {
  let output: Descriptor
  var meter: Progress?
  var nextTicket = 0
  var tally = Tally()
  var failure: SystemError?
}

/// Takes a block, works, waits for its turn, writes: no queue, so memory is bounded by the number of workers.
private struct Line<Source: BlockSource>: Sendable {
  let source: Monitor<Intake<Source>>
  let sink: Monitor<Sink>

  func run(_ first: some BlockWorker<Source.Block>) {
    var worker = first
    var block = Source.empty
    var output = Output()
    while let ticket = take(&block) {
      var isWanted = true
      worker.work(block, into: &output) { output in
        // Short lines can make long records: what has been made goes out before there is too much of it.
        if output.size > Self.usualOutput { isWanted = give(ticket, &output, isLast: false) }
        return isWanted
      }
      guard isWanted, give(ticket, &output, isLast: true) else { break }
    }
  }

  private static var usualOutput: Int { 1_048_576 }

  private func take(_ block: inout Source.Block) -> Int? {
    // The two locks are never held together: a reader may wait for its input as long as it likes.
    if sink.change({ $0.failure != nil }) { return nil }
    let taken = source.change { intake -> Result<Int?, SystemError> in
      if intake.isStopped { return .success(nil) }
      do throws(SystemError) {
        guard try intake.source.next(&block) else {
          intake.isStopped = true
          return .success(nil)
        }
      } catch {
        intake.isStopped = true
        return .failure(error)
      }
      defer { intake.ticket += 1 }
      return .success(intake.ticket)
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
      sink.tally.records += output.recordCount
      sink.tally.faults += output.faultCount
      sink.meter?.show(records: sink.tally.records)
      return true
    }
    output.clear()
    return isWritten
  }
}
