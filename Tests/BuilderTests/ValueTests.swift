// Changes to a record: what is set, what is filled, what stays the bytes it was.
import JSON
import Options
import Testing

@testable import Builder

private func text(_ value: Value) throws -> String {
  var runner = Runner(RunSettings())
  let program = try Program(value)
  var out: [UInt8] = []
  let nothing: [UInt8] = []
  try runner.run(program, nothing.span, token: .missing, [], .object, into: &out)
  return String(decoding: out, as: UTF8.self)
}

private func path(_ text: String) throws -> [PathStep] { try CustomKey.path(text) }

@Suite struct ValueTests {
  @Test(arguments: [
    (#"{}"#, "a.b.c", #"{"a":{"b":{"c":1}}}"#),
    (#"{"a":{"x": 2.50 }}"#, "a.b", #"{"a":{"x":2.50,"b":1}}"#),
    (#"{"a": {"x" : "\u00e9"}, "b":0}"#, "b", #"{"a":{"x" : "\u00e9"},"b":1}"#),
    (#"{"a":null}"#, "a.b", #"{"a":{"b":1}}"#),
    (#"{"a":[1,2]}"#, "a[]", #"{"a":[1,2,1]}"#),
    (#"{"a":[1,2]}"#, "a[0]", #"{"a":[1,2]}"#),
    (#"{"a":[7,{"b":2}]}"#, "a[1].b", #"{"a":[7,{"b":1}]}"#),
    (#"{}"#, #"a\.b"#, #"{"a.b":1}"#),
    (#"{}"#, "a[b][]", #"{"a":{"b":[1]}}"#),
    (#"{"a":5,"a":6}"#, "a", #"{"a":5,"a":1}"#),
  ])
  func set(_ before: String, _ place: String, _ after: String) throws {
    let value = try Value.json(before).applying([.set(path(place), .json("1"))])
    #expect(try text(value) == after)
  }

  @Test(arguments: [(#"{"a":1}"#, "a.b"), (#"{"a":"x"}"#, "a[]"), (#"{"a":[1]}"#, "a.b"), (#"{"a":[1]}"#, "a[3]")])
  func throughWhatIsNoContainer(_ before: String, _ place: String) throws {
    let steps = try path(place)
    #expect(throws: PathError.self) { try Value.json(before).applying([.set(steps, .json("1"))]) }
  }

  @Test func fillLeavesWhatIsThere() throws {
    let value = try Value.json(#"{"a":1}"#).applying([
      .fill(path("a"), .json("2")), .fill(path("b"), .json("3")),
    ])
    #expect(try text(value) == #"{"a":1,"b":3}"#)
  }

  @Test func unset() throws {
    let value = try Value.json(#"{"a":{"b":1,"c":[1,2,3]},"d":4,"d":5}"#).applying([
      .unset(path("a.b")), .unset(path("a.c[1]")), .unset(path("d")), .unset(path("x.y")), .unset(path("a.c.z")),
    ])
    #expect(try text(value) == #"{"a":{"c":[1,3]}}"#)
  }

  @Test func mergeGoesIntoObjects() throws {
    let value = try Value.json(#"{"p":{"aps":{"alert":"x","badge":1},"n":1}}"#).applying([
      .merge(path("p"), .json(#"{"aps":{"badge":2,"sound":"s"},"n":{"m":1}}"#))
    ])
    #expect(try text(value) == #"{"p":{"aps":{"alert":"x","badge":2,"sound":"s"},"n":{"m":1}}}"#)
  }

  @Test func aTextAlertBecomesTheBody() throws {
    let value = try Value.json(#"{"payload":{"aps":{"alert":"Hi"}}}"#).applying([
      .set(path("payload.aps.alert.title"), .json("\"T\""))
    ])
    #expect(try text(value) == #"{"payload":{"aps":{"alert":{"body":"Hi","title":"T"}}}}"#)
  }

  @Test func newMembersOfARecordGoWhereTheManualHasThem() throws {
    let value = try Value.json(#"{"token":"aa","payload":{},"meta":1}"#).applying([
      .set([.key("id")], .json("1")), .set([.key("topic")], .json("2")),
    ])
    #expect(try text(value) == #"{"token":"aa","topic":2,"id":1,"payload":{},"meta":1}"#)
  }

  @Test func aSuffixIsAddedOnce() throws {
    for before in [#"{"topic":"a.b"}"#, #"{"topic":"a.b.voip"}"#] {
      #expect(try text(Value.json(before).applying([.suffixTopic(".voip")])) == #"{"topic":"a.b.voip"}"#)
    }
    #expect(try text(Value.json("{}").applying([.suffixTopic(".voip")])) == "{}")
  }

  @Test(arguments: [
    ("a=b", CustomKey.Source.text("b")), ("a:=1", .json("1")), ("a=@f", .textFile("f")), ("a:=@f", .jsonFile("f")),
    (#"a=\@f"#, .text("@f")), ("a=b=c:=d", .text("b=c:=d")), ("a=", .text("")),
  ])
  func operands(_ operand: String, _ source: CustomKey.Source) throws {
    let key = try CustomKey(operand)
    #expect(key.path == [.key("a")])
    #expect(key.source == source)
  }

  @Test(arguments: ["", "a", "=b", ".a=b", "a.=b", "[x]=b", "a[=b", "a[x]y=b", #"a\"#])
  func operandsThatAreNone(_ operand: String) {
    #expect(throws: ValueError.self) { try CustomKey(operand) }
  }

  @Test func templatesInJSON() throws {
    let value = try Value(json: #"{"n":{{n}},"t":"<{{n}}>"}"#)
    var runner = Runner(RunSettings())
    let program = try Program(value)
    func fill(_ text: String) throws -> String {
      var out: [UInt8] = []
      let bytes = Array(text.utf8)
      try runner.run(
        program, bytes.span, token: .missing, [Field(0, bytes.count)], .object, into: &out)
      return String(decoding: out, as: UTF8.self)
    }
    #expect(try fill("[1]") == #"{"n":[1],"t":"<[1]>"}"#)
    #expect(try fill(#""a""#) == #"{"n":"a","t":"<\"a\">"}"#)
    #expect(throws: LineFault.self) { try fill("1,2") }
    #expect(throws: LineFault.self) { try fill(#"1},"x":{"#) }
    #expect(throws: ValueError.self) { try Value(json: #"{"n":{{n}}"#) }
    #expect(throws: ValueError.self) { try Value(json: #"{"n":{{n|x}}}"#) }
  }
}
