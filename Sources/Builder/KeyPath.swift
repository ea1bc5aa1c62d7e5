// Custom keys as people type them: `order.id:=7`, `tags[]=new`, `text=@file`, in the way of HTTPie.

import JSON
import Options

/// One operand of the command line: where something goes, and what.
public struct CustomKey: Sendable, Equatable {
  public enum Source: Sendable, Equatable {
    case text(String)
    case json(String)
    case textFile(String)
    case jsonFile(String)
  }

  public let path: [PathStep]
  public let source: Source

  /// Reads `key=text`, `key:=json`, `key=@file`, `key:=@file`.
  /// - Throws: an error that says which of them was meant or what is missing.
  public init(_ operand: String) throws(ValueError) {
    guard let (path, mark) = try Self.split(operand) else {
      throw ValueError("expected key=text or key:=json, found '\(operand.prefix(60))'")
    }
    self.path = path
    let rest = String(mark.rest)
    let file = rest.hasPrefix("@") ? String(rest.dropFirst()) : nil
    if mark.isJSON {
      source = file.map { .jsonFile($0) } ?? .json(rest)
    } else {
      source = file.map { .textFile($0) } ?? .text(rest.hasPrefix("\\@") ? String(rest.dropFirst()) : rest)
    }
  }

  /// Reads a path that stands alone: `order.id`, `aps.badge`, `tags[0]`.
  public static func path(_ text: String) throws(ValueError) -> [PathStep] {
    var parser = PathParser(text)
    try parser.run(untilMark: false)
    return parser.steps
  }

  private static func split(
    _ operand: String
  ) throws(ValueError) -> (path: [PathStep], mark: (isJSON: Bool, rest: Substring))? {
    var parser = PathParser(operand)
    try parser.run(untilMark: true)
    if parser.rest.hasPrefix(":=") { return (parser.steps, (true, parser.rest.dropFirst(2))) }
    if parser.rest.hasPrefix("=") { return (parser.steps, (false, parser.rest.dropFirst())) }
    return nil
  }
}

/// Reads a path up to `=` or `:=`. A backslash takes the next character as it is.
private struct PathParser {
  let text: String
  var rest: Substring
  var steps: [PathStep] = []
  var name = ""
  /// A bracket has just been closed: what follows is a dot, another bracket or the mark.
  var isBehindBracket = false

  init(_ text: String) {
    self.text = text
    rest = text[...]
  }

  /// As many containers as a JSON text may have inside each other; each step makes one.
  private static let stepLimit = 512

  mutating func run(untilMark: Bool) throws(ValueError) {
    while let character = rest.first {
      if steps.count > Self.stepLimit { throw fault("leads through more than \(Self.stepLimit) levels") }
      if untilMark, character == "=" || rest.hasPrefix(":=") { break }
      rest.removeFirst()
      switch character {
      case "\\":
        guard let next = rest.popFirst() else { throw fault("ends in a backslash") }
        name.append(next)
      case ".": try endName(isEnd: false)
      case "[": try bracket()
      default:
        if isBehindBracket {
          throw fault("has '\(character)' behind a bracket; expected '.', '[' or the end of the key")
        }
        name.append(character)
      }
    }
    try endName(isEnd: true)
    if steps.count > Self.stepLimit { throw fault("leads through more than \(Self.stepLimit) levels") }
    if steps.isEmpty { throw fault("is empty") }
    if case .key = steps[0] {} else { throw fault("begins with a bracket; a key comes first") }
  }

  private mutating func endName(isEnd: Bool) throws(ValueError) {
    if isBehindBracket {
      isBehindBracket = false
      return
    }
    if name.isEmpty { throw fault(isEnd && steps.isEmpty ? "is empty" : "has nothing between two dots") }
    steps.append(.key(name))
    name = ""
  }

  private mutating func bracket() throws(ValueError) {
    if !isBehindBracket {
      if name.isEmpty { throw fault("begins with a bracket; a key comes first") }
      steps.append(.key(name))
      name = ""
    }
    guard let end = rest.firstIndex(of: "]") else { throw fault("has a '[' without ']'") }
    let inside = String(rest[..<end])
    rest = rest[rest.index(after: end)...]
    if inside.isEmpty {
      steps.append(.append)
    } else if let index = Int(inside), index >= 0, index < 100_000 {
      steps.append(.index(index))
    } else {
      steps.append(.key(inside))
    }
    isBehindBracket = true
  }

  private func fault(_ words: String) -> ValueError {
    ValueError("the key of '\(text.prefix(60))' \(words)")
  }
}
