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
  /// - Parameter input: where the lines come from: a file that is written must not be the one that is read.
  /// - Parameter target: where the lines go, in words.
  init(_ arguments: Arguments, input: Descriptor, target: String) throws {
    guard Descriptor.standardOutput.isOpenForWriting else {
      throw Failure("standard output is not open for writing: the results would be lost")
    }
    // Nothing is truncated before it is known that each file has one role: a file may have many names.
    rejects = try Self.open(arguments, PushOptions.rejects, mode: 0o600)
    events = try Self.open(arguments, PushOptions.events, mode: 0o644)
    try Self.checkDistinct(arguments, input, rejects, events)
    journal = try arguments[PushOptions.journal].map { (path) throws(Failure) in
      do throws(Journal.Fault) { return try Journal(path: path, target: target) } catch { throw Failure(error.message) }
    }
    let goesOn = journal?.isResumed ?? false
    for file in [rejects, events] where !goesOn { try? file?.truncate(to: 0) }
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
    // Written anew, as the results are: what a run that was killed left there may lack lines. A pipe stays as it is.
    try? rejects?.truncate(to: 0)
    let replay = Replay()
    do throws(Journal.Fault) { try journal.replay { replay.take($0) } } catch {
      throw Failure(error.message, status: .stopped)
    }
    try replay.flush()
    let count = replay.endings.values.reduce(0) { $0 + $1.values.reduce(0, +) }
    if count > 0 {
      let words = count == 1 ? "1 result stands" : "\(count) results stand"
      Tool.say("\(PushOptions.command.name): \(words) in the journal: printed again, not sent again")
    }
    for (outcome, reasons) in replay.endings {
      for (reason, count) in reasons {
        for _ in 0..<count { recorder.countReplayed(outcome, reason: reason.isEmpty ? nil : reason) }
      }
    }
  }

  /// Writes what has gathered. Says what could not be written; the caller stops the run then.
  func write(_ recorder: inout Recorder) -> String? {
    let rejected = Self.drain(&recorder.rejects, to: rejects, "rejects")
    let told = Self.drain(&recorder.events, to: events, "events")
    return rejected ?? told
  }

  /// Refuses two roles for one file.
  private static func checkDistinct(
    _ arguments: Arguments, _ input: Descriptor, _ rejects: Descriptor?, _ events: Descriptor?
  ) throws {
    var roles: [FileIdentity: String] = [:]
    func claim(_ identity: FileIdentity?, _ role: String) throws {
      guard let identity else { return }
      if let other = roles.updateValue(role, forKey: identity) {
        throw Failure("\(other) and \(role) are the same file; give them different ones")
      }
    }
    for option in [
      PushOptions.key, PushOptions.cert, PushOptions.certKey, PushOptions.caFile, CredentialOptions.credentials,
    ] {
      // One file may well be certificate, key and trust at once.
      if let identity = arguments[option].flatMap({ File.identity($0) }) {
        roles[identity] = "the file of --\(option.declaration.name)"
      }
    }
    try claim(input.identity, "the input")
    try claim(Descriptor.standardOutput.identity, "standard output")
    // Results and words in one file are what 2>&1 is for.
    if Descriptor.standardError.identity != Descriptor.standardOutput.identity {
      try claim(Descriptor.standardError.identity, "standard error")
    }
    try claim(rejects?.identity, "--rejects")
    try claim(events?.identity, "--events")
    try claim(arguments[PushOptions.journal].flatMap { File.identity($0) }, "--journal")
  }

  private static func open(_ arguments: Arguments, _ option: Option<String>, mode: UInt32) throws -> Descriptor? {
    guard let path = arguments[option] else { return nil }
    if path == "-" { throw Failure("--\(option.declaration.name) wants a file: standard output has the results") }
    // Appended to: a truncated file starts anew, and two writers do not overwrite each other.
    do throws(SystemError) { return try File.create(path, appending: true, mode: mode) } catch {
      throw Failure("cannot write \(path): \(error.message)")
    }
  }

  private static func drain(_ bytes: inout [UInt8], to file: Descriptor?, _ what: String) -> String? {
    guard let file, !bytes.isEmpty else { return nil }
    defer { bytes.removeAll(keepingCapacity: true) }
    do throws(SystemError) { try file.writeAll(bytes.span) } catch {
      return "the \(what) cannot be written: \(error.message)"
    }
    return nil
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
