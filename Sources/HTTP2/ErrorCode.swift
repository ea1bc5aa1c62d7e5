// The error codes of HTTP/2, by number and by name.

/// An error code as it stands in RST_STREAM and GOAWAY frames (RFC 9113 section 7). Unknown numbers are kept.
public struct ErrorCode: RawRepresentable, Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  /// The number on the wire.
  public var rawValue: UInt32

  /// Any number is an error code; those nobody defined read as INTERNAL_ERROR to a peer, and are kept here.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let noError = ErrorCode(rawValue: 0)
  public static let protocolError = ErrorCode(rawValue: 1)
  public static let internalError = ErrorCode(rawValue: 2)
  public static let flowControlError = ErrorCode(rawValue: 3)
  public static let settingsTimeout = ErrorCode(rawValue: 4)
  public static let streamClosed = ErrorCode(rawValue: 5)
  public static let frameSizeError = ErrorCode(rawValue: 6)
  public static let refusedStream = ErrorCode(rawValue: 7)
  public static let cancel = ErrorCode(rawValue: 8)
  public static let compressionError = ErrorCode(rawValue: 9)
  public static let connectError = ErrorCode(rawValue: 10)
  public static let enhanceYourCalm = ErrorCode(rawValue: 11)
  public static let inadequateSecurity = ErrorCode(rawValue: 12)
  public static let http11Required = ErrorCode(rawValue: 13)

  private static let names = [
    "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
    "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
    "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
  ]

  /// The name RFC 9113 gives the code, `error 77` where it gives none.
  public var description: String {
    rawValue < UInt32(Self.names.count) ? Self.names[Int(rawValue)] : "error \(rawValue)"
  }

  /// The code with that name, in RFC 9113's spelling; nil for a name it does not have.
  public init?(name: String) {
    guard let index = Self.names.firstIndex(of: name) else { return nil }
    self.init(rawValue: UInt32(index))
  }
}
