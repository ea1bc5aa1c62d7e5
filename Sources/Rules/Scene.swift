// What is known of the notification under the eyes of the rules, and what they have found so far.

import APNs
import JSON

/// A replacement of some bytes of the text. An empty range inserts.
public struct Edit: Equatable, Sendable {
  public let range: Range<Int>
  public let text: [UInt8]

  public init(_ range: Range<Int>, _ text: [UInt8]) {
    self.range = range
    self.text = text
  }

  public init(_ range: Range<Int>, _ text: String) { self.init(range, Array(text.utf8)) }
}

/// The one right way to mend something, with the words for it.
public struct Fix: Equatable, Sendable {
  public let edits: [Edit]
  /// What was done, in the past tense: "renamed "mutable_content" to "mutable-content"".
  public let words: String

  public init(_ words: String, _ edits: [Edit]) {
    self.words = words
    self.edits = edits
  }
}

/// What a rule has found: the words of this case, not yet a place in lines and columns.
struct Raised {
  let rule: Int
  let node: Int
  /// Where the case is milder than the rule.
  let severity: Severity?
  let message: String
  let help: String?
  let fix: Fix?
}

/// What the bytes are.
public enum Form: String, CaseIterable, Sendable {
  case record, payload, apns, request
}

/// Everything outside the text that rules may need. What is nil is unknown, not absent.
public struct Settings: Sendable {
  /// Headers of a bare payload, and of records that lack them.
  public var pushType: PushType?
  public var topic: String?
  public var priority: Int?
  public var expiration: Int?
  public var collapseID: String?
  public var environment: ServiceEnvironment?
  /// A bare payload that goes to a broadcast channel.
  public var isBroadcast = false
  /// UNIX seconds; nil switches the rules off that need a clock.
  public var now: Int?
  public var authentication: Authentication?
  public var bundle: String?
  public var platform: Platform?
  public var categories: Set<String>?
  public var strings: [String: String]?
  public var channelPolicy: Int?
  /// The credential's team, its key, and the environment the key is for.
  public var teamID: String?
  public var keyID: String?
  public var keyEnvironment: ServiceEnvironment?
  /// The topics the credential may push to.
  public var allowedTopics: Set<String>?

  public enum Authentication: String, CaseIterable, Sendable { case token, certificate }
  public enum Platform: String, CaseIterable, Sendable { case ios, ipados, macos, tvos, watchos, visionos }

  public init() {}
}

/// The notification being looked at. Rules read it; only the walk writes to it.
struct Scene {
  let settings: Settings
  var form = Form.payload
  /// The record's own keys; empty for a bare payload.
  var record = Notification()
  /// The type in the record, or the settings'; nil when neither names one that exists.
  var givenType: PushType?
  /// The request, where one is looked at.
  var request: Request?
  /// The given type, or the one the topic or the payload's own keys tell.
  var type: PushType?
  var topic: Topic?
  var priority: Int?
  var expiration: Int?
  /// The payload's node.
  var payload = 0
  var isBroadcast = false

  // Nodes of known keys; 0 is the root and so no value of a key.
  private var apsNodes = InlineArray<32, Int32>(repeating: 0)
  private var alertNodes = InlineArray<16, Int32>(repeating: 0)
  private var soundNodes = InlineArray<4, Int32>(repeating: 0)
  private var rootNodes = InlineArray<8, Int32>(repeating: 0)
  var apsMask: UInt32 = 0
  var alertMask: UInt32 = 0
  var soundMask: UInt32 = 0
  var rootMask: UInt32 = 0
  var rootCount = 0
  var apsCount = 0

  // Keys that need a second look, in the order of the text.
  var apsUnknown: [Int] = []
  var alertUnknown: [Int] = []
  var soundUnknown: [Int] = []
  var rootUnknown: [Int] = []

  /// Most findings of one document, and most keys that get a second look: a hostile line must not cost more than a long one.
  static let findingLimit = 200
  static let unknownLimit = 64
  var sawNestedAPS = false

  /// The rule that is being asked.
  var rule = 0
  var raised: [Raised] = []

  init(_ settings: Settings) {
    self.settings = settings
  }

  mutating func forget() {
    apsMask = 0
    alertMask = 0
    soundMask = 0
    rootMask = 0
    rootCount = 0
    apsCount = 0
    sawNestedAPS = false
    if !apsUnknown.isEmpty { apsUnknown.removeAll(keepingCapacity: true) }
    if !alertUnknown.isEmpty { alertUnknown.removeAll(keepingCapacity: true) }
    if !soundUnknown.isEmpty { soundUnknown.removeAll(keepingCapacity: true) }
    if !rootUnknown.isEmpty { rootUnknown.removeAll(keepingCapacity: true) }
    if !raised.isEmpty { raised.removeAll(keepingCapacity: true) }
  }

  // The value of a known key, nil when it does not occur.
  @inline(__always) func aps(_ key: APSKey) -> Int? {
    apsMask & 1 << UInt32(key.index) == 0 ? nil : Int(apsNodes[key.index])
  }
  @inline(__always) func alert(_ key: AlertKey) -> Int? {
    alertMask & 1 << UInt32(key.index) == 0 ? nil : Int(alertNodes[key.index])
  }
  @inline(__always) func sound(_ key: SoundKey) -> Int? {
    soundMask & 1 << UInt32(key.index) == 0 ? nil : Int(soundNodes[key.index])
  }
  @inline(__always) func root(_ key: RootKey) -> Int? {
    rootMask & 1 << UInt32(key.index) == 0 ? nil : Int(rootNodes[key.index])
  }

  @inline(__always) func apsNode(_ index: Int) -> Int { Int(apsNodes[index]) }
  @inline(__always) func alertNode(_ index: Int) -> Int { Int(alertNodes[index]) }
  @inline(__always) func soundNode(_ index: Int) -> Int { Int(soundNodes[index]) }
  @inline(__always) func rootNode(_ index: Int) -> Int { Int(rootNodes[index]) }

  @inline(__always) mutating func setAPS(_ index: Int, _ node: Int) {
    apsMask |= 1 << UInt32(index)
    apsNodes[index] = Int32(truncatingIfNeeded: node)
  }
  @inline(__always) mutating func setAlert(_ index: Int, _ node: Int) {
    alertMask |= 1 << UInt32(index)
    alertNodes[index] = Int32(truncatingIfNeeded: node)
  }
  @inline(__always) mutating func setSound(_ index: Int, _ node: Int) {
    soundMask |= 1 << UInt32(index)
    soundNodes[index] = Int32(truncatingIfNeeded: node)
  }
  @inline(__always) mutating func setRoot(_ index: Int, _ node: Int) {
    rootMask |= 1 << UInt32(index)
    rootNodes[index] = Int32(truncatingIfNeeded: node)
  }

  /// Reports at a node. The words say what is there; `help` says what to do.
  mutating func report(
    _ node: Int, _ message: String, help: String? = nil, fix: Fix? = nil, as severity: Severity? = nil
  ) {
    guard raised.count < Self.findingLimit else { return }
    raised.append(Raised(rule: rule, node: node, severity: severity, message: message, help: help, fix: fix))
  }

  // What the rules of several groups ask.

  var isLive: Bool { type == .liveactivity }
  var isRecord: Bool { form == .record || form == .request }

  /// Whether headers that are not there are absent, rather than unknown.
  var headersAreKnown: Bool { form == .record || form == .request }

  /// Whether the topic is of this family.
  func topicIs(_ family: Topic.Family) -> Bool { topic?.family == family }
}
