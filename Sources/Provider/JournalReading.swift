// Reading a journal that an earlier run left: what is good of it, and a torn end cut off.

import JSON
import POSIX

extension Journal {
  /// Reads what is there; says how many bytes of it are good.
  func load(_ replay: (Span<UInt8>) -> Void) throws(Fault) -> Int {
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
  func take(
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
      let result = body.extracting((blank + 1)..<body.count)
      if !isAccepted(result) { refused.insert(line) }
      if finished.insert(line) { replay(result) }
    case UInt8(ascii: "T"): target = String(utf8: body)
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

/// Whether a result says so. The first member of that name is ours: what the caller chose, `meta`, stands last.
private func isAccepted(_ result: Span<UInt8>) -> Bool {
  var place = 0
  while let quote = result.firstIndex(of: UInt8(ascii: "\""), from: place) {
    if result.holds("\"outcome\":\"", at: quote) { return result.holds("accepted\"", at: quote + 11) }
    place = quote + 1
  }
  return false
}

extension Span<UInt8> {
  fileprivate func holds(_ text: StaticString, at start: Int) -> Bool {
    let wanted = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    guard start + wanted.count <= count else { return false }
    for index in wanted.indices where unsafe self[start + index] != wanted[index] { return false }
    return true
  }
}
