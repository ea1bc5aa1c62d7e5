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
    case .number: return isPlain(token) ? 5 : 4
    case .true, .false: return 6
    case .null: return 7
    }
  }

  @inline(__always)
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
    case apsWhole, alertUnknown, alertWhole, liveAlertWhole, soundUnknown, soundWhole, rootUnknown, rootNull, escapes
    case digits, secretKey, duplicate, liveState, simulatorFile, fiveDigits, nested, topic, emptyPayload, largePayload,
      oddSound, credentialFile, request
  }

  /// The text cannot be read; the rule is chosen by the reader's error.
  static let syntax = whole(.syntax)
  /// The record's own format; the rule is chosen by `Notification.read`.
  static let record = whole(.record)
  /// A request written down; the node is its root.
  static let request = whole(.request)
  /// A file that is a credential; the rule is chosen by `Validator.checkCredential`.
  static let credentialFile = whole(.credentialFile)
  /// A payload that is `{}`.
  static let emptyPayload = whole(.emptyPayload)
  /// A payload with nine tenths of the smallest limit, or more.
  static let largePayload = whole(.largePayload)
  /// The name of a sound that is neither `default` nor a plain file of a known format.
  static let oddSound = whole(.oddSound)
  /// A payload without `aps`.
  static let noAps = whole(.noAps)
  /// A notification whose push type was given; the node is the payload.
  static let knownType = whole(.knownType)
  /// A record without a push type.
  static let untypedRecord = whole(.untypedRecord)
  /// A record with a token.
  static let device = whole(.device)
  /// A record with a channel.
  static let broadcast = whole(.broadcast)
  static let topic = whole(.topic)
  /// A topic with something unusual about its spelling.
  static let oddTopic = whole(.oddTopic)
  static let passTopic = whole(.passTopic)
  static let webTopic = whole(.webTopic)
  static let mdmTopic = whole(.mdmTopic)
  /// A topic whose suffix is not the one of the push type.
  static let topicAndType = whole(.topicAndType)
  static let priority = whole(.priority)
  static let expiration = whole(.expiration)
  static let collapseID = whole(.collapseID)
  static let id = whole(.id)
  static let token = whole(.token)
  /// A key of `aps` that is in no table; the node is the key.
  static let apsUnknown = whole(.apsUnknown)
  /// `aps` as an object.
  static let apsWhole = whole(.apsWhole)
  static let alertUnknown = whole(.alertUnknown)
  static let alertWhole = whole(.alertWhole)
  static let alertObject = whole(.alertWhole, .object)
  static let liveAlertWhole = whole(.liveAlertWhole)
  static let soundUnknown = whole(.soundUnknown)
  static let soundWhole = whole(.soundWhole)
  /// A key of the root that resembles one with a meaning; the node is the key.
  static let rootUnknown = whole(.rootUnknown)
  /// A custom key with null; the node is the value.
  static let rootNull = whole(.rootNull)
  /// A string with an escape of a code point above U+0FFF.
  static let fiveDigits = whole(.fiveDigits)
  /// A string that starts with a digit and has the length of a card number.
  static let digits = whole(.digits)
  /// A custom key that may name a secret.
  static let secretKey = whole(.secretKey)
  /// An object with a key twice; the node is the second one.
  static let duplicate = whole(.duplicate)
  /// `content-state` or `attributes` as an object.
  static let liveState = whole(.liveState)
  static let simulatorFile = whole(.simulatorFile)
  /// A key `aps` that is not at the root.
  static let nested = whole(.nested)

  static let wholeBase = 0
  static let apsBase = wholeBase + Whole.allCases.count
  static let alertBase = apsBase + APSKey.allCases.count
  static let liveAlertBase = alertBase + AlertKey.allCases.count
  static let soundBase = liveAlertBase + AlertKey.allCases.count
  static let rootBase = soundBase + SoundKey.allCases.count
  static let typeBase = rootBase + RootKey.allCases.count
  static let count = typeBase + PushType.allCases.count
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
