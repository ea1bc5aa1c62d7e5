// Where findings are, and what texts are taken for.
import APNs
import Foundation
import JSON
import Testing

@testable import Rules

struct PlaceTests {
  @Test("A finding has the offset, length and pointer of the value")
  func place() throws {
    let text = #"{"aps":{"alert":"Grüße","badge":"3"}}"#
    let finding = try #require(check(text).first)
    #expect(finding.rule == "badge-type")
    #expect(finding.pointer == "/aps/badge")
    #expect(finding.offset == Array(text.utf8).firstIndex(of: UInt8(ascii: "3"))! - 1)
    #expect(finding.length == 3)
  }

  @Test("In a file of several documents offsets count from its start")
  func second() throws {
    let first = #"{"aps":{"alert":"Hi"}}"# + "\n"
    let finding = try #require(check(first + #"{"aps":{"alert":7}}"#).first)
    #expect(finding.rule == "alert-type")
    #expect(finding.offset == first.utf8.count + 16)
    var lines = LineIndex()
    let bytes = Array((first + "x").utf8)
    let line = lines.place(finding.offset, bytes.span).line
    #expect(line == 2)
  }

  @Test("Pretty-printed documents may follow each other")
  func pretty() {
    let document = "{\n  \"aps\": {\n    \"alert\": \"Hi\"\n  }\n}\n"
    #expect(check(document + "\n" + document).isEmpty)
  }

  @Test("A second document on the same line is trailing data")
  func trailing() {
    let document = #"{"aps":{"alert":"Hi"}}"#
    #expect(check(document + document).map(\.rule) == ["json-trailing-data"])
    #expect(check(document + "\n" + document).isEmpty)
  }

  @Test("A bad line among lines is said once, and the others are checked")
  func badLine() {
    let good = #"{"aps":{"alert":"Hi"}}"#
    let found = check([good, #"{"aps":{"alert":"Hi""#, #"{"aps":{"alert":7}}"#, good].joined(separator: "\n"))
    #expect(found.map(\.rule) == ["json-invalid", "alert-type"])
  }

  @Test("A mistake in a pretty-printed text ends it")
  func badPretty() {
    #expect(check("{\n  \"aps\": {\n    \"alert\": \"Hi\",\n  }\n}\n").map(\.rule) == ["json-invalid"])
  }

  @Test("An empty file is an empty payload, unless it is one of records")
  func empty() {
    #expect(check("").map(\.rule) == ["payload-empty"])
    #expect(check("\n", form: .apns).map(\.rule) == ["payload-empty"])
    #expect(check("", form: .record).isEmpty)
    #expect(check("", isLines: true).isEmpty)
  }

  @Test(
    "A text is recognised by its keys",
    arguments: [
      (#"{"aps":{"alert":"Hi"}}"#, Form.payload), (#"{"token":"ab","payload":{}}"#, .record),
      (#"{"token":"ab","topic":"a.b","push_type":"alert"}"#, .record), (#"{"call":"7"}"#, .payload),
      (#"{"Simulator Target Bundle":"a.b","aps":{}}"#, .apns), (#"{"payload":{"aps":{}}}"#, .payload),
      (#"{"mdm":"x"}"#, .payload), (#"{"path":"/orders/7","room":1}"#, .payload),
      (#"{"path":"/3/device/ab","headers":{}}"#, .request),
      (#"{"method":"POST","headers":[["apns-topic","a.b"]],"payload":{}}"#, .request),
      (#"{"token":"ab","room":7}"#, .payload),
      (#"{"aps":{"alert":"Hi"},"payload":"x","token":"t"}"#, .payload),
    ])
  func recognised(_ text: String, _ form: Form) {
    var validator = Validator()
    _ = validator.check(Array(text.utf8).span)
    #expect(validator.form == form)
  }

  @Test("The tables' positions are those of their lists")
  func positions() {
    #expect(APSKey.allCases.map(\.index) == Array(APSKey.allCases.indices))
    #expect(AlertKey.allCases.map(\.index) == Array(AlertKey.allCases.indices))
    #expect(SoundKey.allCases.map(\.index) == Array(SoundKey.allCases.indices))
    #expect(RootKey.allCases.map(\.index) == Array(RootKey.allCases.indices))
    #expect(PushType.allCases.map(\.index) == Array(PushType.allCases.indices))
    #expect(APSKey.allCases.count <= 32 && AlertKey.allCases.count <= 16)
  }

  @Test("A table finds its keys and no others")
  func tables() throws {
    let words = APSKey.allCases.map(\.rawValue)
    for (index, word) in words.enumerated() {
      for name in [word, word + "x", String(word.dropLast()), "x" + word.dropFirst(), word.uppercased()] {
        // The text ends right behind the key: nothing may be read beyond it.
        let bytes = Array("{\"\(name)\":1}".utf8)
        var reader = Reader()
        try reader.read(bytes.span)
        let tokens = reader.tokens
        let found = APSKey.table.index(Document(bytes.span, tokens.span), 1)
        #expect(found == (name == word ? index : words.firstIndex(of: name)), "\(name)")
      }
    }
  }

  @Test("Keys written with escapes are the same keys")
  func escapes() {
    #expect(check(#"{"\u0061ps":{"\u0062adge":"3"}}"#).map(\.rule) == ["badge-type"])
  }

  @Test(
    "Requests of other services are named",
    arguments: [
      (#"{"message":{"token":"t","apns":{"payload":{"aps":{"alert":"Hi"}}}}}"#, "Firebase"),
      (#"{"default":"x","APNS":"{\"aps\":{\"alert\":\"Hi\"}}"}"#, "SNS"),
      (#"{"to":"ExponentPushToken[x]","title":"Hi"}"#, "Expo"),
      (#"{"app_id":"x","contents":{"en":"Hi"}}"#, "OneSignal"),
      (#"{"to":"/topics/x","notification":{"title":"Hi"}}"#, "Firebase"),
    ])
  func services(_ text: String, _ name: String) throws {
    let finding = try #require(
      check(text, settings: settings(["--push-type", "alert"])).first { $0.severity == .error })
    #expect(finding.rule == "foreign-envelope")
    #expect(finding.message.contains(name))
  }
}

struct HostileTests {
  /// Long lines made to cost much: they end, and say a bounded number of things.
  @Test(
    "A hostile line costs no more than a long one",
    arguments: [
      ("{\"aps\":{", "\"contentavailabel%\":1,", "\"x\":1}}"), ("{", "\"mutable_content%\":1,", "\"aps\":{}}"),
      ("{\"aps\":{\"alert\":{", "\"titel%\":1,", "\"x\":1}}}"), ("{\"a\":[", "{\"aps\":{}},", "{}]}"),
      (
        "{\"aps\":{\"timestamp\":1,\"event\":\"update\",\"content-state\":{", "\"date%\":\"2026-09-21T15:00:00Z\",",
        "\"x\":null}}}"
      ),
      ("{\"aps\":{\"alert\":\"Hi\"},\"x\":[", "\"4111111111111111\",", "1]}"),
      ("{\"aps\":{\"alert\":\"", "\\u1F600", "\"}}"),
      ("{", "\"k%\":{\"password\":\"x\"},", "\"aps\":{}}"), ("{\"token\":\"x\",", "\"tokn%\":1,", "\"payload\":{}}"),
    ])
  func ends(_ before: String, _ piece: String, _ after: String) {
    var text = before
    for index in 0..<4_000 { text += piece.replacingOccurrences(of: "%", with: String(index)) }
    text += after
    #expect(check(text).count <= 2 * Scene.findingLimit)
  }
}
