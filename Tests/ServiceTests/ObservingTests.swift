// What the server tells: records, log, summary, ready record, statuses; and the command it runs.
import APNs
import Foundation
import Testing

@testable import Service

@Suite struct ObservingTests {
  @Test("the record: as received, with connection, stream, headers in order and verdict") func record() throws {
    let server = try Running()
    let caller = try Caller(server)
    let token = try Minter(server).token()
    var push = Push().with([
      ("apns-push-type", "alert"), ("apns-priority", "5"), ("apns-expiration", "0"), ("apns-collapse-id", "gäme"),
      ("apns-id", "12345678-90ab-cdef-1234-567890abcdef"), ("x-more", "1"),
    ])
    push.body = Array("{\n  \"aps\": {\"alert\": \"Hï\\n\"}\r\n}".utf8)
    #expect(caller.call(push, authorization: token).status == 200)
    #expect(caller.call(Push(body: Array("text\u{1}".utf8)), authorization: token).status == 400)
    #expect(caller.call(Push(body: [0xFF, 0xFE]), authorization: token).status == 400)
    let end = try server.stop()
    #expect(end.records.count == 3)
    let first = try #require(end.records.first)
    #expect(first["token"] as? String == String(repeating: "ab", count: 32))
    #expect(first["topic"] as? String == "com.example.app")
    #expect(first["push_type"] as? String == "alert")
    #expect(first["priority"] as? Int == 5)
    #expect(first["expiration"] as? Int == 0)
    #expect(first["collapse_id"] as? String == "gäme")
    #expect(first["id"] as? String == "12345678-90ab-cdef-1234-567890abcdef")
    #expect(first["connection"] as? Int == 1)
    #expect(first["stream"] as? Int == 1)
    #expect(((first["payload"] as? [String: Any])?["aps"] as? [String: Any])?["alert"] as? String == "Hï\n")
    let headers = try #require(first["headers"] as? [[String]])
    #expect(
      headers.map { $0[0] } == [
        ":method", ":scheme", ":path", ":authority", "authorization", "apns-topic", "apns-push-type", "apns-priority",
        "apns-expiration", "apns-collapse-id", "apns-id", "x-more",
      ])
    // A log must not hold a credential: the signature stays out.
    #expect(headers[4][1].hasPrefix("bearer ey") && headers[4][1].hasSuffix(".…"))
    #expect((first["verdict"] as? [String: Any])?["status"] as? Int == 200)
    #expect(end.records[1]["payload_text"] as? String == "text\u{1}")
    #expect(end.records[2]["payload_base64"] as? String == "//4=")
    #expect(end.words == "apns-server: 3 received, 1 accepted, 2 PayloadEmpty; 1 connection\n")
  }

  @Test("the log tells of connections, handshakes, limits and frames") func log() throws {
    let server = try Running(["--log-frames"])
    _ = try Caller(server).call(Push(), authorization: try Minter(server).token())
    let log = try server.stop().log
    let events = log.compactMap { $0["event"] as? String }
    for event in ["connect", "handshake", "frame", "stream_limit", "settings_acknowledged", "close"] {
      #expect(events.contains(event), "\(event)")
    }
    let frames = log.filter { $0["event"] as? String == "frame" }
    #expect(frames.first { $0["direction"] as? String == "out" }?["type"] as? String == "SETTINGS")
    #expect(frames.contains { $0["direction"] as? String == "in" && $0["type"] as? String == "HEADERS" })
    #expect(log.first { $0["event"] as? String == "handshake" }?["alpn"] as? String == "h2")
  }

  @Test("--expect ends it with 0, --timeout with 1") func expecting() throws {
    let server = try Running(["--expect", "2"])
    let caller = try Caller(server)
    let token = try Minter(server).token()
    #expect(caller.call(Push(), authorization: token).status == 200)
    #expect(caller.call(Push(), authorization: token).status == 200)
    #expect(try server.end().status == 0)
    #expect(try Running(["--expect", "2", "--timeout", "1"]).end().status == 1)
  }

  @Test("the ready record comes to a file, to standard output, and names ports and files") func ready() throws {
    let server = try Running(["--environment", "both", "--key-id", "KEYKEYKEY1"])
    #expect(server.text("endpoint") == "localhost:\(server.port)")
    #expect(server.port("sandbox") == server.port && server.port("production") > 0)
    #expect(server.text("key_file").hasSuffix("/AuthKey_KEYKEYKEY1.p8"))
    #expect(server.text("key_id") == "KEYKEYKEY1" && server.text("team_id").count == 10)
    let folder = URL(fileURLWithPath: server.text("ca_file")).deletingLastPathComponent()
    let mode = try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int
    #expect(mode == 0o700)
    #expect(server.read("out") == server.read("ready.json"))
    _ = try server.stop()
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }

  @Test("scanning frames does not depend on how the bytes are cut") func scanning() {
    let raw = RawFrames()
    let bytes = raw.preface + raw.settings([(3, 1)]) + raw.push("ab", stream: 1) + raw.ping()
    for size in 1..<40 {
      var scanner = FrameScanner(prefaceLength: 24)
      var found: [String] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        let piece = Array(bytes[start..<min(bytes.count, start + size)])
        scanner.scan(piece.span) { found.append($0.name) }
      }
      #expect(found == ["SETTINGS", "HEADERS", "DATA", "PING"])
    }
  }
}
