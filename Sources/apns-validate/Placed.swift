// Findings with their place in lines and columns, and the line itself for the report.

import JSON
import Rules

/// A finding in a file.
struct Placed {
  let finding: Finding
  let file: String
  let line: Int
  /// In characters (Unicode scalars), from 1.
  let column: Int
  /// Bytes from the start of the file.
  let offset: Int
  /// The line the place is in, shortened around it; for people.
  let excerpt: String
  /// Where in the excerpt the place begins, in columns from 0, and how many columns it has there.
  let caret: (start: Int, length: Int)
  /// Whether it makes the run fail, by the configuration of its file.
  var isFailure = false
}

extension Placed {
  /// - Parameters:
  ///   - bytes: the text the finding's offset counts in.
  ///   - lineStart: where its line begins in the text; `lineEnd`: where it ends.
  init(
    _ finding: Finding, file: String, line: Int, bytes: Span<UInt8>, lineStart: Int, lineEnd: Int, offsetBase: Int = 0
  ) {
    offset = offsetBase + finding.offset
    self.finding = finding
    self.file = file
    self.line = line
    let offset = min(max(finding.offset, lineStart), bytes.count)
    var column = 1
    for index in lineStart..<min(offset, bytes.count) where bytes[index] & 0xC0 != 0x80 { column += 1 }
    self.column = column
    var end = min(finding.offset + max(finding.length, 1), lineEnd)
    while end < lineEnd, bytes[end] & 0xC0 == 0x80 { end += 1 }
    // A credential is not shown, not even in part.
    if finding.pointer == nil, Rule.named(finding.rule)?.group == .credential {
      (excerpt, caret) = ("", (0, 1))
    } else {
      (excerpt, caret) = Self.excerpt(bytes, lineStart, lineEnd, offset, max(end, offset))
    }
  }

  /// At most some 100 characters around the place.
  private static func excerpt(
    _ bytes: Span<UInt8>, _ lineStart: Int, _ lineEnd: Int, _ offset: Int, _ end: Int
  ) -> (String, (start: Int, length: Int)) {
    var first = lineStart
    if offset - lineStart > 60 {
      first = offset - 40
      while first < offset, bytes[first] & 0xC0 == 0x80 { first += 1 }
    }
    var last = min(lineEnd, first + 110)
    while last < lineEnd, bytes[last] & 0xC0 == 0x80 { last += 1 }
    let before = first > lineStart ? "…" : ""
    let after = last < lineEnd ? "…" : ""
    let shown = withoutTokens(bytes, lineStart, first, last)
    let (from, to) = (min(offset, last) - first, min(end, last) - first)
    let lead = visible(shown.span, 0, from)
    let marked = visible(shown.span, from, to)
    let rest = visible(shown.span, to, last - first)
    let start = before.unicodeScalars.count + width(lead)
    return (before + lead + marked + rest + after, (start, max(1, width(marked))))
  }

  /// A part of a line, provider tokens in it made unreadable: a line of a log is read by many.
  private static func withoutTokens(_ bytes: Span<UInt8>, _ lineStart: Int, _ first: Int, _ last: Int) -> [UInt8] {
    var shown: [UInt8] = []
    shown.append(bytes.extracting(first..<last))
    // The part may begin inside of a token, which is no longer than this.
    var index = max(lineStart, first - 8192)
    while index + 3 < last {
      guard bytes[index] == UInt8(ascii: "e"), bytes[index + 1] == UInt8(ascii: "y"),
        bytes[index + 2] == UInt8(ascii: "J")
      else {
        index += 1
        continue
      }
      while index < last, isTokenByte(bytes[index]) {
        if index >= first { shown[index - first] = UInt8(ascii: "*") }
        index += 1
      }
    }
    return shown
  }

  /// base64url, and the dots between its parts.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
    default: false
    }
  }

  /// Text for a terminal: control characters as dots, tabs as blanks.
  private static func visible(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> String {
    guard start < end else { return "" }
    let text = String(utf8: bytes.extracting(start..<end))
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
    var out = ""
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: out += scalar == "\t" ? " " : "."
      case .format where scalar != "\u{200D}": out += "."
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }

  /// Columns on a terminal: two for East Asian characters and emoji, none for combining marks.
  private static func width(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    var columns = 0
    for character in text {
      guard let scalar = character.unicodeScalars.first else { continue }
      switch scalar.value {
      case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
        0x1F300...0x1FAFF, 0x20000...0x3FFFD:
        columns += 2
      default: columns += 1
      }
    }
    return columns
  }
}
