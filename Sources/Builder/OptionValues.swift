// Options whose values go into records: text with holes, numbers, times, JSON.

import JSON
import Options

extension Option where Value == Builder.Value {
  /// An option for text, in which `{{name}}` stands for a field of the recipient.
  public static func template(
    _ name: String, short: Character? = nil, value: String = "TEXT", _ summary: String, _ details: String,
    completion: Completion = .none, repeats: Bool = false
  ) -> Option<Builder.Value> {
    custom(
      name, short: short, value: value, summary, details, completion: completion, repeats: repeats,
      parse: { (text) throws(ValueError) in .text(try Template(text)) })
  }

  /// An option for a value of a certain shape. Without holes it is checked where it is read, with holes line by line.
  public static func shaped(
    _ name: String, short: Character? = nil, value: String, _ shape: Shape, _ summary: String, _ details: String,
    defaultText: String? = nil, environment: String? = nil, completion: Completion = .none
  ) -> Option<Builder.Value> {
    custom(
      name, short: short, value: value, summary, details, defaultText: defaultText, environment: environment,
      completion: completion, parse: { (text) throws(ValueError) in try .init(text, shape) })
  }

  /// An option for JSON, in which a hole inside of a string takes text and any other takes JSON.
  public static func json(
    _ name: String, _ summary: String, _ details: String, onlyObjects: Bool = false
  ) -> Option<Builder.Value> {
    custom(
      name, value: "JSON", summary, details,
      parse: { (text) throws(ValueError) in
        let value = try Builder.Value(json: text)
        if onlyObjects, !value.isObject { throw ValueError("expected a JSON object, found '\(text.prefix(60))'") }
        return value
      })
  }
}

extension Option where Value == UInt8 {
  /// `--delimiter`: the byte between the columns of a table.
  public static func delimiter(_ summary: String, _ details: String, default: UInt8?) -> Option<UInt8> {
    custom(
      "delimiter", value: "CHARACTER", summary, details + " One ASCII character, no quote and no line break.",
      default: `default`, defaultText: `default`.map { String(UnicodeScalar($0)) },
      parse: { (text) throws(ValueError) in
        guard text.utf8.count == 1, let byte = text.utf8.first, byte != 0x22, byte != 0x0A, byte != 0x0D, byte < 0x7F
        else {
          throw ValueError("expected one ASCII character, found '\(text.prefix(40))'")
        }
        return byte
      })
  }
}

extension Value {
  /// A value of a shape, from a text that may have holes.
  public init(_ text: String, _ shape: Shape) throws(ValueError) {
    let template = try Template(text)
    guard let constant = template.constant else {
      self = .filled(template, shape)
      return
    }
    switch try Filled(constant, shape) {
    case .json(let json): self = .json(json)
    case .string(let string): self = .text(Template(constant: string))
    case .clock(let offset): self = .clock(offset: offset)
    }
  }

  /// JSON, from a text that may have holes.
  public init(json text: String) throws(ValueError) {
    let template = try Template(text)
    guard let constant = template.constant else {
      // Compiling shows whether it is JSON once the holes are filled.
      _ = try Program(.jsonTemplate(template))
      self = .jsonTemplate(template)
      return
    }
    self = try Value(plainJSON: Array(constant.utf8))
  }

  /// JSON that has no holes. White space is taken out when there are line breaks in it, which no line can hold; otherwise
  /// it stays as it stands.
  public init(plainJSON bytes: [UInt8]) throws(ValueError) {
    var reader = Reader()
    do throws(SyntaxError) {
      try reader.read(bytes.span)
    } catch {
      let place = JSON.position(of: error.offset, in: bytes.span)
      let line = place.line > 1 ? "line \(place.line), " : ""
      throw ValueError("not JSON: \(error.message) at \(line)column \(place.column)")
    }
    let root = reader.tokens[0]
    let body = Array(bytes[root.start..<root.end])
    self = Value.json(
      body.contains { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } ? Self.minified(body) : body)
  }

  /// JSON whose strings may have holes: a payload kept in a file, say.
  public init(jsonWithHoles bytes: [UInt8]) throws(ValueError) {
    self = try Value(plainJSON: bytes)
    try fillStrings()
  }

  private mutating func fillStrings() throws(ValueError) {
    guard case .json(let bytes) = self, bytes.contains(UInt8(ascii: "{")) else { return }
    if bytes.first == UInt8(ascii: "\"") {
      let template = try Template((try? unquoted(bytes)) ?? "")
      if template.constant == nil || bytes.contains(UInt8(ascii: "\\")) { self = .text(template) }
      return
    }
    switch opened() {
    case .object(var members):
      for index in members.indices { try members[index].value.fillStrings() }
      self = .object(members)
    case .array(var elements):
      for index in elements.indices { try elements[index].fillStrings() }
      self = .array(elements)
    default: return
    }
  }

  /// Whether there is something that looks like a hole.
  public var seemsToHaveHoles: Bool {
    guard case .json(let bytes) = self else { return false }
    return String(decoding: bytes, as: UTF8.self).contains("{{")
  }

  /// Without white space outside of strings.
  static func minified(_ json: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(json.count)
    var isInString = false
    var isEscaped = false
    for byte in json {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
      } else if byte == UInt8(ascii: "\"") {
        isInString = true
      } else if byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
        continue
      }
      out.append(byte)
    }
    return out
  }

  /// Whether it is an object, as far as that is known before the holes are filled.
  public var isObject: Bool {
    switch self {
    case .object: true
    case .json(let bytes): bytes.first == UInt8(ascii: "{")
    case .jsonTemplate(let template):
      switch template.parts.first {
      case .text(let text): trimmed(text).hasPrefix("{")
      default: true
      }
    default: false
    }
  }
}

/// The text of a JSON string.
func unquoted(_ json: ArraySlice<UInt8>) throws(SyntaxError) -> String {
  var reader = Reader()
  try reader.read(json.span)
  let tokens = reader.tokens
  return Document(json.span, tokens.span).string(0)
}
