// The journal: what was about to be sent and what came of it, on disk before anybody is told.
//
// One record a line, each behind a checksum of eight hexadecimal digits:
//
//   xxxxxxxx H 1 <seed, 16 hex digits>           the head: version, seed of generated ids
//   xxxxxxxx T HTTP/2 to production at api.push.apple.com    where the run's lines go; the last one counts
//   xxxxxxxx S 1001-1400                         these lines are about to go to the wire
//   xxxxxxxx R 1003 {"line":1003,…}              the result of a line
//   xxxxxxxx U 1007                              this line was not acted on: nobody sent it, or it was refused unread
//   xxxxxxxx C 1024 <fingerprint, 16 hex digits> all lines up to this one had this fingerprint
//
// A line is sent only after its S is on disk, a result is printed only after its R is. So after a crash a line without
// S (or with a U behind it) was never sent, a line with R is finished, and the rest is unknown. `unsent` is no result
// here: the next run sends such lines. Nothing is printed or sent before the first C of an earlier run was met by the
// input: until then it may be another input.

import JSON
import POSIX

public final class Journal {
  /// Why a journal cannot be used.
  public struct Fault: Error, Sendable, Equatable {
    public let message: String
  }

  /// The seed of identifiers made for lines without one: a line has the same after a crash.
  var seed: UInt64
  let file: Descriptor
  let path: String
  private var pending: [UInt8] = []
  /// Changes places with `pending` while it goes to the disk; empty otherwise.
  private var writing: [UInt8] = []
  var finished = LineSet()
  /// Where the earlier run's lines went.
  var target = ""
  /// Those of them that did not end accepted.
  var refused = LineSet()
  var sent = LineSet()
  var checkpoints: [(line: Int, fingerprint: UInt64)] = []
  private var nextCheckpoint = 0
  private var rolling: UInt64 = 0x9e37_79b9_7f4a_7c15
  private var lastLine = 0
  private var lastWritten = 0
  /// A write failed, perhaps half-way.
  private var isCutShort = false
  /// The input is the one the journal is of, as far as it was read; true for a new journal.
  public private(set) var isVerified = true
  /// Bytes of records that the earlier run left.
  private var loadedLength = 0
  /// The journal held records of an earlier run.
  public internal(set) var isResumed = false
  /// Bytes of a torn record that were cut off the end.
  public internal(set) var repairedBytes = 0

  /// Opens a journal or begins one.
  /// - Parameter target: where the run's lines go, in words. What was sent elsewhere is not what this run is asked for.
  public init(path: String, target: String = "") throws(Fault) {
    self.path = path
    seed = UInt64.random(in: .min ... .max)
    do throws(SystemError) {
      file = try File.openOrCreate(path)
      guard file.identity != nil else { throw SystemError("regular", code: 0) }
      guard try file.lock(wait: false) else { throw SystemError("flock", code: 0) }
    } catch {
      let words = ["flock": "another run uses it", "regular": "it is no regular file"][error.call] ?? error.message
      throw Fault(message: "the journal \(path) cannot be used: \(words)")
    }
    loadedLength = try load { _ in }
    isVerified = checkpoints.isEmpty
    if !isResumed {
      record { seed, out in
        out.append("H 1 ")
        appendHexadecimal(seed, &out)
      }
    }
    try note(target)
    if !isResumed { try commit() }
  }

  private func note(_ target: String) throws(Fault) {
    if target == self.target { return }
    if !self.target.isEmpty, !finished.isEmpty || !sent.isEmpty {
      throw Fault(
        message: "the journal \(path) is of a run by \(self.target), this one goes by \(target); use a new journal")
    }
    record { _, out in
      out.append("T ")
      out.append(target)
    }
  }

  /// Hands over the results of the earlier run as they stand, without newline, in the order they were had.
  public func replay(_ body: (Span<UInt8>) -> Void) throws(Fault) {
    guard loadedLength > 0 else { return }
    do throws(SystemError) {
      let reader = try File.open(path)
      var buffer: [UInt8] = []
      var (left, offset) = (loadedLength, 0)
      finished = LineSet()
      while left > 0, case .bytes(let count) = try reader.read(into: &buffer, limit: min(left, 262_144)) {
        left -= count
        let taken = take(buffer.span, body, offset).count
        offset += taken
        buffer.removeFirst(taken)
      }
    } catch {
      throw Fault(message: "the journal \(path) cannot be read: \(error.message)")
    }
  }

  /// The input has ended.
  /// - Throws: when it has fewer lines than the earlier run had read: it is another input.
  public func inputEnded() throws(Fault) {
    guard let last = checkpoints.last, last.line > lastLine else { return }
    throw Fault(
      message: "the journal \(path) is of another input: that had \(last.line) lines or more, this one ends at "
        + "\(lastLine); use a new journal")
  }

  // MARK: The run

  /// Notes a line that was read. Lines come in order, each once.
  /// - Throws: when the journal is of another input.
  func read(_ line: Span<UInt8>, number: Int) throws(Fault) {
    rolling = fingerprint(line, seed: rolling ^ UInt64(truncatingIfNeeded: number))
    lastLine = number
    while nextCheckpoint < checkpoints.count, checkpoints[nextCheckpoint].line < number { nextCheckpoint += 1 }
    guard nextCheckpoint < checkpoints.count, checkpoints[nextCheckpoint].line == number else { return }
    if checkpoints[nextCheckpoint].fingerprint != rolling {
      throw Fault(
        message: "the journal \(path) is of another input: the lines up to \(number) differ; use a new journal")
    }
    isVerified = true
  }

  /// Whether the line's result stands in the journal.
  func isFinished(_ number: Int) -> Bool { finished.contains(number) }

  /// Whether a finished line belongs among the rejects.
  func isRefused(_ number: Int) -> Bool { refused.contains(number) }

  /// Whether the line may have been sent by a run that did not live to see the answer.
  func wasSent(_ number: Int) -> Bool { sent.contains(number) }

  /// Lines about to be sent, as one stretch of numbers.
  func aboutToSend(_ lines: ClosedRange<Int>) {
    record { _, out in
      out.append("S ")
      out.append(decimal: lines.lowerBound)
      out.append("-")
      out.append(decimal: lines.upperBound)
    }
  }

  /// The line was not acted on after all: the next run may send it.
  func withdraw(_ number: Int) {
    record { _, out in
      out.append("U ")
      out.append(decimal: number)
    }
  }

  /// A result: the bytes of `records` in a range, without the newline. Nothing is copied on the way.
  func result(_ number: Int, _ records: borrowing [UInt8], _ range: Range<Int>) {
    let start = pending.count
    pending.append("00000000 R ")
    pending.append(decimal: number)
    pending.append(" ")
    pending.append(records.span.extracting(range))
    seal(start)
  }

  /// Brings everything noted so far to the disk.
  func commit() throws(Fault) {
    guard isVerified else { return }
    if lastLine > lastWritten + 1023 || (!pending.isEmpty && lastLine > lastWritten) {
      lastWritten = lastLine
      let (line, rolling) = (lastLine, rolling)
      record { _, out in
        out.append("C ")
        out.append(decimal: line)
        out.append(" ")
        appendHexadecimal(rolling, &out)
      }
    }
    if pending.isEmpty { return }
    swap(&pending, &writing)
    defer { writing.removeAll(keepingCapacity: true) }
    // Whole records behind one that was cut short would be no torn tail any longer: the next run could not mend it.
    if isCutShort { return }
    do throws(SystemError) { try Self.write(writing, file) } catch {
      isCutShort = true
      throw Fault(message: "the journal \(path) cannot be written: \(error.message)")
    }
  }

  private static func write(_ bytes: borrowing [UInt8], _ file: Descriptor) throws(SystemError) {
    try file.writeAll(bytes.span)
    try file.synchronize()
  }

  /// How much waits to be committed, in bytes.
  var pendingCount: Int { pending.count }

  private func record(_ body: (UInt64, inout [UInt8]) -> Void) {
    let start = pending.count
    pending.append("00000000 ")
    body(seed, &pending)
    seal(start)
  }

  /// Puts the checksum before the record that starts there, and ends it.
  private func seal(_ start: Int) {
    let sum = Self.checksum(pending, from: start + 9)
    for digit in 0..<8 {
      let value = UInt8(truncatingIfNeeded: sum >> UInt32(28 - digit * 4)) & 15
      pending[start + digit] = value < 10 ? 0x30 + value : 0x57 + value
    }
    pending.append(UInt8(ascii: "\n"))
  }

  private static func checksum(_ bytes: borrowing [UInt8], from start: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: fingerprint(bytes.span.extracting(droppingFirst: start)))
  }
}

private func appendHexadecimal(_ value: UInt64, _ out: inout [UInt8]) {
  for shift in stride(from: 56, through: 0, by: -8) {
    out.append(hexadecimal: UInt8(truncatingIfNeeded: value >> UInt64(shift)))
  }
}
