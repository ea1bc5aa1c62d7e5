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
      var outcome = Outcome(stop: .full, offset: 0, tokens: 0, closer: 0)
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
        outcome.stop = .trailing
        outcome.offset = end
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

/// Why the parser came back.
enum Stop: UInt8 {
  /// It is done, or it needs room for more tokens.
  case done, full
  /// At a byte that cannot stand there, or at the end; behind the root when the rest is no white space.
  case stray, trailing
  /// Inside a string or a number, or at a bracket that is one too many.
  case string, number, depth
}

/// How a pass over a text ended, and where.
struct Outcome {
  var stop: Stop
  var offset: Int
  /// How many tokens are on the tape.
  var tokens: Int
  /// The bracket that would close the innermost open container, 0 when none is open.
  var closer: UInt8
}

/// The containers that are open. Their stack lies in the tape: an open container's `next` names its parent.
private struct Nesting {
  /// No token has this index: a text has fewer bytes than that.
  private static let none = Int(UInt32.max)
  private var parent = Nesting.none
  /// The bracket that closes the innermost container, 0 when none is open.
  private(set) var closer: UInt8 = 0
  /// How many more may be opened.
  private(set) var levels: Int

  init(levels: Int) {
    self.levels = levels
  }

  @inline(__always)
  mutating func open(_ bracket: UInt8, at offset: Int, on tape: inout Tape) {
    levels &-= 1
    let kind = bracket == UInt8(ascii: "{") ? Token.Kind.object : Token.Kind.array
    tape.put(Token(bits: UInt32(kind.rawValue), start: offset, end: 0, next: parent))
    parent = tape.count &- 1
    // Both closing brackets lie two behind their opening ones.
    closer = bracket &+ 2
  }

  @inline(__always)
  mutating func close(at end: Int, on tape: Tape) {
    levels &+= 1
    var token = tape[parent]
    let closed = parent
    parent = Int(token.nextWord)
    token.endWord = UInt32(truncatingIfNeeded: end)
    token.nextWord = UInt32(truncatingIfNeeded: tape.count)
    tape[closed] = token
    // An object's kind is 0, an array's 1, and its bracket 0x20 before the object's.
    closer = parent == Nesting.none ? 0 : UInt8(ascii: "}") &- UInt8(truncatingIfNeeded: tape[parent].bits &<< 5)
  }
}

/// One pass, without recursion: values, and between them what `follow` reads.
@inline(never)
private func parse(_ bytes: Span<UInt8>, from: Int, depthLimit: Int, room: Tape, stops: Stops) -> Outcome {
  var tape = room
  var stops = stops
  var nesting = Nesting(levels: depthLimit)
  var index = from
  var byte = bytes.skipSpace(&index)
  var stop = Stop.stray
  while true {
    if !tape.hasRoom {
      stop = .full
      break
    }
    if byte == UInt8(ascii: "\"") {
      var bits = Token.plainString
      let end = bytes.endOfString(from: index &+ 1, stops: &stops, bits: &bits)
      if end < 0 {
        (stop, index) = (.string, ~end)
        break
      }
      tape.put(bits, from: index, to: end &+ 1)
      index = end &+ 1
    } else if byte &- UInt8(ascii: "0") <= 9 || byte == UInt8(ascii: "-") {
      var bits = UInt32(Token.Kind.number.rawValue)
      let end = bytes.endOfNumber(from: index, bits: &bits)
      if end < 0 {
        (stop, index) = (.number, ~end)
        break
      }
      tape.put(bits, from: index, to: end)
      index = end
    } else if byte | 0x20 == UInt8(ascii: "{") {
      if nesting.levels <= 0 {
        stop = .depth
        break
      }
      nesting.open(byte, at: index, on: &tape)
      index &+= 1
      byte = bytes.skipSpace(&index)
      if byte != nesting.closer {
        if nesting.closer == UInt8(ascii: "}") { byte = key(bytes, byte, at: &index, stops: &stops, tape: &tape) }
        if byte == 0 { break }
        continue
      }
    } else {
      let (kind, end) = word(bytes, at: index)
      if end == index { break }
      tape.put(UInt32(kind.rawValue), from: index, to: end)
      index = end
    }
    byte = follow(bytes, at: &index, nesting: &nesting, stops: &stops, tape: &tape)
    if byte == 0 { break }
  }
  if index < 0 { (stop, index) = (.string, ~index) }
  if stop == .stray, nesting.closer == 0, tape.count > 0 { stop = .done }
  return Outcome(stop: stop, offset: index, tokens: tape.count, closer: nesting.closer)
}

/// Reads what follows a value: a comma, or brackets until there is a comma or nothing is open; a key behind the comma.
///
/// - Returns: the first byte of the next value, at which `index` then is; or 0 as `key` does, or when nothing is open.
@inline(__always)
private func follow(
  _ bytes: Span<UInt8>, at index: inout Int, nesting: inout Nesting, stops: inout Stops, tape: inout Tape
) -> UInt8 {
  while true {
    // The most common case first: a comma and a key right behind it, in an object.
    if index &+ 1 < bytes.count, bytes.pair(index) == 0x222C, nesting.closer == UInt8(ascii: "}") {
      index &+= 1
      return key(bytes, UInt8(ascii: "\""), at: &index, stops: &stops, tape: &tape)
    }
    if nesting.closer == 0 { return 0 }
    let byte = bytes.skipSpace(&index)
    if byte == UInt8(ascii: ",") {
      index &+= 1
      let next = bytes.skipSpace(&index)
      return nesting.closer == UInt8(ascii: "}") ? key(bytes, next, at: &index, stops: &stops, tape: &tape) : next
    }
    if byte != nesting.closer { return 0 }
    index &+= 1
    nesting.close(at: index, on: tape)
  }
}

/// Reads a key, whose first byte is at `index`, the colon, and the white space around it.
///
/// - Returns: the first byte of the value, at which `index` then is; or 0, and `index` is where the parser had to stop,
///   the complement of that when it is inside the string.
@inline(__always)
private func key(
  _ bytes: Span<UInt8>, _ first: UInt8, at index: inout Int, stops: inout Stops, tape: inout Tape
) -> UInt8 {
  if first != UInt8(ascii: "\"") { return 0 }
  var bits = Token.plainString | Token.keyBit
  let end = bytes.endOfString(from: index &+ 1, stops: &stops, bits: &bits)
  if end < 0 {
    index = end
    return 0
  }
  tape.put(bits, from: index, to: end &+ 1)
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

/// Reads `true`, `false` or `null`; the offset comes back unchanged when it is none of them.
@inline(never)
private func word(_ bytes: Span<UInt8>, at index: Int) -> (Token.Kind, Int) {
  let word = bytes.wordOrZeros(index)
  if word == 0x6575_7274 { return (.true, index &+ 4) }  // "true", first letter lowest
  if word == 0x6C6C_756E { return (.null, index &+ 4) }  // "null"
  if word == 0x736C_6166, bytes.peek(index &+ 4) == UInt8(ascii: "e") { return (.false, index &+ 5) }  // "fals"
  return (.null, index)
}
