// From the bytes of one input to its records: which stream they are, then event after event.

import BinaryProtocol
import Filter
import JSON
import POSIX

extension Run {
  /// Decodes what is there and everything behind it.
  /// - Parameters:
  ///   - bytes: the first bytes of the stream.
  ///   - text: the piece of the input that they came from; from `rest` on it is not read yet.
  mutating func decode(
    _ reader: inout DumpReader, _ bytes: [UInt8], _ text: [UInt8], _ rest: Int, isWhole: Bool, _ words: inout Words
  ) throws {
    var bytes = bytes
    report(&reader, &words)
    guard !bytes.isEmpty else { return words.say(file, "there are no bytes in it: nothing to decode") }
    var isWhole = isWhole
    var decoder: Decoder
    switch try framing(bytes, isWhole: isWhole, &words) {
    case .success(let framing): decoder = Decoder(framing)
    case .failure(let foreign): return try passOver(bytes, text, rest, foreign.cause, &reader, &words)
    }
    var text = text
    var rest = rest
    while true {
      decoder.append(bytes.span)
      if isWhole { decoder.finish() }
      if try drain(&decoder, &words) || isWhole { break }
      bytes.removeAll(keepingCapacity: true)
      isWhole = try !next(&reader, &bytes, &text, &rest)
      report(&reader, &words)
    }
    try flush(&words)
  }

  /// The next bytes of the stream, never without any except at the end: then false, and what is there is the rest.
  private mutating func next(
    _ reader: inout DumpReader, _ bytes: inout [UInt8], _ text: inout [UInt8], _ rest: inout Int
  ) throws -> Bool {
    while bytes.isEmpty {
      if rest == text.count {
        rest = 0
        guard try readMore(&text) else {
          reader.finish(into: &bytes)
          return false
        }
      }
      rest += reader.read(text.span.extracting(droppingFirst: rest), into: &bytes)
    }
    return true
  }

  private struct Foreign: Error { var cause: Damage.Cause }

  /// Which stream it is; or what it is instead.
  private func framing(
    _ bytes: [UInt8], isWhole: Bool, _ words: inout Words
  ) throws -> Result<Framing, Foreign> {
    if let framing = Framing(rawValue: settings.framing) { return .success(framing) }
    switch Guess.from(bytes.span, isWhole: isWhole, times: times) {
    case .framing(let framing, let why):
      if settings.isBare, framing == .responses {
        throw Filter.Failure("\(name): these are error packets, for which --records has no form")
      }
      words.say(file, "taken as \(framing.rawValue): \(why)")
      return .success(framing)
    case .ambiguous(let candidates):
      let list = candidates.map { "\($0.framing.rawValue) (\($0.why))" }.joined(separator: " or ")
      throw Filter.Failure("\(name): cannot tell what this is; say --as: \(list)")
    case .none(let cause): return .failure(Foreign(cause: cause))
    }
  }

  /// Counts what is none of the three streams, and says so in one record.
  private mutating func passOver(
    _ bytes: [UInt8], _ text: [UInt8], _ rest: Int, _ cause: Damage.Cause, _ reader: inout DumpReader,
    _ words: inout Words
  ) throws {
    var length = bytes.count
    var more: [UInt8] = []
    var text = text
    var rest = rest
    repeat {
      more.removeAll(keepingCapacity: true)
      let goesOn = try next(&reader, &more, &text, &rest)
      length += more.count
      if !goesOn { break }
    } while true
    report(&reader, &words)
    take(Damage.unrecognised(cause, head: bytes.span, length: length), &words)
    try flush(&words)
  }

  /// Writes what the decoder has; true to stop.
  private mutating func drain(_ decoder: inout Decoder, _ words: inout Words) throws -> Bool {
    while let event = decoder.next() {
      switch event {
      case .feedback(let tuple):
        writer.append(tuple, decoder.bytes.span, to: &out)
        if !times.isPlausible(tuple) || tuple.token.isEmpty, let rule = times.rule(of: tuple),
          !words.onlyCounts(rule), let fault = times.fault(of: tuple)
        {
          say(fault, tuple.offset, &words)
        }
      case .notification(let frame): take(frame, decoder.bytes.span, &words)
      case .error(let packet):
        writer.append(packet, to: &out)
        if ErrorStatus.of(packet.status) == nil {
          words.say(
            file, "offset \(packet.offset)", "warning: no document has the status \(packet.status)",
            rule: "bin-status", isFault: false)
        }
      case .malformed(let damage):
        take(damage, &words)
        if settings.isStrict {
          try flush(&words)
          return true
        }
      }
      if out.count >= 131_072 { try flush(&words) }
    }
    // Nothing more before the next read, which may have to wait.
    try flush(&words)
    return false
  }

  private mutating func take(_ frame: Frame, _ bytes: Span<UInt8>, _ words: inout Words) {
    let before = out.count
    let form = writer.append(frame, bytes, to: &out)
    if !frame.isUsual(form) || frame.expiration ?? 0 != 0 {
      for fault in frame.faults(bytes, form, times) { say(fault, frame.offset, &words) }
    }
    if settings.isBare, out.count == before {
      words.say(
        file, "offset \(frame.offset)", "error: this notification cannot be sent, and is left out", rule: "bin-record",
        isFault: true)
    }
  }

  private mutating func take(_ damage: Damage, _ words: inout Words) {
    writer.append(damage, to: &out)
    words.say(
      file, "offset \(damage.offset)",
      "malformed: expected \(damage.expected), found \(damage.found); passed over \(damage.length) "
        + "byte\(damage.length == 1 ? "" : "s")", rule: damage.rule, isFault: true)
  }

  private func say(_ fault: Fault, _ offset: Int, _ words: inout Words) {
    words.say(
      file, "offset \(offset)",
      "\(fault.severity.rawValue): \(fault.message)"
        + (fault.status.map { "; APNs answered with status \($0.code), \($0.reason)" } ?? ""),
      rule: fault.rule, isFault: fault.severity == .error)
  }

  /// Says what was wrong with a dump's text.
  func report(_ reader: inout DumpReader, _ words: inout Words) {
    for problem in reader.takeProblems() {
      let more = problem.more > 0 ? " (\(problem.more + 1) times)" : ""
      words.say(file, "line \(problem.line)", problem.message + more, rule: "dump-text", isFault: true)
    }
  }

  mutating func flush(_ words: inout Words) throws {
    words.flush()
    if out.isEmpty { return }
    do throws(SystemError) { try Descriptor.standardOutput.writeAll(out.span) } catch {
      if error.isBrokenPipe { throw error }
      throw Filter.Failure("the records cannot be written: \(error.message)", status: .stopped)
    }
    out.removeAll(keepingCapacity: true)
  }
}
