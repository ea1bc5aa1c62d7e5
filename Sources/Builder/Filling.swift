// Texts whose holes were filled and which must be something: a number, a time, a priority, a header's value.

import APNs
import JSON
import Options
import Spelling

extension Runner {
  mutating func fill(
    _ fill: Fill, _ program: borrowing Program, _ bytes: Span<UInt8>, _ fields: [Field], _ kind: RowKind,
    _ out: inout [UInt8]
  ) throws(LineFault) {
    scratch.removeAll(keepingCapacity: true)
    var name = ""
    for part in fill.parts {
      switch part {
      case .text(let piece): scratch.append(program.pool.span.extracting(piece.start..<piece.end))
      case .column(let column, let fallback):
        name = program.columns[column]
        let field = fields[column]
        if let fallback, field.isMissing || field.isEmpty {
          scratch.append(program.pool.span.extracting(fallback.start..<fallback.end))
        } else if field.isMissing {
          throw kind.missing(name)
        } else {
          scratch.append(bytes.extracting(field.range))
        }
        if scratch.count > Self.recordLimit { throw Self.tooLarge }
      }
    }
    let text = String(utf8: scratch.span)
    do throws(ValueError) {
      switch try Filled(text, fill.shape) {
      case .json(let json): out.append(json)
      case .string(let string): out.appendJSONString(string)
      case .clock(let offset):
        let place = out.count
        out.append(decimal: settings.clock.unixSeconds + offset)
        clocks.append(place..<out.count)
      }
      if fill.shape == .pushType { pushType = PushType(rawValue: text) }
    } catch {
      throw LineFault(name.isEmpty ? error.message : "{{\(name)}}: \(error.message)")
    }
  }
}

/// A checked text as it goes into a record.
public enum Filled: Equatable, Sendable {
  case json(String)
  case string(String)
  case clock(offset: Int)

  /// Checks a text. The same checks hold for what stands on the command line and for what a line fills in.
  /// - Throws: an error that says what was expected and what was found.
  public init(_ text: String, _ shape: Shape) throws(ValueError) {
    let shown = "'\(text.prefix(60))'"
    switch shape {
    case .number, .fraction:
      guard let first = text.utf8.first, first == 0x2D || (0x30...0x39).contains(first) else {
        throw ValueError("expected a number\(shape == .fraction ? " from 0 to 1" : ""), found \(shown)")
      }
      try checkJSON(Array(text.utf8), "the number \(shown)")
      if shape == .fraction, !(Double(text).map { (0...1).contains($0) } ?? false) {
        throw ValueError("expected a number from 0 to 1, found \(shown)")
      }
      self = .json(text)
    case .count:
      guard let count = Int(text), count >= 0, text.utf8.first != 0x2B else {
        throw ValueError("expected a whole number from 0, found \(shown)")
      }
      self = .json(String(count))
    case .time:
      switch try Moment(text) {
      case .at(let seconds): self = .json(String(seconds))
      case .fromNow(let offset): self = .clock(offset: offset)
      }
    case .priority:
      guard text == "1" || text == "5" || text == "10" else { throw ValueError("expected 10, 5 or 1, found \(shown)") }
      self = .json(text)
    case .pushType:
      guard PushType(rawValue: text) != nil else {
        let near = closest(to: text, among: PushType.allCases.map(\.rawValue)).map { "; did you mean '\($0)'?" } ?? ""
        throw ValueError("\(shown) is no push type\(near)")
      }
      self = .string(text)
    case .oneOf(let words):
      guard words.contains(text) else {
        let near = closest(to: text, among: words).map { "; did you mean '\($0)'?" } ?? ""
        throw ValueError("expected \(words.joined(separator: ", ")), found \(shown)\(near)")
      }
      self = .string(text)
    case .topic(let suffix):
      let topic = try Self.header(text, .header, shown)
      self = .string(topic.hasSuffix(suffix) ? topic : topic + suffix)
    default: self = .string(try Self.header(text, shape, shown))
    }
  }

  private static func header(_ text: String, _ shape: Shape, _ shown: String) throws(ValueError) -> String {
    switch shape {
    case .uuid:
      guard Identifiers.isUUID(text.utf8Span.span) else {
        throw ValueError("expected a UUID like 123e4567-e89b-12d3-a456-426614174000, found \(shown)")
      }
      return text.lowercased()
    case .collapseID:
      if text.isEmpty { throw ValueError("a collapse id must not be empty") }
      if text.utf8.count > Identifiers.collapseLimit {
        throw ValueError("\(shown) has \(text.utf8.count) bytes; a collapse id may have 64")
      }
      if text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
        throw ValueError("a collapse id must not hold control characters")
      }
    case .channelID:
      guard Identifiers.isChannel(text.utf8Span.span) else {
        throw ValueError("expected the base64 of a channel identifier, found \(shown)")
      }
    case .environment:
      guard ServiceEnvironment(rawValue: text) != nil else {
        throw ValueError("expected production or sandbox, found \(shown)")
      }
    default:
      if text.isEmpty { throw ValueError("the value is empty") }
      if text.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F }) {
        throw ValueError("\(shown) holds a blank or a character that no header may hold")
      }
    }
    return text
  }
}
