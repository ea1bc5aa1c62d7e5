// Events as lines, byte for byte.

import BinaryProtocol
import JSON
import Testing

@Suite struct RecordTests {
  private func lines(_ text: String, _ framing: Framing, _ writer: RecordWriter = RecordWriter()) -> [String] {
    var writer = writer
    var decoder = Decoder(framing)
    decoder.append(hex(text).span)
    decoder.finish()
    var out: [UInt8] = []
    while let event = decoder.next() {
      switch event {
      case .feedback(let tuple): writer.append(tuple, decoder.bytes.span, to: &out)
      case .error(let packet): writer.append(packet, to: &out)
      case .malformed(let damage): writer.append(damage, to: &out)
      case .notification(let frame): _ = writer.append(frame, decoder.bytes.span, to: &out)
      }
    }
    return String(decoding: out, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private func command0(_ payload: [UInt8]) -> String {
    "000002abcd" + String(payload.count, radix: 16).leftPadded(4) + hex(payload)
  }

  @Test("feedback") func feedback() {
    let text = "52ebd6900003a1b2c3"
    #expect(
      lines(text, .feedback) == [
        #"{"kind":"feedback","offset":0,"length":9,"token":"a1b2c3","timestamp":1391187600,"source":"service"}"#
      ])
    #expect(
      lines(text, .feedback, RecordWriter(.bare)) == [
        #"{"token":"a1b2c3","timestamp":1391187600,"source":"service"}"#
      ])
    let named = lines(text, .feedback, RecordWriter(file: "a\"b"))
    #expect(named.first?.hasPrefix(#"{"file":"a\"b","kind":"feedback","offset":0,"#) == true)
  }

  @Test("error packets, documented and not") func errors() {
    #expect(
      lines("080a0000002a" + "080900000000", .responses) == [
        #"{"kind":"error","offset":0,"length":6,"status":10,"reason":"shutdown","identifier":42}"#,
        #"{"kind":"error","offset":6,"length":6,"status":9,"identifier":0}"#,
      ])
  }

  @Test("a notification with everything") func notification() {
    let text =
      "020000002c" + "010002abcd" + "02000d7b22612220203a0d0a2231227d" + "03000400000000" + "04000400000000"
      + "0500010a" + "090002ffee"
    #expect(
      lines(text, .commands) == [
        #"{"kind":"notification","offset":0,"length":49,"command":2,"identifier":0,"token":"abcd","priority":10,"#
          + #""expiration":0,"payload":{"a"  :  "1"},"unknown_items":[{"id":9,"length":2,"hex":"ffee"}]}"#
      ])
    #expect(
      lines(text, .commands, RecordWriter(.bare)) == [
        #"{"token":"abcd","priority":10,"expiration":0,"payload":{"a"  :  "1"}}"#
      ])
  }

  @Test("a payload that is no JSON object is kept as text or base64") func payloads() {
    #expect(lines(command0(Array(#"{"a":1"#.utf8)), .commands)[0].hasSuffix(#""payload_text":"{\"a\":1"}"#))
    #expect(lines(command0(Array("[1]".utf8)), .commands)[0].hasSuffix(#""payload_text":"[1]"}"#))
    #expect(lines(command0([0xFF, 0xFE, 0x00]), .commands)[0].hasSuffix(#""payload_base64":"//4A"}"#))
    #expect(lines(command0([0xFF, 0xFE, 0x00]), .commands, RecordWriter(.bare)).isEmpty)
  }

  @Test("times and lengths of every size are written right") func numbers() throws {
    for time in [0, 9, 10, 99, 100, 12_345, 999_999_999, 1_000_000_000, UInt32.max] {
      var bytes: [UInt8] = []
      try bytes.appendFeedback(timestamp: time, token: [UInt8](0...100).span)
      let line = lines(hex(bytes), .feedback, RecordWriter(.bare))
      let token = hex([UInt8](0...100))
      #expect(line == [#"{"token":"\#(token)","timestamp":\#(time),"source":"service"}"#])
    }
  }

  @Test("a long payload with line ends becomes one line and stays as long") func lineEnds() {
    let json = "{\n  \"a\" :\r\n \"" + String(repeating: "x", count: 300) + "\"\n}"
    var out: [UInt8] = []
    out.appendOnOneLine(Array(json.utf8).span)
    let flat = json.replacing("\r\n", with: "  ").replacing("\n", with: " ")
    #expect(String(decoding: out, as: UTF8.self) == flat)
  }
}
