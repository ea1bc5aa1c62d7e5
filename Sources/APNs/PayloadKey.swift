// The keys of a payload that mean something to Apple's systems, one row each. Any other key is the app's own.

/// Keys of the `aps` dictionary (Apple, "Generating a remote notification", with the Live Activity, WidgetKit, controls
/// and Safari pages, whose keys are not in that page's table).
public enum APSKey: String, CaseIterable, Sendable {
  case alert, badge, sound
  case threadID = "thread-id"
  case category
  case contentAvailable = "content-available"
  case mutableContent = "mutable-content"
  case targetContentID = "target-content-id"
  case interruptionLevel = "interruption-level"
  case relevanceScore = "relevance-score"
  case filterCriteria = "filter-criteria"
  case contentState = "content-state"
  case timestamp, event
  case staleDate = "stale-date"
  case dismissalDate = "dismissal-date"
  case attributesType = "attributes-type"
  case attributes
  case inputPushToken = "input-push-token"
  case inputPushChannel = "input-push-channel"
  case contentChanged = "content-changed"
  case urlArgs = "url-args"
  /// The three below are on no page of Apple's: one was confirmed by its engineers, the others were seen in the wild.
  case pttPushType = "ptt-push-type"
  case topicID = "topic-id"
  case accountID = "account-id"
}

extension APSKey {
  /// Whether only a Live Activity reads the key.
  public var isLiveActivity: Bool {
    switch self {
    case .contentState, .timestamp, .event, .staleDate, .dismissalDate, .attributesType, .attributes, .inputPushToken,
      .inputPushChannel:
      true
    default: false
    }
  }

  /// Whether a page of Apple's names the key.
  public var isDocumented: Bool {
    switch self {
    case .pttPushType, .topicID, .accountID: false
    default: true
    }
  }
}

/// Keys of `aps.alert` as an object (the same page; `action` is Safari's, `sound` the Live Activity's).
public enum AlertKey: String, CaseIterable, Sendable {
  case title, subtitle, body
  case launchImage = "launch-image"
  case titleLocKey = "title-loc-key"
  case titleLocArgs = "title-loc-args"
  case subtitleLocKey = "subtitle-loc-key"
  case subtitleLocArgs = "subtitle-loc-args"
  case locKey = "loc-key"
  case locArgs = "loc-args"
  case actionLocKey = "action-loc-key"
  case action
  case summaryArg = "summary-arg"
  case summaryArgCount = "summary-arg-count"
  case sound
}

/// Keys of `aps.sound` as an object, the form for critical alerts.
public enum SoundKey: String, CaseIterable, Sendable {
  case critical, name, volume
}

/// Keys beside `aps` that a system reads.
public enum RootKey: String, CaseIterable, Sendable {
  case aps
  /// The PushMagic string of device management.
  case mdm
  case containerIdentifier = "container-identifier"
  case domain
  /// Names the app in a file for `xcrun simctl push`.
  case simulatorTarget = "Simulator Target Bundle"
}

extension APSKey {
  /// The position in the table; a switch, because `allCases` would be searched.
  @inlinable public var index: Int {
    switch self {
    case .alert: 0
    case .badge: 1
    case .sound: 2
    case .threadID: 3
    case .category: 4
    case .contentAvailable: 5
    case .mutableContent: 6
    case .targetContentID: 7
    case .interruptionLevel: 8
    case .relevanceScore: 9
    case .filterCriteria: 10
    case .contentState: 11
    case .timestamp: 12
    case .event: 13
    case .staleDate: 14
    case .dismissalDate: 15
    case .attributesType: 16
    case .attributes: 17
    case .inputPushToken: 18
    case .inputPushChannel: 19
    case .contentChanged: 20
    case .urlArgs: 21
    case .pttPushType: 22
    case .topicID: 23
    case .accountID: 24
    }
  }

  /// All names, for looking keys up.
  public static let table = KeyTable(allCases.map(\.rawValue))
}

extension AlertKey {
  /// The position in the table; a switch, because `allCases` would be searched.
  @inlinable public var index: Int {
    switch self {
    case .title: 0
    case .subtitle: 1
    case .body: 2
    case .launchImage: 3
    case .titleLocKey: 4
    case .titleLocArgs: 5
    case .subtitleLocKey: 6
    case .subtitleLocArgs: 7
    case .locKey: 8
    case .locArgs: 9
    case .actionLocKey: 10
    case .action: 11
    case .summaryArg: 12
    case .summaryArgCount: 13
    case .sound: 14
    }
  }

  /// All names, for looking keys up.
  public static let table = KeyTable(allCases.map(\.rawValue))
}

extension SoundKey {
  /// The position in the table; a switch, because `allCases` would be searched.
  @inlinable public var index: Int {
    switch self {
    case .critical: 0
    case .name: 1
    case .volume: 2
    }
  }

  /// All names, for looking keys up.
  public static let table = KeyTable(allCases.map(\.rawValue))
}

extension RootKey {
  /// The position in the table; a switch, because `allCases` would be searched.
  @inlinable public var index: Int {
    switch self {
    case .aps: 0
    case .mdm: 1
    case .containerIdentifier: 2
    case .domain: 3
    case .simulatorTarget: 4
    }
  }

  /// All names, for looking keys up.
  public static let table = KeyTable(allCases.map(\.rawValue))
}
