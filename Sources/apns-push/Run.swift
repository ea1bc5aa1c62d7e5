// The run of apns-push: lines to the sender while it has room, results out before every wait, an end for every line.

import Filter
import POSIX
import Provider

struct Run {
  let sender: Sender
  var lines: LineReader
  let signals: Signals
  let drainSeconds: Int
  let clock = Clock.system
  private let tool = PushOptions.command.name
  private var meter: Progress?
  /// The signal that asked to stop, and when to stop waiting.
  private var stopSignal: Int32?
  private var drainUntil: UInt64 = .max
  /// What is being written: changes places with the sender's buffers, so that no bytes are copied.
  private var buffer: [UInt8] = []

  init(sender: Sender, lines: LineReader, signals: Signals, drainSeconds: Int, progress: Bool) {
    self.sender = sender
    self.lines = lines
    self.signals = signals
    self.drainSeconds = drainSeconds
    meter = progress ? Progress(tool: tool, input: lines.input) : nil
  }

  /// Reads, sends and writes until the input has ended and every line has its result.
  mutating func go() throws -> Status {
    var wantsRead = true
    while true {
      wantsRead = takeLines()
      try write(atLeast: 65_536)
      if (lines.isFinished || stopSignal != nil) && sender.pending == 0 { break }
      let reads = wantsRead && !lines.isFinished && stopSignal == nil
      // What is ready goes out before the loop waits for anything.
      try write(atLeast: 1)
      let found = sender.turn(input: reads ? lines.input : nil, limit: stopSignal == nil ? -1 : 100)
      if found.contains(.signal) { handleSignals() }
      if found.contains(.input) { try read() }
      if clock.monotonic() > drainUntil { sender.abandon("stopped by a signal") }
      meter?.show(records: sender.recorder.counts.total, extra: "\(sender.pending) under way")
    }
    try write(atLeast: 1)
    sender.close()
    meter?.finish(records: sender.recorder.counts.total)
    if let stopSignal { Signals.endProcess(with: stopSignal) }
    return status
  }

  private var status: Status {
    if sender.stopReason != nil { return .stopped }
    return sender.recorder.counts.accepted == sender.recorder.counts.total ? .ok : .findings
  }

  /// Hands lines over while there is room. Says whether more of the input is wanted.
  private mutating func takeLines() -> Bool {
    while sender.hasRoom, stopSignal == nil {
      let sender = self.sender
      switch lines.next({ line, number in sender.submit(line, number: number) }) {
      case .line: continue
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
    } catch {
      sender.abandon("the input cannot be read: \(error.message)")
      try write(atLeast: 1)
      throw Failure("the input cannot be read: \(error.message)", status: .stopped)
    }
  }

  private mutating func write(atLeast size: Int) throws {
    if !sender.recorder.words.isEmpty {
      meter?.finish(records: sender.recorder.counts.total)
      swap(&buffer, &sender.recorder.words)
      try? Descriptor.standardError.writeAll(buffer.span)
      buffer.removeAll(keepingCapacity: true)
    }
    guard sender.recorder.results.count >= size else { return }
    swap(&buffer, &sender.recorder.results)
    do throws(SystemError) {
      try Descriptor.standardOutput.writeAll(buffer.span)
      buffer.removeAll(keepingCapacity: true)
    } catch {
      // Nobody reads the results any longer: nothing more is sent, and what is under way is let go.
      if error.isBrokenPipe { exitProcess(Status.ok.rawValue) }
      throw Failure("the results cannot be written: \(error.message)", status: .stopped)
    }
  }

  /// The first signal stops reading and drains; the second ends the wait. Both leave no line without its result.
  private mutating func handleSignals() {
    for signal in signals.taken() {
      if signal == Signals.user1 {
        Tool.say("\(tool): \(sender.recorder.counts.words); \(sender.pending) under way")
      } else if stopSignal == nil {
        stopSignal = signal
        drainUntil = clock.monotonic() + UInt64(drainSeconds) * 1_000_000_000
        Tool.say("\(tool): stopping; waiting up to \(drainSeconds) s for \(sender.pending) answers")
        sender.stopSending("stopped by a signal")
      } else {
        sender.abandon("stopped by a signal")
      }
    }
  }
}
