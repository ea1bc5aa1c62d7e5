// The files a run writes besides its results: rejects, events, journal. Opened before anything is sent.

import APNs
import Filter
import JSON
import Options
import POSIX
import Provider

struct Outputs {
  let journal: Journal?
  private let rejects: Descriptor?
  private let events: Descriptor?

  /// Opens the files.
  init(_ arguments: Arguments) throws {
    journal = try arguments[PushOptions.journal].map { (path) throws(Failure) in
      do throws(Journal.Fault) { return try Journal(path: path) } catch { throw Failure(error.message) }
    }
    let goesOn = journal?.isResumed ?? false
    rejects = try Self.create(arguments[PushOptions.rejects], appending: goesOn, mode: 0o600)
    events = try Self.create(arguments[PushOptions.events], appending: goesOn, mode: 0o644)
    guard let journal, journal.repairedBytes > 0 else { return }
    Tool.say(
      "\(PushOptions.command.name): the journal ended in \(journal.repairedBytes) bytes of an unfinished record, "
        + "which were cut off")
  }

  var keepsRejects: Bool { rejects != nil }
  var keepsEvents: Bool { events != nil }

  /// Writes the results that an earlier run of the journal had to standard output, and counts them.
  func replay(into recorder: inout Recorder) throws {
    guard let journal else { return }
    let replay = Replay()
    do throws(Journal.Fault) { try journal.replay { replay.take($0) } } catch {
      throw Failure(error.message, status: .stopped)
    }
    try replay.flush()
    for (outcome, reasons) in replay.endings {
      for (reason, count) in reasons {
        for _ in 0..<count { recorder.countReplayed(outcome, reason: reason.isEmpty ? nil : reason) }
      }
    }
  }

  /// Writes what has gathered.
  func write(_ recorder: inout Recorder) throws {
    try Self.drain(&recorder.rejects, to: rejects, "rejects")
    try Self.drain(&recorder.events, to: events, "events")
  }

  private static func create(_ path: String?, appending: Bool, mode: UInt32) throws -> Descriptor? {
    guard let path else { return nil }
    do throws(SystemError) { return try File.create(path, appending: appending, mode: mode) } catch {
      throw Failure("cannot write \(path): \(error.message)")
    }
  }

  private static func drain(_ bytes: inout [UInt8], to file: Descriptor?, _ what: String) throws {
    guard let file, !bytes.isEmpty else { return }
    do throws(SystemError) { try file.writeAll(bytes.span) } catch {
      throw Failure("the \(what) cannot be written: \(error.message)", status: .stopped)
    }
    bytes.removeAll(keepingCapacity: true)
  }
}

/// Prints the results of an earlier run as the journal is read, and counts them. Memory does not grow with them.
private final class Replay {
  private(set) var endings: [Outcome: [String: Int]] = [:]
  private var buffer: [UInt8] = []
  private var reader = Reader()
  private var failure: SystemError?

  func take(_ result: Span<UInt8>) {
    buffer.append(result)
    buffer.append(UInt8(ascii: "\n"))
    var problems: [Problem] = []
    if (try? reader.read(result)) != nil {
      let tokens = reader.tokens
      let source = FeedbackSource.read(Document(result, tokens.span), problems: &problems)
      if let outcome = source.outcome { endings[outcome, default: [:]][source.reason ?? "", default: 0] += 1 }
    }
    if buffer.count > 65_536 { write() }
  }

  /// Writes the rest. Throws what kept any part from being written.
  func flush() throws(SystemError) {
    write()
    if let failure { throw failure }
  }

  private func write() {
    let bytes = buffer
    buffer.removeAll()
    do throws(SystemError) { try Descriptor.standardOutput.writeAll(bytes.span) } catch { failure = failure ?? error }
  }
}
