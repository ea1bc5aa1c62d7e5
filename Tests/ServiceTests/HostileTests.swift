// What a server meets on an open port: floods, bombs, garbage, slow and dead clients. It stays up, small, and says so.
import APNs
import Foundation
import HTTP2
import POSIX
import Testing

@Suite(.serialized) struct HostileTests {
  /// Does harm to a server; afterwards it must still serve, be small, and have said what it saw.
  private func withstand(
    _ options: [String] = [], sees word: String? = nil, limitKiB: Int = 65_536,
    _ harm: (Running, RawFrames) throws -> Void
  ) throws {
    let server = try Running(options)
    let token = try Minter(server).token()
    try harm(server, RawFrames(token: token))
    #expect(server.isRunning)
    #expect(try Caller(server).call(Push(), authorization: token).status == 200)
    #expect(server.residentKiB < limitKiB)
    let end = try server.stop()
    #expect(end.status == 128 + 15)
    guard let word else { return }
    let said = end.log.compactMap { $0["message"] as? String } + [end.words]
    #expect(said.contains { $0.contains(word) }, "\(said.prefix(10))")
  }

  /// Writes until the server gives up on us; how many times.
  private func flood(_ server: Running, _ start: [UInt8], _ unit: [UInt8], times: Int) throws -> Int {
    let wire = try Wire(server)
    wire.write(start)
    for round in 0..<times {
      wire.write(unit)
      _ = wire.pull(0)
      if wire.isEnded { return round }
    }
    _ = wire.waitForEnd(2000)
    return wire.isEnded ? times : -1
  }

  @Test("plain HTTP gets words, and so does the log") func plainHTTP() throws {
    try withstand(sees: "plain HTTP") { server, _ in
      let socket = try Wire.connect(server.port)
      try socket.writeAll("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
      let answer = String(decoding: drain(socket), as: UTF8.self)
      #expect(answer.hasPrefix("HTTP/1.1 400") && answer.contains("https"))
    }
  }

  @Test("HTTP/1.1 inside TLS, an alert, and garbage in place of TLS") func garbage() throws {
    try withstand(sees: "preface") { server, _ in
      let wire = try Wire(server, protocols: [])
      wire.write(Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
      #expect(wire.waitForEnd())
      #expect(throws: (any Error).self) { try Wire(server, protocols: ["http/1.1"]) }
      var random = SystemRandomNumberGenerator()
      for count in [1, 5, 100, 70_000] {
        let socket = try Wire.connect(server.port)
        let noise = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        try? socket.writeAll(noise.span)
        socket.shutdownWriting()
        _ = drain(socket)
      }
    }
  }

  @Test("malformed frames end the connection they came on", arguments: 0..<12)
  func malformed(_ which: Int) throws {
    try withstand { server, raw in
      let block = raw.fields("abcd")
      let harms: [[UInt8]] = [
        raw.frame(0, 1, 1, [1, 2, 3]),  // DATA on a stream that does not exist
        raw.frame(1, 5, 2, block),  // an even stream
        raw.frame(1, 5, 1, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),  // HPACK garbage
        raw.frame(4, 0, 0, [1, 2, 3]),  // SETTINGS of a wrong length
        raw.frame(4, 0, 1, []),  // SETTINGS on a stream
        raw.frame(6, 0, 0, [1]),  // PING of a wrong length
        raw.frame(8, 0, 0, [0, 0, 0, 0]),  // WINDOW_UPDATE by nothing
        raw.frame(9, 4, 1, block),  // CONTINUATION of nothing
        raw.frame(3, 0, 9, raw.word(8)),  // RST_STREAM of an idle stream
        raw.frame(5, 4, 1, [0, 0, 0, 2] + block),  // PUSH_PROMISE from a client
        [0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 1],  // 16 MiB announced
        raw.frame(1, 0x2D, 1, [200] + block),  // more padding than frame
      ]
      let wire = try Wire(server)
      wire.write(raw.preface + raw.settings() + harms[which])
      if which == 10 { wire.write([UInt8](repeating: 0, count: 100_000)) }
      #expect(wire.waitForEnd())
    }
  }

  @Test("every prefix and every flipped byte of a good session is survived") func mutations() throws {
    try withstand { server, raw in
      let good = raw.preface + raw.settings() + raw.push("abcd", stream: 1)
      for cut in stride(from: 0, to: good.count, by: 29) {
        let wire = try Wire(server)
        wire.write(Array(good.prefix(cut)))
      }
      for place in stride(from: 0, to: good.count, by: 11) {
        let wire = try Wire(server)
        var bad = good
        bad[place] ^= UInt8(1 << (place % 8))
        wire.write(bad)
        _ = wire.pull(0)
      }
    }
  }

  @Test("giant headers and HPACK bombs") func headers() throws {
    try withstand { server, raw in
      // 100 KB in one field, over CONTINUATION frames.
      let wire = try Wire(server)
      let block = raw.fields("abcd") + raw.field("x-large", String(repeating: "x", count: 100_000))
      wire.write(raw.preface + raw.settings() + raw.frame(1, 1, 1, Array(block.prefix(16_000))))
      for start in stride(from: 16_000, to: block.count, by: 16_000) {
        let isLast = start + 16_000 >= block.count
        wire.write(raw.frame(9, isLast ? 4 : 0, 1, Array(block[start..<min(block.count, start + 16_000)])))
      }
      _ = wire.pull(500)
      // A field of 4000 bytes in the table, and 16,000 references to it: 64 MB when decoded.
      let bomb = try Wire(server)
      let entry =
        [UInt8(0x40)] + raw.integer(1, 7) + Array("a".utf8) + raw.integer(3900, 7)
        + [UInt8](repeating: 0x61, count: 3900)
      bomb.write(raw.preface + raw.settings() + raw.frame(1, 4, 1, raw.fields("abcd") + entry))
      bomb.write(raw.frame(0, 1, 1) + raw.frame(1, 5, 3, raw.fields("abcd") + [UInt8](repeating: 0xBE, count: 12_000)))
      _ = bomb.waitForEnd(2000)
      // CONTINUATION without end.
      let start = raw.preface + raw.settings() + raw.frame(1, 1, 1, raw.fields("abcd"))
      let rounds = try flood(server, start, raw.frame(9, 0, 1, [UInt8](repeating: 0x82, count: 1000)), times: 20_000)
      #expect(rounds >= 0)
    }
  }

  @Test("floods of SETTINGS, PING, RST_STREAM and empty DATA", arguments: ["settings", "ping", "reset", "data"])
  func floods(_ kind: String) throws {
    try withstand(sees: "lood") { server, raw in
      let start = raw.preface + raw.settings() + (kind == "data" ? raw.frame(1, 4, 1, raw.fields("abcd")) : [])
      var unit: [UInt8] = []
      var stream = 1
      for _ in 0..<500 {
        switch kind {
        case "settings": unit += raw.settings([(4, 65_535)])
        case "ping": unit += raw.ping()
        case "data": unit += raw.frame(0, 0, 1)
        default: break
        }
      }
      if kind == "reset" {
        // The rapid reset: each stream is opened and taken back at once.
        let wire = try Wire(server)
        wire.write(start)
        for _ in 0..<200 {
          var burst: [UInt8] = []
          for _ in 0..<100 {
            burst += raw.frame(1, 4, stream, raw.fields("abcd")) + raw.reset(stream)
            stream += 2
          }
          wire.write(burst)
          _ = wire.pull(0)
          if wire.isEnded { break }
        }
        #expect(wire.waitForEnd(3000))
      } else {
        #expect(try flood(server, start, unit, times: 200) >= 0)
      }
    }
  }

  @Test("a client that never reads is not read from, and the others are served") func neverReads() throws {
    try withstand(["--max-streams", "1000"]) { server, raw in
      let wire = try Wire(server)
      wire.write(raw.preface + raw.settings([(4, 0)]))
      // Answers with a body cannot go out: the window is shut. Pushes go on until the socket is full.
      var stream = 1
      for _ in 0..<50 {
        var burst: [UInt8] = []
        for _ in 0..<20 {
          burst += raw.push("dead4000", stream: stream)
          stream += 2
        }
        do { try wire.channel.write(burst.span) } catch { break }
        let channel = wire.channel
        while channel.outputCount > 0, wire.socket.waitUntil(writable: true, milliseconds: 100) {
          guard case .bytes(let count) = try wire.socket.write(channel.output) else { break }
          channel.consumeOutput(count)
        }
      }
      #expect(try Caller(server).call(Push(), authorization: raw.token).status == 200)
    }
  }

  @Test("half-open TLS is closed after a while; half-open requests are held, and bounded") func halfOpen() throws {
    try withstand(["--handshake-timeout", "1"], sees: "not done within 1 s") { server, raw in
      var sockets: [Descriptor] = []
      for _ in 0..<200 { sockets.append(try Wire.connect(server.port)) }
      let wire = try Wire(server)
      wire.write(raw.preface + raw.settings())
      for stream in stride(from: 1, to: 200, by: 2) { wire.write(raw.frame(1, 4, stream, raw.fields("abcd"))) }
      #expect(try Caller(server).call(Push(), authorization: raw.token).status == 200)
      for socket in sockets {
        // The end of the stream comes, or a reset.
        #expect(socket.waitUntil(milliseconds: 5000))
      }
    }
  }

  @Test("a body without end is cut at the limit of what is kept") func body() throws {
    try withstand { server, raw in
      let wire = try Wire(server)
      wire.write(raw.preface + raw.settings() + raw.frame(1, 4, 1, raw.fields("abcd")))
      for _ in 0..<40 {
        wire.write(raw.frame(0, 0, 1, [UInt8](repeating: 0x20, count: 1000)))
        _ = wire.pull(0)
      }
      wire.write(raw.frame(0, 1, 1))
      let head = wire.frames(until: { $0.type == 0 && $0.stream == 1 })
      #expect(head.map { String(decoding: $0.payload, as: UTF8.self) } == #"{"reason":"PayloadTooLarge"}"#)
    }
  }

  @Test("thousands of connections one after the other leave nothing behind") func many() throws {
    let server = try Running()
    let token = try Minter(server).token()
    func round(_ count: Int) throws {
      for index in 0..<count {
        if index % 10 == 0 {
          #expect(try Caller(server).call(Push(), authorization: token).status == 200)
        } else {
          _ = try Wire.connect(server.port)
        }
      }
    }
    try round(500)
    let before = server.residentKiB
    try round(2500)
    #expect(server.residentKiB < before + 4096)
  }

  @Test("a thousand connections at once fit into 64 MiB") func thousand() throws {
    let server = try Running()
    let token = try Minter(server).token()
    var callers: [Caller] = []
    // Each end of a connection takes a descriptor here as well: what the system allows decides how many there are.
    let descriptors = Int((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 100)
    let room = max(100, min(1000, openFileLimit() - descriptors - 100))
    for _ in 0..<room {
      let caller = try Caller(server)
      #expect(caller.call(Push(), authorization: token).status == 200)
      callers.append(caller)
    }
    #expect(server.residentKiB < 65_536)
  }
}

private func openFileLimit() -> Int {
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  return Int(clamping: limit.rlim_cur)
}

/// Everything that comes until the end, within a few seconds.
private func drain(_ socket: Descriptor) -> [UInt8] {
  var bytes: [UInt8] = []
  let end = Date().addingTimeInterval(5)
  while Date() < end, socket.waitUntil(milliseconds: 1000) {
    guard case .bytes? = try? socket.read(into: &bytes, limit: 65_536) else { break }
  }
  return bytes
}
