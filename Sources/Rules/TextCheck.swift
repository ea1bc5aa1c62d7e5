// A text of one or many documents, however they are laid out: pretty-printed, one a line, several behind each other.

import JSON

/// Where the lines of a text begin; made when it is first asked.
public struct LineIndex: Sendable {
  private var starts: [Int] = []

  public init() {}

  /// The line an offset is in: its number from 1, where it starts, where its text ends.
  public mutating func place(_ offset: Int, _ bytes: Span<UInt8>) -> (line: Int, start: Int, end: Int) {
    if starts.isEmpty {
      starts.append(0)
      for index in bytes.indices where bytes[index] == 0x0A { starts.append(index + 1) }
    }
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    var end = low + 1 < starts.count ? starts[low + 1] - 1 : bytes.count
    if end > starts[low], bytes[end - 1] == 0x0D { end -= 1 }
    return (low + 1, starts[low], max(end, starts[low]))
  }
}

/// Checks the documents of a text one after the other.
public struct TextCheck: Sendable {
  private let name: String
  private let form: Form?
  private let isLines: Bool
  private var validator: Validator
  private var lines = LineIndex()

  /// How many documents there were, readable or not.
  public private(set) var records = 0

  /// - Parameters:
  ///   - name: what the text is called where an earlier record is referred to.
  ///   - form: what its documents are; nil recognises each.
  ///   - isLines: there is one document a line, for sure.
  public init(name: String, form: Form?, isLines: Bool, validator: Validator) {
    self.name = name
    self.form = form
    self.isLines = isLines
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
        for old in memory.take(document, place: "\(name):\(place.line)") {
          validator.add(old.rule, offset: old.offset, length: old.length, pointer: old.pointer, old.message)
        }
      } else if validator.form == .request {
        let place = lines.place(document.start(0), bytes)
        if let old = memory.takeToken(document, place: "\(name):\(place.line)") {
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
