// The walk: every known key is found, and what may stand anywhere is found anywhere.
import APNs
import JSON
import Testing

@testable import Rules

struct WalkTests {
  private func index(_ name: String, _ level: KeyFinder.Level, tail: String = ":0}        ") -> Int {
    let bytes = Array("{\"\(name)\"\(tail)".utf8)
    var reader = Reader()
    guard (try? reader.read(bytes.span)) != nil else { return -2 }
    let tokens = reader.tokens
    let document = Document(bytes.span, tokens.span)
    return KeyFinder().index(document, 1, tokens[1], level)
  }

  private let levels: [(KeyFinder.Level, [String])] = [
    (.root, RootKey.allCases.map(\.rawValue)), (.aps, APSKey.allCases.map(\.rawValue)),
    (.alert, AlertKey.allCases.map(\.rawValue)), (.sound, SoundKey.allCases.map(\.rawValue)),
  ]

  @Test("Each known key is found by its name, at its level, also at the very end of a text and with escapes")
  func known() {
    for (level, names) in levels {
      for (place, name) in names.enumerated() {
        #expect(index(name, level) == place, "\(name)")
        #expect(index(name, level, tail: ":0}") == place, "\(name) at the end")
        let escaped = "\\u00\(String(name.utf8.first ?? 0, radix: 16))" + name.dropFirst()
        #expect(index(escaped, level) == place, "\(escaped)")
      }
    }
  }

  @Test("A name that differs in one letter, or is longer or shorter, is another")
  func unknown() {
    for (level, names) in levels {
      for name in names {
        for change in name.indices {
          var other = name
          other.replaceSubrange(change...change, with: "~")
          #expect(index(other, level) == -1, "\(other)")
        }
        let longer = name + "~"
        #expect(index(longer, level) == -1)
        let shorter = String(name.dropLast())
        #expect(index(shorter, level) == (names.firstIndex(of: shorter) ?? -1))
      }
      #expect(index("", level) == -1)
      #expect(index(String(repeating: "a", count: 25), level) == -1)
    }
  }

  /// Places of a payload where a member may stand, `@` for the member.
  private let places = [
    #"{"aps":{"alert":"Hi"},@}"#, #"{@,"aps":{"alert":"Hi"}}"#, #"{"aps":{"alert":"Hi"},"a":{@}}"#,
    #"{"aps":{"alert":"Hi"},"a":[1,{"b":[{"x":1,@}]}]}"#, #"{"a":[{"x":1,@}],"aps":{"alert":"Hi"}}"#,
    #"{"aps":{"timestamp":1790000000,"event":"update","content-state":{@}}}"#,
    #"{"aps":{"timestamp":1790000000,"event":"update","content-state":{"a":[{@}]}}}"#,
    #"{"mdm":"x",@}"#, #"{"aps":"x",@}"#, #"{"domain":{@},"aps":{"alert":"Hi"}}"#,
  ]

  @Test(
    "What may stand anywhere is found anywhere",
    arguments: [
      (#""password":"x""#, "secret-in-payload"), (#""Card-Number":"x""#, "secret-in-payload"),
      (#""k":"4111111111111111""#, "secret-in-payload"), (#""k":"378282246310005""#, "secret-in-payload"),
      (#""k":"\u1F600""#, "json-five-digit-escape"), (#""\u1F600":1"#, "json-five-digit-escape"),
      (#""k":["\u1F600"]"#, "json-five-digit-escape"), (#""k":1,"k":2"#, "json-duplicate-key"),
      (#""k":1,"\u006b":2"#, "json-duplicate-key"), (#""k":{"l":1,"m":2,"l":3}"#, "json-duplicate-key"),
    ])
  func anywhere(_ member: String, _ rule: String) {
    for place in places {
      let text = place.replacing("@", with: member)
      #expect(check(text).contains { $0.rule == rule }, "\(rule) in \(text)")
    }
  }

  @Test("In aps, too, what may stand there is found")
  func withinAPS() {
    let fiveDigits = [
      #"{"aps":{"alert":"\u1F600"}}"#, #"{"aps":{"alert":{"title":"Hi","body":"\u1F600"}}}"#,
      #"{"aps":{"alert":{"loc-key":"K","loc-args":["\u1F600"]}}}"#, #"{"aps":"\u1F600"}"#, #"{"aps":["\u1F600"]}"#,
      #"{"aps":{"alert":"Hi","url-args":["\u1F600"]}}"#, #"{"aps":{"alert":"Hi","x":"\u1F600"}}"#,
      #"{"aps":{"alert":{"body":"Hi","x":{"y":"\u1F600"}}}}"#,
      #"{"aps":{"alert":"Hi","sound":{"critical":1,"name":"\u1F600"}}}"#,
    ]
    for text in fiveDigits { #expect(check(text).contains { $0.rule == "json-five-digit-escape" }, "\(text)") }
    let doubles = [
      #"{"aps":{"alert":"Hi","alert":"Ho"}}"#, #"{"aps":{"alert":{"title":"a","body":"b","title":"c"}}}"#,
      #"{"aps":{"alert":"Hi","sound":{"critical":1,"name":"a.caf","name":"b.caf"}}}"#,
      #"{"aps":{"alert":{"title":{"a":1,"a":2}}}}"#, #"{"aps":{"alert":"Hi","badge":[{"a":1,"a":2}]}}"#,
      #"{"aps":{"alert":"Hi"},"aps":{"alert":"Ho"}}"#, #"{"aps":{"alert":{"body":"a"},"alert":{"x":{"a":1,"a":2}}}}"#,
    ]
    for text in doubles { #expect(check(text).contains { $0.rule == "json-duplicate-key" }, "\(text)") }
    #expect(check(#"{"aps":{"alert":"Hi","aps":{"badge":1}}}"#).contains { $0.rule == "aps-nested" })
  }

  @Test("Texts with holes are found in each place of an alert")
  func holes() {
    for text in [
      #"{"aps":{"alert":"Hi {{name}}"}}"#, #"{"aps":{"alert":{"title":"{{a}}"}}}"#,
      #"{"aps":{"alert":{"title":"x","subtitle":"y {{a}}"}}}"#, #"{"aps":{"alert":{"title":"x","body":"y {{a}}"}}}"#,
    ] { #expect(check(text).contains { $0.rule == "template-hole" }, "\(text)") }
    // Objects inside each other are none.
    #expect(check(#"{"aps":{"alert":{"title":"a { { b","body":"{x}"}},"d":{"e":{"f":{}}}}"#).isEmpty)
  }
}
