// The payload's limit, and how a text is shortened to keep within it.

import APNs
import JSON
import Options

extension Runner {
  /// The most bytes the payload of this record may have.
  private func limit(_ program: borrowing Program) -> Int {
    if let limit = settings.payloadLimit { return limit }
    if program.hasChannel { return PushType.broadcastPayloadLimit }
    return pushType?.row.payloadLimit ?? PushType.ordinaryPayloadLimit
  }

  @inline(__always)
  mutating func checkSize(_ program: borrowing Program, _ out: inout [UInt8]) throws(LineFault) {
    if payload.count > limit(program) { try shorten(program, &out) }
  }

  @inline(never)
  private mutating func shorten(_ program: borrowing Program, _ out: inout [UInt8]) throws(LineFault) {
    let limit = limit(program)
    let original = payload.count
    var notes: [(path: [PathStep], from: Int, to: Int)] = []
    for index in texts.indices where payload.count > limit {
      let place = texts[index]
      guard !place.isEmpty else { continue }
      let room = place.count - (payload.count - limit)
      guard let short = Shortening.of(out.span.extracting(place), room: room), short.count < place.count else {
        continue
      }
      out.replaceSubrange(place, with: short)
      moveBack(by: place.count - short.count, behind: place.upperBound)
      notes.append((program.truncatable[index], place.count, short.count))
    }
    guard payload.count <= limit else {
      let owner = pushType.map { "a push of type \($0.rawValue)" } ?? "a push"
      let what = program.hasChannel ? "a broadcast" : owner
      let advice =
        program.truncatable.isEmpty ? "; --truncate body would shorten the text" : ", even with its texts cut"
      throw LineFault("the payload has \(original) bytes; \(what) may have \(limit)\(advice)")
    }
    truncations = notes
  }

  /// Everything behind a cut has moved.
  private mutating func moveBack(by count: Int, behind place: Int) {
    func moved(_ range: Range<Int>) -> Range<Int> {
      let lower = range.lowerBound >= place ? range.lowerBound - count : range.lowerBound
      let upper = range.upperBound >= place ? range.upperBound - count : range.upperBound
      return lower..<upper
    }
    payload = moved(payload)
    texts = texts.map(moved)
    clocks = clocks.map(moved)
    if let id = idPlace, id >= place { idPlace = id - count }
  }
}

/// Texts cut where a reader sees the end of a character.
enum Shortening {
  /// The ellipsis, three bytes.
  static let ellipsis: [UInt8] = [0xE2, 0x80, 0xA6]

  /// The inside of a JSON string, shortened to at most `room` bytes with an ellipsis at its end; it keeps at least the
  /// ellipsis. Cut between grapheme clusters (Unicode Annex 29): no flag, family or accent is torn apart.
  /// - Returns: nil when there is nothing to shorten.
  static func of(_ inside: Span<UInt8>, room: Int) -> [UInt8]? {
    var quoted: [UInt8] = [UInt8(ascii: "\"")]
    quoted.append(inside)
    quoted.append(UInt8(ascii: "\""))
    var reader = Reader()
    do throws(SyntaxError) { try reader.read(quoted.span) } catch { return nil }
    let text = Document(quoted.span, reader.tokens.span).string(0)
    var short: [UInt8] = []
    var cut = 0
    for character in text {
      _ = short.appendInside(String(character).utf8Span.span)
      if short.count + ellipsis.count <= room { cut = short.count }
      // Written without needless escapes the whole may fit as it is.
      if short.count > room { return Array(short[..<cut]) + ellipsis }
    }
    return short
  }
}
