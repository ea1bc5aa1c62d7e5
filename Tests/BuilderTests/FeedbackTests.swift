// The tokens to drop: each once, newest time, whatever their number and order.
import Builder
import POSIX
import Testing

@testable import apns_feedback

@Suite struct FeedbackTests {
  private func record(_ token: String, _ note: String) -> [UInt8] {
    Array("{\"token\":\"\(token)\",\"note\":\"\(note)\"}\n".utf8)
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
      dead.add(record(token, note).span, tokenLength: token.utf8.count, time: time, line: line)
    }
    #expect(
      tokens(dead) == [
        "{\"token\":\"aa\",\"note\":\"new\"}\n", "{\"token\":\"aa11\",\"note\":\"longer\"}\n",
        "{\"token\":\"bb\",\"note\":\"with time\"}\n",
      ])
  }

  @Test func sparedOnlyByALaterRegistration() {
    var dead = DeadTokens()
    dead.add(record("aa", "").span, tokenLength: 2, time: 1_700_000_000_123, line: 1)
    dead.spare(Array("aa".utf8).span, registered: 1_700_000_000_123)
    let isDropped = dead.contains(Array("aa".utf8).span)
    #expect(isDropped)
    dead.spare(Array("bb".utf8).span, registered: .max)
    dead.spare(Array("aa".utf8).span, registered: 1_700_000_000_124)
    let isStillDropped = dead.contains(Array("aa".utf8).span)
    #expect(!isStillDropped)
    #expect(tokens(dead).isEmpty)
    dead.add(record("bb", "").span, tokenLength: 2, time: nil, line: 2)
    dead.spare(Array("bb".utf8).span, registered: 1_700_000_000_124)
    #expect(tokens(dead).count == 1)
  }

  /// Growth and compaction: the same as a dictionary would have it.
  @Test func many() {
    var dead = DeadTokens()
    var expected: [String: (time: Int, line: Int)] = [:]
    var state: UInt64 = 9
    for line in 1...20_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let number = Int(state >> 33) % 3000
      let token = String(repeating: "0", count: 64 - String(number).count) + String(number)
      let time = Int(state >> 20) % 100_000
      dead.add(record(token, String(time)).span, tokenLength: 64, time: time, line: line)
      if let old = expected[token] {
        if time > old.time { expected[token]?.time = time }
      } else {
        expected[token] = (time, line)
      }
    }
    let lines = expected.sorted { $0.value.line < $1.value.line }.map {
      String(decoding: record($0.key, String($0.value.time)), as: UTF8.self)
    }
    #expect(tokens(dead) == lines)
  }
}
