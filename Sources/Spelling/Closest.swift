// "Did you mean": the nearest of some words, or none when all are far.

/// The word that was probably meant, by edit distance; nil when none is near enough to be worth saying.
///
/// One insertion, deletion, replacement, or swap of two neighbours is one edit (optimal string alignment). A word of up to
/// two letters has no neighbours, up to five allows one edit, up to eight two, above three. Case does not count. Where none
/// is near, the one word that begins with what was typed will do.
/// - Parameter text: what was typed; may be anything of any length.
/// - Parameter words: the candidates; of equally near ones the first is taken.
public func closest(to text: String, among words: some Sequence<String>) -> String? {
  // No candidate is this long, and the distance to a long text must not cost a long time.
  guard text.utf8.count <= 256 else { return nil }
  let typed = Array(text.lowercased().unicodeScalars)
  var best: (word: String, distance: Int)?
  for word in words {
    guard word.utf8.count <= 256 else { continue }
    let candidate = Array(word.lowercased().unicodeScalars)
    let length = max(typed.count, candidate.count)
    let limit = min(min(3, length / 3), (best?.distance ?? 4) - 1)
    guard limit >= 0, abs(typed.count - candidate.count) <= limit else { continue }
    let distance = editDistance(typed, candidate)
    if distance <= limit { best = (word, distance) }
  }
  if let best { return best.word }
  // A beginning is as good as a slip, when it is the beginning of one word alone.
  guard typed.count >= 3 else { return nil }
  let longer = words.filter { $0.utf8.count <= 256 && $0.lowercased().hasPrefix(text.lowercased()) }
  return longer.count == 1 ? longer.first : nil
}

/// Edits from one word to the other, a swap of neighbours counting one.
func editDistance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
  if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
  var beforeLast = [Int](repeating: 0, count: b.count + 1)
  var last = Array(0...b.count)
  var row = last
  for i in 1...a.count {
    row[0] = i
    for j in 1...b.count {
      let same = a[i - 1] == b[j - 1]
      row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1))
      if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
        row[j] = min(row[j], beforeLast[j - 2] + 1)
      }
    }
    (beforeLast, last, row) = (last, row, beforeLast)
  }
  return last[b.count]
}
