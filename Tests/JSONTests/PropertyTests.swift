// What must hold for every text: the reader against a plain one, reader after writer, beginnings, damage.
import Testing

@testable import JSON

/// The reader's tape in the plain reader's shape.
private func plain(_ tokens: [Token]) -> [PlainToken] {
  tokens.map {
    PlainToken(
      kind: $0.kind, isKey: $0.isKey, hasEscapes: $0.hasEscapes, start: $0.start, end: $0.end, next: $0.next)
  }
}

/// Compares tape or place of the first mistake; `reader` is used again and again, as in a filter.
private func compare(_ bytes: [UInt8], _ reader: inout Reader) -> String? {
  let expected = PlainReader.read(bytes)
  do throws(SyntaxError) {
    try reader.read(bytes.span)
    guard case .success(let tokens) = expected else { return "accepted, but \(expected)" }
    return tokens == plain(reader.tokens) ? nil : "other tokens: \(tokens) and \(plain(reader.tokens))"
  } catch {
    guard case .failure(let stop) = expected else { return "refused: \(error)" }
    // A minus sign before Infinity belongs to the mistake's place.
    let offset = error.kind == .nan && stop.offset != error.offset ? error.offset + 1 : error.offset
    if error.kind == .unexpectedEnd || error.kind == .emptyInput, error.offset != bytes.count {
      return "an end inside: \(error)"
    }
    return offset == stop.offset ? nil : "other place than \(stop.offset): \(error)"
  }
}

private func words(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

@Suite struct PropertyTests {
  @Test(arguments: allCases)
  func plainReaderAgreesOnTheTable(row: Case) {
    var reader = Reader()
    let difference = compare(row.bytes, &reader)
    // The plain reader knows no byte order marks; its place is the same.
    #expect(difference == nil)
  }

  @Test func plainReaderAgreesOnEverySpelling() {
    var seeded = Seeded(1)
    var reader = Reader()
    for _ in 0..<3000 {
      var text = ""
      Value.random(&seeded).spell(&seeded, into: &text)
      let difference = compare(Array(text.utf8), &reader)
      #expect(difference == nil, "\(text)")
    }
  }

  @Test func plainReaderAgreesOnDamage() {
    var seeded = Seeded(2)
    var reader = Reader()
    for _ in 0..<6000 {
      var text = ""
      Value.random(&seeded).spell(&seeded, into: &text)
      let bytes = damaged(Array(text.utf8), &seeded)
      let difference = compare(bytes, &reader)
      #expect(difference == nil, "\(words(bytes)) \(bytes)")
    }
  }

  @Test func plainReaderAgreesOnNoise() {
    var seeded = Seeded(3)
    var reader = Reader()
    let telling = Array("{}[]:,\"\\u0e.-1tn ".utf8) + [0x80, 0xC3, 0xE2, 0xED, 0xF0, 0xA0]
    for _ in 0..<20000 {
      let bytes = (0..<seeded.below(30)).map { _ in telling[seeded.below(telling.count)] }
      let difference = compare(bytes, &reader)
      #expect(difference == nil, "\(words(bytes)) \(bytes)")
    }
    for _ in 0..<2000 {
      let bytes = [UInt8(0x22)] + (0..<seeded.below(200)).map { _ in UInt8(seeded.below(256)) } + [0x22]
      let difference = compare(bytes, &reader)
      #expect(difference == nil, "\(bytes)")
    }
  }

  @Test func readingBackGivesTheSpelledValue() throws {
    var seeded = Seeded(4)
    var reader = Reader()
    for _ in 0..<2000 {
      let value = Value.random(&seeded)
      var text = ""
      value.spell(&seeded, into: &text)
      let bytes = Array(text.utf8)
      try reader.read(bytes.span)
      let read = Value(Document(bytes.span, reader.tokens.span))
      #expect(read == value, "\(text)")
    }
  }

  @Test func readerAfterWriterIsIdentity() throws {
    var seeded = Seeded(5)
    var reader = Reader()
    var writer = Writer()
    for _ in 0..<2000 {
      let value = Value.random(&seeded)
      writer.removeAll()
      value.write(to: &writer)
      let written = writer.bytes
      try reader.read(written.span)
      let again = Value(Document(written.span, reader.tokens.span))
      #expect(again == value)
      writer.removeAll()
      again.write(to: &writer)
      #expect(writer.bytes == written)
    }
  }

  @Test func everyBeginningIsAnEndThatCameTooEarly() throws {
    var seeded = Seeded(6)
    var reader = Reader()
    for _ in 0..<150 {
      var text = ""
      // In an array, so that no beginning is a text itself.
      Value.array([Value.random(&seeded), .number("1e5"), .bool(false)]).spell(&seeded, into: &text)
      let bytes = Array(text.trimmingSpace.utf8)
      for length in 0..<bytes.count {
        let beginning = Array(bytes[..<length])
        var found: SyntaxError?
        do throws(SyntaxError) { try reader.read(beginning.span) } catch { found = error }
        #expect(found?.kind == (length == 0 ? .emptyInput : .unexpectedEnd), "\(words(beginning))")
        #expect(found?.offset == length, "\(words(beginning))")
        #expect(reader.tokens.isEmpty)
      }
    }
  }

  @Test func documentsOneBehindTheOther() throws {
    var seeded = Seeded(7)
    var reader = Reader()
    for _ in 0..<100 {
      let values = (0..<seeded.below(12)).map { _ in Value.array([Value.random(&seeded)]) }
      var text = ""
      for value in values { value.spell(&seeded, into: &text) }
      let bytes = Array(text.utf8)
      var offset = 0
      for value in values {
        offset = try reader.readPrefix(bytes.span, from: offset)
        let read = Value(Document(bytes.span, reader.tokens.span))
        #expect(read == value)
        #expect(reader.tokens[0].end == offset)
      }
      #expect(throws: SyntaxError.self) { try reader.readPrefix(bytes.span, from: offset) }
    }
  }

  @Test func mistakeInALaterDocumentIsCountedFromTheStart() {
    var reader = Reader()
    let bytes = Array("[1] \n[2,] [3".utf8)
    var found: [SyntaxError.Kind: Int] = [:]
    for from in [3, 9, 12] {
      do throws(SyntaxError) { _ = try reader.readPrefix(bytes.span, from: from) } catch {
        found[error.kind] = error.offset
      }
    }
    #expect(found == [.trailingComma: 8, .unexpectedEnd: 12, .emptyInput: 12])
  }
}

extension String {
  fileprivate var trimmingSpace: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
