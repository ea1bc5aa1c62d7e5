// Our client against our server: many requests, limits that move, goodbyes in the middle.
import HTTP2
import Testing

@Suite struct PairTests {
  /// 10,000 requests, each answered once and with its own id and body, while the limit goes 1, 1000, 1, 1000, …
  @Test func tenThousandRequests() {
    var serverSettings = ServerSession.Settings()
    serverSettings.maxConcurrentStreams = 1
    let pair = Pair(server: serverSettings)
    let head = FieldTemplate()
    head.add(":method", "POST")
    head.add(":scheme", "https")
    head.add(":authority", "localhost")
    let path = head.addHole(":path", .never)
    let id = head.addHole("apns-id", .firstTime)
    var submitted = 0
    var answered = Set<Int>()
    var received = 0
    var mostOpen = 0
    var rounds = 0
    while answered.count < 10_000, rounds < 100_000 {
      rounds += 1
      while submitted < 10_000, pair.client.canSubmit {
        head.set(path, "/3/device/\(submitted)")
        head.set(id, "\(submitted)")
        let body = bytes("{\"n\":\(submitted)}")
        guard case .sent = pair.client.submit(head, body: body.span, tag: submitted, into: &pair.toServer) else {
          break
        }
        submitted += 1
      }
      mostOpen = max(mostOpen, pair.client.openStreams)
      let moved = pair.exchange { pair, event in
        #expect(event.kind != .refused && event.kind != .broken && event.kind != .reset)
        guard event.kind == .request else { return }
        received += 1
        #expect(pair.server.openStreams <= max(1, 1000))
        let number = pair.server.fieldText(event.slot, "apns-id") ?? ""
        #expect(pair.server.fieldText(event.slot, ":path") == "/3/device/\(number)")
        let server = pair.server
        #expect(copy(server.body(event.slot)).text == "{\"n\":\(number)}")
        if received % 2000 == 10 { pair.server.announce(maxConcurrentStreams: 1000) }
        if received % 2000 == 1200 { pair.server.announce(maxConcurrentStreams: 1) }
        pair.accept(event)
      } _: { pair, event in
        #expect(event.kind == .done || event.kind == .settings)
        guard event.kind == .done else { return }
        #expect(event.status == 200)
        #expect(pair.client.fieldText(event.slot, "apns-id") == String(event.tag))
        #expect(answered.insert(event.tag).inserted)
        pair.client.release(event.slot)
      }
      if !moved { break }
    }
    #expect(answered.count == 10_000)
    #expect(received == 10_000)
    #expect(mostOpen > 500 && mostOpen <= 1000)
    #expect(pair.client.openStreams == 0 && pair.server.openStreams == 0)
  }

  /// A GOAWAY somewhere in the middle: what the server handled and what the client takes for unprocessed are disjoint,
  /// and together they are everything.
  @Test(arguments: [1, 5, 13, 29])
  func goAwayInTheMiddle(_ at: Int) {
    let pair = Pair(
      client: {
        var s = ClientSession.Settings()
        s.assumedStreams = 30
        return s
      }())
    let head = FieldTemplate()
    head.add(":method", "POST")
    head.add(":scheme", "https")
    head.add(":authority", "localhost")
    head.add(":path", "/")
    for tag in 0..<30 { _ = pair.client.submit(head, body: bytes("x").span, tag: tag, into: &pair.toServer) }
    var handled = Set<Int32>()
    var done = Set<Int32>()
    var again = Set<Int32>()
    for _ in 0..<10 {
      _ = pair.exchange { pair, event in
        guard event.kind == .request else { return }
        if handled.count == at { pair.server.goAway(lastStream: handled.max(), debug: bytes("{}").span) }
        if handled.count >= at { return pair.server.release(event.slot) }
        handled.insert(event.stream)
        pair.accept(event)
      } _: { _, event in
        if event.kind == .done { done.insert(event.stream) }
        if event.kind == .failed {
          #expect(event.isUnprocessed)
          again.insert(event.stream)
        }
      }
    }
    #expect(done == handled)
    #expect(done.count == at && again.count == 30 - at)
    #expect(done.isDisjoint(with: again))
  }
}
