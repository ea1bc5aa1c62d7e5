// JSON pointers: RFC 6901's own examples, the way there and back, and pointers that lead nowhere.
import Testing

@testable import JSON

@Suite struct PointerTests {
  /// The document of RFC 6901 section 5.
  static let example = #"""
    {"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8}
    """#

  @Test(arguments: [
    ("", "{"), ("/foo", #"["bar", "baz"]"#), ("/foo/0", #""bar""#), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"),
    ("/e^f", "3"), ("/g|h", "4"), (#"/i\j"#, "5"), (#"/k"l"#, "6"), ("/ ", "7"), ("/m~0n", "8"),
  ])
  func examplesOfTheStandard(pointer: String, raw: String) throws {
    try withDocument(Self.example) { document in
      let node = try #require(document.node(at: pointer))
      #expect((document.raw(node)).hasPrefix(raw))
      #expect(document.pointer(node) == pointer)
    }
  }

  @Test(arguments: [
    "foo", "/bar", "/foo/2", "/foo/-", "/foo/01", "/foo/+1", "/foo/1e0", "/foo/", "/foo/bar", "/foo/0/0", "//", "/m~n",
    "/m~2n", "/~", "#/foo", "/foo/99999999999999999999", "/foo/00", "/FOO",
  ])
  func leadNowhere(pointer: String) throws {
    try withDocument(Self.example) { #expect($0.node(at: pointer) == nil) }
  }

  @Test func theWayThereAndBack() throws {
    var seeded = Seeded(21)
    for _ in 0..<300 {
      var text = ""
      Value.random(&seeded).spell(&seeded, into: &text)
      try withDocument(text) { document in
        // Of duplicate keys only the last can be reached, and what lies in the others cannot.
        let hasDuplicates = (0..<document.tokens.count).contains {
          document.kind($0) == .object && document.hasDuplicateKeys(in: $0)
        }
        if hasDuplicates { return }
        for node in 0..<document.tokens.count {
          let pointer = document.pointer(node)
          let value = document.tokens[node].isKey ? node + 1 : node
          #expect(document.node(at: pointer) == value, "\(pointer)")
        }
      }
    }
  }

  @Test func duplicateKeysLeadToTheLast() throws {
    try withDocument(#"{"a":[1],"a":[2]}"#) { document in
      #expect(document.pointer(3) == "/a/0")
      #expect(document.node(at: "/a/0") == 6)
    }
  }

  @Test func deepPathsNeedNoStack() throws {
    let levels = 500
    let text = String(repeating: #"{"a":["#, count: levels / 2) + "1" + String(repeating: "]}", count: levels / 2)
    try withDocument(text) { document in
      let last = document.tokens.count - 1
      let pointer = document.pointer(last)
      #expect(pointer == String(repeating: "/a/0", count: levels / 2))
      #expect(document.node(at: pointer) == last)
    }
  }
}
