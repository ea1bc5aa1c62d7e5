// "Did you mean": the nearest of some words to a misspelt one.

/// The candidate nearest to `word`, nil when none is near enough to be what was meant.
///
/// Near is at most a third of the word's characters in edits (insert, delete, replace, swap of neighbours), one edit
/// for words of up to four. Case, hyphens and underscores count for nothing: `Push-Type` is `push_type`.
public func closest(to word: String, among candidates: some Sequence<String>) -> String? {
  let typed = folded(word)
  // A longer word than any name is pasted data; comparing it would cost time for nothing.
  guard !typed.isEmpty, typed.count <= 64 else { return nil }
  var best: (word: String, distance: Int)?
  for candidate in candidates {
    let name = folded(candidate)
    let allowed = max(1, min(typed.count, name.count) / 3)
    guard abs(name.count - typed.count) <= allowed else { continue }
    let found = distance(typed, name)
    if found <= allowed, found < best?.distance ?? Int.max { best = (candidate, found) }
  }
  return best?.word
}

/// Optimal string alignment distance: Levenshtein with swaps of neighbours.
func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
  var before = [Int](repeating: 0, count: right.count + 1)
  var last = Array(0...right.count)
  for row in 0..<left.count {
    var next = [Int](repeating: row + 1, count: right.count + 1)
    for column in 0..<right.count {
      let cost = left[row] == right[column] ? 0 : 1
      var value = min(last[column] + cost, last[column + 1] + 1, next[column] + 1)
      if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
        value = min(value, before[column - 1] + 1)
      }
      next[column + 1] = value
    }
    before = last
    last = next
  }
  return last[right.count]
}

private func folded(_ word: String) -> [UInt8] {
  word.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }.map {
    (0x41...0x5a).contains($0) ? $0 | 0x20 : $0
  }
}
