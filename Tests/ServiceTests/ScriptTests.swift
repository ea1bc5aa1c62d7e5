// Scripts: each deed seen from the client, each mistake named with its place.
import APNs
import Foundation
import HTTP2
import Testing

@testable import Service

@Suite struct ScriptTests {
  /// A server with one rule, a client, and what the client sees.
  private func play(_ rules: String..., body: (Running, Caller, String) throws -> Void) throws {
    let server = try Running(rules.flatMap { ["--rule", $0] })
    try body(server, try Caller(server), try Minter(server).token())
  }

  @Test("status, reason, timestamp, retry-after") func respond() throws {
    try play(
      #"{"match":{"token":"aa"},"respond":{"status":410,"reason":"Unregistered","timestamp":1790000000123}}"#,
      #"{"match":{"token":"bb"},"respond":{"reason":"TooManyRequests","retry_after":7}}"#,
      #"{"match":{"prefix":"cc"},"respond":{"status":418,"reason":"Teapot"}}"#
    ) { _, caller, token in
      #expect(
        caller.call(.device("AA"), authorization: token).body == #"{"reason":"Unregistered","timestamp":1790000000123}"#
      )
      let busy = caller.call(.device("bb"), authorization: token)
      #expect(busy.status == 429 && busy.fields["retry-after"] == "7")
      let odd = caller.call(.device("cc11"), authorization: token)
      #expect(odd.status == 418 && odd.reason == "Teapot")
      #expect(caller.call(.device("aabb"), authorization: token).status == 200)
    }
  }

  @Test("the checks come first, unless the rule says otherwise") func checks() throws {
    try play(
      #"{"match":{"token":"aa"},"respond":"ServiceUnavailable"}"#,
      #"{"match":{"token":"bb"},"checks":false,"respond":"ServiceUnavailable"}"#
    ) { _, caller, token in
      let bad = [("apns-priority", "7")]
      #expect(caller.call(.device("aa", bad), authorization: token).reason == "BadPriority")
      #expect(caller.call(.device("bb", bad)).reason == "ServiceUnavailable")
    }
  }

  @Test("nth, every, from and to, times, and a share with a seed") func counting() throws {
    func marks(_ match: String, _ count: Int = 20) throws -> [Int] {
      var script = try Script.read(rule: match, number: 1, timestamp: 0)
      script.append(Script())
      let run = ScriptRun(script, seed: 7)
      let nothing: [UInt8] = []
      return (1...count).filter { _ in
        let subject = ScriptSubject(
          token: nothing.span, topic: nothing.span, pushType: nothing.span, channelID: nothing.span,
          environment: .sandbox, connection: 1)
        return run.rule(for: subject, behindChecks: true) != nil
      }
    }
    #expect(try marks(#"{"match":{"nth":3},"silence":true}"#) == [3])
    #expect(try marks(#"{"match":{"every":6},"silence":true}"#) == [6, 12, 18])
    #expect(try marks(#"{"match":{"from":2,"to":4},"silence":true}"#) == [2, 3, 4])
    #expect(try marks(#"{"match":{"every":5},"times":2,"silence":true}"#) == [5, 10])
    let share = #"{"match":{"share":0.25,"seed":4},"silence":true}"#
    let some = try marks(share, 4000)
    #expect(some == (try marks(share, 4000)))
    #expect((800...1200).contains(some.count))
    #expect(try marks(#"{"match":{"share":0.25,"seed":5},"silence":true}"#, 4000) != some)
  }

  @Test("delay, silence, reset") func holding() throws {
    try play(
      #"{"match":{"token":"aa"},"delay_ms":200}"#, #"{"match":{"token":"bb"},"silence":true}"#,
      #"{"match":{"token":"cc"},"reset":"REFUSED_STREAM"}"#
    ) { server, caller, token in
      #expect(caller.call(.device("99"), authorization: token).status == 200)
      let start = Date()
      let late = caller.send(.device("aa"), authorization: token)
      let silent = caller.send(.device("bb"), authorization: token)
      #expect(caller.call(.device("cc"), authorization: token).failure == "REFUSED_STREAM unprocessed=true")
      // The others are not kept waiting.
      #expect(caller.call(.device("99"), authorization: token).status == 200)
      #expect(caller.answer(late).status == 200)
      #expect(Date().timeIntervalSince(start) >= 0.2)
      #expect(caller.answer(silent, milliseconds: 100).failure == "no answer")
      let actions = try server.stop().records.compactMap { ($0["verdict"] as? [String: Any])?["action"] as? String }
      #expect(actions == ["no answer", "reset REFUSED_STREAM"])
    }
  }

  @Test("GOAWAY: the offset decides what is answered, the reason is its debug data") func goAway() throws {
    try play(
      #"{"match":{"token":"aa"},"goaway":{"offset":-1,"reason":"Shutdown"}}"#,
      #"{"match":{"token":"bb"},"goaway":{"code":"ENHANCE_YOUR_CALM","debug":"slowly"}}"#
    ) { server, caller, token in
      #expect(caller.call(.device("99"), authorization: token).status == 200)
      #expect(caller.call(.device("aa"), authorization: token).failure == "REFUSED_STREAM unprocessed=true")
      #expect(caller.goAway?.last == 1 && caller.goAway?.debug == #"{"reason":"Shutdown"}"#)
      #expect(caller.wire.waitForEnd())
      let other = try Caller(server)
      #expect(other.call(.device("bb"), authorization: token).status == 200)
      #expect(other.goAway?.last == 1 && other.goAway?.code == .enhanceYourCalm && other.goAway?.debug == "slowly")
    }
  }

  @Test("what comes behind a GOAWAY's last stream in the same bytes is not acted on") func behindGoAway() throws {
    try play(#"{"match":{"token":"aa"},"goaway":{"reason":"Shutdown"}}"#) { server, _, token in
      let wire = try Wire(server)
      let raw = RawFrames(token: token)
      wire.write(
        raw.preface + raw.settings() + raw.push("99", stream: 1) + raw.push("aa", stream: 3) + raw.push("99", stream: 5)
      )
      #expect(wire.waitForEnd())
      #expect(try server.stop().records.map { $0["stream"] as? Int } == [1, 3])
    }
  }

  @Test("closing: in order, at once, in the middle of a frame") func closing() throws {
    try play(
      #"{"match":{"token":"aa"},"close":"now"}"#, #"{"match":{"token":"bb"},"close":"abort"}"#,
      #"{"match":{"token":"cc"},"respond":"BadTopic","close":"mid_frame"}"#
    ) { server, caller, token in
      #expect(caller.call(.device("aa"), authorization: token).failure != nil)
      #expect(caller.wire.isEnded)
      let second = try Caller(server)
      #expect(second.call(.device("bb"), authorization: token).failure != nil)
      #expect(second.wire.failure?.contains("reset") == true)
      let third = try Caller(server)
      #expect(third.call(.device("cc"), authorization: token).failure != nil)
      #expect(third.wire.isEnded)
    }
  }

  @Test("a byte at a time") func dribble() throws {
    try play(#"{"match":{"token":"aa"},"byte_by_byte_ms":1}"#) { _, caller, token in
      #expect(caller.call(.device("99"), authorization: token).status == 200)
      let start = Date()
      #expect(caller.call(.device("aa"), authorization: token).status == 200)
      // An answer is some 100 bytes in its TLS record.
      #expect(Date().timeIntervalSince(start) > 0.04)
    }
  }

  @Test("the stream limit moves") func limit() throws {
    try play(#"{"match":{"token":"aa"},"stream_limit":3}"#) { _, caller, token in
      #expect(caller.call(.device("aa"), authorization: token).status == 200)
      #expect(caller.limits.last == 3)
      #expect(caller.session.maxConcurrentStreams == 3)
    }
  }

  @Test("handshakes fail, connections are refused, nobody listens for a while") func doors() throws {
    try play(
      #"{"match":{"token":"aa"},"fail_tls":1}"#, #"{"match":{"token":"bb"},"refuse":1}"#,
      #"{"match":{"token":"cc"},"refuse_ms":300}"#
    ) { server, caller, token in
      #expect(caller.call(.device("aa"), authorization: token).status == 200)
      #expect(throws: Trouble.self) { try Caller(server) }
      _ = try Caller(server)
      #expect(caller.call(.device("bb"), authorization: token).status == 200)
      #expect(throws: (any Error).self) { try Caller(server) }
      _ = try Caller(server)
      #expect(caller.call(.device("cc"), authorization: token).status == 200)
      #expect(throws: (any Error).self) { try Caller(server) }
      let end = Date().addingTimeInterval(5)
      while (try? Caller(server)) == nil, Date() < end { usleep(20_000) }
      _ = try Caller(server)
    }
  }

  @Test("a wedged connection answers everything the same, or nothing") func wedge() throws {
    try play(
      #"{"match":{"token":"aa"},"wedge":"ExpiredProviderToken"}"#, #"{"match":{"token":"bb"},"wedge":"silence"}"#
    ) { server, caller, token in
      #expect(caller.call(.device("aa"), authorization: token).status == 200)
      #expect(caller.call(.device("99"), authorization: token).reason == "ExpiredProviderToken")
      let other = try Caller(server)
      #expect(other.call(.device("bb"), authorization: token).status == 200)
      #expect(other.answer(other.send(.device("99"), authorization: token), milliseconds: 100).failure == "no answer")
    }
  }

  @Test("it stops reading, and reads again") func deaf() throws {
    try play(#"{"match":{"token":"aa"},"stop_reading":150}"#) { _, caller, token in
      #expect(caller.call(.device("aa"), authorization: token).status == 200)
      let start = Date()
      #expect(caller.call(.device("99"), authorization: token).status == 200)
      #expect(Date().timeIntervalSince(start) > 0.1)
    }
  }

  @Test("rules about the start and about connections") func moments() throws {
    let server = try Running([
      "--rule", #"{"at":"start","fail_tls":1}"#, "--rule",
      #"{"at":"connect","match":{"nth":2},"goaway":{"reason":"Shutdown"}}"#,
    ])
    #expect(throws: Trouble.self) { try Caller(server) }
    let token = try Minter(server).token()
    let first = try Caller(server)
    #expect(first.call(Push(), authorization: token).status == 200)
    let second = try Caller(server)
    #expect(second.wire.waitForEnd())
    second.step(0)
    #expect(second.goAway?.debug == #"{"reason":"Shutdown"}"#)
  }

  @Test(
    "the mistake is named with its line and its column",
    arguments: [
      ("{\"silence\":true}\n\n{\"silnce\":true}", 3, 2), ("{\"respond\":\"Unregisterd\"}", 1, 12), ("{", 1, 2),
      ("{\"silence\":1}", 1, 12), ("# comment\n{\"match\":{\"nth\":0},\"silence\":true}", 2, 17),
      ("{\"match\":{\"share\":1.5},\"silence\":true}", 1, 19), ("{}", 1, 1), ("[]", 1, 1),
      ("{\"reset\":\"NOPE\"}", 1, 10), ("{\"respond\":{\"status\":404}}", 1, 12),
      ("{\"respond\":{\"status\":410,\"reason\":\"Unregistered\",\"timestamp\":1790000000}}", 1, 62),
      ("{\"silence\":true,\"silence\":true}", 1, 17), ("{\"at\":\"start\",\"silence\":true}", 1, 1),
      ("{\"match\":{\"push_type\":\"alrt\"},\"silence\":true}", 1, 23),
    ])
  func mistakes(_ text: String, _ line: Int, _ column: Int) throws {
    do {
      _ = try Script.read(Array(text.utf8).span, word: "line", timestamp: 0)
      Issue.record("read: \(text)")
    } catch {
      #expect(error.line == line && error.column == column, "\(error)")
    }
  }
}
