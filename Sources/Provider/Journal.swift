// The journal: what was about to be sent and what came of it, on disk before anybody is told.
//
// One record a line, each behind a checksum of eight hexadecimal digits:
//
//   xxxxxxxx H 1 <seed, 16 hex digits>           the head: version, seed of generated ids
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
  private(set) var seed: UInt64
  private let file: Descriptor
  private let path: String
  private var pending: [UInt8] = []
  /// Changes places with `pending` while it goes to the disk; empty otherwise.
  private var writing: [UInt8] = []
  private var finished = LineSet()
  private var sent = LineSet()
  private var checkpoints: [(line: Int, fingerprint: UInt64)] = []
  private var nextCheckpoint = 0
  private var rolling: UInt64 = 0x9e37_79b9_7f4a_7c15
  private var lastLine = 0
  private var lastWritten = 0
  /// The input is the one the journal is of, as far as it was read; true for a new journal.
  public private(set) var isVerified = true
  /// Bytes of records that the earlier run left.
  private var loadedLength = 0
  /// The journal held records of an earlier run.
  public private(set) var isResumed = false
  /// Bytes of a torn record that were cut off the end.
  public private(set) var repairedBytes = 0

  /// Opens a journal or begins one.
  public init(path: String) throws(Fault) {
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
      try commit()
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
    do throws(SystemError) { try Self.write(writing, file) } catch {
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

  // MARK: Loading

  /// Reads what is there; says how many bytes of it are good.
  private func load(_ replay: (Span<UInt8>) -> Void) throws(Fault) -> Int {
    var buffer: [UInt8] = []
    var offset = 0
    var atEnd = false
    while !atEnd {
      do throws(SystemError) { atEnd = try file.read(into: &buffer, limit: 262_144) == .end } catch {
        throw Fault(message: "the journal \(path) cannot be read: \(error.message)")
      }
      let taken = take(buffer.span, replay, offset)
      offset += taken.count
      if taken.isDamaged {
        try repair(buffer.span.extracting(droppingFirst: taken.count), offset)
        return offset
      }
      buffer.removeFirst(taken.count)
    }
    if !buffer.isEmpty { try repair(buffer.span, offset) }
    return offset
  }

  /// Takes whole good records; says how many bytes they were, and whether a bad one stopped it.
  private func take(
    _ bytes: Span<UInt8>, _ replay: (Span<UInt8>) -> Void, _ offset: Int
  ) -> (count: Int, isDamaged: Bool) {
    var start = 0
    while let end = bytes.firstIndex(of: UInt8(ascii: "\n"), from: start) {
      guard accept(bytes.extracting(start..<end), replay, isFirst: offset + start == 0) else { return (start, true) }
      start = end + 1
    }
    return (start, false)
  }

  /// What is left is a record cut short by a crash: taken off. Whole records behind a bad one mean something else
  /// wrote here, and that is not ours to mend.
  private func repair(_ rest: Span<UInt8>, _ offset: Int) throws(Fault) {
    var start = 0
    var isFirst = true
    while let end = rest.firstIndex(of: UInt8(ascii: "\n"), from: start) {
      if !isFirst, isSealed(rest.extracting(start..<end)) {
        throw Fault(message: "the journal \(path) is damaged at byte \(offset), and goes on behind it")
      }
      isFirst = false
      start = end + 1
    }
    if offset == 0, !rest.isEmpty {
      throw Fault(message: "\(path) is no journal of apns-push: it was left as it is")
    }
    repairedBytes = rest.count
    do throws(SystemError) {
      try file.truncate(to: offset)
      try file.seek(to: offset)
    } catch {
      throw Fault(message: "the journal \(path) cannot be mended: \(error.message)")
    }
  }

  private func isSealed(_ record: Span<UInt8>) -> Bool {
    guard record.count > 11, record[8] == 0x20 else { return false }
    return hexadecimal(record.extracting(0..<8))
      == UInt64(UInt32(truncatingIfNeeded: fingerprint(record.extracting(droppingFirst: 9))))
  }

  private func accept(_ record: Span<UInt8>, _ replay: (Span<UInt8>) -> Void, isFirst: Bool) -> Bool {
    guard isSealed(record) else { return false }
    let body = record.extracting(droppingFirst: 11)
    switch record[9] {
    case UInt8(ascii: "H"):
      guard isFirst, body.count == 18, body[0] == UInt8(ascii: "1"), let value = hexadecimal(body.extracting(2..<18))
      else { return false }
      seed = value
      isResumed = true
    case UInt8(ascii: "S"):
      guard let dash = body.firstIndex(of: UInt8(ascii: "-")), let first = decimal(body.extracting(0..<dash)),
        let last = decimal(body.extracting((dash + 1)..<body.count)), first <= last, last - first < 10_000_000
      else { return false }
      for line in first...last { sent.insert(line) }
    case UInt8(ascii: "R"):
      guard let blank = body.firstIndex(of: 0x20), let line = decimal(body.extracting(0..<blank)) else { return false }
      if finished.insert(line) { replay(body.extracting((blank + 1)..<body.count)) }
    case UInt8(ascii: "U"):
      guard let line = decimal(body) else { return false }
      sent.remove(line)
    case UInt8(ascii: "C"):
      guard let blank = body.firstIndex(of: 0x20), let line = decimal(body.extracting(0..<blank)),
        let value = hexadecimal(body.extracting((blank + 1)..<body.count))
      else { return false }
      // Read a second time for the replay, they are known already.
      if line > checkpoints.last?.line ?? 0 { checkpoints.append((line, value)) }
    default: return false
    }
    return true
  }
}

/// Numbers of lines, a bit each.
struct LineSet {
  private var words: [UInt64] = []

  func contains(_ line: Int) -> Bool {
    guard line >= 0, line >> 6 < words.count else { return false }
    return words[line >> 6] >> UInt64(line & 63) & 1 == 1
  }

  mutating func remove(_ line: Int) {
    guard contains(line) else { return }
    words[line >> 6] &= ~(1 << UInt64(line & 63))
  }

  /// Says whether it was not there before.
  @discardableResult
  mutating func insert(_ line: Int) -> Bool {
    // A billion lines are 125 MB of bits; what is beyond is no line number of a real run.
    guard line >= 0, line < 1_000_000_000 else { return false }
    if line >> 6 >= words.count { words.append(contentsOf: repeatElement(0, count: (line >> 6) - words.count + 1)) }
    let mask: UInt64 = 1 << UInt64(line & 63)
    defer { words[line >> 6] |= mask }
    return words[line >> 6] & mask == 0
  }
}

private func appendHexadecimal(_ value: UInt64, _ out: inout [UInt8]) {
  for shift in stride(from: 56, through: 0, by: -8) {
    out.append(hexadecimal: UInt8(truncatingIfNeeded: value >> UInt64(shift)))
  }
}

private func hexadecimal(_ text: Span<UInt8>) -> UInt64? {
  guard !text.isEmpty, text.count <= 16 else { return nil }
  var value: UInt64 = 0
  for index in text.indices {
    switch text[index] {
    case 0x30...0x39: value = value << 4 | UInt64(text[index] - 0x30)
    case 0x61...0x66: value = value << 4 | UInt64(text[index] - 0x57)
    default: return nil
    }
  }
  return value
}

private func decimal(_ text: Span<UInt8>) -> Int? {
  guard !text.isEmpty, text.count <= 12 else { return nil }
  var value = 0
  for index in text.indices {
    guard (0x30...0x39).contains(text[index]) else { return nil }
    value = value * 10 + Int(text[index] - 0x30)
  }
  return value
}
