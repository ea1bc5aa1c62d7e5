// The tokens to drop: each once, newest time, whatever their number and order.
import Builder
import POSIX
import Testing

@testable import apns_feedback

@Suite struct FeedbackTests {
  private func record(_ token: String, _ time: Int?, _ note: String) -> String {
    "{\"token\":\"\(token)\"" + (time.map { ",\"timestamp\":\($0 / 1000)" } ?? "") + ",\"note\":\"\(note)\"}\n"
  }

  private func add(_ token: String, _ note: String, _ time: Int?, _ line: Int, to dead: inout DeadTokens) {
    let tail = Array(",\"note\":\"\(note)\"}\n".utf8)
    dead.add(Array(token.utf8).span, Refusal(time: time), tail: tail.span, line: line)
  }

  private func tokens(_ dead: DeadTokens) -> [String] {
    var lines: [String] = []
    dead.visit { line in
      var bytes: [UInt8] = []
      for index in line.indices { bytes.append(line[index]) }
      lines.append(String(decoding: bytes, as: UTF8.self))
    }
    return lines
  }

  @Test func newestTimeFirstPlace() {
    var dead = DeadTokens()
    let notes: [(String, String, Int?, Int)] = [
      ("aa", "old", 1000, 3), ("bb", "only", nil, 4), ("aa", "new", 2000, 5), ("aa", "older", 500, 1),
      ("aa", "same time, later line", 2000, 9), ("bb", "with time", 0, 8), ("aa11", "longer", 1, 2),
    ]
    for (token, note, time, line) in notes {
      add(token, note, time, line, to: &dead)
    }
    #expect(
      tokens(dead) == [
        record("aa", 2000, "new"), record("aa11", 1, "longer"), record("bb", 0, "with time"),
      ])
  }

  @Test func sparedOnlyByALaterRegistration() {
    var dead = DeadTokens()
    add("aa", "", 1_700_000_000_123, 1, to: &dead)
    dead.spare(Array("aa".utf8).span, registered: 1_700_000_000_123)
    let isDropped = dead.contains(Array("aa".utf8).span)
    #expect(isDropped)
    dead.spare(Array("bb".utf8).span, registered: .max)
    dead.spare(Array("aa".utf8).span, registered: 1_700_000_000_124)
    let isStillDropped = dead.contains(Array("aa".utf8).span)
    #expect(!isStillDropped)
    #expect(tokens(dead).isEmpty)
    add("bb", "", nil, 2, to: &dead)
    dead.spare(Array("bb".utf8).span, registered: 1_700_000_000_124)
    #expect(tokens(dead).count == 1)
  }

  /// Long, so that what is thrown away is some day more than a little.
  private func note(_ time: Int) -> String { "\(time)" + String(repeating: ".", count: 60) }

  /// Growth and compaction: the same as a dictionary would have it.
  @Test func many() {
    var dead = DeadTokens()
    var expected: [String: (time: Int, line: Int)] = [:]
    var state: UInt64 = 9
    for line in 1...20_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let number = Int(state >> 33) % 3000
      // Tokens of two lengths: one that fits the table and one that does not.
      let token = String(repeating: "0", count: (number % 7 == 0 ? 90 : 64) - String(number).count) + String(number)
      let time = Int(state >> 20) % 100_000
      add(token, note(time), time, line, to: &dead)
      if let old = expected[token] {
        if time > old.time { expected[token]?.time = time }
      } else {
        expected[token] = (time, line)
      }
    }
    let lines = expected.sorted { $0.value.line < $1.value.line }.map {
      record($0.key, $0.value.time, note($0.value.time))
    }
    #expect(tokens(dead) == lines)
  }

  /// Digits, times and milliseconds come back as they went in.
  @Test func whatARecordHas() {
    var dead = DeadTokens()
    let tail = Array(",\"reason\":\"Unregistered\"}\n".utf8)
    let tokens = [
      "0f", "fedcba9876543210", "fedcba98765432100", String(repeating: "0123456789abcdef", count: 4),
      String(repeating: "9", count: 65), String(repeating: "a0", count: 5000),
    ]
    var expected: [String] = []
    for (place, token) in tokens.enumerated() {
      // The later lines come first: several threads read.
      dead.add(
        Array(token.utf8).span, Refusal(time: 1_700_000_000_123, showsMilliseconds: place % 2 == 0), tail: tail.span,
        line: tokens.count - place)
      let milliseconds = place % 2 == 0 ? ",\"timestamp_ms\":1700000000123" : ""
      expected.append(
        "{\"token\":\"\(token)\",\"timestamp\":1700000000\(milliseconds),\"reason\":\"Unregistered\"}\n")
    }
    #expect(self.tokens(dead) == expected.reversed())
  }
}
