// Channels: making, reading, listing, deleting, pushing to them; and each reason of their table.
import APNs
import Foundation
import Testing

private let known = "dHN0LXNyY2gtY2hubA=="
private let silent = "c2lsZW50"

private func broadcast(_ fields: [(String, String)] = []) -> Push {
  var push = Push(
    path: "/4/broadcasts/apps/com.example.app",
    fields: [
      ("apns-channel-id", known), ("apns-push-type", "liveactivity"), ("apns-expiration", "0"), ("apns-priority", "10"),
    ])
  push.body = Array(#"{"aps":{"timestamp":1790000000,"event":"update","content-state":{}}}"#.utf8)
  return push.with(fields)
}

private func manage(_ method: String, _ rest: String = "channels", _ channel: String? = nil, body: String = "") -> Push
{
  Push(
    method: method, path: "/1/apps/com.example.app/" + rest, fields: channel.map { [("apns-channel-id", $0)] } ?? [],
    body: Array(body.utf8))
}

private func create(_ body: String) -> Push { manage("POST", body: body) }

private let good = #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#

private func at(_ path: String) -> Push {
  var push = broadcast()
  push.path = path
  return push
}

private let earners: [(reason: String, push: Push)] = [
  ("BadChannelId", broadcast([("apns-channel-id", "not base64!")])),
  ("BadChannelId", manage("GET", "channels", "%%%%")),
  ("MissingChannelId", broadcast([("apns-channel-id", "")])),
  ("MissingChannelId", manage("DELETE")),
  ("ChannelNotRegistered", broadcast([("apns-channel-id", "bm9ib2R5")])),
  ("ChannelNotRegistered", manage("GET", "channels", "bm9ib2R5")),
  ("BadRequestParams", create(#"{"message-storage-policy":1,"push-type":"LiveActivity","name":"x"}"#)),
  ("BadRequestPayload", create("{")),
  ("BadRequestPayload", create("[]")),
  ("MissingChannelQueueSize", create(#"{"push-type":"LiveActivity"}"#)),
  ("MissingChannelQueueSize", create(#"{"message-storage-policy":2,"push-type":"LiveActivity"}"#)),
  ("MissingPushType", create(#"{"message-storage-policy":1}"#)),
  ("MissingPushType", broadcast([("apns-push-type", "")])),
  ("InvalidPushType", create(#"{"message-storage-policy":1,"push-type":"alert"}"#)),
  ("InvalidPushType", broadcast([("apns-push-type", "alert")])),
  ("CannotCreateChannelConfig", create(good)),
  ("PayloadEmpty", create("")),
  ("BadExpirationDate", broadcast([("apns-expiration", "")])),
  ("BadExpirationDate", broadcast([("apns-channel-id", silent), ("apns-expiration", "1790000000")])),
  ("BadPriority", broadcast([("apns-priority", "")])),
  ("BadMessageId", broadcast([("apns-request-id", "7")])),
  ("TopicDisallowed", at("/4/broadcasts/apps/com.example.app.push-type.liveactivity")),
  ("TopicMismatch", at("/4/broadcasts/apps/com.example.other")),
  ("BadPath", at("/4/broadcasts/apps/")),
  ("BadPath", at("/1/apps/com.example.app/canals")),
  ("MethodNotAllowed", manage("PUT")),
  ("MethodNotAllowed", manage("DELETE", "all-channels")),
  ("FeatureNotEnabled", broadcast([("apns-priority", "1")])),
]

private let options = [
  "--channel", "com.example.app:\(known)", "--channel", "com.example.app:\(silent):0", "--topic", "com.example.app",
  "--max-channels", "2", "--rule", #"{"match":{"channel_id":"\#(known)"},"respond":"FeatureNotEnabled"}"#,
]

@Suite struct BroadcastTests {
  @Test("every reason of channels is earned") func everyReason() {
    let all = Set(Reason.all.filter(\.isBroadcastOnly).map(\.name))
    #expect(all.isSubset(of: Set(earners.map(\.reason))))
  }

  @Test("a request earns its reason", arguments: earners.indices)
  func earns(_ index: Int) throws {
    let (reason, push) = earners[index]
    let server = try Running(options)
    let answer = try Caller(server).call(push, authorization: try Minter(server).token())
    #expect(answer.status == Reason.named(reason)?.status)
    #expect(answer.body == #"{"reason":"\#(reason)"}"#)
    #expect(answer.fields["apns-request-id"]?.count == 36 || ["BadPath", "BadMessageId"].contains(reason))
  }

  @Test("a channel's life") func life() throws {
    let server = try Running()
    let caller = try Caller(server)
    let token = try Minter(server).token()
    let given = "12345678-90ab-cdef-1234-567890abcdef"
    let made = caller.call(create(good).with([("apns-request-id", given)]), authorization: token)
    #expect(made.status == 201 && made.body.isEmpty && made.fields["apns-request-id"] == given)
    let id = try #require(made.fields["apns-channel-id"])
    let read = caller.call(manage("GET", "channels", id), authorization: token)
    #expect(read.status == 200 && read.body == #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#)
    #expect(caller.call(manage("GET", "all-channels"), authorization: token).body == #"{"channels":["\#(id)"]}"#)
    let stored = [("apns-channel-id", id), ("apns-expiration", "1790000000")]
    #expect(caller.call(broadcast(stored), authorization: token).status == 200)
    let gone = caller.call(manage("DELETE", "channels", id), authorization: token)
    #expect(gone.status == 204 && gone.body.isEmpty)
    #expect(caller.call(manage("GET", "all-channels"), authorization: token).body == #"{"channels":[]}"#)
    #expect(caller.call(broadcast(stored), authorization: token).reason == "ChannelNotRegistered")
    let end = try server.stop()
    #expect(end.records.map { $0["channel_id"] as? String } == [id, id])
    #expect(end.records.map { $0["topic"] as? String } == ["com.example.app", "com.example.app"])
    #expect(end.log.filter { $0["event"] as? String == "channel" }.count == 5)
  }

  @Test("a broadcast may have 5120 bytes") func size() throws {
    let server = try Running(["--channel", "com.example.app:\(known)"])
    let caller = try Caller(server)
    let token = try Minter(server).token()
    var push = broadcast()
    push.body = padded(5120)
    #expect(caller.call(push, authorization: token).status == 200)
    push.body = padded(5121)
    #expect(caller.call(push, authorization: token).reason == "PayloadTooLarge")
  }
}
