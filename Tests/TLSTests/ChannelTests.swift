// Handshakes, transfers and endings between two channels.
import TLS
import Testing

@Suite struct Handshakes {
  @Test func modern() throws {
    let ends = try Ends()
    #expect(ends.client.phase == .handshaking && ends.client.outputCount > 100)
    ends.run()
    #expect(ends.client.phase == .open && ends.server.phase == .open)
    #expect(ends.client.negotiatedProtocol == "h2" && ends.server.negotiatedProtocol == "h2")
    #expect(ends.client.version == "TLSv1.3")
    #expect(ends.client.cipher == "TLS_AES_128_GCM_SHA256")
    #expect(ends.server.requestedHost == "localhost")
    #expect(ends.client.peerCertificate?.commonName == "localhost")
    #expect(ends.client.peerChain.count == 1)
    #expect(ends.client.refusal == nil)
    #expect(ends.server.peerCertificate == nil)
  }

  @Test(arguments: [Versions.only12, .only13])
  func versions(_ versions: Versions) throws {
    let ends = try Ends(versions: versions)
    ends.run()
    #expect(ends.client.version == (versions == .only12 ? "TLSv1.2" : "TLSv1.3"))
    #expect(ends.client.cipher.contains("GCM"))
  }

  @Test func applicationProtocols() throws {
    func negotiate(_ client: [String], _ server: [String]) throws -> Ends {
      let ends = try Ends(
        ClientContext(trust: .pem(authority.certificate.pem), protocols: client),
        ServerContext(identity: leaf(), protocols: server))
      ends.run()
      return ends
    }
    #expect(try negotiate(["http/1.1", "h2"], ["h2"]).client.negotiatedProtocol == "h2")
    // aioapns, pushy and apnotic offer none.
    let silent = try negotiate([], ["h2"])
    #expect(silent.client.phase == .open && silent.server.negotiatedProtocol == nil)
    // Some mock servers answer none.
    let mute = try negotiate(["h2"], [])
    #expect(mute.client.phase == .open && mute.client.negotiatedProtocol == nil)
    let strangers = try negotiate(["http/1.1"], ["h2"])
    #expect(strangers.clientFailure?.kind == .alert)
    #expect(strangers.clientFailure?.alert == 120)
    #expect(strangers.serverFailure?.message.contains("no application protocol") == true)
    #expect(failure { () throws(Failure) in _ = try ClientContext(protocols: [""]) }?.kind == .configuration)
  }

  @Test func addresses() throws {
    for host in ["127.0.0.1", "::1"] {
      let ends = try Ends(host: host)
      ends.run()
      #expect(ends.client.phase == .open)
      #expect(ends.server.requestedHost == nil)
    }
    let ends = try Ends(host: "127.0.0.2")
    ends.run()
    #expect(ends.clientFailure?.message.contains("127.0.0.2") == true)
    #expect(failure { () throws(Failure) in _ = try Channel(ClientContext(), host: "") }?.kind == .configuration)
  }

  @Test func chainWithAnIntermediate() throws {
    let middle = try authority.issueIntermediate("Middle", now: now)
    var request = LeafRequest("localhost", .server, now: now)
    request.hosts = ["localhost"]
    let short = try middle.issue(request)
    let lonely = try Ends(identity: short)
    lonely.run()
    #expect(lonely.clientFailure?.message.contains("its issuer 'CN=Middle' is not among the trusted ones") == true)
    let trusting = try Ends(trust: .pem(middle.certificate.pem), identity: short)
    trusting.run()
    #expect(trusting.client.phase == .open)
    let pem = short.certificatePEM + middle.certificate.pem
    let full = try readIdentity(pem, key: short.privatePEM)
    #expect(full.chain.count == 1)
    let ends = try Ends(identity: full)
    ends.run()
    #expect(ends.client.phase == .open)
    #expect(ends.client.peerChain.count == 2)
  }
}

/// Each refusal says which certificate and why; the server hears it as an alert.
@Suite struct Refusals {
  private func refusal(_ ends: Ends) throws -> Failure {
    ends.run()
    let failure = try #require(ends.clientFailure)
    #expect(failure.kind == .verification)
    #expect(ends.client.phase == .failed)
    #expect(ends.serverFailure?.kind == .alert || ends.serverFailure?.kind == .handshake)
    return failure
  }

  @Test func unknownAuthority() throws {
    let other = try CertificateAuthority(commonName: "Somebody else", now: now)
    let failure = try refusal(try Ends(trust: .pem(other.certificate.pem)))
    #expect(failure.message.contains("the server's certificate 'CN=localhost' is refused"))
    #expect(failure.message.contains("'CN=Throw-away test authority' is not among the trusted ones"))
    #expect(failure.verification?.depth == 0)
    #expect(failure.verification?.issuer == "CN=Throw-away test authority")
  }

  @Test func selfSigned() throws {
    let folder = try Folder()
    try folder.shell(
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=self -days 2 "
        + "-addext subjectAltName=DNS:localhost -keyout k.pem -out c.pem")
    let certificate = try folder.read("c.pem")
    let identity = try readIdentity(certificate, key: folder.read("k.pem"))
    let failure = try refusal(try Ends(identity: identity))
    #expect(failure.message.contains("'CN=self' is refused: it is self-signed"))
    // Trusting that very certificate helps.
    let ends = try Ends(trust: .pem(identity.certificate.pem), identity: identity)
    ends.run()
    #expect(ends.client.phase == .open)
  }

  @Test func wrongHost() throws {
    let failure = try refusal(try Ends(host: "api.push.apple.com"))
    #expect(failure.message.contains("it is made out to localhost, 127.0.0.1, ::1, not to 'api.push.apple.com'"))
  }

  @Test func expired() throws {
    let identity = try leaf {
      $0.notBefore = 1_600_000_000
      $0.notAfter = 1_700_000_000
    }
    let failure = try refusal(try Ends(identity: identity))
    #expect(failure.message.contains("it expired on 2023-11-14 22:13 UTC"))
  }

  @Test func notYetValid() throws {
    let identity = try leaf {
      $0.notBefore = 4_000_000_000
      $0.notAfter = 4_100_000_000
    }
    #expect(try refusal(try Ends(identity: identity)).message.contains("it is not valid before 2096-10-02 07:06 UTC"))
  }

  @Test func wrongPurpose() throws {
    let identity = try leaf("localhost", .client) { $0.hosts = ["localhost"] }
    #expect(try refusal(try Ends(identity: identity)).message.contains("purpose"))
  }

  @Test func anyoneIsTakenWhenAsked() throws {
    let ends = try Ends(trust: .anyone, host: "elsewhere.example")
    ends.run()
    #expect(ends.client.phase == .open)
    #expect(ends.client.refusal?.words.isEmpty == false)
  }

  @Test func trustStores() throws {
    #expect(
      failure { () throws(Failure) in _ = try ClientContext(trust: .pem(bytes("nothing"))) }?.kind == .configuration)
    // The system's store is read on demand: nothing of ours is in it.
    #expect(try refusal(try Ends(trust: .system)).message.contains("not among the trusted ones"))
    let folder = try Folder()
    try folder.write("ca.pem", authority.certificate.pem)
    try folder.shell("cp ca.pem $(openssl x509 -hash -noout -in ca.pem).0")
    let ends = try Ends(trust: .directory(folder.path))
    ends.run()
    #expect(ends.client.phase == .open)
  }
}

@Suite struct ClientCertificates {
  private func ends(_ clients: ServerContext.ClientCertificates, _ identity: Identity?, _ versions: Versions = .from12)
    throws -> Ends
  {
    let ends = try Ends(
      ClientContext(trust: .pem(authority.certificate.pem), identity: identity, versions: versions),
      ServerContext(identity: leaf(), clients: clients))
    ends.run()
    return ends
  }

  @Test(arguments: [Versions.only12, .only13])
  func required(_ versions: Versions) throws {
    let identity = try leaf("Apple Push Services: com.example.app", .client) { $0.userID = "com.example.app" }
    let good = try ends(.required(.pem(authority.certificate.pem)), identity, versions)
    #expect(good.server.peerCertificate?.userID == "com.example.app")
    #expect(good.server.phase == .open)
    let none = try ends(.required(.pem(authority.certificate.pem)), nil, versions)
    #expect(none.serverFailure?.message == "the client sent no certificate")
    // Under TLS 1.3 the client's handshake is done before it hears of that.
    #expect(none.clientFailure?.kind == .alert)
    #expect(none.clientFailure?.message.contains("certificate") == true || versions == .only12)
  }

  @Test func strangers() throws {
    let other = try CertificateAuthority(commonName: "Somebody else", now: now)
    let identity = try other.issue(LeafRequest("me", .client, now: now))
    let refused = try ends(.required(.pem(authority.certificate.pem)), identity)
    #expect(refused.serverFailure?.message.contains("the client's certificate 'CN=me' is refused") == true)
    #expect(refused.clientFailure?.alert == 48)
    let taken = try ends(.requested(.pem(authority.certificate.pem)), identity)
    #expect(taken.server.phase == .open)
    #expect(taken.server.peerCertificate?.commonName == "me")
    #expect(taken.server.refusal?.words.contains("'CN=Somebody else' is not among the trusted ones") == true)
  }

  @Test func optional() throws {
    let without = try ends(.requested(.pem(authority.certificate.pem)), nil)
    #expect(without.server.phase == .open && without.server.peerCertificate == nil)
  }
}

@Suite struct Transfers {
  /// Every way to cut the stream gives the same bytes; the handshake too.
  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 100, 1000, 16_383, 16_384, 16_385, 16_406, 65_536])
  func cut(_ step: Int) throws {
    let ends = try Ends()
    ends.step = step
    ends.run()
    try #require(ends.client.phase == .open)
    let data = (0..<(step < 100 ? 40_000 : 300_000)).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    try ends.client.say(data)
    try ends.server.say(data)
    ends.run()
    #expect(ends.atServer == data)
    #expect(ends.atClient == data)
  }

  /// A record costs a header and a tag whatever its size: they are full but the last.
  @Test func recordsAreFull() throws {
    let ends = try Ends()
    ends.run()
    try ends.client.say([UInt8](repeating: 7, count: 40_000))
    var out: [UInt8] = []
    ends.client.takeOutput(into: &out)
    var sizes: [Int] = []
    var at = 0
    while at + 5 <= out.count {
      sizes.append(Int(out[at + 3]) << 8 | Int(out[at + 4]))
      at += 5 + sizes[sizes.count - 1]
    }
    #expect(sizes == [16_384 + 17, 16_384 + 17, 40_000 - 32_768 + 17])
  }

  @Test func outputIsTakenInPieces() throws {
    let ends = try Ends()
    ends.run()
    let data = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
    try ends.client.say(data)
    var all: [UInt8] = []
    let client = ends.client
    while client.outputCount > 0 {
      let count = min(client.outputCount, 777)
      client.output.extracting(first: count).withUnsafeBufferPointer { all.append(contentsOf: $0) }
      client.consumeOutput(count)
      if all.count % 5 == 0, all.count < 100_000 { try client.say([1, 2, 3]) }
    }
    client.consumeOutput(10)
    try ends.server.receive(all.span, into: &ends.atServer)
    #expect(ends.atServer.filter { _ in true }.prefix(data.count).elementsEqual(data))
  }

  @Test func writingTooEarlyIsAFailure() throws {
    let ends = try Ends()
    #expect(failure { () throws(Failure) in try ends.client.say([1]) } != nil)
    ends.run()
    #expect(failure { () throws(Failure) in try ends.client.say([]) } == nil)
  }

  @Test func noTicketsUnlessAsked() throws {
    let quiet = try Ends()
    quiet.run()
    #expect(quiet.server.outputCount == 0)
    // The client's last flight makes the server say something only when it hands out tickets.
    let chatty = try Ends(
      ClientContext(trust: .pem(authority.certificate.pem)), ServerContext(identity: leaf(), sessionTickets: true))
    var bytes: [UInt8] = []
    chatty.client.takeOutput(into: &bytes)
    try chatty.server.receive(bytes.span, into: &chatty.atServer)
    bytes = []
    chatty.server.takeOutput(into: &bytes)
    try chatty.client.receive(bytes.span, into: &chatty.atClient)
    bytes = []
    chatty.client.takeOutput(into: &bytes)
    try chatty.server.receive(bytes.span, into: &chatty.atServer)
    #expect(chatty.server.outputCount > 0)
  }
}

@Suite struct Endings {
  @Test func properClose() throws {
    let ends = try Ends()
    ends.run()
    try ends.server.say([1, 2, 3])
    ends.server.close()
    ends.run()
    #expect(ends.atClient == [1, 2, 3])
    #expect(ends.client.phase == .closed)
    #expect(failure { () throws(Failure) in try ends.client.receiveEnd(into: &ends.atClient) } == nil)
    // Our own direction is still open.
    try ends.client.say([4])
    ends.client.close()
    ends.run()
    #expect(ends.atServer == [4])
    #expect(ends.server.phase == .closed)
  }

  @Test func truncation() throws {
    let ends = try Ends()
    ends.run()
    let failed = failure { () throws(Failure) in try ends.client.receiveEnd(into: &ends.atClient) }
    #expect(failed?.kind == .truncated)
    #expect(ends.client.phase == .failed)
    let early = try Ends()
    let duringHandshake = failure { () throws(Failure) in try early.client.receiveEnd(into: &early.atClient) }
    #expect(duringHandshake?.kind == .handshake)
    #expect(duringHandshake?.message.contains("during the TLS handshake") == true)
  }

  @Test func peersThatDoNotSpeakTLS() throws {
    let context = try ServerContext(identity: leaf())
    var nothing: [UInt8] = []
    func words(_ text: [UInt8]) throws -> String {
      let server = try Channel(context)
      return failure { () throws(Failure) in try server.receive(text.span, into: &nothing) }?.message ?? "none"
    }
    #expect(try words(bytes("GET / HTTP/1.1\r\nHost: x\r\n\r\n")) == "the client speaks plain HTTP, not TLS")
    #expect(try words(bytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")).hasPrefix("the client does not speak TLS"))
    #expect(try words([0, 0, 32] + [UInt8](repeating: 0xAB, count: 64)).hasPrefix("the client does not speak TLS"))
    let ends = try Ends()
    let answer = bytes("HTTP/1.1 400 Bad Request\r\n\r\n")
    let message = failure { () throws(Failure) in try ends.client.receive(answer.span, into: &nothing) }?.message
    #expect(message?.hasPrefix("the server does not speak TLS") == true)
  }

  @Test func damagedRecords() throws {
    let ends = try Ends()
    ends.run()
    try ends.client.say([1, 2, 3])
    var out: [UInt8] = []
    ends.client.takeOutput(into: &out)
    out[out.count - 1] ^= 1
    let failed = failure { () throws(Failure) in try ends.server.receive(out.span, into: &ends.atServer) }
    #expect(failed?.kind == .handshake && failed?.reason.isEmpty == false)
    #expect(ends.atServer.isEmpty)
    ends.run()
    #expect(ends.clientFailure?.alert == 20)
    #expect(failure { () throws(Failure) in try ends.server.receive(out.span, into: &ends.atServer) } == nil)
  }

  @Test func noiseNeverTraps() throws {
    let context = try ServerContext(identity: leaf())
    let trusting = try ClientContext(trust: .anyone)
    var state: UInt64 = 88_172_645_463_325_252
    for round in 0..<500 {
      let ends = try Ends(trusting, context)
      if round % 2 == 0 { ends.run() }
      for _ in 0..<5 {
        var noise: [UInt8] = round % 3 == 0 ? [22, 3, 1, 0, 40, 1, 0, 0, 36] : [23, 3, 3, 0, 30]
        for _ in 0..<40 {
          state ^= state << 13
          state ^= state >> 7
          state ^= state << 17
          noise.append(UInt8(truncatingIfNeeded: state))
        }
        try? ends.server.receive(noise.span, into: &ends.atServer)
        try? ends.client.receive(noise.span, into: &ends.atClient)
      }
      #expect(ends.atServer.isEmpty && ends.atClient.isEmpty)
    }
  }
}
