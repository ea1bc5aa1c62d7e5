// Text with holes: `Hello {{name|friend}}`, read once and filled for every recipient.

import Options

/// A text in which `{{name}}` stands for a field of the recipient.
///
/// `{{name|fallback}}` puts the fallback where the field is missing or empty. `\{{` stands for the two braces themselves,
/// `\\{{` for a backslash before a hole; any other backslash is an ordinary character.
public struct Template: Sendable, Equatable {
  /// A piece of the text.
  public enum Part: Sendable, Equatable {
    case text(String)
    case hole(name: String, fallback: String?)
  }

  /// The pieces in order; neighbouring texts are one piece, no text is empty.
  public private(set) var parts: [Part] = []

  /// A text without holes, taken as it stands.
  public init(constant text: String) {
    if !text.isEmpty { parts = [.text(text)] }
  }

  /// Reads a text with holes.
  /// - Throws: an error that names the hole without an end or without a name.
  public init(_ text: String) throws(ValueError) {
    var rest = text.utf8[...]
    var literal: [UInt8] = []
    while let byte = rest.first {
      guard byte == UInt8(ascii: "\\") || Self.opens(rest) else {
        literal.append(byte)
        rest.removeFirst()
        continue
      }
      let slashes = rest.prefix { $0 == UInt8(ascii: "\\") }.count
      rest.removeFirst(slashes)
      guard Self.opens(rest) else {
        literal.append(contentsOf: repeatElement(UInt8(ascii: "\\"), count: slashes))
        continue
      }
      literal.append(contentsOf: repeatElement(UInt8(ascii: "\\"), count: slashes / 2))
      rest.removeFirst(2)
      if slashes % 2 == 1 {
        literal.append(contentsOf: [UInt8(ascii: "{"), UInt8(ascii: "{")])
        continue
      }
      append(literal: &literal)
      parts.append(try Self.hole(&rest))
    }
    append(literal: &literal)
  }

  private static func opens(_ rest: Substring.UTF8View) -> Bool {
    rest.first == UInt8(ascii: "{") && rest.dropFirst().first == UInt8(ascii: "{")
  }

  private mutating func append(literal: inout [UInt8]) {
    if !literal.isEmpty { parts.append(.text(String(decoding: literal, as: UTF8.self))) }
    literal.removeAll()
  }

  /// Reads a hole behind its opening braces.
  private static func hole(_ rest: inout Substring.UTF8View) throws(ValueError) -> Part {
    let inside = Substring(rest)
    guard let end = closing(rest) else {
      throw ValueError("'{{\(inside.prefix(40))' has no '}}'; for two braces that are text write '\\{{'")
    }
    let words = String(inside[..<end])
    rest = rest[end...].dropFirst(2)
    let halves = words.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
    let name = trimmed(halves.first ?? "")
    if name.isEmpty { throw ValueError("'{{\(words)}}' names no field; for two braces that are text write '\\{{'") }
    return .hole(name: name, fallback: halves.count == 2 ? trimmed(halves[1]) : nil)
  }

  private static func closing(_ rest: Substring.UTF8View) -> Substring.UTF8View.Index? {
    var index = rest.startIndex
    while index < rest.endIndex {
      let next = rest.index(after: index)
      if rest[index] == UInt8(ascii: "}"), next < rest.endIndex, rest[next] == UInt8(ascii: "}") { return index }
      index = next
    }
    return nil
  }

  /// The text when there is no hole in it.
  public var constant: String? {
    switch parts.count {
    case 0: return ""
    case 1:
      if case .text(let text) = parts[0] { return text }
      return nil
    default: return nil
    }
  }

  /// The names of the fields it needs.
  public var names: [String] {
    parts.compactMap { if case .hole(let name, _) = $0 { name } else { nil } }
  }

  /// The template with more text at its end.
  public func adding(_ text: String) -> Template {
    var copy = self
    if case .text(let last) = parts.last {
      copy.parts[parts.count - 1] = .text(last + text)
    } else {
      copy.parts.append(.text(text))
    }
    return copy
  }
}

/// The text without blanks at its ends.
func trimmed(_ text: some StringProtocol) -> String {
  var rest = Substring(text)
  while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
  while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
  return String(rest)
}
