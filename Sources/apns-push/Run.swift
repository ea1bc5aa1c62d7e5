// The run of apns-push: lines to the sender while it has room, results out before every wait, an end for every line.

import Filter
import POSIX
import Provider

struct Run<Sender: Sending> {
  let sender: Sender
  var lines: LineReader
  let outputs: Outputs
  let signals: Signals
  let drainSeconds: Int
  let summary: String
  private let clock = Clock.system
  private let tool = PushOptions.command.name
  private let started = Clock.system.monotonic()
  private var meter: Progress?
  /// The signal that asked to stop.
  private var stopSignal: Int32?
  /// When to stop waiting for answers, and for lines that nobody will send: monotonic nanoseconds.
  private var drainUntil: UInt64 = .max
  private var stopsReading = false
  /// What is being written: changes places with the sender's buffers, so that no bytes are copied.
  private var buffer: [UInt8] = []

  init(
    sender: Sender, lines: LineReader, outputs: Outputs, signals: Signals, drainSeconds: Int, progress: Bool,
    summary: String
  ) {
    self.sender = sender
    self.lines = lines
    self.outputs = outputs
    self.signals = signals
    self.drainSeconds = drainSeconds
    self.summary = summary
    meter = progress ? Progress(tool: tool, input: lines.input) : nil
  }

  /// Reads, sends and writes until the input has ended and every line has its result.
  mutating func go() throws -> Status {
    while true {
      let wantsMore = takeLines()
      try settleJournal()
      sender.commit()
      // What is ready goes out before the loop waits for anything.
      try write()
      if (lines.isFinished || stopsReading) && sender.pending == 0 { break }
      let reads = wantsMore && !lines.isFinished && !stopsReading
      // Lines that were held back until the results were written are taken at once.
      let waits = wantsMore || !sender.hasRoom || lines.isFinished || stopsReading
      let limit = waits ? (isStopping ? 100 : -1) : 0
      let found = sender.turn(input: reads ? lines.input : nil, limit: limit)
      if found.contains(.signal) { handleSignals() }
      if found.contains(.input) { try read() } else if isStopping { giveUpInput(reads) }
      if clock.monotonic() > drainUntil { sender.abandon("stopped by a signal") }
      meter?.show(records: sender.recorder.counts.total, extra: "\(sender.pending) under way")
    }
    sender.close()
    sender.commit()
    try write()
    meter?.finish(records: sender.recorder.counts.total)
    if sender.recorder.unsaid > 0 {
      Tool.say("\(tool): \(sender.recorder.unsaid) more such remarks; the results say what is wrong with each line")
    }
    try sum()
    // One that came together with the end of the input was not seen in the loop.
    if let signal = stopSignal ?? signals.taken().first(where: { $0 != Signals.user1 }) {
      Signals.endProcess(with: signal)
    }
    return status
  }

  /// Results of an earlier run come first, and not before the input has shown that they are its own. An input that is
  /// another one ends the run before anything was printed or sent.
  private mutating func settleJournal() throws {
    guard let journal = outputs.journal, !isReplayed || !isEndChecked else { return }
    if !isReplayed, journal.isVerified {
      isReplayed = true
      try outputs.replay(into: &sender.recorder)
    }
    if let fault = sender.journalFault, !isReplayed { throw Failure(fault) }
    guard lines.isFinished, !isEndChecked, stopSignal == nil else { return }
    isEndChecked = true
    do throws(Journal.Fault) { try journal.inputEnded() } catch {
      if !isReplayed { throw Failure(error.message) }
      sender.stopSending(error.message)
      throw Failure(error.message, status: .stopped)
    }
  }

  private var isReplayed = false
  private var isEndChecked = false

  private var isStopping: Bool { stopSignal != nil || hasLostFile || sender.stopReason != nil }

  private var status: Status {
    if sender.stopReason != nil || hasLostFile || sender.recorder.counts.unsent > 0 { return .stopped }
    return sender.recorder.counts.accepted == sender.recorder.counts.total ? .ok : .findings
  }

  /// Hands lines over while there is room. Says whether more of the input is wanted.
  private mutating func takeLines() -> Bool {
    while sender.hasRoom, !stopsReading {
      let sender = self.sender
      switch lines.next({ line, number in sender.submit(line, number: number) }) {
      case .line:
        // A stopped run has a result for each line at once: they must not gather.
        if sender.recorder.results.count > 262_144 { return false }
      case .tooLong(let number, let length):
        sender.refuse(number, "the line has \(length) bytes, more than --max-line allows")
      case .nothing: return true
      }
    }
    return false
  }

  private mutating func read() throws {
    do throws(SystemError) {
      let before = lines.hadByteOrderMark
      try lines.read()
      if lines.hadByteOrderMark && !before {
        Tool.say("\(tool): line 1: warning: the input starts with a byte order mark, which was ignored")
      }
      quietSince = clock.monotonic()
    } catch {
      sender.abandon("the input cannot be read: \(error.message)")
      sender.commit()
      try write()
      throw Failure("the input cannot be read: \(error.message)", status: .stopped)
    }
  }

  private var quietSince: UInt64 = 0

  /// A run that stops early still has an end for every line that can be read, but waits for no further ones.
  private mutating func giveUpInput(_ reads: Bool) {
    guard reads, !lines.isFinished else { return }
    if quietSince == 0 { quietSince = clock.monotonic() }
    let patience: UInt64 = stopSignal != nil ? 200_000_000 : 2_000_000_000
    if clock.monotonic() - quietSince > patience { stopsReading = true }
  }

  private mutating func write() throws {
    if outputs.journal?.isVerified == false { return }
    defer { writeFiles() }
    if !sender.recorder.words.isEmpty {
      meter?.finish(records: sender.recorder.counts.total)
      swap(&buffer, &sender.recorder.words)
      try? Descriptor.standardError.writeAll(buffer.span)
      buffer.removeAll(keepingCapacity: true)
    }
    if sender.recorder.results.isEmpty { return }
    swap(&buffer, &sender.recorder.results)
    do throws(SystemError) {
      try writeResults()
      buffer.removeAll(keepingCapacity: true)
    } catch {
      // Nobody reads the results any longer: nothing more is sent, and what is under way is let go.
      if error.isBrokenPipe { Signals.endProcess(with: Signals.brokenPipe) }
      throw Failure("the results cannot be written: \(error.message)", status: .stopped)
    }
  }

  /// Writes the results; while their reader is slow, a signal is still heard. A second one gives the rest up.
  private mutating func writeResults() throws(SystemError) {
    var rest = 0
    while rest < buffer.count {
      if case .bytes(let count) = try Self.write(buffer, from: rest, to: output) {
        rest += count
      } else if output.waitUntilWritable(orReadable: signals.descriptor) {
        let before = stopSignal
        handleSignals()
        if before != nil, let stopSignal { Signals.endProcess(with: stopSignal) }
      }
    }
  }

  private static func write(
    _ bytes: borrowing [UInt8], from start: Int, to output: Descriptor
  ) throws(SystemError) -> Descriptor.Transfer {
    try output.write(bytes.span.extracting(droppingFirst: start))
  }

  /// Rejects and events. When they cannot be written, nothing more is sent; what is under way still has its results.
  private mutating func writeFiles() {
    guard let message = outputs.write(&sender.recorder), !hasLostFile else { return }
    hasLostFile = true
    Tool.say("\(tool): stopped: \(message)")
    sender.stopSending(message)
  }

  private var hasLostFile = false
  /// Standard output, by a way that does not block where there is one.
  private let output = Descriptor.standardOutput.nonBlockingCopy ?? Descriptor.standardOutput

  private func sum() throws {
    let summary = Summary(recorder: sender.recorder, duration: clock.monotonic() - started)
    switch self.summary {
    case "json": try? Descriptor.standardError.writeAll(summary.json.span)
    case "text": try? Descriptor.standardError.writeAll(summary.table)
    default: break
    }
  }

  /// The first signal stops sending and drains; the second ends the wait. Both leave no line without its result.
  private mutating func handleSignals() {
    for signal in signals.taken() {
      meter?.finish(records: sender.recorder.counts.total)
      if signal == Signals.user1 {
        Tool.say("\(tool): \(sender.recorder.counts.words); \(sender.pending) under way")
      } else if stopSignal == nil {
        stopSignal = signal
        drainUntil = clock.monotonic() + UInt64(drainSeconds) * 1_000_000_000
        sender.stopSending("stopped by a signal")
        Tool.say("\(tool): stopping; waiting up to \(drainSeconds) s for \(sender.pending) answers")
      } else {
        stopsReading = true
        sender.abandon("stopped by a signal")
      }
    }
  }
}
