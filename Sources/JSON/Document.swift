// A view of one text and its tape: nodes are token indexes, nothing is copied until text is asked for.

/// A read text: its bytes and the tokens a `Reader` made of them.
///
/// A node is the index of a token; 0 is the root. Members of an object:
///
///     var key = object + 1
///     while key < document.next(object) {
///       let value = key + 1
///       key = document.next(value)
///     }
///
/// and elements of an array the same way, without the step from key to value. An index that is none traps.
public struct Document: ~Escapable {
  /// The text.
  public let bytes: Span<UInt8>
  /// The tape.
  public let tokens: Span<Token>

  /// - Parameters:
  ///   - bytes: the text, as it was given to the reader.
  ///   - tokens: the reader's tokens of that text.
  @_lifetime(copy bytes, copy tokens)
  @inlinable
  public init(_ bytes: Span<UInt8>, _ tokens: Span<Token>) {
    self.bytes = bytes
    self.tokens = tokens
  }

  /// What stands at a node; a key is a `string`.
  @inlinable public func kind(_ node: Int) -> Token.Kind { tokens[node].kind }
  /// Offset of a node's first byte.
  @inlinable public func start(_ node: Int) -> Int { tokens[node].start }
  /// Offset behind a node's last byte.
  @inlinable public func end(_ node: Int) -> Int { tokens[node].end }
  /// The node behind this one and everything in it.
  @inlinable public func next(_ node: Int) -> Int { tokens[node].next }

  /// The number of an object's members or an array's elements, 0 for other nodes; it walks over them.
  @inlinable
  public func count(_ node: Int) -> Int {
    let token = tokens[node]
    let step: Int
    switch token.kind {
    case .object: step = 1
    case .array: step = 0
    default: return 0
    }
    var count = 0
    var child = node + 1
    while child < token.next {
      count += 1
      child = tokens[child + step].next
    }
    return count
  }

  /// The value of the last member with this key, escapes in keys decoded; nil when there is none or no object.
  ///
  /// The last, because that is what most parsers make of duplicate keys (RFC 8259 section 4).
  @inlinable
  public func find(_ key: StaticString, in object: Int) -> Int? {
    find(utf8: key.utf8Bytes, in: object)
  }

  /// The value of the last member with this key, escapes in keys decoded; nil when there is none or no object.
  @_disfavoredOverload
  @inlinable
  public func find(_ key: String, in object: Int) -> Int? {
    find(utf8: key.utf8Span.span, in: object)
  }

  /// The value of the last member with this key in UTF-8; nil when there is none or no object.
  @inlinable
  public func find(utf8 key: Span<UInt8>, in object: Int) -> Int? {
    let token = tokens[object]
    guard token.kind == .object else { return nil }
    var found: Int?
    var child = object &+ 1
    let end = token.next
    while child < end {
      if matches(tokens[child], key) { found = child &+ 1 }
      child = tokens[child &+ 1].next
    }
    return found
  }

  /// The value's bytes as they stand in the text.
  @_lifetime(copy self)
  @inlinable
  public func raw(_ node: Int) -> Span<UInt8> {
    let token = tokens[node]
    return bytes.extracting(token.start..<token.end)
  }

  /// A string's bytes between its quotes, escapes as written; empty for other nodes.
  @_lifetime(copy self)
  @inlinable
  public func content(_ node: Int) -> Span<UInt8> {
    let token = tokens[node]
    guard token.kind == .string else { return bytes.extracting(token.start..<token.start) }
    return bytes.extracting(token.start + 1..<token.end - 1)
  }
}
