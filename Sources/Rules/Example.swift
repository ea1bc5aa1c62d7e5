// Examples of rules: lines that can be piped into the tool, built from the part that matters.

/// An example of a rule, as a line that can be piped into the tool.
public struct Example: Sendable {
  enum Form: Sendable {
    /// The text is a record.
    case record
    /// The text is a payload that is wrapped in a record: push type, and the keys that go with it.
    case payload(type: String, topic: String, rest: String)
    /// The text is the content of a file: something that cannot stand in a record.
    case file
    /// The text is the content of an `.apns` file.
    case apns
  }

  let form: Form
  private let parts: [Part]
  /// Options of the command line without which the rule is silent.
  public let options: [String]

  /// A piece of text, or a letter repeated: limits are not tested with four thousand typed letters.
  enum Part: Sendable {
    case text(String)
    case letters(Int)
    case bytes([UInt8])
  }

  init(_ form: Form, _ parts: [Part], _ options: [String] = []) {
    self.form = form
    self.parts = parts
    self.options = options
  }

  public static let token = "a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9a"
  public static let activityToken =
    "80c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718"
    + "293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90a1"

  /// A provider token in order, made at 1789999400.
  static let jwt =
    "eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ.eyJpc3MiOiJERUYxMjNHSElKIiwiaWF0IjoxNzg5OTk5NDAwfQ."
    + "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT4_QA"

  /// The line (or the file's content).
  public var bytes: [UInt8] {
    var inside: [UInt8] = []
    for part in parts {
      switch part {
      case .text(let text): inside.append(contentsOf: text.utf8)
      case .letters(let count): inside.append(contentsOf: repeatElement(UInt8(ascii: "x"), count: count))
      case .bytes(let bytes): inside.append(contentsOf: bytes)
      }
    }
    guard case .payload(let type, let topic, let rest) = form else { return inside }
    let token = type == "liveactivity" ? Self.activityToken : Self.token
    let head =
      "{\"token\":\"\(token)\",\"topic\":\"\(topic)\",\"push_type\":\"\(type)\"\(rest),\"payload\":"
    return Array(head.utf8) + inside + [UInt8(ascii: "}")]
  }

  /// The line as text.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// For pages: whole records with whole tokens, long runs cut short, bytes that are no text shown as numbers.
  public var pageText: String { shown(wrapped: true) }

  /// The same without the record's token.
  public var shortText: String { shown(wrapped: false).shortened }

  private func shown(wrapped: Bool) -> String {
    var text = ""
    for part in parts {
      switch part {
      case .text(let piece): text += piece
      case .letters(let count): text += "<\(count) letters>"
      case .bytes(let bytes):
        text +=
          bytes.allSatisfy { $0 < 0x80 } && bytes.first.map { $0 >= 0x20 } == true
          ? String(decoding: bytes, as: UTF8.self)
          : "<" + bytes.map { String($0, radix: 16, uppercase: true) }.joined(separator: " ") + ">"
      }
    }
    if text.isEmpty { text = "<nothing>" }
    text = text.withoutBlankRuns
    guard case .payload(let type, let topic, let rest) = form else { return text }
    let token = type == "liveactivity" ? Self.activityToken : Self.token
    let head = wrapped ? "\"token\":\"\(token)\"," : ""
    return "{\(head)\"topic\":\"\(topic)\",\"push_type\":\"\(type)\"\(rest),\"payload\":\(text)}"
  }

  /// Whether the example is a whole file, not a line.
  public var isFile: Bool {
    switch form {
    case .file, .apns: true
    default: false
    }
  }

  /// Whether the file's name must end in `.apns`.
  public var isSimulatorFile: Bool {
    if case .apns = form { return true }
    return false
  }
}

extension Example {
  static func record(_ text: String, _ options: String...) -> Example { Example(.record, [.text(text)], options) }

  static func file(_ text: String, _ options: String...) -> Example { Example(.file, [.text(text)], options) }

  static func bytes(_ bytes: [UInt8], _ text: String = "", _ options: String...) -> Example {
    Example(.file, [.bytes(bytes), .text(text)], options)
  }

  static func apns(_ text: String, _ options: String...) -> Example { Example(.apns, [.text(text)], options) }

  /// A record of an alert with this payload.
  static func alert(_ payload: String, _ options: String...) -> Example {
    Example(.payload(type: "alert", topic: "com.example.app", rest: ""), [.text(payload)], options)
  }

  static func background(_ payload: String, _ rest: String = #","priority":5"#) -> Example {
    Example(.payload(type: "background", topic: "com.example.app", rest: rest), [.text(payload)])
  }

  static func live(_ payload: String, _ rest: String = #","priority":5"#, _ options: String...) -> Example {
    Example(
      .payload(type: "liveactivity", topic: "com.example.app.push-type.liveactivity", rest: rest), [.text(payload)],
      options)
  }

  static func voip(_ payload: String, _ rest: String = #","priority":10,"expiration":0"#) -> Example {
    Example(.payload(type: "voip", topic: "com.example.app.voip", rest: rest), [.text(payload)])
  }

  static func type(
    _ type: String, _ suffix: String, _ payload: String, _ rest: String = "", _ options: String...
  ) -> Example {
    Example(.payload(type: type, topic: "com.example.app" + suffix, rest: rest), [.text(payload)], options)
  }

  static func mdm(_ payload: String) -> Example {
    Example(
      .payload(type: "mdm", topic: "com.apple.mgmt.External.12345678-1234-1234-1234-123456789012", rest: ""),
      [.text(payload)])
  }

  /// A record without a push type.
  static func untyped(topic: String, _ payload: String, _ rest: String = "", _ options: String...) -> Example {
    Example(
      .record,
      [.text("{\"token\":\"\(token)\",\"topic\":\"\(topic)\"\(rest),\"payload\":\(payload)}")], options)
  }

  /// A record of a broadcast.
  static func broadcast(_ keys: String, _ payload: String, _ options: String...) -> Example {
    Example(.record, [.text("{\"topic\":\"com.example.app\"\(keys),\"payload\":\(payload)}")], options)
  }

  /// The same with the letter x repeated between two pieces of text.
  static func alert(_ before: String, letters: Int, _ after: String) -> Example {
    Example(
      .payload(type: "alert", topic: "com.example.app", rest: ""),
      [.text(before), .letters(letters), .text(after)])
  }

  static func file(_ before: String, letters: Int, _ after: String) -> Example {
    Example(.file, [.text(before), .letters(letters), .text(after)])
  }

  static func apns(_ before: String, letters: Int, _ after: String) -> Example {
    Example(.apns, [.text(before), .letters(letters), .text(after)])
  }

  static func broadcast(_ keys: String, _ before: String, letters: Int, _ after: String) -> Example {
    Example(
      .record,
      [.text("{\"topic\":\"com.example.app\"\(keys),\"payload\":\(before)"), .letters(letters), .text(after + "}")])
  }
}

extension String {
  /// The text with the device tokens of examples cut short.
  fileprivate var shortened: String {
    var text = self
    for token in [Example.activityToken, Example.token] { text = text.replacing(token, with: "a1b2…") }
    return text
  }

  /// The text with long runs of blanks cut short.
  fileprivate var withoutBlankRuns: String {
    var text = self
    let blanks = String(repeating: " ", count: 64)
    while text.contains(blanks) { text = text.replacing(blanks, with: " ") }
    return text
  }
}
