// One file: its documents one after the other, whatever way they are laid out.

import Filter
import JSON
import POSIX
import Rules

/// Checks the documents of a text and hands out their findings in order.
struct FileCheck {
  let name: String
  let setup: Setup
  var validator: Validator
  private(set) var records = 0
  private var lines = LineIndex()

  init(name: String, setup: Setup, validator: Validator) {
    self.name = name
    self.setup = setup
    self.validator = validator
  }

  /// What kind of document the file is taken to hold.
  private var form: Form? {
    if let form = setup.form { return form }
    return name.hasSuffix(".apns") ? .apns : nil
  }

  private var isLines: Bool { name.hasSuffix(".ndjson") || name.hasSuffix(".jsonl") }

  /// Checks the whole text.
  ///
  /// - Parameters:
  ///   - visit: gets each document that could be read, with its tokens and where it stands.
  ///   - found: gets each finding.
  mutating func run(
    _ bytes: Span<UInt8>, memory: inout RunMemory, visit: (Document, Form, Int) -> Void = { _, _, _ in },
    found: (Placed) -> Void
  ) {
    var start = 0
    if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
      validator.forgetFindings()
      validator.add("json-bom", offset: 0, length: 3, "the file starts with a byte order mark", help: "remove it")
      hand(bytes, found)
      start = 3
    }
    var onePerLine = isLines
    while true {
      start = skipSpace(bytes, start)
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
      let rest = skipBlanks(bytes, next)
      if rest < bytes.count, bytes[rest] != 0x0A, bytes[rest] != 0x0D {
        validator.forgetFindings()
        validator.add(
          "json-trailing-data", offset: rest, "something stands behind the document, on the same line",
          help: "put each document on lines of its own")
        hand(bytes, found)
        start = endOfLine(bytes, rest)
      }
    }
    if records == 0, form != .record, !isLines {
      validator.forgetFindings()
      validator.add("payload-empty", offset: 0, "there are no bytes of a payload", help: "the smallest payload is {}")
      hand(bytes, found)
    }
  }

  /// One document. Returns the offset behind it, nil when it could not be read.
  private mutating func step(
    _ bytes: Span<UInt8>, from start: Int, onePerLine: Bool, memory: inout RunMemory,
    visit: (Document, Form, Int) -> Void, found: (Placed) -> Void
  ) -> Int? {
    var next: Int?
    if onePerLine {
      // Only the line is looked at, so that a mistake in it cannot be blamed on the next.
      next = validator.checkNext(bytes.extracting(0..<endOfLine(bytes, start)), from: start, as: form)
    } else {
      next = validator.checkNext(bytes, from: start, as: form)
    }
    if next != nil {
      let tokens = validator.tokens
      let document = Document(bytes, tokens.span)
      if validator.form == .record {
        let place = lines.place(document.start(0), bytes)
        for old in memory.take(document, place: "\(name):\(place.line)") {
          validator.add(
            old.rule, offset: old.offset, length: old.length, pointer: old.pointer, old.message)
        }
      }
      visit(document, validator.form, start)
    }
    hand(bytes, found)
    return next
  }

  private mutating func hand(_ bytes: Span<UInt8>, _ found: (Placed) -> Void) {
    for finding in validator.findings {
      let place = lines.place(min(finding.offset, bytes.count), bytes)
      found(
        Placed(
          finding, file: name, line: place.line, bytes: bytes, lineStart: place.start, lineEnd: place.end))
    }
  }

  private func skipSpace(_ bytes: Span<UInt8>, _ start: Int) -> Int {
    var index = start
    while index < bytes.count,
      bytes[index] == 0x20 || bytes[index] == 0x09 || bytes[index] == 0x0A || bytes[index] == 0x0D
    {
      index += 1
    }
    return index
  }

  private func skipBlanks(_ bytes: Span<UInt8>, _ start: Int) -> Int {
    var index = start
    while index < bytes.count, bytes[index] == 0x20 || bytes[index] == 0x09 { index += 1 }
    return index
  }

  private func endOfLine(_ bytes: Span<UInt8>, _ start: Int) -> Int {
    bytes.firstIndex(of: 0x0A, from: start) ?? bytes.count
  }

  /// Whether the line behind this one starts with a brace in its first column: one document a line.
  private func nextLineStartsDocument(_ bytes: Span<UInt8>, _ start: Int) -> Bool {
    let next = endOfLine(bytes, start) + 1
    return next < bytes.count && bytes[next] == UInt8(ascii: "{")
  }
}

/// The files of the command line, folders looked into.
enum FileList {
  static func expand(_ operands: [String], recursive: Bool) throws -> [String] {
    var files: [String] = []
    for operand in operands {
      guard operand != "-", File.isDirectory(operand) else {
        files.append(operand)
        continue
      }
      guard recursive else { throw Failure("\(operand) is a folder; --recursive looks into folders") }
      try walk(operand.hasSuffix("/") ? String(operand.dropLast()) : operand, &files, depth: 0)
    }
    return files
  }

  private static func walk(_ folder: String, _ files: inout [String], depth: Int) throws {
    // A link that leads back up would never end.
    guard depth < 64 else { return }
    let names: [String]
    do throws(SystemError) {
      names = try File.entries(of: folder)
    } catch {
      throw Failure("cannot read the folder \(folder): \(error.message)")
    }
    for name in names where !name.hasPrefix(".") {
      let path = "\(folder)/\(name)"
      if File.isDirectory(path) {
        try walk(path, &files, depth: depth + 1)
      } else if [".json", ".ndjson", ".jsonl", ".apns"].contains(where: { name.hasSuffix($0) }) {
        files.append(path)
      }
    }
  }
}
