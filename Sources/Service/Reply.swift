// Answers prepared once: status, headers' texts and body of each refusal.

import APNs
import JSON

/// One answer as it goes onto the wire. Shared, never changed.
final class Reply: Sendable {
  let status: Int
  let statusText: [UInt8]
  /// The word of the reason; empty for a success.
  let reason: String
  /// Milliseconds since 1970, with 410 alone.
  let timestamp: Int?
  /// Seconds for a `retry-after` header, which APNs does not document and some clients honour.
  let retryAfter: Int?
  /// For an `apns-channel-id` field: a channel just made.
  let channelID: String?
  /// `{"reason":"…"}`, for 410 with `"timestamp"`; empty for a success.
  let body: [UInt8]

  init(status: Int, reason: String, timestamp: Int? = nil, retryAfter: Int? = nil) {
    (self.status, self.reason, self.timestamp, self.retryAfter) = (status, reason, timestamp, retryAfter)
    channelID = nil
    statusText = Array(String(status).utf8)
    guard !reason.isEmpty else {
      body = []
      return
    }
    var writer = Writer()
    writer.beginObject()
    writer.key("reason")
    writer.string(reason)
    if let timestamp {
      writer.key("timestamp")
      writer.integer(timestamp)
    }
    writer.endObject()
    body = writer.bytes
  }

  /// An answer of channel management that is a success.
  init(status: Int, body: [UInt8], channelID: String? = nil) {
    (self.status, self.body, self.channelID) = (status, body, channelID)
    (reason, timestamp, retryAfter) = ("", nil, nil)
    statusText = Array(String(status).utf8)
  }

  var isSuccess: Bool { status < 300 }

  /// 200 without a body.
  static let accepted = Reply(status: 200, reason: "")

  /// The answer of a row of Apple's table.
  static func named(_ reason: String, timestamp: Int? = nil) -> Reply {
    guard let row = Reason.named(reason) else { return Reply(status: 500, reason: reason) }
    return Reply(status: row.status, reason: row.name, timestamp: timestamp)
  }

  static let badCertificate = named("BadCertificate")
  static let badCertificateEnvironment = named("BadCertificateEnvironment")
  static let badChannelID = named("BadChannelId")
  static let badCollapseID = named("BadCollapseId")
  static let badDeviceToken = named("BadDeviceToken")
  static let badEnvironmentKey = named("BadEnvironmentKeyInToken")
  static let badEnvironmentKeyID = named("BadEnvironmentKeyIdInToken")
  static let badExpirationDate = named("BadExpirationDate")
  static let badMessageID = named("BadMessageId")
  static let badPath = named("BadPath")
  static let badPriority = named("BadPriority")
  static let badRequestParams = named("BadRequestParams")
  static let badRequestPayload = named("BadRequestPayload")
  static let badTopic = named("BadTopic")
  static let cannotCreateChannel = named("CannotCreateChannelConfig")
  static let channelNotRegistered = named("ChannelNotRegistered")
  static let duplicateHeaders = named("DuplicateHeaders")
  static let expiredProviderToken = named("ExpiredProviderToken")
  static let invalidProviderToken = named("InvalidProviderToken")
  static let invalidPushType = named("InvalidPushType")
  static let methodNotAllowed = named("MethodNotAllowed")
  static let missingChannelID = named("MissingChannelId")
  static let missingChannelPolicy = named("MissingChannelQueueSize")
  static let missingDeviceToken = named("MissingDeviceToken")
  static let missingProviderToken = named("MissingProviderToken")
  static let missingPushType = named("MissingPushType")
  static let missingTopic = named("MissingTopic")
  static let payloadEmpty = named("PayloadEmpty")
  static let payloadTooLarge = named("PayloadTooLarge")
  static let tooManyTokenUpdates = named("TooManyProviderTokenUpdates")
  static let topicDisallowed = named("TopicDisallowed")
  static let topicMismatch = named("TopicMismatch")
  static let unrelatedKeyID = named("UnrelatedKeyIdInToken")
}

/// What the checks came to.
struct Verdict {
  let reply: Reply
  /// More than the reason's own meaning, for the record of what was received; empty when there is no more to say.
  let because: StaticString

  init(_ reply: Reply, _ because: StaticString = "") { (self.reply, self.because) = (reply, because) }

  static let accepted = Verdict(.accepted)
}
