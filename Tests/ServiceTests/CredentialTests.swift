// Provider tokens and client certificates: what is believed, and what each fault earns.
import APNs
import Foundation
import HTTP2
import TLS
import Testing

@testable import Service

@Suite struct CredentialTests {
  @Test("faults of a provider token earn InvalidProviderToken") func faults() throws {
    let server = try Running()
    let good = try Minter(server)
    let now = Minter.now
    let header = #"{"alg":"ES256","kid":"\#(good.keyID)"}"#
    let claims = #"{"iss":"\#(good.teamID)","iat":\#(now)}"#
    let stranger = Minter(try SigningKey.generate(), good.keyID, good.teamID)
    let tokens = [
      "bearer x.y.z", "basic abc", "bearer " + String(repeating: "a", count: 7000),
      try stranger.token(),
      try Minter(good.key, "AAAAAAAAAA", good.teamID).token(),
      try Minter(good.key, good.keyID, "AAAAAAAAAA").token(),
      try good.token(header: #"{"alg":"none","kid":"\#(good.keyID)"}"#, claims: claims),
      try good.token(header: #"{"alg":"ES256"}"#, claims: claims),
      try good.token(header: header, claims: #"{"iat":\#(now)}"#),
      try good.token(header: header, claims: #"{"iss":"\#(good.teamID)"}"#),
      try good.token(header: header, claims: #"{"iss":"\#(good.teamID)","iat":"soon"}"#),
      try good.token(4000),
    ]
    for token in tokens {
      let answer = try Caller(server).call(Push(), authorization: token)
      #expect(answer.status == 403 && answer.body == #"{"reason":"InvalidProviderToken"}"#, "\(token)")
    }
    #expect(try Caller(server).call(Push()).body == #"{"reason":"MissingProviderToken"}"#)
    #expect(try Caller(server).call(Push(), authorization: "").body == #"{"reason":"MissingProviderToken"}"#)
  }

  @Test("deviations seen in the field are let pass, and logged") func deviations() throws {
    let server = try Running()
    let minter = try Minter(server)
    let header = #"{"alg":"ES256","kid":"\#(minter.keyID)","typ":"JWT"}"#
    let tokens = [
      try minter.token(header: header, claims: #"{"iss":"\#(minter.teamID)","iat":\#(Minter.now).25,"exp":1}"#),
      try minter.token(header: header, claims: #"{"iss":"\#(minter.teamID)","iat":"\#(Minter.now)"}"#),
      try minter.token(header: header, claims: #"{"iss":"\#(minter.teamID)","iat":\#(Minter.now)}"#, der: true),
      try minter.token().replacingOccurrences(of: "bearer", with: "Bearer"),
    ]
    for token in tokens { #expect(try Caller(server).call(Push(), authorization: token).status == 200, "\(token)") }
    let notes = try server.stop().log.filter { $0["event"] as? String == "provider_token" }.compactMap {
      $0["message"] as? String
    }
    #expect(notes.count == 2 && notes[0].contains("string") && notes[1].contains("DER"))
  }

  @Test("an expired token wedges its connection, and no other") func expiry() throws {
    let server = try Running()
    let minter = try Minter(server)
    let caller = try Caller(server)
    #expect(caller.call(Push(), authorization: try minter.token(-3700)).body == #"{"reason":"ExpiredProviderToken"}"#)
    #expect(caller.call(Push(), authorization: try minter.token()).reason == "ExpiredProviderToken")
    #expect(try Caller(server).call(Push(), authorization: try minter.token()).status == 200)
  }

  @Test("a second token within 20 minutes is one too many; the first still works") func renewal() throws {
    let server = try Running()
    let minter = try Minter(server)
    let caller = try Caller(server)
    let first = try minter.token(-100)
    #expect(caller.call(Push(), authorization: first).status == 200)
    let answer = caller.call(Push(), authorization: try minter.token())
    #expect(answer.status == 429 && answer.body == #"{"reason":"TooManyProviderTokenUpdates"}"#)
    #expect(caller.call(Push(), authorization: first).status == 200)
    // A token that is 20 minutes younger than the last is a renewal in order.
    let other = try Caller(server)
    #expect(other.call(Push(), authorization: try minter.token(-1300)).status == 200)
    #expect(other.call(Push(), authorization: try minter.token()).status == 200)
  }

  @Test("one team and one key a connection; keys may be restricted") func keys() throws {
    let (one, two, team, narrow) = (
      try SigningKey.generate(), try SigningKey.generate(), try SigningKey.generate(), try SigningKey.generate()
    )
    let list = """
      {"file":"one.p8","key_id":"ONEONEONE1","team_id":"TEAMTEAM11"}
      {"file":"two.pem","key_id":"TWOTWOTWO1","team_id":"TEAMTEAM11"}
      {"file":"team.p8","key_id":"OTHEROTHER","team_id":"TEAMTEAM22"}
      {"file":"narrow.p8","key_id":"NARROW1111","team_id":"TEAMTEAM11","environment":"production","topics":["com.example.app"]}
      """
    let server = try Running(
      ["--keys", "keys.ndjson", "--environment", "both"],
      files: [
        "keys.ndjson": Array(list.utf8), "one.p8": one.privatePEM, "two.pem": two.publicKey.pem,
        "team.p8": team.privatePEM,
        "narrow.p8": narrow.privatePEM,
      ])
    let first = try Minter(one, "ONEONEONE1", "TEAMTEAM11").token()
    let caller = try Caller(server)
    #expect(caller.call(Push(), authorization: first).status == 200)
    let related = caller.call(Push(), authorization: try Minter(two, "TWOTWOTWO1", "TEAMTEAM11").token())
    #expect(related.status == 403 && related.body == #"{"reason":"UnrelatedKeyIdInToken"}"#)
    let otherTeam = caller.call(Push(), authorization: try Minter(team, "OTHEROTHER", "TEAMTEAM22").token())
    #expect(otherTeam.status == 403 && otherTeam.reason == "InvalidProviderToken")
    #expect(caller.call(Push(), authorization: first).status == 200)
    let restricted = try Minter(narrow, "NARROW1111", "TEAMTEAM11").token()
    let wrong = try Caller(server).call(Push(), authorization: restricted)
    #expect(wrong.status == 403 && wrong.body == #"{"reason":"BadEnvironmentKeyInToken"}"#)
    let production = try Caller(server, port: server.port("production"))
    #expect(production.call(Push(), authorization: restricted).status == 200)
    let voip = [("apns-push-type", "voip"), ("apns-topic", "com.example.app.voip")]
    #expect(production.call(Push().with(voip), authorization: restricted).status == 200)
    let foreign = production.call(Push().with([("apns-topic", "com.example.other")]), authorization: restricted)
    #expect(foreign.body == #"{"reason":"TopicDisallowed"}"#)
  }

  @Test("Apple's documented spelling, and the other reading of the future, can be had") func switches() throws {
    let key = try SigningKey.generate()
    let list = #"{"file":"key.p8","key_id":"ONEONEONE1","team_id":"TEAMTEAM11","environment":"production"}"#
    let server = try Running(
      ["--keys", "keys.ndjson", "--documented-reasons", "--future-token", "expired", "--topic", "com.example.app"],
      files: ["keys.ndjson": Array(list.utf8), "key.p8": key.privatePEM])
    let answer = try Caller(server).call(Push(), authorization: try Minter(key, "ONEONEONE1", "TEAMTEAM11").token())
    #expect(answer.body == #"{"reason":"BadEnvironmentKeyIdInToken"}"#)
    let minter = try Minter(server)
    #expect(try Caller(server).call(Push(), authorization: try minter.token(4000)).reason == "ExpiredProviderToken")
    let other = Push().with([("apns-topic", "com.example.other")])
    #expect(try Caller(server).call(other, authorization: try minter.token()).reason == "TopicDisallowed")
  }

  @Test("a clock that is wrong on purpose shows in the date, and in the verdict") func clock() throws {
    #expect(httpDate(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(httpDate(951_782_400) == "Tue, 29 Feb 2000 00:00:00 GMT")
    let server = try Running(["--clock-offset", "7200"])
    let answer = try Caller(server).call(Push(), authorization: try Minter(server).token())
    #expect(answer.reason == "ExpiredProviderToken")
    #expect(answer.fields["date"]?.hasSuffix(" GMT") == true)
  }

  @Test("--any-token believes every key") func anyToken() throws {
    let server = try Running(["--any-token"])
    let minter = Minter(try SigningKey.generate(), "STRANGER11", "STRANGERS1")
    #expect(try Caller(server).call(Push(), authorization: try minter.token()).status == 200)
    #expect(try Caller(server).call(Push(), authorization: try minter.token(-3700)).reason == "ExpiredProviderToken")
  }

  @Test("a client certificate: its topics, no token needed, all streams at once") func certificate() throws {
    let server = try Running(["--topic", "com.example.shop"])
    let file = try server.bytes("cert_file")
    let identity = try Identity(file.span)
    let caller = try Caller(server, identity: identity)
    #expect(caller.call(Push().with([("apns-topic", "com.example.shop")])).status == 200)
    #expect(caller.limits == [1000])
    let voip = [("apns-push-type", "voip"), ("apns-topic", "com.example.shop.voip")]
    #expect(caller.call(Push().with(voip)).status == 200)
    #expect(caller.call(Push()).body == #"{"reason":"TopicDisallowed"}"#)
    #expect(caller.call(Push().with([("apns-topic", "")])).body == #"{"reason":"MissingTopic"}"#)
    // The authorization field is ignored on a connection with a certificate.
    #expect(caller.call(Push().with([("apns-topic", "com.example.shop")]), authorization: "bearer x").status == 200)
  }

  @Test("a certificate with one topic implies it; a wrong one is refused") func certificates() throws {
    let authority = try CertificateAuthority(now: Minter.now)
    func identity(_ change: (inout LeafRequest) -> Void) throws -> Identity {
      var request = LeafRequest("Apple Push Services: com.example.app", .client, now: Minter.now)
      request.userID = "com.example.app"
      change(&request)
      return try authority.issue(request)
    }
    let server = try Running(["--client-ca", "clients.pem"], files: ["clients.pem": authority.certificate.pem])
    let bare = Push().with([("apns-topic", "")])
    #expect(try Caller(server, identity: identity { _ in }).call(bare).status == 200)
    let production = try Caller(server, identity: identity { $0.isForProduction = true }).call(bare)
    #expect(production.status == 403 && production.body == #"{"reason":"BadCertificateEnvironment"}"#)
    let old = try Caller(server, identity: identity { ($0.notBefore, $0.notAfter) = (1_000_000, 2_000_000) }).call(bare)
    #expect(old.status == 403 && old.body == #"{"reason":"BadCertificate"}"#)
    let nobody = try Caller(server, identity: identity { $0.userID = nil }).call(bare)
    #expect(nobody.body == #"{"reason":"BadCertificate"}"#)
    let stranger = try CertificateAuthority(now: Minter.now).issue(LeafRequest("x", .client, now: Minter.now))
    #expect(try Caller(server, identity: stranger).call(bare).reason == "BadCertificate")
  }

  @Test("written credentials are whole, private, and stay") func written() throws {
    let server = try Running([
      "--write-credentials", "made", "--topic", "com.example.app", "--key-id", "KEYKEYKEY1", "--team-id", "TEAMTEAM11",
    ])
    let folder = server.folder.appendingPathComponent("made")
    let archive = [UInt8](try Data(contentsOf: folder.appendingPathComponent("client.p12")))
    let identity = try Identity(archive.span, passphrase: Array("apns".utf8))
    #expect(
      identity.certificate.topics.map(\.name) == [
        "com.example.app", "com.example.app.voip", "com.example.app.complication",
      ])
    #expect(identity.certificate.isForSandbox && identity.certificate.isForProduction)
    #expect(try Caller(server, identity: identity).call(Push()).status == 200)
    for name in ["AuthKey_KEYKEYKEY1.p8", "client.pem", "client.p12"] {
      let mode =
        try FileManager.default.attributesOfItem(atPath: folder.appendingPathComponent(name).path)[.posixPermissions]
        as? Int
      #expect(mode == 0o600, "\(name)")
    }
    _ = try server.stop()
    #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent("ca.pem").path))
  }
}
