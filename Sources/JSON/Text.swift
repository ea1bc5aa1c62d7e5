// A string node's text: compared, decoded, counted. Strings without a backslash are their own text.

extension Document {
  /// Whether a node is a string with this text, escapes decoded.
  @inlinable
  public func equals(_ node: Int, _ text: StaticString) -> Bool { matches(tokens[node], text.utf8Bytes) }

  /// Whether a node is a string with this text, escapes decoded.
  @_disfavoredOverload
  @inlinable
  public func equals(_ node: Int, _ text: String) -> Bool { matches(tokens[node], text.utf8Span.span) }

  /// Whether a node is a string with this text in UTF-8, escapes decoded.
  @inlinable
  public func equals(_ node: Int, utf8 text: Span<UInt8>) -> Bool { matches(tokens[node], text) }

  @inlinable @inline(__always)
  func matches(_ token: Token, _ text: Span<UInt8>) -> Bool {
    // A plain string of this length, or one with escapes; the two quotes are not counted.
    if token.end &- token.start &- 2 == text.count, token.bits & Token.kindAndEscapes == Token.plainString {
      return bytes.extracting(token.start &+ 1..<token.end &- 1).isEqual(to: text)
    }
    return token.hasEscapes && matchesDecoded(token, text)
  }

  /// Whether two string nodes have the same text, escapes decoded.
  public func hasSameText(_ first: Int, _ second: Int) -> Bool {
    let one = tokens[first]
    let other = tokens[second]
    guard one.kind == .string, other.kind == .string else { return false }
    if one.hasEscapes { return matchesDecoded(one, string(second).utf8Span.span) }
    return matches(other, content(first))
  }

  /// Compares a string with escapes piece by piece, so that a long one is not copied for it.
  @usableFromInline
  func matchesDecoded(_ token: Token, _ wanted: Span<UInt8>) -> Bool {
    let content = bytes.extracting(token.start + 1..<token.end - 1)
    var index = 0
    var matched = 0
    while index < content.count {
      let piece = content.piece(at: index)
      guard matched + piece.utf8Count <= wanted.count else { return false }
      for place in 0..<piece.utf8Count where piece.utf8(place) != wanted[matched + place] { return false }
      matched += piece.utf8Count
      index += piece.length
    }
    return matched == wanted.count
  }

  /// A string's text; empty for other nodes.
  public func string(_ node: Int) -> String {
    if !tokens[node].hasEscapes { return String(utf8: content(node)) }
    var decoded: [UInt8] = []
    appendDecoded(node, to: &decoded)
    return String(utf8: decoded.span)
  }

  /// Appends a string's text as UTF-8; nothing for other nodes.
  public func appendDecoded(_ node: Int, to out: inout [UInt8]) {
    let content = content(node)
    if !tokens[node].hasEscapes { return out.append(content) }
    var index = 0
    var run = 0
    while index < content.count {
      guard content.byte(index) == UInt8(ascii: "\\") else {
        index += 1
        continue
      }
      out.append(content.extracting(run..<index))
      let piece = content.piece(at: index)
      for place in 0..<piece.utf8Count { out.append(piece.utf8(place)) }
      index += piece.length
      run = index
    }
    out.append(content.extracting(run..<index))
  }

  /// The length of a string's text in bytes of UTF-8; 0 for other nodes.
  public func decodedByteCount(_ node: Int) -> Int {
    let content = content(node)
    if !tokens[node].hasEscapes { return content.count }
    var index = 0
    var total = 0
    while index < content.count {
      let piece = content.piece(at: index)
      total += piece.utf8Count
      index += piece.length
    }
    return total
  }
}

/// One byte of a string, or one escape decoded to UTF-8.
struct Piece {
  /// How many bytes it takes in the text.
  var length: Int
  /// Its UTF-8, the first byte lowest.
  var packed: UInt32
  /// How many bytes of UTF-8 these are.
  var utf8Count: Int

  func utf8(_ place: Int) -> UInt8 { UInt8(truncatingIfNeeded: packed &>> UInt32(place &* 8)) }

  init(byte: UInt8) {
    (length, packed, utf8Count) = (1, UInt32(byte), 1)
  }

  init(scalar: UInt32, length: Int) {
    self.length = length
    switch scalar {
    case 0..<0x80:
      (packed, utf8Count) = (scalar, 1)
    case 0x80..<0x800:
      (packed, utf8Count) = (0x80C0 | scalar >> 6 | (scalar & 0x3F) << 8, 2)
    case 0x800..<0x1_0000:
      (packed, utf8Count) = (0x80_80E0 | scalar >> 12 | (scalar >> 6 & 0x3F) << 8 | (scalar & 0x3F) << 16, 3)
    default:
      let middle = (scalar >> 12 & 0x3F) << 8 | (scalar >> 6 & 0x3F) << 16
      (packed, utf8Count) = (0x8080_80F0 | scalar >> 18 & 7 | middle | (scalar & 0x3F) << 24, 4)
    }
  }
}

extension Span<UInt8> {
  /// The byte or the escape at `index` of a string's inside that the reader has accepted.
  func piece(at index: Int) -> Piece {
    let first = self[index]
    guard first == UInt8(ascii: "\\"), index + 1 < count else { return Piece(byte: first) }
    switch self[index + 1] {
    case UInt8(ascii: "b"): return Piece(scalar: 0x08, length: 2)
    case UInt8(ascii: "f"): return Piece(scalar: 0x0C, length: 2)
    case UInt8(ascii: "n"): return Piece(scalar: 0x0A, length: 2)
    case UInt8(ascii: "r"): return Piece(scalar: 0x0D, length: 2)
    case UInt8(ascii: "t"): return Piece(scalar: 0x09, length: 2)
    case UInt8(ascii: "u"):
      let half = hexadecimal(at: index + 2)
      guard half >= 0 else { return Piece(byte: first) }
      guard half & 0xF800 == 0xD800 else { return Piece(scalar: UInt32(half), length: 6) }
      let other = hexadecimal(at: index + 8)
      guard half < 0xDC00, other & ~0x3FF == 0xDC00 else { return Piece(scalar: 0xFFFD, length: 6) }
      return Piece(scalar: UInt32(0x1_0000 + (half & 0x3FF) << 10 + other & 0x3FF), length: 12)
    default: return Piece(scalar: UInt32(self[index + 1]), length: 2)
    }
  }

  /// Whether two runs of bytes of the same length are the same: eight at a time, the last eight once more where needed.
  @inlinable @inline(__always)
  func isEqual(to other: Span<UInt8>) -> Bool {
    if count >= 8 {
      var index = 0
      while index &+ 8 <= count {
        if doubleWord(index) != other.doubleWord(index) { return false }
        index &+= 8
      }
      return doubleWord(count &- 8) == other.doubleWord(count &- 8)
    }
    if count >= 4 { return word(0) == other.word(0) && word(count &- 4) == other.word(count &- 4) }
    var index = 0
    while index < count {
      if byte(index) != other.byte(index) { return false }
      index &+= 1
    }
    return true
  }
}

extension String {
  /// The text of bytes that are UTF-8; what is not becomes U+FFFD.
  public init(utf8 bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}
