// The request headers APNs reads, one row each: name, the record's key for it, how HPACK should treat it.

/// One header of a push request (Apple, "Sending notification requests to APNs", table of headers).
public struct RequestHeader: Sendable, Equatable {
  /// How a header is to be written into the compressed block (the same page: the server keeps a small table).
  public enum Indexing: String, Sendable {
    /// Literal without indexing, each time: the value is hardly ever the same twice.
    case never
    /// With incremental indexing the first time, to get the name into the table; without indexing later.
    case nameOnly
    /// With incremental indexing: the value repeats.
    case always
  }

  /// The name on the wire, lower case.
  public let name: String
  /// The key of a notification record that fills it; nil for what no record carries.
  public let key: String?
  public let indexing: Indexing
  public let meaning: String

  public static let path = RequestHeader(
    name: ":path", key: "token", indexing: .never, meaning: "/3/device/<device token>")
  public static let authorization = RequestHeader(
    name: "authorization", key: nil, indexing: .never, meaning: "bearer <provider token>")
  public static let topic = RequestHeader(
    name: "apns-topic", key: "topic", indexing: .always, meaning: "bundle identifier with the push type's suffix")
  public static let pushType = RequestHeader(
    name: "apns-push-type", key: "push_type", indexing: .always, meaning: "what the payload is")
  public static let priority = RequestHeader(
    name: "apns-priority", key: "priority", indexing: .always, meaning: "10 at once, 5 sparing power, 1 never wakes")
  public static let expiration = RequestHeader(
    name: "apns-expiration", key: "expiration", indexing: .nameOnly, meaning: "UNIX seconds; 0 for one attempt")
  public static let collapseID = RequestHeader(
    name: "apns-collapse-id", key: "collapse_id", indexing: .nameOnly,
    meaning: "replaces what is shown under the same id")
  public static let id = RequestHeader(
    name: "apns-id", key: "id", indexing: .nameOnly, meaning: "canonical UUID, returned with the answer")
  public static let channelID = RequestHeader(
    name: "apns-channel-id", key: "channel_id", indexing: .always, meaning: "broadcast channel, base64")
  public static let requestID = RequestHeader(
    name: "apns-request-id", key: nil, indexing: .nameOnly, meaning: "canonical UUID of a broadcast or channel request")

  public static let all = [
    path, authorization, topic, pushType, priority, expiration, collapseID, id, channelID, requestID,
  ]
}
