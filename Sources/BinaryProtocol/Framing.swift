// The three streams of the binary protocol, and what a decoder finds in them.

/// Which of the three streams bytes belong to. The streams have no marks that tell them apart.
public enum Framing: String, CaseIterable, Sendable {
  /// From the feedback service: tuples of time and device token.
  case feedback
  /// From a provider to the gateway: notifications in the commands 0, 1 and 2, mixed as the provider likes.
  case commands
  /// From the gateway to a provider: error packets.
  case responses

  /// What one of its records is called.
  public var record: String {
    switch self {
    case .feedback: "feedback tuple"
    case .commands: "notification"
    case .responses: "error packet"
    }
  }
}

/// What a decoder found. Ranges are places in the decoder's `bytes`, good until the next `append`; offsets count from
/// the start of the stream.
public enum Event: Equatable, Sendable {
  case notification(Frame)
  case error(ErrorPacket)
  case feedback(Tuple)
  case malformed(Damage)

  /// Where it starts, in bytes from the start of the stream.
  public var offset: Int {
    switch self {
    case .notification(let frame): frame.offset
    case .error(let packet): packet.offset
    case .feedback(let tuple): tuple.offset
    case .malformed(let damage): damage.offset
    }
  }

  /// How many bytes it has. The events of a stream lie end to end, from its first byte to its last.
  public var length: Int {
    switch self {
    case .notification(let frame): frame.length
    case .error: ErrorPacket.size
    case .feedback(let tuple): tuple.length
    case .malformed(let damage): damage.length
    }
  }
}

/// An error packet: the gateway's only answer, written before it closes the connection.
///
///     offset  size  field
///     0       1     0x08
///     1       1     status
///     2       4     identifier of the notification, big-endian
public struct ErrorPacket: Equatable, Sendable {
  public static let size = 6
  public static let command: UInt8 = 8

  public var offset: Int
  public var status: UInt8
  /// Of the notification at fault; under status 10 of the last one that went through. 0 may be an identifier.
  public var identifier: UInt32

  public init(offset: Int = 0, status: UInt8, identifier: UInt32) {
    self.offset = offset
    self.status = status
    self.identifier = identifier
  }
}

/// A tuple of the feedback service.
///
///     offset  size  field
///     0       4     UNIX seconds when APNs found the app gone from the device, big-endian
///     4       2     token length n, big-endian: 32 by custom, any by the protocol
///     6       n     device token
public struct Tuple: Equatable, Sendable {
  public static let headSize = 6

  public var offset: Int
  /// UNIX seconds.
  public var timestamp: UInt32
  /// The token's place in the decoder's bytes.
  public var token: Range<Int>

  public var length: Int { Self.headSize + token.count }
}
