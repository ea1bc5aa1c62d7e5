// Kinds of notifications, one row each: what a kind brings along, what it needs, what it leaves no room for.

import APNs

/// A kind of notification: a push type with its habits, or one of the older uses of an ordinary push.
public struct Kind: Sendable {
  /// The word of `--kind`.
  public let name: String
  public let meaning: String
  /// The value of `apns-push-type`; nil where Apple names none.
  public let pushType: PushType?
  /// What is put into the payload where nothing stands yet.
  public var skeleton: [(path: [String], json: String)] = []
  /// The only members the payload may have at its root; nil lets all through.
  public var onlyRoot: [String]?
  /// The only members `aps` may have; nil lets all through.
  public var onlyAps: [String]?
  /// Members of `aps` that this kind has no use for.
  public var withoutAps: [String] = []
  /// Members of the payload that must be there, each with the option that gives it.
  public var needs: [(path: [String], option: String)] = []
  /// One of these must be there.
  public var needsOneOf: [(path: [String], option: String)] = []
  /// What the topic begins with.
  public var topicPrefix: String?
  public var environment: ServiceEnvironment?

  /// Keys of a Live Activity, which mean nothing in any other push.
  static let activityKeys = [
    "content-state", "timestamp", "event", "stale-date", "dismissal-date", "attributes-type", "attributes",
    "input-push-token", "input-push-channel",
  ]

  init(_ name: String, _ pushType: PushType?, _ meaning: String) {
    self.name = name
    self.pushType = pushType
    self.meaning = meaning
  }

  init(_ name: String, _ pushType: PushType?, _ meaning: String, _ change: (inout Kind) -> Void) {
    self.init(name, pushType, meaning)
    change(&self)
  }

  public static func named(_ name: String) -> Kind? { all.first { $0.name == name } }

  /// The kind of a push type.
  public static func of(_ type: PushType) -> Kind? { all.first { $0.pushType == type } }

  /// Sources: for each push type its page, as in `PushType.row`; for the older ones `passbook`: Apple's "Wallet
  /// Passes: pass web service"; `newsstand`, `safari`: the retired Programming Guides; `jasonette`: its push actions.
  public static let all: [Kind] = [
    Kind("alert", .alert, "shows an alert, plays a sound or sets the badge") {
      $0.withoutAps = activityKeys + ["content-changed"]
      $0.needsOneOf = [
        (["aps", "alert"], "--title or --body"), (["aps", "badge"], "--badge"), (["aps", "sound"], "--sound"),
      ]
    },
    Kind("background", .background, "wakes the app in the background and shows nothing") {
      $0.skeleton = [(["aps", "content-available"], "1")]
      $0.onlyAps = ["content-available"]
    },
    Kind("voip", .voip, "announces an incoming call") {
      $0.skeleton = [(["aps"], "{}")]
      $0.withoutAps = activityKeys
    },
    Kind("complication", .complication, "updates a watchOS complication") {
      $0.skeleton = [(["aps"], "{}")]
      $0.withoutAps = activityKeys
    },
    Kind("fileprovider", .fileprovider, "tells a File Provider extension that its files have changed") {
      $0.skeleton = [(["container-identifier"], "\"NSFileProviderWorkingSetContainerItemIdentifier\"")]
      $0.onlyRoot = ["container-identifier", "domain"]
      $0.needs = [(["domain"], "--domain")]
    },
    Kind("mdm", .mdm, "tells a managed device to contact its MDM server") {
      $0.onlyRoot = ["mdm"]
      $0.needs = [(["mdm"], "--mdm")]
      $0.topicPrefix = "com.apple.mgmt."
    },
    Kind("liveactivity", .liveactivity, "starts, updates or ends a Live Activity") {
      $0.onlyAps = activityKeys + ["alert", "relevance-score"]
      $0.needs = [(["aps", "event"], "--event")]
    },
    Kind("location", .location, "asks for the device's location") {
      $0.skeleton = [(["aps"], "{}")]
      $0.withoutAps = activityKeys + ["alert", "badge", "sound"]
    },
    Kind("pushtotalk", .pushtotalk, "announces Push to Talk services") {
      $0.skeleton = [(["aps"], "{}")]
      $0.withoutAps = activityKeys
    },
    Kind("controls", .controls, "reloads a control") {
      $0.skeleton = [(["aps", "content-changed"], "true")]
      $0.onlyRoot = ["aps"]
      $0.onlyAps = ["content-changed"]
    },
    Kind("widgets", .widgets, "reloads widgets") {
      $0.skeleton = [(["aps", "content-changed"], "true")]
      $0.onlyRoot = ["aps"]
      $0.onlyAps = ["content-changed"]
    },
    Kind("passbook", .alert, "asks a device to fetch a pass, with an empty aps") {
      $0.skeleton = [(["aps"], "{}")]
      $0.onlyRoot = ["aps"]
      $0.onlyAps = []
      $0.topicPrefix = "pass."
      $0.environment = .production
    },
    Kind("wallet", .alert, "asks a device to fetch a pass, with an empty payload") {
      $0.onlyRoot = []
      $0.topicPrefix = "pass."
      $0.environment = .production
    },
    Kind("newsstand", .background, "tells an app of the former Newsstand of a new issue") {
      $0.skeleton = [(["aps", "content-available"], "1")]
      $0.onlyRoot = ["aps"]
      $0.onlyAps = ["content-available"]
    },
    Kind("safari", .alert, "shows a website's notification in Safari 15 and older") {
      $0.skeleton = [(["aps", "url-args"], "[]")]
      $0.onlyAps = ["alert", "url-args"]
      $0.needs = [(["aps", "alert", "title"], "--title"), (["aps", "alert", "body"], "--body")]
      $0.topicPrefix = "web."
    },
    Kind("jasonette", nil, "opens a view or runs an action in an app made with Jasonette") {
      $0.needsOneOf = [(["href", "url"], "--href"), (["action", "type"], "--action")]
    },
  ]
}

extension Kind {
  /// The priority of a push with this payload: an activity's quiet update need not spend the hourly budget.
  public func priority(for payload: Value?) -> Int? {
    guard let pushType else { return nil }
    if pushType == .liveactivity, payload?.find([.key("aps"), .key("alert")]) == nil { return 5 }
    return pushType.row.usualPriority
  }

  /// What of a payload contradicts the kind; nil when nothing does.
  public func contradiction(in payload: Value) -> String? {
    if let onlyRoot, let stranger = payload.keys.first(where: { !onlyRoot.contains($0) }) {
      return "--kind \(name) has no room for \"\(stranger)\" in the payload"
    }
    let aps = payload.find([.key("aps")])?.keys ?? []
    if let onlyAps, let stranger = aps.first(where: { !onlyAps.contains($0) }) {
      return "--kind \(name) has no room for \"\(stranger)\" in aps"
    }
    if let stranger = aps.first(where: { withoutAps.contains($0) }) {
      return "\"\(stranger)\" means nothing with --kind \(name)"
    }
    return pushType == .liveactivity ? activityContradiction(payload) : nil
  }

  /// What the kind needs and a payload does not have; nil when it has everything.
  public func lack(in payload: Value) -> String? {
    func has(_ path: [String]) -> Bool { payload.find(path.map { PathStep.key($0) }[...]) != nil }
    if let missing = needs.first(where: { !has($0.path) }) { return "--kind \(name) needs \(missing.option)" }
    if !needsOneOf.isEmpty, !needsOneOf.contains(where: { has($0.path) }) {
      return "--kind \(name) needs \(needsOneOf.map(\.option).joined(separator: " or "))"
    }
    guard pushType == .liveactivity else { return nil }
    switch payload.find([.key("aps"), .key("event")])?.plainText {
    case "start":
      let missing = Self.startNeeds.first { !has(["aps"] + $0.path) }
      return missing.map { "the start of a Live Activity needs \($0.option)" }
    case "update": return has(["aps", "content-state"]) ? nil : "the update of a Live Activity needs --content-state"
    default: return nil
    }
  }

  private static let startNeeds: [(path: [String], option: String)] = [
    (["content-state"], "--content-state"), (["attributes-type"], "--attributes-type"),
    (["attributes"], "--attributes"), (["alert", "title"], "--title"), (["alert", "body"], "--body"),
  ]

  private func activityContradiction(_ payload: Value) -> String? {
    func aps(_ key: String) -> Value? { payload.find([.key("aps"), .key(key)]) }
    switch aps("event")?.plainText {
    case "start":
      if aps("input-push-token") != nil, aps("input-push-channel") != nil {
        return "--input-push-token and --input-push-channel exclude each other"
      }
    case "update", "end":
      for key in ["attributes-type", "attributes", "input-push-token", "input-push-channel"] where aps(key) != nil {
        return "--\(key) belongs to the start of a Live Activity"
      }
      if aps("event")?.plainText == "update", aps("dismissal-date") != nil {
        return "--dismissal-date belongs to the end of a Live Activity"
      }
    case let event?: return "\"event\" is '\(event)'; it must be start, update or end"
    case nil: break
    }
    if let alert = aps("alert"), !alert.isObject {
      return "the alert of a Live Activity is an object: give --title and --body"
    }
    return nil
  }
}

extension Value {
  /// The keys of an object, empty for anything else.
  public var keys: [String] {
    if case .object(let members) = opened() { return members.map(\.key) }
    return []
  }

  /// A string's text where it is known before any line is read.
  public var plainText: String? {
    switch self {
    case .text(let template), .filled(let template, _): return template.constant
    case .json(let bytes):
      guard bytes.first == UInt8(ascii: "\"") else { return nil }
      return try? unquoted(bytes)
    default: return nil
    }
  }
}
