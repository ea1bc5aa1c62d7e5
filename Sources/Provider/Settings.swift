// What a sender is told: where to send, as whom, and how patiently.

import APNs
import JSON
import Spelling
import TLS

/// As whom one sends.
public enum Credential {
  case token(TokenSource)
  /// The certificate is part of the service's TLS context.
  case certificate
}

/// One service and one credential: connections are never shared between two of these (one team for each connection).
public struct Service {
  /// The credential's name in the credentials file; empty for the only one.
  public var name: String
  public var environment: ServiceEnvironment
  public var host: String
  public var port: Int
  public var context: ClientContext
  public var credential: Credential
  /// The topics this credential is for; empty when nothing is said. Lines without a credential go by them.
  public var topics: [String]

  public init(
    name: String = "", environment: ServiceEnvironment, host: String, port: Int, context: ClientContext,
    credential: Credential, topics: [String] = []
  ) {
    self.topics = topics
    self.name = name
    self.environment = environment
    self.host = host
    self.port = port
    self.context = context
    self.credential = credential
  }

  /// Whether the credential is for the topic: it is listed, bare or with a push type's suffix.
  func covers(_ topic: String) -> Bool {
    if topics.isEmpty { return false }
    if topics.contains(topic) { return true }
    guard let type = PushType.bySuffix(of: topic) else { return false }
    return topics.contains(String(topic.dropLast(type.row.topicSuffix.count)))
  }

  /// The service for a record: by its credential, else by its topic, then by its environment. Without any of them the
  /// first takes it. nil when no service fits.
  static func index(
    for record: Notification, _ document: borrowing Document, _ services: [Service], defaultTopic: String
  ) -> Int? {
    if record.credential == nil, record.environment == nil, services.allSatisfy({ $0.topics.isEmpty }) { return 0 }
    let wanted = record.environment ?? services[0].environment
    if let node = record.credential {
      let name = document.string(node)
      let named = services.indices.filter { services[$0].name == name }
      return named.first { services[$0].environment == wanted } ?? (record.environment == nil ? named.first : nil)
    }
    let topic = record.topic.map { document.string($0) } ?? defaultTopic
    let byTopic = services.indices.filter { services[$0].covers(topic) }
    if let exact = byTopic.first(where: { services[$0].environment == wanted }) { return exact }
    if record.environment == nil, let first = byTopic.first { return first }
    return services.firstIndex { $0.topics.isEmpty && $0.environment == wanted }
  }

  /// Why no service fits a record.
  static func problem(
    with record: Notification, _ document: borrowing Document, _ services: [Service], defaultTopic: String
  ) -> Problem {
    var names: [String] = []
    for service in services where !names.contains(service.name) { names.append(service.name) }
    if let node = record.credential {
      let name = document.string(node)
      let known = names.filter { !$0.isEmpty }
      if let environment = record.environment, names.contains(name) {
        return Problem(
          "record-no-service", at: record.environmentNode ?? node,
          "the credential \"\(name)\" is not for the environment \(environment.rawValue)")
      }
      let near = closest(to: name, among: known).map { "did you mean \"\($0)\"?" }
      return Problem(
        "record-no-service", at: node, "this run has no credential \"\(name.prefix(60))\"",
        help: near ?? (known.isEmpty ? "--credentials gives them names" : "it has " + known.joined(separator: ", ")))
    }
    let topic = record.topic.map { document.string($0) } ?? defaultTopic
    let covered = services.contains { $0.topics.isEmpty || $0.covers(topic) }
    if let environment = record.environment, covered {
      return Problem(
        "record-no-service", at: record.environmentNode ?? 0,
        "no credential of this run is for the environment \(environment.rawValue)")
    }
    let lists = names.map { name in
      let topics = services.first { $0.name == name }?.topics ?? []
      return name + " (" + topics.joined(separator: ", ") + ")"
    }
    return Problem(
      "record-no-service", at: record.topic ?? 0,
      topic.isEmpty ? "the record has neither credential nor topic" : "no credential lists the topic \"\(topic)\"",
      help: "this run has " + lists.joined(separator: ", "))
  }

  /// Without a certificate that names it, the topic must stand in the request.
  var needsTopic: Bool {
    if case .token = credential { return true }
    return false
  }

  /// Host, and port where it is not the usual one: what goes into `:authority`.
  var authority: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == 443 ? name : "\(name):\(port)"
  }
}

/// Why a record is not to be sent, found by somebody who knows more than the record's grammar.
public struct Objection: Sendable {
  public let rule: String
  /// Byte offset into the line of the JSON value it is about.
  public let offset: Int
  public let message: String
  public let help: String?

  public init(rule: String, offset: Int, message: String, help: String?) {
    (self.rule, self.offset, self.message, self.help) = (rule, offset, message, help)
  }
}

public struct SenderSettings: Sendable {
  /// The tool's name, for the words on standard error.
  public var tool = "apns-push"
  /// Most connections for each service.
  public var connections = 8
  /// A further connection is opened only when the ones there are full and there is nothing else to do but wait.
  public var growsConnections = true
  /// Topic of records without one; empty for none.
  public var topic = ""
  /// Nanoseconds for a TCP connection, for the TLS handshake, for an answer.
  public var connectTimeout: UInt64 = 10_000_000_000
  public var handshakeTimeout: UInt64 = 10_000_000_000
  public var requestTimeout: UInt64 = 30_000_000_000
  /// How often a request that may be sent again is sent again.
  public var retries = 3
  /// How often in a row a connection may fail before a service that never answered counts as out of reach.
  public var connectAttempts = 4
  /// Nanoseconds that a service which answered before may be out of reach.
  public var outageTimeout: UInt64 = 30_000_000_000
  /// The first back-off between attempts to send, and the largest, in nanoseconds.
  public var retryDelay: UInt64 = 1_000_000_000
  public var retryDelayLimit: UInt64 = 60_000_000_000
  /// Go on when the server does not choose a protocol (ALPN): some test servers negotiate none.
  public var allowsNoALPN = false
  /// An answer that never came is asked for again, with the same apns-id.
  public var resendsUnknown = false
  /// Nothing is sent a second time for any reason.
  public var neverTwice = false
  /// How many requests may be sent again in the whole run; nil for no bound.
  public var retryBudget: Int?
  /// A BadDeviceToken is tried once in the other environment before the token is called bad.
  public var triesOtherEnvironment = false
  /// Notifications a second for each service; nil for no bound.
  public var rate: Double?
  /// Notifications at once after a pause, under `rate`.
  public var burst = 1
  /// When to stop before harm is done.
  public var abortRules: [AbortRule] = []
  /// The HTTP proxy to connect through; nil for none.
  public var proxy: Proxy?
  /// Keep the lines that did not end accepted, and the events of the run.
  public var keepsRejects = false
  public var keepsEvents = false
  /// Write keyed hashes in place of device tokens.
  public var redactionKey: [UInt8]?
  /// Looks at each record that could be sent, as its line stands; what it objects to makes the line `invalid`.
  public var judge: (@Sendable (Span<UInt8>) -> [Objection])?
  /// Nanoseconds between two notifications to one device token; 0 for no more than the service asks for.
  public var repeatInterval: UInt64 = 0
  /// Nanoseconds of silence with requests under way after which a PING asks whether anybody is there.
  public var silenceBeforePing: UInt64 = 10_000_000_000
  /// Nanoseconds of an idle connection after which a PING keeps it (Apple: "after an hour of inactivity").
  public var idleBeforePing: UInt64 = 3_600_000_000_000
  /// Nanoseconds of an idle connection after which a PING must be echoed before anything is sent on it: routers forget
  /// connections without a word, and what is sent on such a one has no known end.
  public var idleBeforeProof: UInt64 = 60_000_000_000
  /// Nanoseconds that echo may take.
  public var proofTimeout: UInt64 = 3_000_000_000
  /// Nanoseconds a PING may stay without its echo.
  public var pingTimeout: UInt64 = 10_000_000_000
  /// Bytes of lines that may be under way.
  public var byteLimit = 16_777_216
  /// Lines that may be under way, besides eight times as many that wait to be sent again.
  public var flightLimit = 4096

  public init() {}

  /// Adds what the judge says of a record.
  func judge(_ document: borrowing Document, _ problems: inout [Problem]) {
    guard let judge else { return }
    for objection in judge(document.bytes) {
      let node = document.tokens.indices.first { document.start($0) == objection.offset }
      problems.append(Problem(objection.rule, at: node ?? 0, objection.message, help: objection.help))
    }
  }
}

/// How many lines ended how.
public struct Counts: Sendable, Equatable {
  public var accepted = 0
  public var rejected = 0
  public var invalid = 0
  public var unknown = 0
  public var unsent = 0

  public var total: Int { accepted + rejected + invalid + unknown + unsent }

  /// Such as "5 done: 4 accepted, 1 rejected, 0 invalid, 0 unknown, 0 unsent".
  public var words: String {
    let parts = [
      "\(accepted) accepted", "\(rejected) rejected", "\(invalid) invalid", "\(unknown) unknown", "\(unsent) unsent",
    ]
    return "\(total) done: " + parts.joined(separator: ", ")
  }

  mutating func add(_ outcome: Outcome) {
    switch outcome {
    case .accepted: accepted += 1
    case .rejected: rejected += 1
    case .invalid: invalid += 1
    case .unknown: unknown += 1
    case .unsent: unsent += 1
    }
  }
}
