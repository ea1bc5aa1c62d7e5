// Streams with holes: what is passed over, and where it goes on.

import BinaryProtocol
import Testing

@Suite struct DamageTests {
  private func tuple(_ time: String, _ filler: String) -> String {
    time + "0020" + String(repeating: filler, count: 32)
  }

  @Test("a lost byte costs the tuple it was lost from, and the start of the next") func lostByte() {
    let first = tuple("52ebd690", "a1")
    let second = tuple("52ebd691", "b2")
    let third = tuple("52ebd692", "c3")
    let found = decode(hex(first.dropLast(2) + second + third), as: .feedback)
    // The first takes the second's first byte for its last; what is left of the second is no tuple.
    #expect(found.count == 3)
    #expect(found[0].hasPrefix("tuple offset=0"))
    #expect(found[1] == "damage offset=38 length=37")
    #expect(found[2].hasPrefix("tuple offset=75"))
  }

  @Test("garbage before, between and behind") func garbage() {
    let frame = RuleTests.good
    let length = frame.count / 2
    let found = decode(hex("ffee" + frame + "777777" + frame + frame + "08"), as: .commands)
    #expect(
      found.map { $0.split(separator: " ").prefix(3).joined(separator: " ") } == [
        "damage offset=0 length=2", "notification offset=2 length=\(length)", "damage offset=\(length + 2) length=3",
        "notification offset=\(length + 5) length=\(length)", "notification offset=\(2 * length + 5) length=\(length)",
        "damage offset=\(3 * length + 5) length=1",
      ])
  }

  @Test("a frame with bad items costs that frame alone") func badItems() {
    let bad = "0200000009" + "0100ff" + "000000000000"
    let found = decode(hex(RuleTests.good + bad + RuleTests.good), as: .commands)
    #expect(found.count == 3)
    #expect(found[1] == "damage offset=63 length=14")
  }

  @Test("a length that is a lie does not swallow what stands behind it") func lyingLength() {
    let lie = "02" + "00001000" + "0100"
    let found = decode(hex(lie + String(repeating: RuleTests.good, count: 100)), as: .commands)
    #expect(found.count == 101)
    #expect(found[0] == "damage offset=0 length=7")
  }

  @Test("records of TLS are named and passed over whole") func tls() {
    let record = "1703010108" + String(repeating: "5a", count: 264)
    var decoder = Decoder(.feedback)
    decoder.append(hex(record + record + tuple("52ebd690", "a1")).span)
    decoder.finish()
    guard case .malformed(let damage)? = decoder.next() else {
      Issue.record("no damage")
      return
    }
    #expect(damage.cause == .tls(type: 23, version: 1))
    #expect(damage.length == 538)
    guard case .feedback(let tuple)? = decoder.next() else {
      Issue.record("no tuple")
      return
    }
    #expect(tuple.offset == 538)
  }

  @Test("zeros are no records", arguments: Framing.allCases) func zeros(_ framing: Framing) {
    #expect(decode([UInt8](repeating: 0, count: 1000), as: framing) == ["damage offset=0 length=1000"])
  }

  @Test("a hostile stream takes no longer than its length", .timeLimit(.minutes(1)), arguments: Framing.allCases)
  func hostile(_ framing: Framing) {
    // Small good frames, each followed by the start of a frame that claims 256 KiB of tiny items.
    let piece = hex("020000000b" + "010001aa" + "0200047b7d2020" + "020003ffff" + "010000")
    var bytes: [UInt8] = []
    for _ in 0..<30_000 { bytes += piece }
    #expect(!decode(bytes, as: framing).isEmpty)
    #expect(!decode([UInt8](repeating: 1, count: 400_000), as: framing).isEmpty)
    #expect(!decode([UInt8](repeating: 2, count: 400_000), as: framing).isEmpty)
  }

  @Test("damage says what belonged there and what is there") func sentences() {
    func first(_ text: String, _ framing: Framing) -> String {
      var decoder = Decoder(framing)
      decoder.append(hex(text).span)
      decoder.finish()
      guard case .malformed(let damage)? = decoder.next() else { return "" }
      return damage.expected + " / " + damage.found
    }
    #expect(first("52ebd6900020aabb", .feedback) == "a feedback tuple of 38 bytes / 8 bytes, then the end")
    #expect(first("03aabb", .commands) == "command 0, 1 or 2 / 03 aa bb")
    #expect(first("0808", .responses) == "an error packet (0x08) of 6 bytes / 2 bytes, then the end")
    #expect(first(hex("GET / HTTP/1.1\r\n".utf8), .commands).hasSuffix("/ an HTTP message"))
  }
}
