// What a text is taken for, where records, payloads and requests share keys.
import APNs
import JSON
import Testing

@testable import Rules

struct RecognitionTests {
  private static let token = Example.token

  private func checked(_ text: String, _ fallback: Form = .payload) -> Validator {
    var validator = Validator()
    _ = validator.check(Array(text.utf8).span, fallback: fallback)
    return validator
  }

  @Test(
    "aps beside the keys of a record is at the wrong level",
    arguments: [
      #"{"token":"\#(token)","topic":"com.example.app","push_type":"alert","aps":{"alert":"Hi"}}"#,
      #"{"token":"\#(token)","aps":{"alert":"Hi"}}"#, #"{"aps":{"alert":"Hi"},"token":"\#(token.uppercased())"}"#,
      #"{"aps":{"alert":"Hi"},"token":"abc","topic":"com.example.app"}"#,
      #"{"topic":"com.example.app","push_type":"alert","aps":{"alert":"Hi"}}"#,
      #"{"channel_id":"dHN0LXNyY2gtY2hubA==","priority":5,"aps":{"event":"end"}}"#,
    ])
  func misplaced(_ text: String) {
    for fallback in [Form.payload, .record] {
      let validator = checked(text, fallback)
      #expect(validator.form == .record && validator.worst == .error)
      let finding = validator.findings.first { $0.rule == "record-unknown-key" }
      #expect(finding?.pointer == "/aps" && finding?.help != nil && finding?.fix != nil)
      #expect(!validator.findings.contains { $0.rule == "record-payload-missing" })
    }
  }

  @Test(
    "A payload may name keys of its own as a record does",
    arguments: [
      #""topic":"news""#, #""topic":"com.example.app""#, #""id":"5""#, #""meta":{"a":1}"#, #""id":5,"meta":[]"#,
      #""token":"abc123","id":"5","topic":"news""#, #""push_type":"chat","id":"7""#,
      #""priority":10,"push_type":"alert""#,
      #""environment":"production","id":"5""#, #""payload":{"x":1},"id":"5""#, #""path":"/3/levels","headers":[]"#,
    ])
  func payload(_ keys: String) {
    for fallback in [Form.payload, .record] {
      let validator = checked(#"{"aps":{"alert":"Hi"},\#(keys)}"#, fallback)
      #expect(validator.form == .payload && validator.worst < .error)
    }
  }

  @Test("Where a line is a record by default, one without a record's keys is a payload")
  func filter() {
    for text in [#"{"call":{"id":"7"}}"#, #"{"offer":"x","sdp":[1]}"#, #"{"title":"Hi"}"#] {
      #expect(checked(text, .record).form == .payload)
    }
    for text in [
      "{}", #"{"tokn":"x","title":"Hi"}"#, #"{"device":"\#(Self.token)"}"#, #"{"apns-topic":"a.b"}"#, #"{"id":"7"}"#,
      #"{"pushType":"alert"}"#, #"{"token":"\#(Self.token)","notification":{"title":"Hi"}}"#,
    ] {
      let validator = checked(text, .record)
      #expect(validator.form == .record && validator.worst == .error, "\(text)")
    }
    let many = "{" + (0..<20_000).map { "\"k\($0)\":1" }.joined(separator: ",") + "}"
    #expect(checked(many, .record).form == .payload)
  }

  @Test("aps beside the keys of a request is at the wrong level")
  func request() {
    let validator = checked(
      #"{"path":"/3/device/\#(Self.token)","headers":{"apns-topic":"a.b"},"aps":{"alert":"Hi"}}"#)
    #expect(validator.form == .request)
    #expect(validator.findings.contains { $0.rule == "record-unknown-key" && $0.pointer == "/aps" && $0.fix != nil })
  }

  @Test(
    "A token is looked at in a request's path as in a record",
    arguments: [
      (String(repeating: "0", count: 64), "alert", "token-placeholder"),
      (token.uppercased(), "alert", "token-uppercase"),
      (token + "a1b2", "alert", "token-length-unusual"), ("a1b2c3d4", "alert", "token-short"),
      (token, "liveactivity", "token-kind-liveactivity"),
      (token.utf8.map { String($0, radix: 16) }.joined(), "alert", "token-encoded-twice"),
    ])
  func tokens(_ token: String, _ type: String, _ rule: String) {
    let payload = #"{"aps":{"alert":"Hi","timestamp":1,"event":"update","content-state":{}}}"#
    let record = #"{"token":"\#(token)","topic":"a.b","push_type":"\#(type)","payload":\#(payload)}"#
    let headers = #"[["apns-topic","a.b"],["apns-push-type","\#(type)"]]"#
    for path in ["/3/device/\(token)", #"\/3\/device\/\#(token)"#] {
      let request = #"{"path":"\#(path)","headers":\#(headers),"payload":\#(payload)}"#
      let found = checked(request).findings.map(\.rule).filter { $0.hasPrefix("token-") }
      #expect(found == checked(record).findings.map(\.rule).filter { $0.hasPrefix("token-") })
      #expect(found.contains(rule))
    }
  }

  @Test("A good token in a path, and one that is refused, get no second remark")
  func plainTokens() {
    let headers = #"[["apns-topic","a.b"],["apns-push-type","alert"]]"#
    let rest = #""headers":\#(headers),"payload":{"aps":{"alert":"Hi"}}}"#
    #expect(checked(#"{"path":"/3/device/\#(Self.token)","# + rest).findings.isEmpty)
    #expect(checked(#"{"path":"/3/device/xyz","# + rest).findings.map(\.rule) == ["token-not-hex"])
  }

  @Test(
    "An array of another service's requests is named",
    arguments: [
      #"{"to":"ExponentPushToken[xxx]","title":"h","body":"w"}"#,
      #"{"message":{"notification":{"title":"Hi"},"token":"d"}}"#,
      #"{"message":{"token":"d","apns":{"payload":{"aps":{}}}}}"#, #"{"APNS":"{}"}"#, #"{"web_push":8030}"#,
      #"{"app_id":"x","contents":{"en":"Hi"}}"#, #"{"activity_id":"x","content_state":{}}"#,
      #"{"to":"d","notification":{"title":"Hi"}}"#, #"{"registration_ids":["d"]}"#,
      #"{"audience":{},"notification":{}}"#, #"{"interests":["a"],"apns":{}}"#, #"{"notification":{"title":"Hi"}}"#,
      #"{"data":{"push":{}},"message":"Hi"}"#,
    ])
  func services(_ object: String) {
    let single = checked(object).findings.first { $0.rule == "foreign-envelope" }
    #expect(single != nil)
    for fallback in [Form.payload, .record] {
      let findings = checked("[7,\(object),\(object)]", fallback).findings
      let named = findings.filter { $0.rule == "foreign-envelope" }
      #expect(named.count == 1 && named.first?.message == single?.message && named.first?.help == single?.help)
      #expect(findings.contains { $0.rule == "json-not-object" || $0.rule == "record-not-object" })
    }
    for text in ["[]", "[[\(object)]]", "[1]"] {
      #expect(!checked(text).findings.contains { $0.rule == "foreign-envelope" })
    }
  }
}
