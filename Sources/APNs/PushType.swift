// The eleven push types, one row each: topic suffix, priorities, size, credential, what the payload must hold.

/// Values of the `apns-push-type` header (Apple, "Sending notification requests to APNs", table of push types).
public enum PushType: String, CaseIterable, Sendable {
  case alert, background, complication, controls, fileprovider, liveactivity, location, mdm, pushtotalk, voip, widgets
}

/// What kind of credential APNs takes for a push type.
public enum CredentialKind: String, Sendable {
  case any, token, certificate
}

/// What the payload of a push type holds.
public enum PayloadShape: Sendable {
  /// `aps` with something to show, play or count.
  case alert
  /// `aps` with `content-available` and nothing to show.
  case background
  /// `aps` with `event`, `timestamp`, `content-state`.
  case liveActivity
  /// `{"aps":{"content-changed":true}}`.
  case contentChanged
  /// `container-identifier` and `domain` at the root, no `aps`.
  case fileProvider
  /// `{"mdm":"<PushMagic>"}` alone.
  case mdm
  /// Whatever the app reads.
  case free
}

extension PushType {
  /// One row of the table.
  public struct Row: Sendable {
    /// What stands behind the bundle identifier in `apns-topic`; empty for none.
    public let topicSuffix: String
    /// The values `apns-priority` may have.
    public let priorities: [Int]
    /// The priority a sender with no wish of its own should use.
    public let usualPriority: Int
    /// The `apns-expiration` a sender with no wish of its own should use: nil means no header.
    public let usualExpiration: Int?
    /// Most bytes of the payload.
    public let payloadLimit: Int
    public let credential: CredentialKind
    public let shape: PayloadShape
    /// The sentence for people.
    public let meaning: String
  }

  /// The facts of this type. Sources: Apple's page named above; for `controls` and `widgets` the WidgetKit pages,
  /// for `location` the location push extension's page, for `mdm` the MDM commands' page.
  public var row: Row {
    switch self {
    case .alert:
      Row(
        topicSuffix: "", priorities: [1, 5, 10], usualPriority: 10, usualExpiration: nil, payloadLimit: 4096,
        credential: .any, shape: .alert, meaning: "shows an alert, plays a sound or sets the badge")
    case .background:
      Row(
        topicSuffix: "", priorities: [5], usualPriority: 5, usualExpiration: nil, payloadLimit: 4096,
        credential: .any, shape: .background, meaning: "wakes the app in the background and shows nothing")
    case .complication:
      Row(
        topicSuffix: ".complication", priorities: [1, 5, 10], usualPriority: 10, usualExpiration: nil,
        payloadLimit: 4096, credential: .any, shape: .free, meaning: "updates a watchOS complication")
    case .controls:
      Row(
        topicSuffix: ".push-type.controls", priorities: [1, 5, 10], usualPriority: 10, usualExpiration: 0,
        payloadLimit: 4096, credential: .any, shape: .contentChanged, meaning: "reloads a control")
    case .fileprovider:
      Row(
        topicSuffix: ".pushkit.fileprovider", priorities: [1, 5, 10], usualPriority: 10, usualExpiration: nil,
        payloadLimit: 4096, credential: .token, shape: .fileProvider,
        meaning: "tells a File Provider extension that its files have changed")
    case .liveactivity:
      Row(
        topicSuffix: ".push-type.liveactivity", priorities: [5, 10], usualPriority: 10, usualExpiration: nil,
        payloadLimit: 4096, credential: .token, shape: .liveActivity, meaning: "starts, updates or ends a Live Activity"
      )
    case .location:
      Row(
        topicSuffix: ".location-query", priorities: [5, 10], usualPriority: 10, usualExpiration: nil,
        payloadLimit: 4096, credential: .token, shape: .free, meaning: "asks for the device's location")
    case .mdm:
      Row(
        topicSuffix: "", priorities: [1, 5, 10], usualPriority: 10, usualExpiration: nil, payloadLimit: 4096,
        credential: .certificate, shape: .mdm, meaning: "tells a managed device to contact its MDM server")
    case .pushtotalk:
      Row(
        topicSuffix: ".voip-ptt", priorities: [10], usualPriority: 10, usualExpiration: 0, payloadLimit: 4096,
        credential: .any, shape: .free, meaning: "announces Push to Talk services")
    case .voip:
      Row(
        topicSuffix: ".voip", priorities: [1, 5, 10], usualPriority: 10, usualExpiration: 0, payloadLimit: 5120,
        credential: .any, shape: .free, meaning: "announces an incoming call")
    case .widgets:
      Row(
        topicSuffix: ".push-type.widgets", priorities: [1, 5, 10], usualPriority: 10, usualExpiration: nil,
        payloadLimit: 4096, credential: .any, shape: .contentChanged, meaning: "reloads widgets")
    }
  }

  /// Most bytes of a payload sent to a broadcast channel (Apple, "Sending broadcast push notification requests").
  public static let broadcastPayloadLimit = 5120

  /// Most bytes of a payload whose type is not known.
  public static let ordinaryPayloadLimit = 4096

  /// The type whose suffix the topic bears, the longest suffix winning; nil for a topic without any.
  public static func bySuffix(of topic: String) -> PushType? {
    allCases.filter { !$0.row.topicSuffix.isEmpty && topic.hasSuffix($0.row.topicSuffix) }
      .max { $0.row.topicSuffix.utf8.count < $1.row.topicSuffix.utf8.count }
  }
}
