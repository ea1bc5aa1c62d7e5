// Lines in, notifications out: bare tokens, objects with fields, and records to be changed.

import APNs
import Filter
import JSON
import Options
import Spelling

/// The work of apns-build on lines that are not a table.
public struct LineBuilder: LineProcessor {
  let recipe: Recipe
  var maker: Maker
  /// The program of the last record that was compiled for itself.
  private var program: Program
  var reader = Reader()
  /// The values of the line's fields, decoded, one behind the other.
  var values: [UInt8] = []
  var fields: [Field] = []

  public init(_ recipe: Recipe) {
    self.recipe = recipe
    maker = Maker(recipe)
    program = recipe.program
  }

  public mutating func process(_ line: Span<UInt8>, number: Int, into output: inout Output) {
    do throws(LineFault) {
      let bare = line.withoutBlanks
      if bare[0] == UInt8(ascii: "{"), !bare.isDataDescription {
        try object(line, into: &output)
      } else {
        do throws(LineFault) { try self.bare(bare, into: &output) } catch { throw Self.otherFault(bare) ?? error }
      }
    } catch {
      output.say(recipe.tool, line: number, error.message)
      output.faultCount += 1
    }
  }

  /// What is no token, and what to do about it, where that is easily said.
  private static func otherFault(_ line: Span<UInt8>) -> LineFault? {
    if line.isUTF16 { return LineFault(utf16) }
    switch line[0] {
    case UInt8(ascii: "["): return LineFault("this is a JSON array; write its elements one a line, as with jq -c '.[]'")
    // `}`, `],`, `"token": "a1b2…",`.
    case UInt8(ascii: "}"), UInt8(ascii: "]"): return LineFault(prettyPrinted)
    case UInt8(ascii: "\"") where line.hasKey: return LineFault(prettyPrinted)
    default: break
    }
    var index = 0
    while index < line.count, DeviceToken.isHexadecimal(line[index]) { index += 1 }
    guard index < line.count, line[index] == UInt8(ascii: ",") || line[index] == UInt8(ascii: "\t") else { return nil }
    return LineFault("this is a row of a table, no device token: give --csv or --tsv, with a header as the first line")
  }

  static let utf16 = "this is UTF-16; convert the input, as with iconv -f UTF-16 -t UTF-8"
  private static let prettyPrinted =
    "this is a part of pretty-printed JSON; write one object a line, as with jq -c ."

  /// A recipient that is nothing but a token.
  public mutating func bare(_ token: Span<UInt8>, into output: inout Output) throws(LineFault) {
    try recipe.checkComplete()
    let place = Field(0, token.count)
    fields.removeAll(keepingCapacity: true)
    for name in recipe.program.columns { fields.append(name == recipe.tokenField ? place : .missing) }
    try maker.make(recipe.program, token, token: place, fields, .bare, into: &output)
  }

  private mutating func object(_ line: Span<UInt8>, into output: inout Output) throws(LineFault) {
    do throws(SyntaxError) {
      try reader.read(line)
    } catch {
      if line.endsOpen, error.offset + 1 >= line.count { throw LineFault(Self.prettyPrinted) }
      let column = JSON.position(of: error.offset, in: line).column
      if line.isUTF16 { throw LineFault(Self.utf16) }
      throw LineFault("not JSON: \(error.message) at column \(column)")
    }
    let tokens = reader.tokens
    let document = Document(line, tokens.span)
    values.removeAll(keepingCapacity: true)
    if recipe.payloadField == nil, let payload = document.find("payload", in: 0) {
      guard document.kind(payload) == .object else { throw LineFault("\"payload\" is no object") }
      try edit(document, into: &output)
    } else if let key = recipe.payloadField {
      try own(document, key, into: &output)
    } else {
      try recipe.checkComplete()
      let token = try token(document)
      try collect(document, recipe.program.columns)
      let values = values
      try maker.make(recipe.program, values.span, token: token, fields, .object, into: &output)
    }
  }

  /// A record that came in whole, to be changed.
  private mutating func edit(_ document: borrowing Document, into output: inout Output) throws(LineFault) {
    var value = Value.json(Array(copying: document.raw(0)))
    var token = Field.missing
    if let node = document.find("token", in: 0), document.kind(node) == .string {
      token = keep(document, node)
      value = try changed(value, [.set([.key("token")], .token)])
    }
    try make(try changed(value, recipe.edits), document, token: token, into: &output)
  }

  /// A recipient with a payload of its own.
  private mutating func own(
    _ document: borrowing Document, _ key: String, into output: inout Output
  ) throws(LineFault) {
    var value = recipe.start
    if let node = document.find(key, in: 0), document.kind(node) != .null {
      guard document.kind(node) == .object else { throw LineFault("\"\(key)\" is no object, so it is no payload") }
      // Merging compares keys with keys; no payload that APNs takes is near this.
      let size = document.raw(node).count
      guard size <= 65_536 else { throw LineFault("\"\(key)\" has \(size) bytes, far too many for a payload") }
      value = try changed(value, [.merge([.key("payload")], try payload(Array(copying: document.raw(node))))])
    }
    try make(try changed(value, recipe.changes), document, token: try token(document), into: &output)
  }

  private func payload(_ bytes: [UInt8]) throws(LineFault) -> Value {
    guard recipe.fillsPayloads else { return .json(bytes) }
    do throws(ValueError) { return try Value(jsonWithHoles: bytes) } catch { throw LineFault(error.message) }
  }

  private func changed(_ value: Value, _ changes: [Change]) throws(LineFault) -> Value {
    do throws(PathError) { return try value.applying(changes) } catch { throw LineFault(error.message) }
  }

  private mutating func make(
    _ value: Value, _ document: borrowing Document, token: Field, into output: inout Output
  ) throws(LineFault) {
    do throws(ValueError) { try program.compile(value) } catch { throw LineFault(error.message) }
    let program = program
    try collect(document, program.columns)
    let values = values
    try maker.make(program, values.span, token: token, fields, .object, into: &output)
  }

  private mutating func token(_ document: borrowing Document) throws(LineFault) -> Field {
    guard recipe.program.needsToken else { return .missing }
    guard let node = document.find(recipe.tokenField, in: 0) else {
      let keys = document.keys(of: 0)
      let near = closest(to: recipe.tokenField, among: keys).map { "; did you mean \"\($0)\"? --token-field \($0)" }
      throw LineFault("the object has no member \"\(recipe.tokenField)\"\(near ?? "")")
    }
    guard document.kind(node) == .string else { throw LineFault("\"\(recipe.tokenField)\" is no string") }
    return keep(document, node)
  }

  /// Looks up what the holes want. A name may lead into objects by dots when no member has it whole.
  private mutating func collect(_ document: borrowing Document, _ names: [String]) throws(LineFault) {
    fields.removeAll(keepingCapacity: true)
    for name in names {
      guard let node = document.find(name, in: 0) ?? document.find(dotted: name), document.kind(node) != .null else {
        fields.append(.missing)
        continue
      }
      fields.append(keep(document, node))
      // Names may lead to an object and to everything in it.
      if values.count > Runner.recordLimit + document.bytes.count { throw Runner.tooLarge }
    }
  }

  /// A string as its text, everything else as its JSON.
  private mutating func keep(_ document: borrowing Document, _ node: Int) -> Field {
    let start = values.count
    if document.kind(node) == .string {
      document.appendDecoded(node, to: &values)
    } else {
      values.append(document.raw(node))
    }
    return Field(start, values.count)
  }
}

extension Document {
  /// The value at `a.b.c`, member by member.
  func find(dotted name: String) -> Int? {
    guard name.utf8.contains(UInt8(ascii: ".")) else { return nil }
    var node = 0
    for part in name.split(separator: ".", omittingEmptySubsequences: false) {
      guard let next = find(String(part), in: node) else { return nil }
      node = next
    }
    return node
  }

  func keys(of object: Int) -> [String] {
    guard kind(object) == .object else { return [] }
    var keys: [String] = []
    var key = object + 1
    while key < next(object), keys.count < 200 {
      keys.append(string(key))
      key = next(key + 1)
    }
    return keys
  }
}

extension Span<UInt8> {
  /// Without blanks at its ends; the span is not all blank.
  var withoutBlanks: Span<UInt8> {
    @_lifetime(copy self) get {
      var start = 0
      var end = count
      while start + 1 < end, self[start] == 0x20 || self[start] == 0x09 { start += 1 }
      while end > start + 1, self[end - 1] == 0x20 || self[end - 1] == 0x09 { end -= 1 }
      return extracting(start..<end)
    }
  }

  /// Every other byte of ASCII in UTF-16 is 0, and a file of it may begin with a mark of its own.
  var isUTF16: Bool {
    if count > 1, self[0] == 0xFF && self[1] == 0xFE || self[0] == 0xFE && self[1] == 0xFF { return true }
    var zeros = 0
    for index in indices where self[index] == 0 { zeros += 1 }
    return zeros * 3 >= count
  }

  /// The line goes on behind its end: `{`, `"a": [`, `"a": 1,`.
  var endsOpen: Bool {
    var end = count
    while end > 0, self[end - 1] <= 0x20 { end -= 1 }
    return end > 0 && [UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ",")].contains(self[end - 1])
  }

  /// `"key":` at the start.
  var hasKey: Bool {
    guard let quote = firstIndex(of: UInt8(ascii: "\""), from: 1) else { return false }
    var index = quote + 1
    while index < count, self[index] == 0x20 { index += 1 }
    return index < count && self[index] == UInt8(ascii: ":")
  }

  /// `{length = 32, bytes = 0x…}`, which begins like an object.
  var isDataDescription: Bool {
    var index = 1
    while index < count, self[index] == 0x20 { index += 1 }
    let word: StaticString = "length"
    guard index + 6 <= count else { return false }
    var place = index
    for byte in "\(word)".utf8 {
      if self[place] != byte { return false }
      place += 1
    }
    return true
  }
}
