// What goes over the wire, octet by octet.
import HTTP2
import Testing

@Suite struct WireTests {
  @Test func clientPrefaceAndSettings() {
    let client = LoneClient(isGreeted: false)
    #expect(
      client.out.hex
        == bytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").hex
        + "00001804" + "00" + "00000000"  // SETTINGS, 4 entries
        + "0001" + "00001000"  // HEADER_TABLE_SIZE 4096
        + "0002" + "00000000"  // ENABLE_PUSH 0
        + "0004" + "0000ffff"  // INITIAL_WINDOW_SIZE 65535
        + "0006" + "00002000"  // MAX_HEADER_LIST_SIZE 8192
        + "00000408" + "00" + "00000000" + "000f0001")  // WINDOW_UPDATE: the connection's window to 1 MiB
  }

  /// The header list of a notification as Apple asks for it: `:path` and `authorization` as literals, the ids into the
  /// table the first time for the sake of the name, the rest into the table. nghttp2 writes literals never-indexed
  /// (RFC 7541 section 6.2.3), which a receiver reads as it reads those without indexing.
  @Test func threeRequests() {
    var settings = ClientSession.Settings()
    settings.assumedStreams = 10
    let session = ClientSession(settings)
    var out: [UInt8] = []
    session.pump(into: &out)
    let head = FieldTemplate()
    head.add(":method", "POST")
    head.add(":scheme", "https")
    let path = head.addHole(":path", .never)
    head.add("Authorization", "bearer x", .never)
    head.add("apns-topic", "a.b")
    let id = head.addHole("apns-id", .firstTime)
    let expiration = head.addHole("apns-expiration", .firstTime)
    head.set(path, "/3/device/00ff")
    head.set(id, "7")
    let body = bytes("{}")
    func send() -> String {
      out.removeAll()
      _ = session.submit(head, body: body.span, tag: 0, into: &out)
      return out.hex
    }
    let data = { (stream: String) in "000002" + "00" + "01" + stream + "7b7d" }
    #expect(
      send() == "00002d" + "01" + "04" + "00000001"  // HEADERS, END_HEADERS
        + "83" + "87"  // :method POST, :scheme https: static table
        + "14" + "8a6196242f7310ac0012cb"  // never indexed, name 4 (:path), Huffman
        + "1f08" + "868ca3b0b629e7"  // never indexed, name 23 (authorization)
        + "40" + "871d7521649eb313" + "03612e62"  // into the table: apns-topic a.b
        + "40" + "851d75216349" + "0137"  // into the table: apns-id 7
        + data("00000001"))
    head.set(path, "/3/device/00fe")
    head.set(id, "8")
    head.set(expiration, "0")
    #expect(
      send() == "00002b" + "01" + "04" + "00000003" + "83" + "87" + "14" + "8a6196242f7310ac001297"
        + "1f08" + "868ca3b0b629e7" + "bf"  // apns-topic a.b by its index, 63
        + "1f2f" + "0138"  // never indexed, name 62 (apns-id)
        + "40" + "8b1d752162f9acd60d263d5f" + "0130"  // into the table: apns-expiration 0
        + data("00000003"))
    #expect(
      send() == "000020" + "01" + "04" + "00000005" + "83" + "87" + "14" + "8a6196242f7310ac001297"
        + "1f08" + "868ca3b0b629e7" + "c0" + "1f30" + "0138" + "1f2f" + "0130" + data("00000005"))
    head.clear(expiration)
    #expect(send().contains("c0" + "1f30" + "0138" + data("00000007")))
  }

  /// A peer without a table (RFC 7541 section 4.2): the size update comes first, and nothing refers to the table.
  @Test func tableOfSizeZero() {
    let client = LoneClient()
    _ = client.submit()
    client.receive(Frame.settings((1, 0)))
    _ = client.sent()
    for _ in 0..<2 {
      _ = client.submit()
      let block: [UInt8] = client.sent().first(where: { $0.type == 1 })?.payload ?? []
      #expect(block.hex.contains("1d7521649eb313"), "apns-topic by name each time")
    }
  }

  @Test func tableSizeUpdateIsWritten() {
    let client = LoneClient()
    client.receive(Frame.settings((1, 0)))
    _ = client.sent()
    _ = client.submit()
    #expect(client.sent().first(where: { $0.type == 1 })?.payload.first == 0x20)
  }

  @Test func serverSettingsCarryTheAnnouncedLimit() {
    let server = LoneServer { $0.maxConcurrentStreams = 1 }
    #expect(
      server.out.hex == "000012" + "04" + "00" + "00000000"
        + "0003" + "00000001"  // MAX_CONCURRENT_STREAMS 1
        + "0004" + "0000ffff" + "0006" + "00004000"
        + "00000408" + "00" + "00000000" + "000f0001")
  }

  @Test func answer() {
    let server = LoneServer()
    server.receive(LoneServer.preface + Frame.write(1, 5, 1, LoneServer.request))
    _ = server.sent()
    let head = FieldTemplate()
    head.add(":status", "410")
    head.add("apns-id", "7", .never)
    #expect(server.session.respond(0, head, body: bytes(#"{"reason":"Unregistered"}"#).span, into: &server.out))
    #expect(
      server.out.hex == "00000d" + "01" + "04" + "00000001"
        + "48" + "826820"  // into the table: name 8 (:status)
        + "10" + "851d75216349" + "0137" + "000019" + "00" + "01" + "00000001"
        + bytes(#"{"reason":"Unregistered"}"#).hex)
  }

  @Test func errorCodesByName() {
    #expect(ErrorCode.refusedStream.description == "REFUSED_STREAM")
    #expect(ErrorCode(rawValue: 13).description == "HTTP_1_1_REQUIRED")
    #expect(ErrorCode(rawValue: 14).description == "error 14")
    #expect(ErrorCode(name: "ENHANCE_YOUR_CALM") == .enhanceYourCalm)
    #expect(ErrorCode(name: "nonsense") == nil)
    for number in 0..<UInt32(14) {
      #expect(ErrorCode(name: ErrorCode(rawValue: number).description)?.rawValue == number)
    }
  }
}
