// A client against a peer written by hand: limits, endings, answers of every shape.
import HTTP2
import Testing

/// HEADERS with `:status 200` alone.
private func ok(_ stream: UInt32, end: Bool = true) -> [UInt8] { Frame.write(1, end ? 5 : 4, stream, [0x88]) }

private func reset(_ stream: UInt32, _ code: ErrorCode) -> [UInt8] {
  Frame.write(3, 0, stream, Frame.word(code.rawValue))
}

/// A literal field without indexing and without Huffman.
private func literal(_ name: String, _ value: String) -> [UInt8] {
  [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
}

@Suite struct ClientTests {
  @Test func obeysTheLimitAsItMoves() {
    let client = LoneClient(streams: 1, isGreeted: false)
    #expect(client.submit() == .sent(stream: 1, slot: 0))
    #expect(client.submit() == .full)
    let events = client.receive(Frame.settings((3, 3)))
    #expect(events.map(\.kind) == [.settings])
    #expect(events.first?.value == 3)
    #expect(client.submit() == .sent(stream: 3, slot: 1))
    #expect(client.submit() == .sent(stream: 5, slot: 2))
    #expect(!client.session.canSubmit)
    client.receive(Frame.settings((3, 1)))
    for stream: UInt32 in [1, 3] {
      client.receive(ok(stream))
      #expect(client.submit() == .full)
    }
    client.receive(ok(5))
    #expect(client.session.openStreams == 0)
    #expect(client.session.canSubmit)
    client.receive(Frame.settings((3, 0)))
    #expect(client.submit() == .full)
  }

  /// A request whose body's end never left is not one the peer can have acted on, however its stream ends.
  @Test func aBodyHeldBackIsUnprocessed() {
    let client = LoneClient(streams: 8, isGreeted: false)
    client.receive(Frame.settings((4, 0)))
    #expect(client.submit() == .sent(stream: 1, slot: 0))
    #expect(client.submit() == .sent(stream: 3, slot: 1))
    #expect(client.session.isHeldBack(1) && client.session.isHeldBack(3) && !client.session.isHeldBack(5))
    // The second one's body goes out after all.
    client.receive(Frame.write(8, 0, 3, Frame.word(2)))
    #expect(client.session.isHeldBack(1) && !client.session.isHeldBack(3))
    let events = client.receive(reset(1, .internalError) + reset(3, .internalError))
    #expect(events.map(\.kind) == [.failed, .failed] && events.map(\.isUnprocessed) == [true, false])
  }

  @Test func settingsWithoutALimitMeanNone() {
    let client = LoneClient(streams: 1, isGreeted: false)
    client.receive(Frame.settings())
    #expect(client.session.maxConcurrentStreams == Int(UInt32.max))
    for _ in 0..<2000 { #expect(client.submit() != .full) }
  }

  @Test func answerWithFieldsAndBody() throws {
    let client = LoneClient()
    _ = client.submit(tag: 42)
    let block = [0x88] + literal("apns-id", "ABC") + literal("date", "today")
    var events = client.receive(Frame.write(1, 4, 1, block))
    #expect(events.isEmpty)
    #expect(client.session.status(0) == 200)
    events = client.receive(Frame.write(0, 0, 1, bytes("{\"reason\":")) + Frame.write(0, 1, 1, bytes("1}")))
    let done = try #require(events.first)
    #expect(events.count == 1 && done.kind == .done && done.status == 200 && done.tag == 42 && done.stream == 1)
    let session = client.session
    #expect(copy(session.body(done.slot)) == bytes("{\"reason\":1}"))
    #expect(session.fieldText(done.slot, "apns-id") == "ABC")
    #expect(session.fieldText(done.slot, "retry-after") == nil)
    #expect(session.fieldCount(done.slot) == 2)
    #expect(copy(session.fieldName(done.slot, 1)).text == "date")
    #expect(copy(session.fieldValue(done.slot, 1)).text == "today")
    #expect(copy(session.fieldValue(done.slot, 2)).isEmpty)
    session.release(done.slot)
    session.release(done.slot)
    #expect(client.submit() == .sent(stream: 3, slot: 0))
    #expect(client.submit() == .sent(stream: 5, slot: 1))
  }

  @Test func informationalAnswersAndTrailers() {
    let client = LoneClient()
    _ = client.submit()
    let early = Frame.write(1, 4, 1, [0x08, 3] + bytes("103") + literal("link", "x"))
    #expect(client.receive(early + early).isEmpty)
    #expect(client.session.status(0) == 0)
    client.receive(Frame.write(1, 4, 1, [0x8D] + literal("a", "b")) + Frame.write(0, 0, 1, bytes("hi")))
    let events = client.receive(Frame.write(1, 5, 1, literal("grpc-status", "0")))
    #expect(events.map(\.kind) == [.done])
    #expect(events.first?.status == 404)
    #expect(client.session.fieldCount(0) == 1)
    #expect(client.body(0) == bytes("hi"))
  }

  @Test func everySplitOfAnAnswer() {
    let block = [0x88] + literal("apns-id", "ABC")
    let answer = Frame.settings((3, 5)) + Frame.write(1, 4, 1, block) + Frame.write(0, 1, 1, bytes("body"))
    for cut in 0...answer.count {
      let client = LoneClient()
      _ = client.submit()
      let (first, second) = (Array(answer[..<cut]), Array(answer[cut...]))
      client.session.receive(first.span, into: &client.out)
      client.session.receive(second.span, into: &client.out)
      #expect(client.take().map(\.kind) == [.settings, .done])
      #expect(client.body(0) == bytes("body"))
    }
  }

  @Test func goAwayTellsWhichWereNotProcessed() {
    let client = LoneClient()
    for tag in 0..<4 { _ = client.submit(tag: tag) }
    var events = client.receive(Frame.goAway(5, .noError, bytes(#"{"reason":"Shutdown"}"#)))
    #expect(events.map(\.kind) == [.goAway, .failed])
    #expect(events[0].stream == 5 && events[0].code == .noError)
    #expect(client.session.note(events[0]) == #"{"reason":"Shutdown"}"#)
    #expect(events[1].stream == 7 && events[1].tag == 3 && events[1].isUnprocessed && !events[1].isOurs)
    #expect(client.submit() == .goingAway)
    #expect(client.session.isClosing)
    // The last id may fall, never rise.
    events = client.receive(Frame.goAway(1, .noError))
    #expect(events.filter { $0.kind == .failed && $0.isUnprocessed }.map(\.stream).sorted() == [3, 5])
    events = client.receive(ok(1))
    #expect(events.map(\.kind) == [.done])
    #expect(client.session.openStreams == 0)
  }

  @Test func goAwayWithARisingLastStreamBreaksTheConnection() {
    let client = LoneClient()
    for _ in 0..<3 { _ = client.submit() }
    client.receive(Frame.goAway(3, .noError))
    let events = client.receive(Frame.goAway(5, .noError))
    #expect(events.last?.kind == .broken)
    #expect(events.filter { $0.kind == .failed }.allSatisfy { !$0.isUnprocessed })
  }

  @Test func resetsByName() throws {
    let client = LoneClient()
    for _ in 0..<3 { _ = client.submit() }
    let events = client.receive(reset(1, .refusedStream) + reset(3, .cancel) + reset(5, ErrorCode(rawValue: 77)))
    try #require(events.count == 3)
    #expect(events.allSatisfy { $0.kind == .failed && !$0.isOurs })
    #expect(events.map(\.isUnprocessed) == [true, false, false])
    #expect(events.map(\.code.description) == ["REFUSED_STREAM", "CANCEL", "error 77"])
    #expect(client.session.openStreams == 0)
  }

  @Test func ownResetIsNotProofOfAnything() throws {
    let client = LoneClient()
    _ = client.submit()
    _ = client.sent()
    client.session.reset(1, .refusedStream)
    #expect(client.sent().map(\.description) == ["3/0@1: 00000007"])
    let event = try #require(client.take().first)
    #expect(event.kind == .failed && event.isOurs && !event.isUnprocessed)
    client.session.reset(1, .cancel)
    client.session.reset(999, .cancel)
    #expect(client.sent().isEmpty)
  }

  @Test func streamIdsRunOut() {
    let client = LoneClient { $0.firstStream = Int32.max - 2 }
    #expect(client.submit() == .sent(stream: Int32.max - 2, slot: 0))
    #expect(client.submit() == .sent(stream: Int32.max, slot: 1))
    #expect(client.submit() == .usedUp)
    #expect(client.submit() == .usedUp)
    #expect(!client.session.canSubmit)
    #expect(client.session.isClosing)
    #expect(client.receive(ok(0x7FFF_FFFF)).map(\.kind) == [.done])
    #expect(client.receive(ok(0x7FFF_FFFD)).map(\.kind) == [.done])
  }

  /// The server answers before it has the body: the answer counts, the stream is not reset, and ends by itself.
  @Test func answeredBeforeTheBodyWasSent() {
    let client = LoneClient()
    client.receive(Frame.settings((4, 0)))
    _ = client.sent()
    var body = bytes("{\"aps\":{}}")
    _ = client.session.submit(client.head, body: body.span, tag: 7, into: &client.out)
    for index in body.indices { body[index] = 0 }
    #expect(client.sent().map(\.type) == [1])
    let events = client.receive(ok(1))
    #expect(events.map(\.kind) == [.done])
    client.session.release(0)
    client.session.reset(1, .cancel)
    #expect(client.sent().isEmpty)
    #expect(client.session.openStreams == 1)
    client.receive(Frame.write(8, 0, 1, Frame.word(4)))
    client.receive(Frame.write(8, 0, 1, Frame.word(100)))
    let sent = client.sent()
    #expect(sent.map(\.type) == [0, 0])
    #expect(sent.flatMap(\.payload) == bytes("{\"aps\":{}}"))
    #expect(sent.last?.flags == 1)
    #expect(client.session.openStreams == 0)
    #expect(client.take().isEmpty)
    #expect(client.submit() == .sent(stream: 3, slot: 0))
  }

  @Test func theRestOfAnAnsweredRequestIsDropped() {
    let client = LoneClient()
    client.receive(Frame.settings((4, 2)))
    for _ in 0..<2 { _ = client.submit(bytes("{\"aps\":{}}")) }
    #expect(client.receive(ok(1)).map(\.kind) == [.done])
    _ = client.sent()
    #expect(client.session.dropRest(0))
    client.session.release(0)
    #expect(client.sent().map(\.description) == ["3/0@1: 00000008"])
    #expect(client.take().isEmpty && client.session.openStreams == 1)
    // One that is whole stays as it is.
    client.receive(Frame.write(8, 0, 3, Frame.word(100)) + ok(3))
    _ = client.sent()
    #expect(!client.session.dropRest(1))
    #expect(client.sent().isEmpty)
  }

  @Test func answeredAndThenReset() {
    let client = LoneClient()
    client.receive(Frame.settings((4, 0)))
    _ = client.submit()
    #expect(client.receive(ok(1) + reset(1, .noError)).map(\.kind) == [.done])
    #expect(client.session.openStreams == 0)
    client.session.release(0)
    #expect(client.submit() == .sent(stream: 3, slot: 0))
  }

  @Test func resetWithoutAnAnswerIsAFailureWhateverTheCode() {
    let client = LoneClient()
    _ = client.submit()
    let events = client.receive(ok(1, end: false) + reset(1, .noError))
    #expect(events.map(\.kind) == [.failed])
    #expect(events.first?.status == 200)
  }

  @Test func pings() {
    let client = LoneClient()
    _ = client.sent()
    client.receive(Frame.write(6, 0, 0, [1, 2, 3, 4, 5, 6, 7, 8]))
    #expect(client.sent().map(\.description) == ["6/1@0: 0102030405060708"])
    client.session.ping(0x1122)
    let ping = client.sent()
    #expect(ping.map(\.type) == [6])
    let events = client.receive(Frame.write(6, 1, 0, ping[0].payload))
    #expect(events.map(\.kind) == [.pong])
    #expect(events.first?.tag == 0x1122)
  }

  @Test func longBodiesAreSentAsTheWindowAllows() {
    let client = LoneClient()
    let body = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    _ = client.session.submit(client.head, body: body.span, tag: 0, into: &client.out)
    var received: [UInt8] = []
    var ended = false
    for _ in 0..<100 where !ended {
      for frame in client.sent() where frame.type == 0 {
        received += frame.payload
        ended = frame.flags & 1 != 0
      }
      client.receive(Frame.write(8, 0, 0, Frame.word(10_000)) + Frame.write(8, 0, 1, Frame.word(10_000)))
    }
    #expect(ended)
    #expect(received == body)
  }

  @Test func emptyBodyEndsTheStreamWithItsHead() {
    let client = LoneClient()
    _ = client.sent()
    _ = client.submit([])
    #expect(client.sent().map(\.flags) == [5])
  }

  @Test func endOfTransportFailsWhatIsOpen() {
    let client = LoneClient()
    for tag in 0..<3 { _ = client.submit(tag: tag) }
    client.receive(ok(3))
    client.session.transportEnded("the peer closed the connection")
    let events = client.take()
    #expect(events.map(\.kind) == [.failed, .failed, .broken])
    #expect(events.prefix(2).allSatisfy { !$0.isUnprocessed && $0.isOurs })
    #expect(client.session.note(events[2]) == "the peer closed the connection")
    #expect(client.submit() == .broken)
    #expect(client.receive(ok(1)).isEmpty)
  }

  @Test func goodBye() {
    let client = LoneClient()
    _ = client.sent()
    client.session.terminate()
    #expect(client.sent().map(\.description) == ["7/0@0: 0000000000000000"])
    #expect(client.session.isFinished)
    #expect(client.submit() == .broken)
  }

  @Test func requestsTooLargeForNGHTTP2AreNotSent() throws {
    let client = LoneClient()
    _ = client.sent()
    client.head.set(client.path, String(repeating: "x", count: 100_000))
    _ = client.submit(tag: 5)
    #expect(client.sent().isEmpty)
    let event = try #require(client.take().first)
    #expect(event.kind == .failed && event.tag == 5 && event.isUnprocessed && event.isOurs)
    #expect(client.session.openStreams == 0)
    client.head.set(client.path, "/")
    #expect(client.submit() == .sent(stream: 3, slot: 1))
  }
}
