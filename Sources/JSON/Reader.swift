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
      var outcome = Outcome(stop: .full, offset: 0, tokens: 0)
      tokens.append(addingCapacity: room) { free in
        unsafe free.withUnsafeMutableBufferPointer { buffer, initialized in
          unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Stops.wordCount) { words in
            outcome = unsafe parse(
              bytes, from: from, depthLimit: depthLimit, room: Tape(room: buffer),
              stops: Stops(before: from, words: words))
          }
          initialized = outcome.tokens
        }
      }
      var end = outcome.offset
      if outcome.stop == .done {
        if !whole || end == bytes.count { return end }
        if bytes.skipSpace(&end) == 0, end == bytes.count { return end }
        outcome = Outcome(stop: .rootEnd, offset: end, tokens: outcome.tokens)
      }
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
  /// Waiting for: a value, a key or `}`, a key behind a comma, a colon.
  case value, firstKey, key, colon
  /// Waiting for what may follow a value: in an object, in an array, behind the root.
  case memberEnd, elementEnd, rootEnd
  /// Inside a string or a number.
  case string, number
  /// At a bracket that is one too many.
  case depth
}

/// How a pass over a text ended, and where.
struct Outcome {
  var stop: Stop
  var offset: Int
  /// How many tokens are on the tape.
  var tokens: Int
}

/// One pass: an iterative parser whose stack lies in the tape itself, since an open container's `next` names its parent.
@inline(never)
private func parse(_ bytes: Span<UInt8>, from: Int, depthLimit: Int, room: Tape, stops: Stops) -> Outcome {
  // No token has this index: a text has fewer bytes than that.
  let none = Int(UInt32.max)
  var parent = none
  var levels = depthLimit
  var stops = stops
  var tape = room
  var index = from
  var byte = bytes.skipSpace(&index)
  /// The bracket that closes the container around, 0 at the root.
  var closer: UInt8 = 0
  while true {
    if !tape.hasRoom { return Outcome(stop: .full, offset: index, tokens: tape.count) }
    if byte == UInt8(ascii: "\"") {
      var bits = UInt32(Token.Kind.string.rawValue)
      let end = bytes.endOfString(from: index &+ 1, stops: &stops, bits: &bits)
      if end < 0 { return Outcome(stop: .string, offset: ~end, tokens: tape.count) }
      tape.put(Token(bits: bits, start: index, end: end &+ 1, next: tape.count &+ 1))
      index = end &+ 1
    } else if byte &- UInt8(ascii: "0") <= 9 || byte == UInt8(ascii: "-") {
      let end = bytes.endOfNumber(from: index)
      if end < 0 { return Outcome(stop: .number, offset: ~end, tokens: tape.count) }
      tape.put(Token(bits: UInt32(Token.Kind.number.rawValue), start: index, end: end, next: tape.count &+ 1))
      index = end
    } else if byte | 0x20 == UInt8(ascii: "{") {
      if levels <= 0 { return Outcome(stop: .depth, offset: index, tokens: tape.count) }
      levels &-= 1
      let kind = byte == UInt8(ascii: "{") ? Token.Kind.object : Token.Kind.array
      tape.put(Token(bits: UInt32(kind.rawValue), start: index, end: 0, next: parent))
      parent = tape.count &- 1
      closer = byte &+ 2
      index &+= 1
      byte = bytes.skipSpace(&index)
      if byte != closer {
        if kind == .array { continue }
        guard byte == UInt8(ascii: "\"") else { return Outcome(stop: .firstKey, offset: index, tokens: tape.count) }
        byte = key(bytes, at: &index, stops: &stops, tape: &tape)
        if byte == 0 { return keyFailure(bytes, at: index, tokens: tape.count) }
        continue
      }
    } else {
      let (kind, end) = word(bytes, at: index)
      if end == index { return Outcome(stop: .value, offset: index, tokens: tape.count) }
      tape.put(Token(bits: UInt32(kind.rawValue), start: index, end: end, next: tape.count &+ 1))
      index = end
    }
    // What follows a value: a comma, or brackets until there is a comma or nothing is open.
    while true {
      // The most common case first: a comma and a key right behind it, in an object.
      if index &+ 1 < bytes.count, bytes.pair(index) == 0x222C, closer == UInt8(ascii: "}") {
        index &+= 1
        byte = key(bytes, at: &index, stops: &stops, tape: &tape)
        if byte == 0 { return keyFailure(bytes, at: index, tokens: tape.count) }
        break
      }
      if closer == 0 { return Outcome(stop: .done, offset: index, tokens: tape.count) }
      byte = bytes.skipSpace(&index)
      if byte == UInt8(ascii: ",") {
        index &+= 1
        byte = bytes.skipSpace(&index)
        if closer == UInt8(ascii: "}") {
          guard byte == UInt8(ascii: "\"") else { return Outcome(stop: .key, offset: index, tokens: tape.count) }
          byte = key(bytes, at: &index, stops: &stops, tape: &tape)
          if byte == 0 { return keyFailure(bytes, at: index, tokens: tape.count) }
        }
        break
      }
      if byte != closer {
        return Outcome(stop: closer == UInt8(ascii: "}") ? .memberEnd : .elementEnd, offset: index, tokens: tape.count)
      }
      index &+= 1
      levels &+= 1
      var token = tape[parent]
      let closed = parent
      parent = Int(token.nextWord)
      token.endWord = UInt32(truncatingIfNeeded: index)
      token.nextWord = UInt32(truncatingIfNeeded: tape.count)
      tape[closed] = token
      // Both closing brackets lie two behind their opening ones, and the array's 0x20 before the object's.
      closer = parent == none ? 0 : UInt8(ascii: "}") &- UInt8(truncatingIfNeeded: tape[parent].bits &<< 5)
    }
  }
}

/// Reads a key, whose opening quote is at `index`, the colon, and the white space around it.
///
/// - Returns: the first byte of the value, at which `index` then is; or 0, and `index` is where the parser had to stop:
///   the complement of an offset inside the string, or the offset where a colon or a value is missing.
@inline(__always)
private func key(_ bytes: Span<UInt8>, at index: inout Int, stops: inout Stops, tape: inout Tape) -> UInt8 {
  var bits = UInt32(Token.Kind.string.rawValue) | Token.keyBit
  let end = bytes.endOfString(from: index &+ 1, stops: &stops, bits: &bits)
  if end < 0 {
    index = end
    return 0
  }
  tape.put(Token(bits: bits, start: index, end: end &+ 1, next: tape.count &+ 1))
  index = end &+ 2
  if index < bytes.count, bytes.byte(index &- 1) == UInt8(ascii: ":") {
    let byte = bytes.byte(index)
    if byte > 0x20 { return byte }
  }
  index &-= 1
  if bytes.skipSpace(&index) != UInt8(ascii: ":") { return 0 }
  index &+= 1
  return bytes.skipSpace(&index)
}

/// Tells the three reasons apart why `key` returned 0.
@inline(never)
private func keyFailure(_ bytes: Span<UInt8>, at index: Int, tokens: Int) -> Outcome {
  if index < 0 { return Outcome(stop: .string, offset: ~index, tokens: tokens) }
  let stop: Stop = bytes.lastToken(before: index) == UInt8(ascii: ":") ? .value : .colon
  return Outcome(stop: stop, offset: index, tokens: tokens)
}

/// Reads `true`, `false` or `null`; the offset comes back unchanged when it is none of them.
@inline(never)
private func word(_ bytes: Span<UInt8>, at index: Int) -> (Token.Kind, Int) {
  let word = bytes.wordOrZeros(index)
  if word == 0x6575_7274 { return (.true, index &+ 4) }  // "true", first letter lowest
  if word == 0x6C6C_756E { return (.null, index &+ 4) }  // "null"
  if word == 0x736C_6166, bytes.peek(index &+ 4) == UInt8(ascii: "e") { return (.false, index &+ 5) }  // "fals"
  return (.null, index)
}
