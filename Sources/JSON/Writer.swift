// The writer: values in, one after the other, JSON out; commas come by themselves.

/// Writes JSON into an array that is kept from record to record.
///
/// It does not check that keys and values alternate or that what was begun is ended: its callers write shapes that
/// are fixed in code.
public struct Writer: Sendable {
  /// What has been written.
  public var bytes: [UInt8]
  /// Whether the next key or value needs a comma before it.
  @usableFromInline var needsComma = false

  /// Starts with nothing written, or behind what `bytes` holds.
  @inlinable
  public init(_ bytes: [UInt8] = []) {
    self.bytes = bytes
  }

  @inlinable @inline(__always)
  mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  /// Opens an object, as a value.
  @inlinable
  public mutating func beginObject() {
    separate()
    bytes.append(UInt8(ascii: "{"))
    needsComma = false
  }

  /// Closes the object.
  @inlinable
  public mutating func endObject() {
    bytes.append(UInt8(ascii: "}"))
    needsComma = true
  }

  /// Opens an array, as a value.
  @inlinable
  public mutating func beginArray() {
    separate()
    bytes.append(UInt8(ascii: "["))
    needsComma = false
  }

  /// Closes the array.
  @inlinable
  public mutating func endArray() {
    bytes.append(UInt8(ascii: "]"))
    needsComma = true
  }

  /// Writes a member's key that needs no escape: a literal without quote, backslash and control character.
  @inlinable
  public mutating func key(_ name: StaticString) {
    let name = name.utf8Bytes
    bytes.append(most: name.count &+ 4) { room in
      if needsComma { room.put(UInt8(ascii: ",")) }
      room.put(UInt8(ascii: "\""))
      room.put(name)
      room.put(UInt8(ascii: "\""))
      room.put(UInt8(ascii: ":"))
    }
    needsComma = false
  }

  /// Writes a member's key. A literal takes the overload above.
  @_disfavoredOverload
  public mutating func key(_ name: String) {
    separate()
    bytes.appendJSONString(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes a string from a literal.
  public mutating func string(_ text: StaticString) {
    separate()
    bytes.appendJSONString(text.utf8Bytes)
  }

  /// Writes a string.
  @_disfavoredOverload
  public mutating func string(_ text: String) {
    separate()
    bytes.appendJSONString(text)
  }

  /// Writes a string from UTF-8; what is not UTF-8 becomes U+FFFD.
  public mutating func string(utf8: Span<UInt8>) {
    separate()
    bytes.appendJSONString(utf8)
  }

  /// Writes an integer.
  public mutating func integer(_ value: Int) {
    separate()
    bytes.append(decimal: value)
  }

  /// Writes the shortest number that reads back as `value`; `null` for what JSON cannot say (infinite, not a number).
  public mutating func number(_ value: Double) {
    separate()
    guard value.isFinite else { return bytes.append("null") }
    if let integer = Int(exactly: value), integer.magnitude < 1 << 53, integer != 0 || value.sign == .plus {
      return bytes.append(decimal: integer)
    }
    bytes.append(value.description)
  }

  /// Writes `true` or `false`.
  @inlinable
  public mutating func bool(_ value: Bool) {
    separate()
    bytes.append(value ? "true" : "false")
  }

  /// Writes `null`.
  @inlinable
  public mutating func null() {
    separate()
    bytes.append("null")
  }

  /// Writes a value that is JSON already, as it stands.
  @inlinable
  public mutating func raw(_ json: Span<UInt8>) {
    separate()
    bytes.append(json)
  }

  /// Ends a record with a line feed; the next value starts without a comma.
  @inlinable
  public mutating func newline() {
    bytes.append(UInt8(ascii: "\n"))
    needsComma = false
  }

  /// Forgets what was written.
  @inlinable
  public mutating func removeAll(keepingCapacity: Bool = true) {
    bytes.removeAll(keepingCapacity: keepingCapacity)
    needsComma = false
  }
}
