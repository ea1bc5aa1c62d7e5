// A server against a peer written by hand: limits, slots, early answers, goodbyes.
import HTTP2
import Testing

private func request(_ stream: UInt32, end: Bool = true) -> [UInt8] {
  Frame.write(1, end ? 5 : 4, stream, LoneServer.request)
}

private func reset(_ stream: UInt32) -> [UInt8] { Frame.write(3, 0, stream, Frame.word(8)) }

private let settingsAck = Frame.write(4, 1, 0)

private func answer(_ status: String = "200") -> FieldTemplate {
  let head = FieldTemplate()
  head.add(":status", status)
  return head
}

@Suite struct ServerTests {
  @Test func requestWithFieldsInOrder() throws {
    let server = LoneServer()
    let block = LoneServer.request + [0, 1] + bytes("b") + [1] + bytes("2") + [0, 1] + bytes("a") + [1] + bytes("1")
    #expect(server.receive(LoneServer.preface + Frame.write(1, 4, 1, block)).map(\.kind) == [.settings])
    let events = server.receive(Frame.write(0, 0, 1, bytes("ab")) + Frame.write(0, 1, 1, bytes("cd")))
    let event = try #require(events.first)
    #expect(event.kind == .request && event.stream == 1)
    let session = server.session
    let names = (0..<session.fieldCount(event.slot)).map { copy(session.fieldName(event.slot, $0)).text }
    #expect(names == [":method", ":scheme", ":path", ":authority", "b", "a"])
    #expect(session.fieldText(event.slot, ":path") == "/")
    #expect(copy(session.body(event.slot)) == bytes("abcd"))
    #expect(session.respond(event.slot, answer(), body: [UInt8]().span, into: &server.out))
    #expect(!session.respond(event.slot, answer(), body: [UInt8]().span, into: &server.out))
    session.release(event.slot)
    #expect(session.openStreams == 0)
  }

  /// Clients open streams before they read our SETTINGS: the limit binds from its acknowledgement on.
  @Test func limitsBindAfterTheAcknowledgement() {
    let server = LoneServer { $0.maxConcurrentStreams = 1 }
    _ = server.sent()
    var events = server.receive(LoneServer.preface + (0..<30).flatMap { request(UInt32($0 * 2 + 1), end: false) })
    #expect(events.map(\.kind) == [.settings])
    #expect(server.session.openStreams == 30)
    events = server.receive(settingsAck + request(61))
    #expect(events.map(\.kind) == [.acknowledged, .refused])
    #expect(events[0].value == 1)
    #expect(server.sent().map(\.description).contains("3/0@61: 00000007"))
    events = server.receive((0..<30).flatMap { Frame.write(0, 1, UInt32($0 * 2 + 1)) })
    #expect(events.count == 30)
    for event in events {
      server.session.respond(event.slot, answer(), body: [UInt8]().span, into: &server.out)
      server.session.release(event.slot)
    }
    #expect(server.receive(request(63)).map(\.kind) == [.request])
    #expect(server.receive(request(65)).map(\.kind) == [.refused])
  }

  @Test func announcedLimitsComeIntoForceInOrder() {
    let server = LoneServer { $0.maxConcurrentStreams = 1 }
    server.session.announce(maxConcurrentStreams: 1000)
    server.session.announce(maxConcurrentStreams: 2)
    let settings = server.sent().filter { $0.type == 4 }.map { $0.payload.prefix(6).map { $0 } }
    #expect(settings.map(\.hex) == ["000300000001", "0003000003e8", "000300000002"])
    server.receive(LoneServer.preface)
    #expect(server.session.limitInForce == Int(UInt32.max))
    #expect(server.receive(settingsAck).last?.value == 1)
    #expect(server.receive(settingsAck + settingsAck).map(\.value) == [1000, 2])
    // An acknowledgement of nothing.
    #expect(server.receive(settingsAck).last?.kind == .broken)
  }

  @Test func resetWhileTheOwnerHoldsTheRequest() throws {
    let server = LoneServer()
    server.receive(LoneServer.preface)
    let slot = try #require(server.receive(request(1)).first).slot
    let events = server.receive(reset(1))
    #expect(events.map(\.kind) == [.reset])
    #expect(events[0].slot == slot && events[0].code == .cancel)
    #expect(server.session.fieldText(slot, ":path") != nil)
    #expect(!server.session.respond(slot, answer(), body: [UInt8]().span, into: &server.out))
    server.session.release(slot)
    #expect(server.receive(request(3)).first?.slot == slot)
  }

  @Test func resetBeforeTheRequestIsCompleteIsSilent() {
    let server = LoneServer()
    server.receive(LoneServer.preface)
    #expect(server.receive(request(1, end: false) + reset(1)).isEmpty)
    #expect(server.session.openStreams == 0)
    #expect(server.receive(request(3)).first?.slot == 0)
  }

  @Test func silenceThenReset() {
    let server = LoneServer()
    server.receive(LoneServer.preface)
    server.session.release(server.receive(request(1))[0].slot)
    #expect(server.receive(reset(1)).isEmpty)
    #expect(server.receive(request(3)).first?.slot == 0)
  }

  @Test func answersFromTheHeadAlone() throws {
    let server = LoneServer { $0.reportsHeads = true }
    server.receive(LoneServer.preface)
    let event = try #require(server.receive(request(1, end: false)).first)
    #expect(event.kind == .head)
    _ = server.sent()
    #expect(server.session.respond(event.slot, answer("413"), body: bytes("{}").span, into: &server.out))
    #expect(server.sent().map(\.type) == [1, 0])
    server.session.release(event.slot)
    #expect(server.session.openStreams == 1)
    #expect(server.receive(Frame.write(0, 1, 1, bytes("late"))).isEmpty)
    #expect(server.session.openStreams == 0)
  }

  @Test func ownResetAndGoAway() {
    let server = LoneServer()
    server.receive(LoneServer.preface)
    let events = server.receive(request(1) + request(3) + request(5))
    _ = server.sent()
    server.session.reset(1, .internalError)
    server.session.goAway(lastStream: 3, debug: bytes(#"{"reason":"Shutdown"}"#).span)
    let sent = server.sent()
    #expect(sent.contains { $0.description == "3/0@1: 00000002" })
    #expect(sent.contains { $0.type == 7 && $0.payload.hex.hasPrefix("0000000300000000") })
    server.session.takeEvents(into: &server.events)
    #expect(Set(server.events.filter { $0.kind == .reset }.map(\.stream)) == [1, 5])
    // The stream below the last one is answered still; new ones are not heard.
    #expect(server.receive(request(7)).isEmpty)
    #expect(server.session.respond(events[1].slot, answer(), body: [UInt8]().span, into: &server.out))
    #expect(server.sent().contains { $0.type == 1 && $0.stream == 3 })
  }

  @Test func goAwayWithAnErrorIsOursAndNotABreakdown() {
    let server = LoneServer()
    server.receive(LoneServer.preface + request(1))
    server.session.goAway(.enhanceYourCalm, debug: bytes("x").span)
    #expect(server.sent().last?.payload.hex == "000000010000000b78")
    #expect(server.session.respond(0, answer(), body: [UInt8]().span, into: &server.out))
  }

  @Test func longAnswersFollowTheWindow() {
    let server = LoneServer()
    server.receive(LoneServer.preface + Frame.settings((4, 10)))
    server.receive(request(1))
    _ = server.sent()
    var body = (0..<100).map { UInt8($0) }
    #expect(server.session.respond(0, answer(), body: body.span, into: &server.out))
    for index in body.indices { body[index] = 0 }
    server.session.release(0)
    var received = server.sent().filter { $0.type == 0 }.flatMap(\.payload)
    #expect(received.count == 10)
    server.receive(Frame.write(8, 0, 1, Frame.word(1000)))
    received += server.sent().filter { $0.type == 0 }.flatMap(\.payload)
    #expect(received == (0..<100).map { UInt8($0) })
    #expect(server.session.openStreams == 0)
  }

  @Test func pongAndGoAwayOfTheClient() {
    let server = LoneServer()
    server.receive(LoneServer.preface)
    server.session.ping(9)
    let ping = server.sent().first { $0.type == 6 && $0.flags == 0 }
    let events = server.receive(Frame.write(6, 1, 0, ping?.payload ?? []) + Frame.goAway(0, .noError, bytes("bye")))
    #expect(events.map(\.kind) == [.pong, .goAway])
    #expect(events[0].tag == 9)
    #expect(server.session.note(events[1]) == "bye")
  }
}
