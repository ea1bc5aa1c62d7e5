// Finds PEM blocks the way a person does: by the words BEGIN and END between dashes, wherever they stand.

/// Looks through a text for blocks; more forgiving than RFC 7468's "lax" grammar.
struct PEMScanner {
  struct Block {
    /// What stands behind BEGIN, spaces made single.
    var label: String
    /// What stands between the two markers, line by line, trimmed, without empty lines.
    var lines: [[UInt8]]
    var damage: [KeyDamage]
  }

  private let text: [UInt8]
  private static let hyphen = UInt8(ascii: "-")

  init(_ text: [UInt8]) { self.text = text }

  /// Whether there is a BEGIN marker at all, with dashes of any kind.
  var hasMarker: Bool { !blocks().isEmpty || String(decoding: text.prefix(200), as: UTF8.self).contains("BEGIN ") }

  func blocks() -> [Block] {
    var blocks: [Block] = []
    var at = 0
    while blocks.count < 64, let begin = marker("BEGIN", from: at) {
      let end = marker("END", from: begin.end)
      let next = marker("BEGIN", from: begin.end)
      var damage = begin.damage + (end?.damage ?? [])
      var stop = text.count
      if let end, next.map({ $0.start > end.start }) ?? true {
        stop = end.start
      } else {
        stop = next?.start ?? text.count
        damage.append(.missingEnd)
      }
      let body = text[begin.end..<stop]
      if let first = body.first, first != UInt8(ascii: "\n"), first != UInt8(ascii: "\r") {
        // White space that goes on to a line end is harmless to every reader.
        let line = body.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        if line.contains(where: { $0 > 0x20 }) { damage.append(.lostNewlines) }
      }
      let pieces = body.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
      if pieces.contains(where: { $0.first.map { $0 == 0x20 || $0 == 0x09 } ?? false })
        && !damage.contains(.lostNewlines)
      {
        damage.append(.indentation)
      }
      blocks.append(Block(label: begin.label, lines: pieces.map(trimmed).filter { !$0.isEmpty }, damage: damage))
      at = end.map { max($0.end, stop) } ?? stop
      if stop == next?.start { at = stop }
    }
    return blocks
  }

  private struct Marker {
    var start: Int
    var end: Int
    var label: String
    var damage: [KeyDamage]
  }

  /// The next `-----WORD label-----`; any number of dashes will do.
  private func marker(_ word: String, from: Int) -> Marker? {
    let word = Array(word.utf8)
    var at = from
    while at + word.count < text.count {
      guard text[at] == word[0], text[at..<(at + word.count)].elementsEqual(word), at > from,
        text[at - 1] == Self.hyphen || text[at - 1] == 0x20
      else {
        at += 1
        continue
      }
      if let found = marker(at: at, word.count, from) { return found }
      at += 1
    }
    return nil
  }

  private func marker(at: Int, _ wordCount: Int, _ from: Int) -> Marker? {
    var start = at
    while start > from, text[start - 1] == 0x20 { start -= 1 }
    let dashesEnd = start
    while start > from, text[start - 1] == Self.hyphen { start -= 1 }
    let before = dashesEnd - start
    var index = at + wordCount
    var label: [UInt8] = []
    while index < text.count, label.count < 40, isLabelByte(text[index]) {
      label.append(text[index])
      index += 1
    }
    let labelEnd = index
    while index < text.count, text[index] == Self.hyphen { index += 1 }
    let after = index - labelEnd
    let words = String(decoding: label, as: UTF8.self).split(separator: " ").joined(separator: " ")
    guard before > 0, after > 0, !words.isEmpty else { return nil }
    var damage: [KeyDamage] = before == 5 && after == 5 && dashesEnd == at ? [] : [.dashes]
    let lineStart = text[from..<start].lastIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    let indent = text[(lineStart.map { $0 + 1 } ?? from)..<start]
    if !indent.isEmpty, lineStart != nil || from == 0, indent.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
      damage.append(.indentation)
    }
    return Marker(start: start, end: index, label: words, damage: damage)
  }

  private func isLabelByte(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x20
  }

  private func trimmed(_ line: ArraySlice<UInt8>) -> [UInt8] {
    var line = line.drop { $0 <= 0x20 }
    while let last = line.last, last <= 0x20 { line.removeLast() }
    return Array(line)
  }
}
