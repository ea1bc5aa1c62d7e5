// What a rule is: one value with its name, its words, its examples, the place it looks at and its check.

import JSON

/// How bad a finding is. `off` only switches a rule off.
public enum Severity: UInt8, Comparable, CaseIterable, Sendable {
  case off, note, warning, error

  public static func < (left: Severity, right: Severity) -> Bool { left.rawValue < right.rawValue }

  /// The word in reports and options.
  public var word: String {
    switch self {
    case .off: "off"
    case .note: "note"
    case .warning: "warning"
    case .error: "error"
    }
  }

  public init?(word: String) {
    guard let severity = Severity.allCases.first(where: { $0.word == word }) else { return nil }
    self = severity
  }
}

/// Looks at one place of a notification and reports what is wrong there. The node is the value (or key) of the place.
///
/// A structure around the closure, because a bare one in an array or an optional is wrapped in a heap object that every
/// call would retain and release.
struct Check: Sendable {
  let look: @Sendable (_ document: Document, _ scene: inout Scene, _ node: Int) -> Void

  init(_ look: @escaping @Sendable (_ document: Document, _ scene: inout Scene, _ node: Int) -> Void) {
    self.look = look
  }
}

/// One rule. Its examples are its documentation and its test: the failing one trips it, the passing one trips nothing.
public struct Rule: Sendable {
  /// Short, kebab-case, for ever.
  public let id: String
  /// The chapter of the manual.
  public internal(set) var group: Group = .document
  /// *error*: APNs refuses the request, or what was asked for never happens on the device. *warning*: it is delivered but
  /// surely not what was meant. *note*: legal, worth a look.
  public let severity: Severity
  /// What must hold, in one line, without a period.
  public let sentence: String
  /// Why it must: what APNs or the device does otherwise.
  public let why: String
  /// Something that keeps the rule.
  public let passes: Example
  /// Something that breaks it.
  public let fails: Example
  /// The reason with which APNs would refuse the request, where one is known.
  public let refusal: String?
  /// What the rule needs beyond the text; it is silent without it.
  public let needs: Need?
  /// Whether the rule says less without a clock, though it is not silent.
  public internal(set) var isSharperWithClock = false
  /// Where it looks.
  let places: [Place]
  let check: Check?

  /// A rule that is asked at its places.
  init(
    _ id: String, _ severity: Severity, _ sentence: String, why: String, passes: Example, fails: Example,
    refusal: String? = nil, needs: Need? = nil, at places: Place...,
    look: @escaping @Sendable (_ document: Document, _ scene: inout Scene, _ node: Int) -> Void
  ) {
    self.init(
      id, severity, sentence, why: why, passes: passes, fails: fails, refusal: refusal, needs: needs, places: places,
      check: Check(look))
  }

  /// A rule that shares its check with others, or that is found by the reader of texts or of records.
  init(
    _ id: String, _ severity: Severity, _ sentence: String, why: String, passes: Example, fails: Example,
    refusal: String? = nil, needs: Need? = nil, at places: Place..., check: Check? = nil
  ) {
    self.init(
      id, severity, sentence, why: why, passes: passes, fails: fails, refusal: refusal, needs: needs, places: places,
      check: check)
  }

  private init(
    _ id: String, _ severity: Severity, _ sentence: String, why: String, passes: Example, fails: Example,
    refusal: String?, needs: Need?, places: [Place], check: Check?
  ) {
    self.id = id
    self.severity = severity
    self.sentence = sentence
    self.why = why
    self.passes = passes
    self.fails = fails
    self.refusal = refusal
    self.needs = needs
    self.places = places
    self.check = check
  }
}

extension Rule {
  /// The same, for a rule that asks the clock where there is one.
  func sharperWithClock() -> Rule {
    var copy = self
    copy.isSharperWithClock = true
    return copy
  }

  /// The chapters of the manual, in its order.
  public enum Group: String, CaseIterable, Sendable {
    case document = "The document"
    case aps = "The aps dictionary"
    case alert = "Alert"
    case badge = "Badge"
    case sound = "Sound"
    case keys = "Other keys of aps"
    case pushType = "Push type, topic and priority"
    case headers = "Other headers"
    case token = "Device token"
    case credential = "Credentials"
    case liveActivity = "Live Activities"
    case widgets = "Widgets and controls"
    case special = "Device management, file providers, calls, passes, Safari"
    case broadcast = "Broadcasts"
    case simulator = "Simulator files"
    case record = "The record"
    case request = "The request"
  }

  /// Knowledge that is not in the text. A rule that needs it is silent until an option gives it.
  public enum Need: String, CaseIterable, Sendable {
    case clock = "a clock: in the filter form the system's, with FILE operands --now"
    case strings = "the app's string table: --strings"
    case categories = "the app's categories: --category"
    case bundle = "the app's bundle identifier: --bundle"
    case platform = "the devices' platform: --platform"
    case authentication = "the kind of credential: --auth"
    case environment = "the environment: in the record, or --environment"
    case policy = "the channel's storage policy: --channel-policy"
    case topics = "the topics of the credential: --allowed-topic"
    case identifiers = "the credential's identifiers: --team-id, --key-id"
    case keyEnvironment = "the environment the key is for: --key-environment"
    case wholeRun = "the whole run: FILE operands, not the filter form"
  }
}
