// What is wrong with records and streams: each rule with a stream that breaks it, and the sound one that does not.

import BinaryProtocol
import JSON
import Testing

@Suite struct RuleTests {
  static let token = String(repeating: "a1b2c3d4", count: 8)
  static let good = "020000003a010020\(token)0200027b7d03000400000007040004000000000500010a"

  /// The rules that a stream breaks: of its damage, and of its records.
  private func rules(_ text: String) -> [String] {
    let bytes = hex(text)
    var decoder = Decoder(.commands)
    decoder.append(bytes.span)
    decoder.finish()
    var writer = RecordWriter()
    var rules: [String] = []
    var out: [UInt8] = []
    while let event = decoder.next() {
      switch event {
      case .malformed(let damage): rules.append(damage.rule)
      case .notification(let frame):
        let form = writer.append(frame, decoder.bytes.span, to: &out)
        rules += frame.faults(decoder.bytes.span, form, Times(now: 1_790_000_000)).map(\.rule)
        let timeless = frame.faults(decoder.bytes.span, form, Times(now: nil)).filter { $0.rule != "bin-expiration" }
        // The fast question and the slow one agree.
        #expect(frame.isUsual(form) == timeless.isEmpty)
      default: break
      }
    }
    return rules
  }

  @Test("a sound frame breaks none") func sound() { #expect(rules(Self.good) == []) }

  @Test(
    "each rule",
    arguments: [
      ("bin-command", "030020"),
      ("bin-truncated", "020000003a010020\(token)0200027b7d0300040000000704000400000000"),
      ("bin-frame-length", "020000003b010020\(token)0200027b7d03000400000007040004000000000500010a"),
      ("bin-token-missing", "02000000050200027b7d"),
      ("bin-payload-missing", "0200000023010020\(token)"),
      ("bin-item-repeated", "020000004b010020\(token)010020\(token)0200027b7d"),
      ("bin-item-unknown", "020000002c010020\(token)0200027b7d09000100"),
      ("bin-item-size", "020000002c010020\(token)0200027b7d03000107"),
      ("bin-token-size", "00000000027b7d"),
      ("bin-token-size", "000002a1b200027b7d"),
      ("bin-priority", "020000002c010020\(token)0200027b7d05000107"),
      ("bin-payload-json", "000020\(token)00025b5d"),
      ("bin-payload-json", "000020\(token)0002fffe"),
      ("bin-expiration", "010000000100000e10" + "0020\(token)00027b7d"),
    ])
  func each(_ rule: String, _ text: String) { #expect(rules(text) == [rule]) }

  @Test("a payload of 2048 bytes is taken, one of 2049 is not") func payloadSize() {
    func frame(_ size: Int) -> String {
      let payload = "{\"a\":\"" + String(repeating: "x", count: size - 8) + "\"}"
      return "000020\(Self.token)" + String(size, radix: 16).leftPadded(4) + hex(payload.utf8)
    }
    #expect(rules(frame(2048)) == [])
    #expect(rules(frame(2049)) == ["bin-payload-size"])
  }

  @Test("priority 10 only wakes the app") func priority() {
    func frame(_ payload: String, _ priority: String) -> String {
      let size = String(payload.utf8.count, radix: 16).leftPadded(4)
      let items = "010020\(Self.token)02\(size)" + hex(payload.utf8) + "050001\(priority)"
      return "02" + String(items.count / 2, radix: 16).leftPadded(8) + items
    }
    let wake = #"{"aps":{"content-available":1}}"#
    #expect(rules(frame(wake, "0a")) == ["bin-priority"])
    #expect(rules(frame(wake, "05")) == [])
    #expect(rules(frame(#"{"aps":{"content-available":1,"badge":2}}"#, "0a")) == [])
    #expect(rules(frame("{}", "0a")) == [])
  }

  @Test("statuses have rows, unknown ones have none") func statuses() {
    #expect(ErrorStatus.of(8)?.reason == "invalid token")
    #expect(ErrorStatus.of(10) == .shutdown)
    #expect(ErrorStatus.of(9) == nil)
    #expect(Set(ErrorStatus.all.map(\.code)).count == 12)
  }

  @Test("times before 2009 and in the future") func times() {
    let times = Times(now: 1_790_000_000)
    func rule(_ time: UInt32, _ times: Times, token: Range<Int> = 6..<38) -> String? {
      var decoder = Decoder(.feedback)
      var bytes: [UInt8] = []
      try? bytes.appendFeedback(timestamp: time, token: [UInt8](repeating: 1, count: token.count).span)
      decoder.append(bytes.span)
      decoder.finish()
      guard case .feedback(let tuple)? = decoder.next() else { return "none" }
      return times.fault(of: tuple)?.rule
    }
    #expect(rule(1_230_767_999, times) == "feedback-time-early")
    #expect(rule(1_230_768_000, times) == nil)
    #expect(rule(1_790_000_000, times) == nil)
    #expect(rule(1_790_000_001, times) == "feedback-time-future")
    #expect(rule(1_790_000_001, Times(now: nil)) == nil)
    #expect(rule(1_500_000_000, times, token: 6..<6) == "feedback-token-empty")
    #expect(Times.day(1_790_000_000) == "2026-09-21")
    #expect(Times.day(951_782_400) == "2000-02-29")
  }
}

extension String {
  /// The text with zeros before it.
  func leftPadded(_ length: Int) -> String { String(repeating: "0", count: Swift.max(0, length - count)) + self }
}
