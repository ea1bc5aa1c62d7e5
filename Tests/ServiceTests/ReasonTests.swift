// One case for each reason of APNs' table: the request that earns it, and the exact answer.
import APNs
import Foundation
import TLS
import Testing

/// What earns a reason from a server with its defaults.
private let earners: [(reason: String, push: Push)] = [
  ("BadCollapseId", Push().with([("apns-collapse-id", String(repeating: "é", count: 33))])),
  ("BadDeviceToken", .device("abc")),
  ("BadDeviceToken", .device("xyz1")),
  ("BadDeviceToken", .device(String(repeating: "ab", count: 101))),
  ("BadDeviceToken", .device("dead4000")),
  ("BadExpirationDate", Push().with([("apns-expiration", "1.5")])),
  ("BadExpirationDate", Push().with([("apns-expiration", "tomorrow")])),
  ("BadMessageId", Push().with([("apns-id", "7")])),
  ("BadPriority", Push().with([("apns-priority", "7")])),
  ("BadPriority", Push().with([("apns-push-type", "background"), ("apns-priority", "10")])),
  ("BadTopic", Push().with([("apns-topic", "com example app")])),
  ("DeviceTokenNotForTopic", .device("dead4001")),
  (
    "DuplicateHeaders",
    Push(fields: [("apns-topic", "com.example.app"), ("apns-priority", "5"), ("apns-priority", "5")])
  ),
  ("InvalidPushType", Push().with([("apns-push-type", "Alert")])),
  ("InvalidPushType", Push().with([("apns-push-type", "voip")])),
  ("InvalidPushType", Push().with([("apns-push-type", "alert"), ("apns-topic", "com.example.app.voip")])),
  ("MissingDeviceToken", .device("")),
  ("MissingTopic", Push().with([("apns-topic", "")])),
  ("PayloadEmpty", Push(body: [])),
  ("PayloadEmpty", Push(body: Array("hello".utf8))),
  ("PayloadEmpty", Push(body: Array("[]".utf8))),
  ("TopicDisallowed", .device("dead4002")),
  ("TopicDisallowed", Push().with([("apns-push-type", "mdm"), ("apns-topic", "com.apple.mgmt.External.x")])),
  ("ExpiredProviderToken", .device("dead4030")),
  ("InvalidProviderToken", .device("dead4031")),
  ("Forbidden", .device("dead4032")),
  ("BadPath", Push(path: "/3/devices/abcd")),
  ("BadPath", Push(path: "/")),
  ("MethodNotAllowed", Push(method: "GET", body: [])),
  ("ExpiredToken", .device("dead4101")),
  ("Unregistered", .device("DEAD4100ABCD")),
  ("PayloadTooLarge", Push(body: padded(4097))),
  ("PayloadTooLarge", Push(body: padded(100_000))),
  ("PayloadTooLarge", .device("dead4130")),
  ("TooManyProviderTokenUpdates", .device("dead4291")),
  ("TooManyRequests", .device("dead4290")),
  ("InternalServerError", .device("dead5000")),
  ("ServiceUnavailable", .device("dead5030")),
  ("Shutdown", .device("dead5031")),
]

/// A payload of so many bytes.
func padded(_ count: Int) -> [UInt8] {
  Array(#"{"aps":{"alert":""#.utf8) + [UInt8](repeating: 0x78, count: count - 20) + Array(#""}}"#.utf8)
}

/// Reasons that have a test of their own, below or among those of channels.
private let elsewhere: Set<String> = [
  "BadCertificate", "BadCertificateEnvironment", "MissingProviderToken", "UnrelatedKeyIdInToken",
  "BadEnvironmentKeyIdInToken", "BadEnvironmentKeyInToken", "IdleTimeout",
]

@Suite struct ReasonTests {
  @Test("every reason is earned by some test") func everyReason() {
    let all = Set(Reason.all.filter { !$0.isBroadcastOnly }.map(\.name))
    #expect(all == Set(earners.map(\.reason)).union(elsewhere))
  }

  @Test("a request earns its reason, with the exact answer", arguments: earners.indices)
  func earns(_ index: Int) throws {
    let (reason, push) = earners[index]
    let server = try Running()
    let answer = try Caller(server).call(push, authorization: try Minter(server).token())
    let row = try #require(Reason.named(reason))
    #expect(answer.status == row.status)
    #expect(answer.fields["content-type"] == "application/json")
    #expect(answer.fields["apns-id"]?.count == (reason == "BadMessageId" ? 1 : 36))
    let end = try server.stop()
    let stamp = (end.records.first?["verdict"] as? [String: Any])?["timestamp"] as? Int
    if row.status == 410 {
      let stamp = try #require(stamp)
      #expect(stamp % 1000 == 0 && abs(Minter.now - 3600 - stamp / 1000) < 60)
      #expect(answer.body == #"{"reason":"\#(reason)","timestamp":\#(stamp)}"#)
    } else {
      #expect(answer.body == #"{"reason":"\#(reason)"}"#)
    }
    #expect(end.records.count == 1)
    #expect((end.records.first?["verdict"] as? [String: Any])?["reason"] as? String == reason)
  }

  @Test("a good push is answered 200 with an empty body") func good() throws {
    let server = try Running()
    let caller = try Caller(server)
    let token = try Minter(server).token()
    let given = "12345678-90ab-cdef-1234-567890abcdef"
    let answer = caller.call(Push().with([("apns-id", given)]), authorization: token)
    #expect(answer.status == 200)
    #expect(answer.body.isEmpty)
    #expect(answer.fields["apns-id"] == given)
    #expect(answer.fields["apns-unique-id"]?.count == 36)
    let made = try #require(caller.call(Push(), authorization: token).fields["apns-id"])
    #expect(made == made.uppercased() && Identifiers.isUUID(Array(made.utf8).span))
    let odd = caller.call(Push().with([("apns-id", "12345678-90AB-cdef-1234-567890abcdef")]), authorization: token)
    #expect(odd.fields["apns-id"] == "12345678-90AB-cdef-1234-567890abcdef")
  }

  @Test("production has no apns-unique-id") func production() throws {
    let server = try Running(["--environment", "both"])
    let token = try Minter(server).token()
    let answer = try Caller(server, port: server.port("production")).call(Push(), authorization: token)
    #expect(answer.status == 200 && answer.fields["apns-unique-id"] == nil)
    let sandbox = try Caller(server, port: server.port("sandbox")).call(Push(), authorization: token)
    #expect(sandbox.fields["apns-unique-id"] != nil)
    let environments = try server.stop().records.map { $0["environment"] as? String }
    #expect(environments == ["production", "sandbox"])
  }

  @Test(
    "sizes go by push type",
    arguments: [("voip", ".voip", 5120), ("alert", "", 4096), ("liveactivity", ".push-type.liveactivity", 4096)])
  func sizes(_ type: String, _ suffix: String, _ limit: Int) throws {
    let server = try Running()
    let caller = try Caller(server)
    let token = try Minter(server).token()
    var push = Push().with([("apns-push-type", type), ("apns-topic", "com.example.app" + suffix)])
    push.body = padded(limit)
    #expect(caller.call(push, authorization: token).status == 200)
    push.body = padded(limit + 1)
    #expect(caller.call(push, authorization: token).reason == "PayloadTooLarge")
  }

  @Test("the order of the checks is the documented one") func order() throws {
    let server = try Running()
    let token = try Minter(server).token()
    // Each step mends what the last answer complained of.
    var push = Push(
      method: "GET", path: "/3/device/zz",
      fields: [
        ("apns-topic", "a b"), ("apns-push-type", "x"), ("apns-priority", "x"), ("apns-expiration", "x"),
        ("apns-id", "x"), ("apns-collapse-id", String(repeating: "x", count: 65)),
      ], body: [])
    func reason(_ authorization: String? = token) throws -> String? {
      try Caller(server).call(push, authorization: authorization).reason
    }
    #expect(try reason(nil) == "MethodNotAllowed")
    push.method = "POST"
    #expect(try reason(nil) == "BadDeviceToken")
    push.path = "/3/device/abcd"
    #expect(try reason(nil) == "MissingProviderToken")
    #expect(try reason() == "BadTopic")
    push = push.with([("apns-topic", "com.example.app")])
    #expect(try reason() == "InvalidPushType")
    push = push.with([("apns-push-type", "alert")])
    #expect(try reason() == "BadPriority")
    push = push.with([("apns-priority", "10")])
    #expect(try reason() == "BadExpirationDate")
    push = push.with([("apns-expiration", "0")])
    #expect(try reason() == "BadMessageId")
    push = push.with([("apns-id", "12345678-90ab-cdef-1234-567890abcdef")])
    #expect(try reason() == "BadCollapseId")
    push = push.with([("apns-collapse-id", "x")])
    push.fields.append(("apns-topic", "com.example.app"))
    #expect(try reason() == "DuplicateHeaders")
    push = push.with([("apns-topic", "com.example.app")])
    #expect(try reason() == "PayloadEmpty")
    push.body = padded(4097)
    #expect(try reason() == "PayloadTooLarge")
    push.body = padded(4096)
    #expect(try reason() == nil)
  }
}
