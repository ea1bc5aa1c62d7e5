// A notification of the binary protocol: the three commands that carry one, and the fields they have.

/// A notification as it stands in a decoder's bytes.
///
/// Command 0, simple: no identifier, so that no error packet can name it.
///
///     offset  size  field
///     0       1     0x00
///     1       2     token length n, big-endian
///     3       n     device token
///     3+n     2     payload length m, big-endian
///     5+n     m     payload: JSON, no terminator
///
/// Command 1, enhanced:
///
///     offset  size  field
///     0       1     0x01
///     1       4     identifier, any value
///     5       4     expiration, UNIX seconds; 0 = do not store
///     9       2     token length n
///     11      n     device token
///     11+n    2     payload length m
///     13+n    m     payload
///
/// Command 2, frame:
///
///     offset  size  field
///     0       1     0x02
///     1       4     frame length: the sum of all items, big-endian
///     5       …     items, each at most once, in any order
///
///     item:   1     item id: 1 token, 2 payload, 3 identifier (4), 4 expiration (4), 5 priority (1)
///             2     data length n, big-endian
///             n     data
public struct Frame: Equatable, Sendable {
  /// Bytes before the items of command 2.
  static let headSize = 5
  /// Bytes before an item's data.
  static let itemHeadSize = 3

  public var offset = 0
  public var length = 0
  /// 0, 1 or 2.
  public var command: UInt8
  /// What an error packet would name it by. 0 is a value, nil is none.
  public var identifier: UInt32?
  /// UNIX seconds; 0 is one attempt without storing, nil is not said.
  public var expiration: UInt32?
  /// 10 or 5; nil is not said, and 10.
  public var priority: UInt8?
  /// The token's place in the decoder's bytes, nil when there is none.
  public var token: Range<Int>?
  /// The payload's place in the decoder's bytes, nil when there is none.
  public var payload: Range<Int>?
  /// Where the items are (command 2).
  var items: Range<Int>?
  /// How many items are none of the five fields above: an id nobody knows, a field of a wrong size, a repetition.
  public internal(set) var otherItemCount = 0

  init(command: UInt8) {
    self.command = command
  }

  /// Calls the body for each item that is none of the fields: with its id, its data and why it is none.
  public func forEachOtherItem(
    _ bytes: Span<UInt8>, _ body: (_ id: UInt8, _ data: Range<Int>, _ why: OtherItem) -> Void
  ) {
    guard let items, otherItemCount > 0 else { return }
    var probe = Frame(command: command)
    var place = items.lowerBound
    while place < items.upperBound {
      let id = bytes[place]
      let data = (place + Self.itemHeadSize)..<(place + Self.itemHeadSize + Int(bytes.bigEndian16(place + 1)))
      if let why = probe.take(id, data, bytes) { body(id, data, why) }
      place = data.upperBound
    }
  }

  /// Why an item is none of the fields.
  public enum OtherItem: Sendable {
    case unknown, wrongSize, repeated
  }

  /// Takes an item as the field it is; or says why it is none.
  mutating func take(_ id: UInt8, _ data: Range<Int>, _ bytes: Span<UInt8>) -> OtherItem? {
    switch id {
    case 1:
      if token != nil { return .repeated }
      token = data
    case 2:
      if payload != nil { return .repeated }
      payload = data
    case 3:
      if data.count != 4 { return .wrongSize }
      if identifier != nil { return .repeated }
      identifier = bytes.bigEndian32(data.lowerBound)
    case 4:
      if data.count != 4 { return .wrongSize }
      if expiration != nil { return .repeated }
      expiration = bytes.bigEndian32(data.lowerBound)
    case 5:
      if data.count != 1 { return .wrongSize }
      if priority != nil { return .repeated }
      priority = bytes[data.lowerBound]
    default: return .unknown
    }
    return nil
  }

  /// Takes all items.
  /// - Parameter items: item after item, which fill the range (`itemFault` has said so).
  mutating func take(items: Range<Int>, _ bytes: Span<UInt8>) {
    self.items = items
    var place = items.lowerBound
    while place < items.upperBound {
      let data = (place + Self.itemHeadSize)..<(place + Self.itemHeadSize + Int(bytes.bigEndian16(place + 1)))
      if take(bytes[place], data, bytes) != nil { otherItemCount += 1 }
      place = data.upperBound
    }
  }
}

extension Span<UInt8> {
  /// The two bytes at `index` as a number.
  @inline(__always)
  func bigEndian16(_ index: Int) -> UInt16 {
    UInt16(self[index]) &<< 8 | UInt16(self[index + 1])
  }

  /// The four bytes at `index` as a number.
  @inline(__always)
  func bigEndian32(_ index: Int) -> UInt32 {
    UInt32(bigEndian16(index)) &<< 16 | UInt32(bigEndian16(index + 2))
  }
}
