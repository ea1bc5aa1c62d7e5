// Every status of an error packet, one row each (Apple's retired "Binary Provider API", table of error-response codes).

/// What APNs says in an error packet before it closes the connection.
public struct ErrorStatus: Sendable, Equatable {
  /// The byte on the wire.
  public let code: UInt8
  /// Apple's words.
  public let reason: String
  /// What to do, one sentence.
  public let meaning: String

  private init(_ code: UInt8, _ reason: String, _ meaning: String) {
    self.code = code
    self.reason = reason
    self.meaning = meaning
  }

  /// The row of a code, nil for one that no document has.
  public static func of(_ code: UInt8) -> ErrorStatus? { all.first { $0.code == code } }

  public static let noError = ErrorStatus(0, "no error", "nothing was wrong")
  public static let processingError = ErrorStatus(1, "processing error", "the service has failed; send it again")
  public static let missingToken = ErrorStatus(2, "missing device token", "the notification has no device token")
  public static let missingTopic = ErrorStatus(3, "missing topic", "the certificate names no topic")
  public static let missingPayload = ErrorStatus(4, "missing payload", "the notification has no payload")
  public static let invalidTokenSize = ErrorStatus(5, "invalid token size", "the device token has a wrong length")
  public static let invalidTopicSize = ErrorStatus(6, "invalid topic size", "the topic has a wrong length")
  public static let invalidPayloadSize = ErrorStatus(7, "invalid payload size", "the payload is too long")
  public static let invalidToken = ErrorStatus(
    8, "invalid token", "not a device token of this app and environment: do not use it any longer")
  /// The exception: the notification named is the last one that went through.
  public static let shutdown = ErrorStatus(
    10, "shutdown", "the server is going down; the notification named is the last one that was sent")
  /// Newer revisions of the guide have it.
  public static let protocolError = ErrorStatus(128, "protocol error", "the notification could not be parsed")
  public static let unknown = ErrorStatus(255, "none (unknown)", "the service does not say why")

  public static let all = [
    noError, processingError, missingToken, missingTopic, missingPayload, invalidTokenSize, invalidTopicSize,
    invalidPayloadSize, invalidToken, shutdown, protocolError, unknown,
  ]
}
