// A record is read, or what keeps it from being sent is named by rule and place.
import APNs
import JSON
import Testing

private let token = String(repeating: "a1b2c3d4", count: 8)

/// The rules a record breaks, each with the pointer of its place.
private func faults(_ line: String) throws -> [String] {
  var reader = Reader()
  let bytes = Array(line.utf8)
  try reader.read(bytes.span)
  let document = Document(bytes.span, reader.tokens.span)
  var problems: [Problem] = []
  _ = Notification.read(document, problems: &problems)
  return problems.map { "\($0.rule) \(document.pointer($0.node))" }
}

@Suite struct NotificationTests {
  static let good: [String] = [
    #"{"token":"\#(token)","payload":{}}"#,
    #"{"token":"\#(token)","topic":"com.example.app","push_type":"alert","priority":10,"expiration":0,"collapse_id":"x","id":"3f1d4a00-0000-4000-8000-00000000000A","environment":"sandbox","credential":"main","payload":{"aps":{}},"meta":[1,null]}"#,
    #"{"channel_id":"dGVzdC1jaGFubmVsLTAxMg==","push_type":"liveactivity","priority":1,"payload":{}}"#,
    #"{"token":"ab","payload":{}}"#,
    #"{"tok\u0065n":"\#(token)","payload":{}}"#,
    #"{"token":"\#(String(repeating: "A", count: 200))","payload":{}}"#,
    #"{"token":"\#(token)","push_type":"voip","payload":{"k":"\#(String(repeating: "x", count: 5000))"}}"#,
  ]

  @Test(arguments: good) func goodRecordsHaveNoFault(_ line: String) throws {
    #expect(try faults(line) == [])
  }

  static let bad: [(String, [String])] = [
    ("[]", ["record-not-object "]),
    (#"{"payload":{}}"#, ["record-token-missing "]),
    (#"{"token":"\#(token)"}"#, ["record-payload-missing "]),
    (#"{"token":"","payload":{}}"#, ["token-empty /token"]),
    (#"{"token":"abc","payload":{}}"#, ["token-odd-length /token"]),
    (#"{"token":"abcg","payload":{}}"#, ["token-not-hex /token"]),
    (#"{"token":"<a1b2c3d4 a1b2c3d4>","payload":{}}"#, ["token-description-form /token"]),
    (#"{"token":"{length = 32, bytes = 0x24bf40f6 ... 84ea7c32 }","payload":{}}"#, ["token-description-form /token"]),
    (#"{"token":"obLD1KGyw9ShssPUobLD1KGyw9ShssPUobLD1KGyw9Q=","payload":{}}"#, ["token-base64 /token"]),
    (#"{"token":"dX1abcdefghijklmn:APA91bEabc","payload":{}}"#, ["token-fcm /token"]),
    (#"{"token":"\#(String(repeating: "a", count: 202))","payload":{}}"#, ["token-too-long /token"]),
    (#"{"token":7,"payload":{}}"#, ["record-type /token"]),
    (#"{"token":"\#(token)","channel_id":"dGVzdA==","payload":{}}"#, ["record-token-and-channel /channel_id"]),
    (
      #"{"token":"\#(token)","channel_id":"???","payload":{}}"#,
      ["bc-channel-base64 /channel_id", "record-token-and-channel /channel_id"]
    ),
    (#"{"token":"\#(token)","prioritty":10,"payload":{}}"#, ["record-unknown-key /prioritty"]),
    (#"{"token":"\#(token)","token":"\#(token)","payload":{}}"#, ["record-duplicate-key /token"]),
    (#"{"token":"\#(token)","priority":"10","payload":{}}"#, ["priority-syntax /priority"]),
    (#"{"token":"\#(token)","priority":7,"payload":{}}"#, ["priority-value /priority"]),
    (#"{"token":"\#(token)","priority":10.0,"payload":{}}"#, ["priority-syntax /priority"]),
    (#"{"token":"\#(token)","expiration":-1,"payload":{}}"#, ["expiration-syntax /expiration"]),
    (#"{"token":"\#(token)","expiration":"2026-12-01","payload":{}}"#, ["expiration-syntax /expiration"]),
    (#"{"token":"\#(token)","push_type":"Alert","payload":{}}"#, ["push-type-case /push_type"]),
    (#"{"token":"\#(token)","push_type":"alarm","payload":{}}"#, ["push-type-unknown /push_type"]),
    (#"{"token":"\#(token)","id":"42","payload":{}}"#, ["apns-id-syntax /id"]),
    (#"{"token":"\#(token)","topic":"com.example app","payload":{}}"#, ["topic-syntax /topic"]),
    (#"{"token":"\#(token)","topic":"a\nauthorization: x","payload":{}}"#, ["topic-syntax /topic"]),
    (#"{"token":"\#(token)","topic":"","payload":{}}"#, ["topic-syntax /topic"]),
    (
      #"{"token":"\#(token)","collapse_id":"\#(String(repeating: "ß", count: 33))","payload":{}}"#,
      ["collapse-id-too-long /collapse_id"]
    ),
    (#"{"token":"\#(token)","collapse_id":"a\u0000b","payload":{}}"#, ["header-value-space /collapse_id"]),
    (#"{"token":"\#(token)","environment":"test","payload":{}}"#, ["record-type /environment"]),
    (#"{"token":"\#(token)","payload":"{}"}"#, ["json-not-object /payload"]),
    (
      #"{"token":"\#(token)","payload":{"k":"\#(String(repeating: "x", count: 4096))"}}"#,
      ["payload-too-large /payload"]
    ),
  ]

  @Test(arguments: bad) func faultsAreNamedByRuleAndPlace(_ line: String, _ expected: [String]) throws {
    #expect(try faults(line) == expected)
  }

  @Test func misspeltKeysGetASuggestion() throws {
    var reader = Reader()
    let bytes = Array(#"{"token":"ab","apns-topic":"x","colapse_id":"y","zzz":1,"payload":{}}"#.utf8)
    try reader.read(bytes.span)
    var problems: [Problem] = []
    _ = Notification.read(Document(bytes.span, reader.tokens.span), problems: &problems)
    #expect(problems.map { $0.help?.contains("\"topic\"") }[0] == true)
    #expect(problems.map { $0.help?.contains("\"collapse_id\"") }[1] == true)
    #expect(problems[2].help?.contains("meta") == true)
  }
}
