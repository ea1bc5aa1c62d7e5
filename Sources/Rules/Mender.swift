// Fixes carried out: edits of a text that do not touch each other, again and again until nothing is left to mend.

import JSON

extension Array where Element == UInt8 {
  /// The text with the edits made. Edits that overlap an earlier one are left for the next round.
  func edited(_ fixes: [Fix]) -> (text: [UInt8], done: [Fix]) {
    var taken: [Edit] = []
    var done: [Fix] = []
    for fix in fixes where !fix.edits.contains(where: { edit in taken.contains { overlaps($0, edit) } }) {
      taken += fix.edits
      done.append(fix)
    }
    var out: [UInt8] = []
    out.reserveCapacity(count)
    var place = 0
    let ordered = taken.sorted {
      ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
    }
    for edit in ordered {
      out.append(contentsOf: self[place..<edit.range.lowerBound])
      out.append(contentsOf: edit.text)
      place = edit.range.upperBound
    }
    out.append(contentsOf: self[place...])
    return (out, done)
  }

  private func overlaps(_ one: Edit, _ other: Edit) -> Bool {
    // Touching counts: an insertion at the end of what is removed would depend on the order.
    one.range.lowerBound <= other.range.upperBound && other.range.lowerBound <= one.range.upperBound
  }
}

/// What was mended, for people.
public struct Mended: Sendable, Equatable {
  public let rule: String
  /// The line, from 1, in the text as it was when this was mended.
  public let line: Int
  /// What was done: "renamed …".
  public let words: String
}

extension Validator {
  /// Mends a text that is one document, as far as there is one right way.
  ///
  /// - Returns: the text, and what was done to it.
  public mutating func mend(
    _ text: [UInt8], as form: Form? = nil, fallback: Form = .payload
  ) -> (text: [UInt8], done: [Mended]) {
    var text = text
    var done: [Mended] = []
    // Each round removes a finding; the bound only keeps two rules from undoing each other for ever.
    for _ in 0..<16 {
      guard check(text.span, as: form, fallback: fallback) else { break }
      let fixable = findings.filter { $0.fix != nil }
      guard !fixable.isEmpty else { break }
      let (next, made) = text.edited(fixable.compactMap(\.fix))
      for finding in fixable {
        guard let fix = finding.fix, made.contains(fix) else { continue }
        let line = position(of: finding.offset, in: text.span).line
        done.append(Mended(rule: finding.rule, line: line, words: fix.words))
      }
      text = next
    }
    return (text, done)
  }

  /// Mends a text of many documents. What cannot be read stays as it is.
  public mutating func mendAll(_ bytes: [UInt8], as form: Form? = nil) -> (text: [UInt8], done: [Mended]) {
    var out: [UInt8] = []
    var done: [Mended] = []
    var place = 0
    var reader = Reader()
    var lines = LineIndex()
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      place = 3
      done.append(Mended(rule: "json-bom", line: 1, words: "removed the byte order mark"))
    }
    while true {
      // Blanks are passed over here: the reader would look through all of them, to the end, for each line of them.
      let start = endOfBlanks(bytes, place)
      out.append(contentsOf: bytes[place..<start])
      place = start
      if place == bytes.count { break }
      guard let end = try? reader.readPrefix(bytes.span, from: place), let root = reader.tokens.first else {
        // The next line may be better.
        var line = place
        while line < bytes.count, bytes[line] != 0x0A { line += 1 }
        line = Swift.min(line + 1, bytes.count)
        out.append(contentsOf: bytes[place..<line])
        place = line
        continue
      }
      out.append(contentsOf: bytes[place..<root.start])
      let (mended, made) = mend(Array(bytes[root.start..<end]), as: form)
      if !made.isEmpty {
        let before = lines.place(root.start, bytes.span).line - 1
        done += made.map { Mended(rule: $0.rule, line: before + $0.line, words: $0.words) }
      }
      out.append(contentsOf: mended)
      place = end
    }
    return (out, done)
  }

  private func endOfBlanks(_ bytes: [UInt8], _ start: Int) -> Int {
    var index = start
    while index < bytes.count, bytes[index] == 0x20 || (0x09...0x0D).contains(bytes[index]) { index += 1 }
    return index
  }
}
