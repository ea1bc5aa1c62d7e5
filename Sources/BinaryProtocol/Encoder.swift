// The other direction: notifications, error packets and feedback tuples as bytes.

import JSON

/// What does not fit the protocol's fields.
public enum EncodingError: Error, Equatable, Sendable {
  /// A token of so many bytes; its length field has two.
  case tokenTooLong(Int)
  /// A payload of so many bytes; its length field has two.
  case payloadTooLong(Int)
  /// An item's data of so many bytes; its length field has two.
  case itemTooLong(id: UInt8, Int)

  /// The sentence for people.
  public var message: String {
    switch self {
    case .tokenTooLong(let size): "the token has \(size) bytes; the binary protocol has room for 65535"
    case .payloadTooLong(let size): "the payload has \(size) bytes; the binary protocol has room for 65535"
    case .itemTooLong(let id, let size): "item \(id) has \(size) bytes; the binary protocol has room for 65535"
    }
  }
}

extension [UInt8] {
  /// Appends command 0. The diagrams stand at `Frame`.
  ///
  /// Limits of APNs (32-byte tokens, 2048 bytes of payload) are not checked: a test double must be able to break them.
  public mutating func appendSimple(token: Span<UInt8>, payload: Span<UInt8>) throws(EncodingError) {
    try check(token: token, payload: payload)
    append(0)
    append(sized: token)
    append(sized: payload)
  }

  /// Appends command 1.
  /// - Parameter expiration: UNIX seconds; 0 for one attempt without storing.
  public mutating func appendEnhanced(
    identifier: UInt32, expiration: UInt32, token: Span<UInt8>, payload: Span<UInt8>
  ) throws(EncodingError) {
    try check(token: token, payload: payload)
    append(1)
    append(bigEndian: identifier)
    append(bigEndian: expiration)
    append(sized: token)
    append(sized: payload)
  }

  /// Appends command 2 with its items in the order of the guide; what is nil is left out.
  public mutating func appendFrame(
    token: Span<UInt8>, payload: Span<UInt8>, identifier: UInt32? = nil, expiration: UInt32? = nil,
    priority: UInt8? = nil
  ) throws(EncodingError) {
    try check(token: token, payload: payload)
    let start = beginFrame()
    try appendItem(1, token)
    try appendItem(2, payload)
    if let identifier { appendItem(3, identifier) }
    if let expiration { appendItem(4, expiration) }
    if let priority { appendItem(5, priority) }
    endFrame(start)
  }

  /// Starts a frame whose items are appended one by one, in any order, of any kind.
  /// - Returns: what `endFrame` wants.
  public mutating func beginFrame() -> Int {
    append(2)
    append(bigEndian: UInt32(0))
    return count
  }

  /// Ends a frame: writes its length into its start.
  public mutating func endFrame(_ start: Int) {
    let length = UInt32(truncatingIfNeeded: count - start)
    for place in 0..<4 { self[start - 4 + place] = UInt8(truncatingIfNeeded: length >> UInt32(24 - 8 * place)) }
  }

  /// Appends an item with any data.
  public mutating func appendItem(_ id: UInt8, _ data: Span<UInt8>) throws(EncodingError) {
    guard data.count <= Int(UInt16.max) else { throw .itemTooLong(id: id, data.count) }
    append(id)
    append(sized: data)
  }

  /// Appends an item of four bytes: identifier (3) or expiration (4).
  public mutating func appendItem(_ id: UInt8, _ value: UInt32) {
    append(id)
    append(bigEndian: UInt16(4))
    append(bigEndian: value)
  }

  /// Appends an item of one byte: priority (5).
  public mutating func appendItem(_ id: UInt8, _ value: UInt8) {
    append(id)
    append(bigEndian: UInt16(1))
    append(value)
  }

  /// Appends an error packet.
  public mutating func appendErrorPacket(status: UInt8, identifier: UInt32) {
    append(ErrorPacket.command)
    append(status)
    append(bigEndian: identifier)
  }

  /// Appends a feedback tuple.
  /// - Parameter timestamp: UNIX seconds.
  public mutating func appendFeedback(timestamp: UInt32, token: Span<UInt8>) throws(EncodingError) {
    guard token.count <= Int(UInt16.max) else { throw .tokenTooLong(token.count) }
    append(bigEndian: timestamp)
    append(sized: token)
  }

  private func check(token: Span<UInt8>, payload: Span<UInt8>) throws(EncodingError) {
    guard token.count <= Int(UInt16.max) else { throw .tokenTooLong(token.count) }
    guard payload.count <= Int(UInt16.max) else { throw .payloadTooLong(payload.count) }
  }

  /// Bytes that have been measured, behind their length.
  private mutating func append(sized bytes: Span<UInt8>) {
    append(bigEndian: UInt16(truncatingIfNeeded: bytes.count))
    append(bytes)
  }

  private mutating func append(bigEndian value: UInt16) {
    append(UInt8(truncatingIfNeeded: value >> 8))
    append(UInt8(truncatingIfNeeded: value))
  }

  private mutating func append(bigEndian value: UInt32) {
    append(bigEndian: UInt16(truncatingIfNeeded: value >> 16))
    append(bigEndian: UInt16(truncatingIfNeeded: value))
  }
}
