// The reader: one pass over the bytes of a text, writing a tape of tokens into an array that is kept for the next text.

/// Reads one JSON text after the other, all of RFC 8259 and UTF-8 checked, into a reused tape.
///
/// Keep one for each worker: once its tape has grown to the largest text it has seen, reading allocates nothing.
public struct Reader: Sendable {
  /// The tape of the last text read; `tokens[0]` is its root. Empty after an error.
  public private(set) var tokens: [Token] = []

  /// How many arrays and objects may stand inside each other.
  public let depthLimit: Int

  /// - Parameter depthLimit: how many arrays and objects may stand inside each other (RFC 8259 section 9 lets a
  ///   reader set one). There is no recursion, so that any limit is safe.
  public init(depthLimit: Int = 512) {
    self.depthLimit = depthLimit
  }

  /// Reads a text that is exactly one value; white space may stand around it.
  ///
  /// - Parameter bytes: the text, at most 4 GiB - 1 bytes.
  /// - Throws: the first mistake in the text.
  public mutating func read(_ bytes: Span<UInt8>) throws(SyntaxError) {
    _ = try run(bytes, from: 0, whole: true)
  }

  /// Reads one value out of a text that may hold several, one behind the other.
  ///
  /// - Parameters:
  ///   - bytes: the whole text, at most 4 GiB - 1 bytes; the tokens' offsets count from its start.
  ///   - from: the offset where the value, or white space before it, starts.
  /// - Returns: the offset behind the value.
  /// - Throws: the first mistake; `emptyInput` when nothing but white space is left.
  public mutating func readPrefix(_ bytes: Span<UInt8>, from: Int) throws(SyntaxError) -> Int {
    try run(bytes, from: from, whole: false)
  }

  private mutating func run(_ bytes: Span<UInt8>, from: Int, whole: Bool) throws(SyntaxError) -> Int {
    tokens.removeAll(keepingCapacity: true)
    guard bytes.count <= Int(UInt32.max) else {
      throw SyntaxError(
        offset: Int(UInt32.max), kind: .tooLong, expected: "at most 4 GiB - 1 bytes", found: "\(bytes.count) bytes")
    }
    precondition(from >= 0 && from <= bytes.count, "a text is read from an offset inside it")
    var room = max(tokens.capacity, 64)
    while true {
      var outcome = Outcome(stop: .full, offset: 0)
      tokens.append(addingCapacity: room) { tape in
        outcome = parse(bytes, from: from, whole: whole, depthLimit: depthLimit, tape: &tape)
      }
      if outcome.stop == .done { return outcome.offset }
      let last = tokens.last
      // Warming up: a text with more tokens than there is room for is read again from its start with twice the room.
      // The old tape goes first, so that a large text never holds two.
      tokens.removeAll(keepingCapacity: outcome.stop != .full)
      guard outcome.stop == .full else { throw bytes.mistake(outcome, last: last, from: from, depthLimit: depthLimit) }
      room &*= 2
    }
  }
}

/// Why the parser came back: it is done, it needs room, or it was waiting for something else.
enum Stop: UInt8 {
  case done, full
  /// Waiting for: a text's only value, a member's value, an element or `]`, an element behind a comma.
  case root, value, firstElement, element
  /// Waiting for: a key or `}`, a key behind a comma, a colon.
  case firstKey, key, colon
  /// Waiting for what may follow a value: in an object, in an array, behind the root.
  case memberEnd, elementEnd, rootEnd
  /// Inside a string, a number or a word.
  case string, number, word
  /// At a bracket that is one too many.
  case depth
}

/// How a pass over a text ended, and where.
struct Outcome {
  var stop: Stop
  var offset: Int
}

/// One pass: an iterative parser whose stack lies in the tape itself, since an open container's `next` names its parent.
@inline(__always)
private func parse(
  _ bytes: Span<UInt8>, from: Int, whole: Bool, depthLimit: Int, tape: inout OutputSpan<Token>
) -> Outcome {
  // No token has this index: a text has fewer bytes than that.
  let none = Int(UInt32.max)
  var index = from
  var parent = none
  var inObject = false
  var depth = 0
  var stop = Stop.root
  while true {
    // A value, after white space.
    index = bytes.skippingSpace(from: index)
    if tape.isFull { return Outcome(stop: .full, offset: index) }
    let byte = bytes.peek(index)
    switch byte {
    case UInt8(ascii: "\""):
      var bits = UInt32(Token.Kind.string.rawValue)
      let end = bytes.endOfString(from: index &+ 1, bits: &bits)
      if end < 0 { return Outcome(stop: .string, offset: ~end) }
      tape.append(Token(bits: bits, start: index, end: end &+ 1, next: tape.count &+ 1))
      index = end &+ 1
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      let isObject = byte == UInt8(ascii: "{")
      if depth >= depthLimit { return Outcome(stop: .depth, offset: index) }
      depth &+= 1
      let kind = isObject ? Token.Kind.object : Token.Kind.array
      tape.append(Token(bits: UInt32(kind.rawValue), start: index, end: 0, next: parent))
      parent = tape.count &- 1
      inObject = isObject
      index = bytes.skippingSpace(from: index &+ 1)
      if isObject {
        if bytes.peek(index) != UInt8(ascii: "}") {
          stop = .firstKey
          if let failure = key(bytes, at: &index, stop: stop, tape: &tape) { return failure }
          stop = .value
          continue
        }
      } else if bytes.peek(index) != UInt8(ascii: "]") {
        stop = .firstElement
        continue
      }
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      let end = bytes.endOfNumber(from: index)
      if end < 0 { return Outcome(stop: .number, offset: ~end) }
      tape.append(
        Token(bits: UInt32(Token.Kind.number.rawValue), start: index, end: end, next: tape.count &+ 1))
      index = end
    case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
      let (kind, end) = word(bytes, at: index)
      if end == index { return Outcome(stop: .word, offset: index) }
      tape.append(Token(bits: UInt32(kind.rawValue), start: index, end: end, next: tape.count &+ 1))
      index = end
    default:
      return Outcome(stop: stop, offset: index)
    }
    // What follows a value: a comma, or brackets until there is a comma or nothing is open.
    while true {
      if parent == none {
        if !whole { return Outcome(stop: .done, offset: index) }
        index = bytes.skippingSpace(from: index)
        return Outcome(stop: index == bytes.count ? .done : .rootEnd, offset: index)
      }
      index = bytes.skippingSpace(from: index)
      let byte = bytes.peek(index)
      if byte == UInt8(ascii: ",") {
        index &+= 1
        if inObject {
          index = bytes.skippingSpace(from: index)
          if let failure = key(bytes, at: &index, stop: .key, tape: &tape) { return failure }
          stop = .value
        } else {
          stop = .element
        }
        break
      }
      if byte != (inObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
        return Outcome(stop: inObject ? .memberEnd : .elementEnd, offset: index)
      }
      index &+= 1
      let closed = parent
      parent = Int(tape[closed].nextWord)
      tape[closed].endWord = UInt32(truncatingIfNeeded: index)
      tape[closed].nextWord = UInt32(truncatingIfNeeded: tape.count)
      depth &-= 1
      inObject = parent != none && tape[parent].bits == UInt32(Token.Kind.object.rawValue)
    }
  }
}

/// Reads a key, the colon and the white space between; `index` ends behind the colon.
@inline(__always)
private func key(
  _ bytes: Span<UInt8>, at index: inout Int, stop: Stop, tape: inout OutputSpan<Token>
) -> Outcome? {
  guard bytes.peek(index) == UInt8(ascii: "\"") else { return Outcome(stop: stop, offset: index) }
  if tape.isFull { return Outcome(stop: .full, offset: index) }
  var bits = UInt32(Token.Kind.string.rawValue) | Token.keyBit
  let end = bytes.endOfString(from: index &+ 1, bits: &bits)
  if end < 0 { return Outcome(stop: .string, offset: ~end) }
  tape.append(Token(bits: bits, start: index, end: end &+ 1, next: tape.count &+ 1))
  index = bytes.skippingSpace(from: end &+ 1)
  guard bytes.peek(index) == UInt8(ascii: ":") else { return Outcome(stop: .colon, offset: index) }
  index &+= 1
  return nil
}

/// Reads `true`, `false` or `null`; the offset comes back unchanged when it is none of them.
@inline(__always)
private func word(_ bytes: Span<UInt8>, at index: Int) -> (Token.Kind, Int) {
  let word = bytes.wordOrZeros(index)
  if word == 0x6575_7274 { return (.true, index &+ 4) }  // "true", first letter lowest
  if word == 0x6C6C_756E { return (.null, index &+ 4) }  // "null"
  if word == 0x736C_6166, bytes.peek(index &+ 4) == UInt8(ascii: "e") { return (.false, index &+ 5) }  // "fals"
  return (.null, index)
}
