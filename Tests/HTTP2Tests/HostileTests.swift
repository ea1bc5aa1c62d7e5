// Peers that break the protocol, or bend it to do harm: words for each, bounded memory, no trap.
import HTTP2
import Testing

/// Numbers that look random and are the same in every run (a 64-bit xorshift).
struct Dice {
  var state: UInt64

  mutating func roll() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }

  mutating func roll(_ below: Int) -> Int { Int(roll() % UInt64(below)) }
}

private func request(_ stream: UInt32, end: Bool = true) -> [UInt8] {
  Frame.write(1, end ? 5 : 4, stream, LoneServer.request)
}

private func brokenWords(_ server: LoneServer) -> String? {
  server.events.first { $0.kind == .broken }.map { server.session.note($0) }
}

@Suite struct HostileServers {
  /// What the server sends, the code we say good-bye with, and a word of the reason.
  static let faults: [(name: String, bytes: [UInt8], code: ErrorCode)] = [
    ("HEADERS on a stream nobody opened", Frame.write(1, 5, 9, [0x88]), .protocolError),
    ("DATA on stream 0", Frame.write(0, 0, 0, [1]), .protocolError),
    ("DATA on a stream nobody opened", Frame.write(0, 0, 9, [1]), .protocolError),
    ("a frame larger than announced", Frame.write(0, 0, 1, [UInt8](repeating: 0, count: 20_000)), .frameSizeError),
    ("SETTINGS of 5 bytes", Frame.write(4, 0, 0, [0, 0, 0, 0, 0]), .frameSizeError),
    ("SETTINGS on a stream", Frame.write(4, 0, 1), .protocolError),
    ("SETTINGS with push enabled", Frame.settings((2, 1)), .protocolError),
    ("SETTINGS with a window beyond 2^31", Frame.settings((4, 1 << 31)), .flowControlError),
    ("SETTINGS with a tiny frame size", Frame.settings((5, 1)), .protocolError),
    ("an acknowledgement of nothing", Frame.write(4, 1, 0) + Frame.write(4, 1, 0), .protocolError),
    ("PING of 7 bytes", Frame.write(6, 0, 0, [1, 2, 3, 4, 5, 6, 7]), .frameSizeError),
    ("WINDOW_UPDATE of nothing", Frame.write(8, 0, 0, Frame.word(0)), .protocolError),
    ("a window beyond 2^31", Frame.write(8, 0, 0, Frame.word(0x7FFF_FFFF)), .flowControlError),
    ("CONTINUATION out of the blue", Frame.write(9, 4, 1, [0x88]), .protocolError),
    (
      "PUSH_PROMISE after we forbade it",
      Frame.write(4, 1, 0) + Frame.write(5, 4, 1, Frame.word(2) + LoneServer.request), .protocolError
    ),
    ("an index beyond the tables", Frame.write(1, 5, 1, [0xFF, 0xFF, 0xFF, 0xFF, 0x0F]), .compressionError),
    ("RST_STREAM of a stream nobody opened", Frame.write(3, 0, 9, Frame.word(8)), .protocolError),
    ("padding longer than the frame", Frame.write(0, 8, 1, [200, 1]), .protocolError),
  ]

  @Test(arguments: faults.indices)
  func brokenConnections(_ index: Int) throws {
    let fault = Self.faults[index]
    let client = LoneClient()
    _ = client.submit(tag: 3)
    _ = client.sent()
    let events = client.receive(fault.bytes)
    try #require(events.last?.kind == .broken, "\(fault.name): \(events)")
    #expect(events.last?.code == fault.code, "\(fault.name)")
    #expect(!client.session.note(events[events.count - 1]).isEmpty, "\(fault.name)")
    #expect(events.dropLast().map(\.kind) == [.failed], "\(fault.name)")
    #expect(events[0].tag == 3 && !events[0].isUnprocessed)
    #expect(client.sent().last?.type == 7, "we say why")
    #expect(client.session.isFinished)
    #expect(client.receive(Frame.settings()).isEmpty)
  }

  @Test func notHTTP2AtAll() throws {
    let client = LoneClient(isGreeted: false)
    let events = client.receive(bytes("HTTP/1.1 400 Bad Request\r\nServer: x\r\n\r\n"))
    #expect(events.last?.kind == .broken)
  }

  /// A malformed answer ends its stream alone (RFC 9113 section 8.1.1).
  @Test func malformedAnswers() throws {
    let blocks: [[UInt8]] = [
      [], [0x88, 0x88], [0x08, 3] + bytes("2x0"), [0x88, 0, 1] + bytes("A") + [1] + bytes("b"),
      [0x88, 0, 10] + bytes("connection") + [1] + bytes("x"), [0, 1] + bytes("a") + [1] + bytes("b") + [0x88],
      [0x88, 0, 14] + bytes("content-length") + [1] + bytes("5"),
    ]
    for block in blocks {
      let client = LoneClient()
      _ = client.submit()
      _ = client.submit()
      var events = client.receive(Frame.write(1, 5, 1, block))
      #expect(events.map(\.kind) == [.failed], "\(block.hex)")
      #expect(events.first?.code == .protocolError)
      events = client.receive(Frame.write(1, 5, 3, [0x88]))
      #expect(events.map(\.kind) == [.done], "\(block.hex)")
    }
  }

  @Test func longAnswersAreCut() {
    let client = LoneClient {
      $0.fieldLimit = 300
      $0.bodyLimit = 1000
    }
    _ = client.submit()
    let field = [0, 1] + bytes("a") + [100] + [UInt8](repeating: 0x62, count: 100)
    client.receive(Frame.write(1, 4, 1, [0x88] + field + field + field + field))
    #expect(client.session.fieldCount(0) == 2)
    for _ in 0..<50 { client.receive(Frame.write(0, 0, 1, [UInt8](repeating: 1, count: 10_000))) }
    #expect(client.body(0).count == 1000)
    #expect(client.receive(Frame.write(0, 1, 1)).map(\.kind) == [.done])
    #expect(client.session.isTruncated(0))
    client.session.release(0)
    _ = client.submit()
    client.receive(Frame.write(1, 5, 3, [0x88]))
    #expect(!client.session.isTruncated(0))
  }

  /// One field of 4000 bytes in the table, referred to 16,000 times: 64 MB to a naive reader.
  @Test func compressionBomb() {
    let client = LoneClient()
    _ = client.submit()
    let large = [0x40, 1] + bytes("a") + [0x7F, 0xA1, 0x1E] + [UInt8](repeating: 0x62, count: 4000)
    let references = [UInt8](repeating: 0xBE, count: 12_000)
    let events = client.receive(Frame.write(1, 5, 1, [0x88] + large + references))
    #expect(events.map(\.kind) == [.done])
    #expect(client.session.fieldCount(0) <= 2)
    #expect(client.session.isTruncated(0))
  }

  @Test(arguments: [
    Frame.write(6, 0, 0, [UInt8](repeating: 0, count: 8)), Frame.settings(), Frame.goAway(0x7FFF_FFFF, .noError),
    Frame.write(0, 0, 1), Frame.write(1, 4, 1, [0x08, 3] + bytes("103")),
  ])
  func floods(_ frame: [UInt8]) {
    let client = LoneClient()
    _ = client.submit()
    client.receive(frame[3] == 0 ? Frame.write(1, 4, 1, [0x88]) : [])
    let chunk = (0..<1000).flatMap { _ in frame }
    var reads = 0
    while !client.events.contains(where: { $0.kind == .broken }), reads < 100 {
      client.receive(chunk)
      client.out.removeAll()
      reads += 1
    }
    #expect(reads <= 11)
    #expect(client.events.last?.code == .enhanceYourCalm)
  }

  @Test func pingsNowAndThenAreWelcome() {
    let client = LoneClient()
    for _ in 0..<50_000 {
      #expect(client.receive(Frame.write(6, 0, 0, [0, 0, 0, 0, 0, 0, 0, 1])).isEmpty)
      client.out.removeAll()
    }
  }

  @Test func continuationsWithoutEnd() {
    let client = LoneClient()
    _ = client.submit()
    var events = client.receive(Frame.write(1, 0, 1, [0x88]))
    for _ in 0..<100 where events.isEmpty { events = client.receive(Frame.write(9, 0, 1, [0x0F, 0x00, 0x00])) }
    #expect(events.last?.kind == .broken)
  }
}

@Suite struct HostileClients {
  @Test func plainHTTP() {
    let server = LoneServer()
    server.receive(bytes("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"))
    #expect(brokenWords(server)?.contains("preface") == true)
    #expect(server.receive(LoneServer.preface).isEmpty)
  }

  @Test func rapidResets() {
    let server = LoneServer()
    server.receive(LoneServer.preface)
    var stream: UInt32 = 1
    var calm: ServerEvent?
    while calm == nil, stream < 10_000 {
      let events = server.receive(request(stream) + Frame.write(3, 0, stream, Frame.word(8)))
      for event in events where event.slot >= 0 { server.session.release(event.slot) }
      calm = events.first { $0.kind == .broken }
      stream += 2
    }
    #expect(calm?.code == .enhanceYourCalm)
    #expect(stream > 1900 && stream < 2100)
    #expect(server.sent().last?.payload.suffix(4).map { $0 }.hex == "0000000b")
  }

  /// Clients that reset what was answered are careless, not hostile: async-http-client does it all day.
  @Test func resetsOfAnsweredStreamsAreForgiven() {
    let server = LoneServer()
    server.receive(LoneServer.preface)
    let answer = FieldTemplate()
    answer.add(":status", "200")
    for number in 0..<5000 {
      let stream = UInt32(number * 2 + 1)
      let events = server.receive(
        request(stream, end: number % 2 == 0) + (number % 2 == 0 ? [] : Frame.write(0, 1, stream)))
      #expect(events.map(\.kind) == [.request])
      server.session.respond(events[0].slot, answer, body: [UInt8]().span, into: &server.out)
      server.session.release(events[0].slot)
      #expect(server.receive(Frame.write(3, 0, stream, Frame.word(8))).isEmpty)
      server.out.removeAll()
    }
  }

  @Test func headerListsAreCutAndBombsEndTheConnection() {
    let server = LoneServer { $0.fieldLimit = 1000 }
    server.receive(LoneServer.preface)
    let large = [0x40, 1] + bytes("a") + [0x7F, 0xA1, 0x1E] + [UInt8](repeating: 0x62, count: 4000)
    #expect(server.receive(Frame.write(1, 5, 1, LoneServer.request + large)).map(\.kind) == [.request])
    #expect(server.session.isTruncated(0))
    #expect(server.session.fieldCount(0) == 4)
    server.receive(Frame.write(1, 5, 3, LoneServer.request + [UInt8](repeating: 0xBF, count: 10_000)))
    #expect(brokenWords(server)?.contains("megabyte") == true)
  }

  @Test func bodiesAreCut() {
    let server = LoneServer { $0.bodyLimit = 100 }
    server.receive(LoneServer.preface + request(1, end: false))
    for _ in 0..<100 { server.receive(Frame.write(0, 0, 1, [UInt8](repeating: 7, count: 10_000))) }
    #expect(server.receive(Frame.write(0, 1, 1)).map(\.kind) == [.request])
    let session = server.session
    #expect(copy(session.body(0)).count == 100)
    #expect(session.isTruncated(0))
  }

  @Test func hardLimitHoldsWhateverWasAnnounced() {
    let server = LoneServer { $0.hardStreamLimit = 10 }
    server.receive(LoneServer.preface + (0..<50).flatMap { request(UInt32($0 * 2 + 1), end: false) })
    #expect(server.session.openStreams == 10)
  }

  @Test(arguments: [
    Frame.write(6, 0, 0, [UInt8](repeating: 0, count: 8)), Frame.settings(), Frame.goAway(0, .noError),
    Frame.write(0, 0, 1),
  ])
  func floods(_ frame: [UInt8]) {
    let server = LoneServer()
    server.receive(LoneServer.preface + request(1, end: false))
    let chunk = (0..<1000).flatMap { _ in frame }
    var reads = 0
    while !server.events.contains(where: { $0.kind == .broken }), reads < 100 {
      server.receive(chunk)
      server.out.removeAll()
      reads += 1
    }
    #expect(reads <= 11)
    #expect(brokenWords(server)?.contains("floods") == true)
  }

  @Test func refusedStreamsWithoutEnd() {
    let server = LoneServer { $0.maxConcurrentStreams = 1 }
    server.receive(LoneServer.preface + Frame.write(4, 1, 0) + request(1, end: false))
    var stream: UInt32 = 3
    while brokenWords(server) == nil, stream < 100_000 {
      server.receive((0..<500).flatMap { request(stream + UInt32($0 * 2)) })
      server.out.removeAll()
      stream += 1000
    }
    #expect(brokenWords(server)?.contains("limit") == true)
    #expect(server.session.openStreams == 0)
  }

  /// The same seed gives the same bytes: a failure can be repeated.
  @Test(arguments: 1...40)
  func noise(_ seed: UInt64) {
    var dice = Dice(state: seed &* 0x9E37_79B9_7F4A_7C15)
    for _ in 0..<100 {
      let server = LoneServer { $0.reportsHeads = dice.roll(2) == 0 }
      let client = LoneClient(isGreeted: dice.roll(2) == 0)
      server.receive(LoneServer.preface + request(1, end: false) + request(3))
      for _ in 0..<3 { _ = client.submit() }
      for _ in 0..<20 {
        var payload = (0..<dice.roll(40)).map { _ in UInt8(truncatingIfNeeded: dice.roll()) }
        if dice.roll(2) == 0 { payload = LoneServer.request + payload }
        let stream = UInt32(dice.roll(8))
        let frame = Frame.write(UInt8(dice.roll(12)), UInt8(truncatingIfNeeded: dice.roll()), stream, payload)
        let cut = dice.roll(10) == 0 ? dice.roll(frame.count) : frame.count
        for event in server.receive(Array(frame.prefix(cut))) where event.slot >= 0 {
          let answer = FieldTemplate()
          answer.add(":status", "200")
          if dice.roll(2) == 0 { server.session.respond(event.slot, answer, body: payload.span, into: &server.out) }
          if dice.roll(2) == 0 { server.session.release(event.slot) }
        }
        for event in client.receive(Array(frame.prefix(cut))) where event.slot >= 0 {
          _ = client.session.note(event)
          client.session.release(event.slot)
          _ = client.submit(payload)
        }
      }
      #expect(client.session.openStreams >= 0 && server.session.openStreams >= 0)
    }
  }
}
