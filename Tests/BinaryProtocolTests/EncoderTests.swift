// Every record written out in hex, and back.

import BinaryProtocol
import Testing

@Suite struct EncoderTests {
  let token = hex("a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4")
  let payload = Array("{}".utf8)

  @Test("command 0") func simple() throws {
    var bytes: [UInt8] = []
    try bytes.appendSimple(token: token.span, payload: payload.span)
    #expect(hex(bytes) == "00" + "0020" + hex(token) + "0002" + "7b7d")
  }

  @Test("command 1") func enhanced() throws {
    var bytes: [UInt8] = []
    try bytes.appendEnhanced(
      identifier: 0x0102_0304, expiration: 0x5372_4E00, token: token.span, payload: payload.span)
    #expect(hex(bytes) == "01" + "01020304" + "53724e00" + "0020" + hex(token) + "0002" + "7b7d")
  }

  @Test("command 2, all items") func frame() throws {
    var bytes: [UInt8] = []
    try bytes.appendFrame(
      token: token.span, payload: payload.span, identifier: 7, expiration: 0, priority: 10)
    let items = "010020" + hex(token) + "0200027b7d" + "03000400000007" + "04000400000000" + "0500010a"
    #expect(hex(bytes) == "02" + "0000003a" + items)
  }

  @Test("command 2, items in any order, among them one nobody knows") func anyOrder() throws {
    var bytes: [UInt8] = []
    let start = bytes.beginFrame()
    bytes.appendItem(5, UInt8(5))
    try bytes.appendItem(9, [0xAB, 0xCD].span)
    bytes.appendItem(3, UInt32(1))
    try bytes.appendItem(2, payload.span)
    try bytes.appendItem(1, token.span)
    bytes.endFrame(start)
    #expect(
      hex(bytes) == "0200000038" + "05000105" + "090002abcd" + "03000400000001" + "0200027b7d" + "010020" + hex(token))
    var decoder = Decoder(.commands)
    decoder.append(bytes.span)
    guard case .notification(let frame)? = decoder.next() else {
      Issue.record("no notification")
      return
    }
    #expect(frame.priority == 5 && frame.identifier == 1 && frame.expiration == nil && frame.otherItemCount == 1)
    var others: [String] = []
    frame.forEachOtherItem(decoder.bytes.span) { id, data, why in others.append("\(id) \(data.count) \(why)") }
    #expect(others == ["9 2 unknown"])
  }

  @Test("error packet and feedback tuple") func others() throws {
    var bytes: [UInt8] = []
    bytes.appendErrorPacket(status: 8, identifier: 1)
    try bytes.appendFeedback(timestamp: 0x52EB_D690, token: [0xAA, 0xBB].span)
    #expect(hex(bytes) == "0808000000" + "01" + "52ebd690" + "0002" + "aabb")
  }

  @Test("what does not fit two bytes is refused, and nothing is written") func tooLong() {
    let long = [UInt8](repeating: 0, count: 65_536)
    var bytes: [UInt8] = []
    #expect(throws: EncodingError.payloadTooLong(65_536)) {
      try bytes.appendSimple(token: token.span, payload: long.span)
    }
    #expect(throws: EncodingError.tokenTooLong(65_536)) {
      try bytes.appendFrame(token: long.span, payload: payload.span)
    }
    #expect(throws: EncodingError.itemTooLong(id: 9, 65_536)) { try bytes.appendItem(9, long.span) }
    #expect(bytes.isEmpty)
  }

  @Test("what is encoded is decoded") func roundTrip() throws {
    var random = Random(seed: 1)
    var bytes: [UInt8] = []
    var expected: [String] = []
    for _ in 0..<500 {
      let token = (0..<Int.random(in: 1...100, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      let payload = (0..<Int.random(in: 1...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      let identifier = UInt32.random(in: 0...UInt32.max, using: &random)
      let expiration = UInt32.random(in: 0...UInt32.max, using: &random)
      let start = bytes.count
      let fields = "token=\(hex(token)) payload=\(hex(payload))"
      let command = Int.random(in: 0...2, using: &random)
      switch command {
      case 0: try bytes.appendSimple(token: token.span, payload: payload.span)
      case 1:
        try bytes.appendEnhanced(
          identifier: identifier, expiration: expiration, token: token.span, payload: payload.span)
      default:
        try bytes.appendFrame(
          token: token.span, payload: payload.span, identifier: identifier, expiration: expiration, priority: 5)
      }
      let numbers = command == 0 ? "" : "identifier=\(identifier) expiry=\(expiration) "
      let priority = command == 2 ? "priority=5 " : ""
      expected.append(
        "notification offset=\(start) length=\(bytes.count - start) command=\(command) \(numbers)\(priority)\(fields)")
    }
    #expect(decode(bytes, as: .commands, pieces: [1000, 3, 77]) == expected)
  }
}
