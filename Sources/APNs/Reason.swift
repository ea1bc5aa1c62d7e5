// Every reason APNs gives for a refusal, one row each: status, meaning, what to do.

/// What to do about a refusal, one word.
public enum Advice: String, CaseIterable, Sendable {
  /// Correct the request; the same bytes will be refused again.
  case fix
  /// Do not use the device token any longer.
  case drop
  /// Send the same request again later, or on another connection.
  case retry
  /// Make a new provider token, then send again.
  case renew
  /// The credential or the configuration is at fault: every further request would fail too.
  case stop

  /// The sentence for people.
  public var meaning: String {
    switch self {
    case .fix: "correct the request; sent again as it is, it is refused again"
    case .drop: "stop using this device token"
    case .retry: "send it again later"
    case .renew: "make a new provider token, then send it again"
    case .stop: "stop: the credential or the configuration is at fault"
    }
  }
}

/// One row of the table of refusals (Apple, "Handling notification responses from APNs"; for channels "Handling error
/// responses from APNs"). A reason that is not in the table is carried through as it came.
public struct Reason: Sendable, Equatable {
  /// The word on the wire.
  public let name: String
  /// The HTTP status it comes with.
  public let status: Int
  public let meaning: String
  public let advice: Advice
  /// Whether only broadcast and channel requests earn it.
  public let isBroadcastOnly: Bool

  private init(_ status: Int, _ name: String, _ advice: Advice, _ meaning: String, broadcast: Bool = false) {
    self.name = name
    self.status = status
    self.meaning = meaning
    self.advice = advice
    isBroadcastOnly = broadcast
  }

  /// The row of a reason by its word, nil for one nobody has documented.
  public static func named(_ name: String) -> Reason? { byName[name] }

  /// What to do about an answer: by its reason, and where that is unknown by its status.
  public static func advice(name: String?, status: Int) -> Advice? {
    if status == 200 { return nil }
    if let name, let row = byName[name] { return row.advice }
    switch status {
    case 410: return .drop
    case 429, 500...599: return .retry
    case 403: return .stop
    default: return .fix
    }
  }

  /// Whether it is the connection that is refused: what is sent again goes over a new one.
  public var isAboutConnection: Bool { ["IdleTimeout", "Shutdown", "UnrelatedKeyIdInToken"].contains(name) }

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  public static let all: [Reason] = [
    Reason(400, "BadCollapseId", .fix, "the collapse identifier is longer than 64 bytes"),
    Reason(
      400, "BadDeviceToken", .fix, "not a device token, or one of the other environment (production or sandbox)"),
    Reason(400, "BadExpirationDate", .fix, "the expiration is not usable"),
    Reason(400, "BadMessageId", .fix, "the apns-id is not a UUID"),
    Reason(400, "BadPriority", .fix, "the priority is not allowed"),
    Reason(400, "BadTopic", .fix, "the topic is not usable"),
    Reason(400, "DeviceTokenNotForTopic", .fix, "the device token belongs to another topic"),
    Reason(400, "DuplicateHeaders", .fix, "a header was sent twice"),
    Reason(400, "IdleTimeout", .retry, "the connection was idle for too long"),
    Reason(400, "InvalidPushType", .fix, "the push type is unknown or does not go with the topic"),
    Reason(400, "MissingDeviceToken", .fix, "the path holds no device token"),
    Reason(400, "MissingTopic", .fix, "no topic was given and the credential does not imply one"),
    Reason(400, "PayloadEmpty", .fix, "the request had no body"),
    Reason(400, "TopicDisallowed", .stop, "this credential may not push to this topic"),
    Reason(403, "BadCertificate", .stop, "the certificate is not usable"),
    Reason(403, "BadCertificateEnvironment", .stop, "the certificate is for the other environment"),
    Reason(403, "ExpiredProviderToken", .renew, "the provider token is older than an hour"),
    Reason(403, "Forbidden", .stop, "the action is not allowed"),
    Reason(
      403, "InvalidProviderToken", .stop, "the provider token is malformed, or its key, team or signature is wrong"),
    Reason(403, "MissingProviderToken", .stop, "neither a certificate nor a provider token was given"),
    Reason(
      403, "UnrelatedKeyIdInToken", .stop, "the key is not related to the one this connection was first used with"),
    Reason(403, "BadEnvironmentKeyIdInToken", .stop, "the key is restricted to the other environment"),
    // The spelling the service was seen to use, beside the one of Apple's table above.
    Reason(403, "BadEnvironmentKeyInToken", .stop, "the key is restricted to the other environment"),
    Reason(404, "BadPath", .fix, "the path is wrong"),
    Reason(405, "MethodNotAllowed", .fix, "the method is not POST"),
    Reason(410, "ExpiredToken", .drop, "the device token has expired"),
    Reason(410, "Unregistered", .drop, "the device token is no longer active for the topic"),
    Reason(413, "PayloadTooLarge", .fix, "the payload is larger than its push type allows"),
    Reason(
      429, "TooManyProviderTokenUpdates", .retry, "the provider token was renewed more than once within 20 minutes"),
    Reason(429, "TooManyRequests", .retry, "too many requests for the same device token"),
    Reason(500, "InternalServerError", .retry, "the service has failed"),
    Reason(503, "ServiceUnavailable", .retry, "the service is not available"),
    Reason(503, "Shutdown", .retry, "the server is shutting down"),
    Reason(400, "BadChannelId", .fix, "the channel identifier is badly encoded or too long", broadcast: true),
    Reason(400, "BadRequestParams", .fix, "the request has an unknown attribute", broadcast: true),
    Reason(400, "BadRequestPayload", .fix, "the request's body cannot be parsed", broadcast: true),
    Reason(400, "CannotCreateChannelConfig", .fix, "the app has its 10,000 channels already", broadcast: true),
    Reason(400, "ChannelNotRegistered", .fix, "the channel does not exist", broadcast: true),
    Reason(400, "FeatureNotEnabled", .stop, "broadcast is not enabled for this bundle identifier", broadcast: true),
    Reason(400, "MissingChannelId", .fix, "no channel identifier was given", broadcast: true),
    Reason(400, "MissingChannelQueueSize", .fix, "the message storage policy is missing or invalid", broadcast: true),
    Reason(400, "MissingPushType", .fix, "no push type was given", broadcast: true),
    Reason(
      403, "TopicMismatch", .stop, "the credential does not cover the bundle identifier of the path", broadcast: true),
  ]
}
