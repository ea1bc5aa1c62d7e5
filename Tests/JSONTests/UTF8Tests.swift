// UTF-8 at every edge of its definition, at every edge of the blocks that are checked at once.
import Testing

@testable import JSON

@Suite struct UTF8Tests {
  /// Whether the standard library calls it UTF-8.
  private func isUTF8(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

  @Test(arguments: [0, 61, 63, 1020])
  func sequencesAtEveryEdge(padding: Int) {
    let seconds: [UInt8?] = [nil, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]
    let thirds: [UInt8?] = [nil, 0x41, 0x80, 0xBF, 0xC3]
    var reader = Reader()
    var wrong: [[UInt8]] = []
    for lead in UInt8(0x80)...0xFF {
      for second in seconds {
        for third in thirds {
          for fourth in thirds {
            let sequence = [lead] + [second, third, fourth].compactMap { $0 }
            let bytes = [0x22] + Array(repeating: 0x61, count: padding) + sequence + [0x62, 0x22]
            var isAccepted = true
            do throws(SyntaxError) { try reader.read(bytes.span) } catch {
              isAccepted = false
              if error.kind != .notUTF8 || error.offset < padding + 1 { wrong.append(bytes) }
            }
            if isAccepted != isUTF8(sequence) { wrong.append(bytes) }
          }
        }
      }
    }
    #expect(wrong == [])
  }

  @Test func everyScalarIsRead() throws {
    var reader = Reader()
    var scalars: [Unicode.Scalar] = []
    for value in stride(from: UInt32(0x20), through: 0x10FFFF, by: 3) {
      guard let scalar = Unicode.Scalar(value), scalar != "\"", scalar != "\\" else { continue }
      scalars.append(scalar)
      if scalars.count < 2000 && value < 0x10FFFD { continue }
      var text = ""
      text.unicodeScalars.append(contentsOf: scalars)
      let bytes = Array("\"\(text)\"".utf8)
      try reader.read(bytes.span)
      let read = Document(bytes.span, reader.tokens.span).string(0)
      #expect(read == text)
      scalars = []
    }
  }

  @Test func everyEscapedScalarIsDecoded() throws {
    var reader = Reader()
    for value in stride(from: UInt32(0), through: 0x10FFFF, by: 7) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      var text = ""
      for unit in String(scalar).utf16 {
        let digits = String(unit, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
      let bytes = Array("\"\(text)\"".utf8)
      try reader.read(bytes.span)
      let document = Document(bytes.span, reader.tokens.span)
      let (decoded, count) = (document.string(0), document.decodedByteCount(0))
      #expect(decoded == String(scalar))
      #expect(count == String(scalar).utf8.count)
    }
  }

  @Test func firstMistakeIsNamedWhereABlockHasSeveral() {
    let good = Array("\"żółw ".utf8)
    for gap in 0..<140 {
      let bytes = good + Array(repeating: 0x61, count: gap) + [0xFF, 0x61, 0xFE, 0x22]
      #expect(mistake(in: bytes)?.offset == good.count + gap)
      #expect(mistake(in: bytes)?.kind == .notUTF8)
      // A mistake of another kind before it comes first.
      let earlier = [0x22, 0x5C, 0x71] + bytes.dropFirst()
      #expect(mistake(in: earlier)?.kind == .badEscape)
    }
  }
}
