// From the text of an argument or a variable to a value, with errors that say what would have been right.

import Spelling

/// A whole number within a range.
func wholeNumber(_ text: String, in range: ClosedRange<Int>) throws(ValueError) -> Int {
  guard let number = Int(text) else {
    // Digits that do not fit a machine word are a number all the same: the range says more than "not a number".
    let digits = text.first == "-" || text.first == "+" ? text.dropFirst() : text[...]
    let isNumber = !digits.isEmpty && digits.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
    throw ValueError(
      isNumber
        ? "\(quoted(text)) is out of range; \(words(for: range))"
        : "expected a whole number, found \(quoted(text)); \(words(for: range))")
  }
  guard range.contains(number) else {
    throw ValueError("\(quoted(text)) is out of range; \(words(for: range))")
  }
  return number
}

/// A range as the end of a sentence.
private func words(for range: ClosedRange<Int>) -> String {
  switch (range.lowerBound, range.upperBound) {
  case (Int.min, Int.max): "it must fit 64 bits"
  case (let low, Int.max): "it must be \(low) or more"
  case (Int.min, let high): "it must be \(high) or less"
  case (let low, let high): "it must be from \(low) to \(high)"
  }
}

/// Yes or no, for flags set by a variable.
func truth(_ text: String) throws(ValueError) -> Bool {
  switch text.lowercased() {
  case "1", "yes", "true", "on": return true
  case "0", "no", "false", "off": return false
  default: throw ValueError("expected yes or no, found \(quoted(text))")
  }
}

/// Throws unless the text is one of the words; names them and the nearest.
func check(_ text: String, isAmong words: [String]) throws(ValueError) {
  if words.contains(text) { return }
  let list = "expected \(alternatives(words)), found \(quoted(text))"
  guard let near = closest(to: text, among: words) else { throw ValueError(list) }
  throw ValueError("\(list); did you mean '\(near)'?")
}

/// Words as "a", "a or b", "a, b or c".
func alternatives(_ words: [String]) -> String {
  guard let last = words.last, words.count > 1 else { return words.first ?? "" }
  return words.dropLast().joined(separator: ", ") + " or " + last
}

/// A text from outside between quotes, safe for a terminal: control characters are shown as escapes, and what is long is
/// cut, because an argument may be a megabyte of anything.
func quoted(_ text: String) -> String {
  var out = "'"
  var count = 0
  for scalar in text.unicodeScalars {
    if count == 80 {
      out += "…"
      break
    }
    count += 1
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator:
      out += scalar == "\n" ? "\\n" : scalar == "\t" ? "\\t" : "\\u{\(String(scalar.value, radix: 16))}"
    default: out.unicodeScalars.append(scalar)
    }
  }
  return out + "'"
}
