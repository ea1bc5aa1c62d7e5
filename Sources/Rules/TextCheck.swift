// A text of one or many documents, however they are laid out: pretty-printed, one a line, several behind each other.

import JSON

/// The lines of a text, for places that are asked one behind the other. It remembers the last line alone, whatever the
/// length of the text.
public struct LineIndex: Sendable {
  private var line = 1
  private var start = 0
  /// Where the line's text ends; nil before it was looked for.
  private var end: Int?

  public init() {}

  /// The line an offset is in: its number from 1, where it starts, where its text ends.
  public mutating func place(_ offset: Int, _ bytes: Span<UInt8>) -> (line: Int, start: Int, end: Int) {
    let offset = max(0, min(offset, bytes.count))
    while offset < start {
      // Back to the line before.
      var index = start - 1
      while index > 0, bytes[index - 1] != 0x0A { index -= 1 }
      (line, start, end) = (line - 1, index, nil)
    }
    while true {
      var next = end ?? start
      if end == nil { while next < bytes.count, bytes[next] != 0x0A { next += 1 } }
      end = next
      if offset <= next || next >= bytes.count { break }
      (line, start, end) = (line + 1, next + 1, nil)
    }
    var last = end ?? bytes.count
    if last > start, bytes[last - 1] == 0x0D { last -= 1 }
    return (line, start, last)
  }
}

/// Checks the documents of a text one after the other.
public struct TextCheck: Sendable {
  private let name: String
  private let form: Form?
  private let isLines: Bool
  private let lineBase: Int
  private var validator: Validator
  private var lines = LineIndex()

  /// How many documents there were, readable or not.
  public private(set) var records = 0

  /// - Parameters:
  ///   - name: what the text is called where an earlier record is referred to.
  ///   - form: what its documents are; nil recognises each.
  ///   - isLines: there is one document a line, for sure.
  ///   - lineBase: how many lines of the file came before the text.
  public init(name: String, form: Form?, isLines: Bool, validator: Validator, lineBase: Int = 0) {
    self.name = name
    self.form = form
    self.isLines = isLines
    self.lineBase = lineBase
    self.validator = validator
  }

  /// Checks the whole text.
  ///
  /// - Parameters:
  ///   - memory: what the run has seen of identifiers and tokens.
  ///   - visit: gets each document that could be read.
  ///   - found: gets the findings, in the order of the text; their offsets count in the whole of it.
  public mutating func run(
    _ bytes: Span<UInt8>, memory: inout RunMemory, visit: (Document, Form) -> Void = { _, _ in },
    found: (Finding) -> Void
  ) {
    var start = 0
    if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
      say("json-bom", offset: 0, "the file starts with a byte order mark", help: "remove it", found)
      start = 3
    }
    if start == 0, form == nil, !isLines, validator.checkCredential(bytes, isKey: name.hasSuffix(".p8")) {
      records = 1
      for finding in validator.findings { found(finding) }
      return
    }
    var onePerLine = isLines
    while true {
      start = skip(bytes, start, lineEnds: true)
      if start >= bytes.count { break }
      let next = step(bytes, from: start, onePerLine: onePerLine, memory: &memory, visit: visit, found: found)
      records += 1
      guard let next else {
        // The rest of a pretty-printed text cannot be made sense of behind a mistake; the next line of others can.
        guard onePerLine || nextLineStartsDocument(bytes, start) else { return }
        onePerLine = true
        start = endOfLine(bytes, start)
        continue
      }
      start = next
      let rest = skip(bytes, next, lineEnds: false)
      if rest < bytes.count, bytes[rest] != 0x0A, bytes[rest] != 0x0D {
        say(
          "json-trailing-data", offset: rest, "something stands behind the document, on the same line",
          help: "put each document on lines of its own", found)
        start = endOfLine(bytes, rest)
      }
    }
    if records == 0, form != .record, !isLines {
      say("payload-empty", offset: 0, "there are no bytes of a payload", help: "the smallest payload is {}", found)
    }
  }

  private mutating func say(_ rule: String, offset: Int, _ message: String, help: String, _ found: (Finding) -> Void) {
    validator.forgetFindings()
    validator.add(rule, offset: offset, message, help: help)
    for finding in validator.findings { found(finding) }
  }

  /// One document. Returns the offset behind it, nil when it could not be read.
  private mutating func step(
    _ bytes: Span<UInt8>, from start: Int, onePerLine: Bool, memory: inout RunMemory, visit: (Document, Form) -> Void,
    found: (Finding) -> Void
  ) -> Int? {
    // Only the line is looked at, where that is known, so that a mistake in it cannot be blamed on the next.
    let text = onePerLine ? bytes.extracting(0..<endOfLine(bytes, start)) : bytes
    let next = validator.checkNext(text, from: start, as: form)
    if next != nil {
      let tokens = validator.tokens
      let document = Document(bytes, tokens.span)
      if validator.form == .record {
        let place = lines.place(document.start(0), bytes)
        for old in memory.take(document, place: "\(name):\(lineBase + place.line)") {
          validator.add(old.rule, offset: old.offset, length: old.length, pointer: old.pointer, old.message)
        }
      } else if validator.form == .request {
        let place = lines.place(document.start(0), bytes)
        if let old = memory.takeToken(document, place: "\(name):\(lineBase + place.line)") {
          validator.add(old.rule, offset: old.offset, length: old.length, pointer: old.pointer, old.message)
        }
      }
      visit(document, validator.form)
    }
    for finding in validator.findings { found(finding) }
    return next
  }

  private func skip(_ bytes: Span<UInt8>, _ start: Int, lineEnds: Bool) -> Int {
    var index = start
    while index < bytes.count {
      switch bytes[index] {
      case 0x20, 0x09: break
      case 0x0A, 0x0D: if !lineEnds { return index }
      default: return index
      }
      index += 1
    }
    return index
  }

  private func endOfLine(_ bytes: Span<UInt8>, _ start: Int) -> Int {
    var index = start
    while index < bytes.count, bytes[index] != 0x0A { index += 1 }
    return index
  }

  /// Whether the line behind this one starts with a brace in its first column: one document a line.
  private func nextLineStartsDocument(_ bytes: Span<UInt8>, _ start: Int) -> Bool {
    let next = endOfLine(bytes, start) + 1
    return next < bytes.count && bytes[next] == UInt8(ascii: "{")
  }
}
