// Fixes carried out: edits of a text that do not touch each other, again and again until nothing is left to mend.

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
    for edit in taken.sorted(by: {
      ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
    }) {
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

extension Validator {
  /// Mends a text that is one document, as far as there is one right way.
  ///
  /// - Returns: the text, and what was done to it, in words.
  public mutating func mend(
    _ text: [UInt8], as form: Form? = nil, fallback: Form = .payload
  ) -> (text: [UInt8], done: [(rule: String, words: String)]) {
    var text = text
    var done: [(rule: String, words: String)] = []
    // Each round removes a finding; the bound only keeps two rules from undoing each other for ever.
    for _ in 0..<16 {
      guard check(text.span, as: form, fallback: fallback) else { break }
      let fixable = findings.filter { $0.fix != nil }
      guard !fixable.isEmpty else { break }
      let (next, made) = text.edited(fixable.compactMap(\.fix))
      for fix in made {
        guard let finding = fixable.first(where: { $0.fix == fix }) else { continue }
        done.append((finding.rule, fix.words))
      }
      text = next
    }
    return (text, done)
  }
}
