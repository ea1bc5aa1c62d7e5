// A list for very many: it grows by pieces.

/// A list that grows without copying what it has.
struct Chunks<Element: Sendable>: Sendable {
  private var chunks: [[Element]] = [[]]
  private(set) var count = 0

  subscript(_ index: Int) -> Element {
    get { chunks[index >> 14][index & 16_383] }
    set { chunks[index >> 14][index & 16_383] = newValue }
  }

  mutating func append(_ element: Element) {
    if count > 0, count & 16_383 == 0 {
      var chunk: [Element] = []
      chunk.reserveCapacity(16_384)
      chunks.append(chunk)
    }
    chunks[chunks.count - 1].append(element)
    count += 1
  }
}
