// Places a rule can look at. The walk over a notification visits only the rules of places that occur in it.

import APNs
import JSON

/// Kinds of JSON values, as a set. Empty strings and plain numbers (up to nine digits, nothing else) are kinds of their own:
/// most rules are about the first, and few about the second.
struct Kinds: OptionSet, Sendable {
  let rawValue: UInt8

  static let object = Kinds(rawValue: 1)
  static let array = Kinds(rawValue: 2)
  static let text = Kinds(rawValue: 4)
  static let empty = Kinds(rawValue: 8)
  static let oddNumber = Kinds(rawValue: 16)
  static let plainNumber = Kinds(rawValue: 32)
  static let bool = Kinds(rawValue: 64)
  static let null = Kinds(rawValue: 128)

  static let string: Kinds = [.text, .empty]
  static let number: Kinds = [.oddNumber, .plainNumber]
  static let any = Kinds(rawValue: 255)

  /// Everything but null, which counts as absent, and the kinds given.
  static func wrong(except right: Kinds) -> Kinds { any.subtracting(right).subtracting(.null) }
}

extension Document {
  /// The position of the value's bit in `Kinds`.
  @inline(__always)
  func kindIndex(_ node: Int) -> Int {
    let token = token(node)
    switch token.kind {
    case .object: return 0
    case .array: return 1
    case .string: return token.end &- token.start == 2 ? 3 : 2
    case .number: return token.isShortInteger || isPlain(token) ? 5 : 4
    case .true, .false: return 6
    case .null: return 7
    }
  }

  /// The bits of the kinds that a value may be: two for a number that only a look at its digits tells, else one.
  @inline(__always)
  func kinds(_ token: Token) -> UInt8 {
    let kind = UInt64(token.kind.rawValue)
    // A byte for each kind of token, the first one's lowest; a number's says odd or plain, a string's text.
    var bits = UInt64(0x80_4040_3004_0201) &>> (kind &* 8)
    if kind == UInt64(Token.Kind.string.rawValue), token.end &- token.start == 2 { bits = 8 }
    if token.isShortInteger { bits = 32 }
    return UInt8(truncatingIfNeeded: bits)
  }

  private func isPlain(_ token: Token) -> Bool {
    guard token.end &- token.start <= 9 else { return false }
    var index = token.start
    while index < token.end {
      if byte(index) &- 0x30 > 9 { return false }
      index &+= 1
    }
    return true
  }
}

/// A place, and the kinds of values there that the rule looks at.
struct Place: Sendable {
  let index: Int
  let kinds: Kinds

  static func aps(_ key: APSKey, _ kinds: Kinds = .any) -> Place { Place(index: apsBase + key.index, kinds: kinds) }
  /// A key of the `aps` of a Live Activity.
  static func liveAPS(_ key: APSKey) -> Place { Place(index: liveAPSBase + key.index, kinds: .any) }
  /// A key of the alert of an ordinary push.
  static func alert(_ key: AlertKey, _ kinds: Kinds = .any) -> Place {
    Place(index: alertBase + key.index, kinds: kinds)
  }
  /// A key of the alert of a Live Activity.
  static func liveAlert(_ key: AlertKey, _ kinds: Kinds = .any) -> Place {
    Place(index: liveAlertBase + key.index, kinds: kinds)
  }
  static func sound(_ key: SoundKey, _ kinds: Kinds = .any) -> Place {
    Place(index: soundBase + key.index, kinds: kinds)
  }
  static func root(_ key: RootKey, _ kinds: Kinds = .any) -> Place {
    Place(index: rootBase + key.index, kinds: kinds)
  }
  /// A notification of this type; the node is the payload.
  static func type(_ type: PushType) -> Place { Place(index: typeBase + type.index, kinds: .any) }

  private static func whole(_ whole: Whole, _ kinds: Kinds = .any) -> Place {
    Place(index: wholeBase + whole.rawValue, kinds: kinds)
  }

  /// Places that are no value of a known key.
  enum Whole: Int, CaseIterable {
    case syntax, record, noAps, knownType, untypedRecord, device, broadcast, oddTopic, passTopic
    case webTopic, mdmTopic, topicAndType, priority, expiration, collapseID, id, token, apsUnknown
    case emptyAPS, alertUnknown, alertWhole, liveAlertWhole, soundUnknown, soundWhole, rootUnknown, rootNull, escapes
    case digits, secretKey, duplicate, liveState, simulatorFile, fiveDigits, nested, topic, emptyPayload, largePayload,
      oddSound, credentialFile, request, hole, mutableWithoutText, noTopic,
      nothingPlain
  }

  /// The text cannot be read; the rule is chosen by the reader's error.
  static var syntax: Place { whole(.syntax) }
  /// The record's own format; the rule is chosen by `Notification.read`.
  static var record: Place { whole(.record) }
  /// A request written down; the node is its root.
  static var request: Place { whole(.request) }
  /// A file that is a credential; the rule is chosen by `Validator.checkCredential`.
  static var credentialFile: Place { whole(.credentialFile) }
  /// A text of an alert that holds two opening braces in a row somewhere.
  static var hole: Place { whole(.hole, .text) }
  /// `mutable-content` where the alert does not begin with a visible character of ASCII.
  static var mutableWithoutText: Place { whole(.mutableWithoutText, [.number, .bool, .string]) }
  /// A payload that is `{}`.
  static var emptyPayload: Place { whole(.emptyPayload) }
  /// A payload with nine tenths of the smallest limit, or more.
  static var largePayload: Place { whole(.largePayload) }
  /// The name of a sound that is neither `default` nor a plain file of a known format.
  static var oddSound: Place { whole(.oddSound) }
  /// A payload without `aps`.
  static var noAps: Place { whole(.noAps) }
  /// A notification whose push type was given and whose payload has a key of some types only; the node is the payload.
  static var knownType: Place { whole(.knownType) }
  /// A record without a push type.
  static var untypedRecord: Place { whole(.untypedRecord) }
  /// A record with a token.
  static var device: Place { whole(.device) }
  /// A record without a topic.
  static var noTopic: Place { whole(.noTopic) }
  /// A push of type alert whose alert does not surely begin with a visible character.
  static var nothingPlain: Place { whole(.nothingPlain) }
  /// A record with a channel.
  static var broadcast: Place { whole(.broadcast) }
  static var topic: Place { whole(.topic) }
  /// A topic with something unusual about its spelling.
  static var oddTopic: Place { whole(.oddTopic) }
  static var passTopic: Place { whole(.passTopic) }
  static var webTopic: Place { whole(.webTopic) }
  static var mdmTopic: Place { whole(.mdmTopic) }
  /// A topic whose suffix is not the one of the push type.
  static var topicAndType: Place { whole(.topicAndType) }
  static var priority: Place { whole(.priority) }
  static var expiration: Place { whole(.expiration) }
  static var collapseID: Place { whole(.collapseID) }
  static var id: Place { whole(.id) }
  static var token: Place { whole(.token) }
  /// A key of `aps` that is in no table; the node is the key.
  static var apsUnknown: Place { whole(.apsUnknown) }
  /// `aps` as an object with nothing in it.
  static var emptyAPS: Place { whole(.emptyAPS) }
  static var alertUnknown: Place { whole(.alertUnknown) }
  static var alertWhole: Place { whole(.alertWhole) }
  static var alertObject: Place { whole(.alertWhole, .object) }
  static var liveAlertWhole: Place { whole(.liveAlertWhole) }
  static var soundUnknown: Place { whole(.soundUnknown) }
  static var soundWhole: Place { whole(.soundWhole) }
  /// A key of the root that resembles one with a meaning; the node is the key.
  static var rootUnknown: Place { whole(.rootUnknown) }
  /// A custom key with null; the node is the value.
  static var rootNull: Place { whole(.rootNull) }
  /// A string with an escape of a code point above U+0FFF.
  static var fiveDigits: Place { whole(.fiveDigits) }
  /// A string that starts with a digit and has the length of a card number.
  static var digits: Place { whole(.digits) }
  /// A custom key that may name a secret.
  static var secretKey: Place { whole(.secretKey) }
  /// An object with a key twice; the node is the second one.
  static var duplicate: Place { whole(.duplicate) }
  /// `content-state` or `attributes` as an object.
  static var liveState: Place { whole(.liveState) }
  static var simulatorFile: Place { whole(.simulatorFile) }
  /// A key `aps` that is not at the root.
  static var nested: Place { whole(.nested) }

  // Constants, because a computed one is asked for under a lock each time. `RuleSet` checks that they are far enough
  // apart.
  static let wholeBase = 0
  static let apsBase = 64
  static let alertBase = 96
  static let liveAlertBase = 112
  static let soundBase = 128
  static let rootBase = 136
  static let typeBase = 144
  static let liveAPSBase = 160
  static let count = 192

  static var areDisjoint: Bool {
    Whole.allCases.count <= apsBase && APSKey.allCases.count <= alertBase - apsBase
      && AlertKey.allCases.count <= liveAlertBase - alertBase && AlertKey.allCases.count <= soundBase - liveAlertBase
      && SoundKey.allCases.count <= rootBase - soundBase && RootKey.allCases.count <= typeBase - rootBase
      && PushType.allCases.count <= liveAPSBase - typeBase && APSKey.allCases.count <= count - liveAPSBase
  }
}

extension PushType {
  /// The position in `allCases`; a switch, because that list would be searched.
  var index: Int {
    switch self {
    case .alert: 0
    case .background: 1
    case .complication: 2
    case .controls: 3
    case .fileprovider: 4
    case .liveactivity: 5
    case .location: 6
    case .mdm: 7
    case .pushtotalk: 8
    case .voip: 9
    case .widgets: 10
    }
  }
}
