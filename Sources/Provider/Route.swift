// The connections to one service as one credential, the queue before them, and what keeps them from working.

import APNs
import HTTP2
import POSIX
import TLS

/// Counts GOAWAYs, and has a word for a service that says it far too often: after 10, 100, 1000…, when there were fewer
/// than a hundred answers between two.
struct Goodbyes {
  private var count = 0
  private var due = 10
  private var counted = 0
  private var answered = 0

  mutating func add(answers: Int) -> String? {
    count += 1
    guard count >= due else { return nil }
    let connections = count - counted
    let each = (answers - answered) / connections
    (due, counted, answered) = (count * 10, count, answers)
    guard each < 100 else { return nil }
    return "has ended \(connections) connections with GOAWAY, after \(each) answers each; going on, slowly"
  }
}

/// One service and credential of a run.
final class Route: Lane {
  let service: Service
  let index: Int
  var ready = FlightQueue()
  var connections: [Connection] = []
  var window = Window()
  var pace: Pace?
  /// Why nothing more goes this way; nil while it works.
  private(set) var stopReason: String?
  /// Topics the service refuses to this credential.
  var refusedTopics: [[UInt8]: String] = [:]
  /// Answers of any kind, on all its connections.
  var answers = 0
  /// How often it asked for a new connection.
  var goodbyes = Goodbyes()
  /// Connections that allowed no request at all.
  var starvations = 0
  /// Connections in a row on which the provider token was called expired.
  var renewals = 0
  /// Connections that failed in a row without an answer between them, and since when: monotonic nanoseconds.
  private var failures = 0
  private var failingSince: UInt64 = 0
  /// Lines in a row that were given up because nobody acted on them.
  private var refused = 0
  /// It answered something in this run.
  private var hasServed = false
  /// Monotonic nanoseconds before which no new connection is tried.
  private(set) var retryAt: UInt64 = 0
  private let settings: SenderSettings
  private var turn = 0
  /// Nanoseconds spent waiting while lines waited and every connection was full.
  private var hunger: UInt64 = 0

  init(_ service: Service, index: Int, settings: SenderSettings, now: UInt64) {
    self.service = service
    self.index = index
    self.settings = settings
    pace = settings.rate.map { Pace(perSecond: $0, burst: settings.burst, now: now) }
  }

  /// Requests under way on all connections.
  var inFlight: Int { connections.reduce(0) { $0 + $1.inFlight } }

  /// A connection that can take a request now; they take turns so that all are used.
  func available() -> Connection? {
    let count = connections.count
    for step in 0..<count {
      let place = (turn + step) % count
      if connections[place].canSubmit {
        turn = place
        return connections[place]
      }
    }
    return nil
  }

  /// Lets the next connection take its turn: called when a batch went to one.
  func advance() { turn = connections.isEmpty ? 0 : (turn + 1) % connections.count }

  /// How many requests could go at once as far as the streams allow.
  var capacity: Int {
    connections.reduce(0) { $0 + ($1.canSubmit ? $1.capacity - $1.session.openStreams : 0) }
  }

  /// Whether a further connection is wanted and allowed now.
  func wantsConnection(now: UInt64) -> Bool {
    guard stopReason == nil, !ready.isEmpty, now >= retryAt else { return false }
    let usable = connections.filter { !$0.isDraining }
    guard usable.count < settings.connections else { return false }
    if usable.isEmpty { return true }
    // One that is being made will take what waits; more only when those that stand are full.
    if usable.contains(where: { $0.phase != .open || $0.canSubmit }) { return false }
    guard settings.growsConnections else { return true }
    guard hunger > 100_000_000, usable.allSatisfy({ $0.hasAnswered && $0.capacity > 1 }) else { return false }
    hunger = 0
    return true
  }

  /// The loop waited so long while lines waited for streams: more connections would help.
  func waited(_ nanoseconds: UInt64) {
    if !ready.isEmpty, nanoseconds > 1_000_000, !connections.isEmpty, available() == nil { hunger += nanoseconds }
  }

  func stop(_ reason: String) {
    if stopReason == nil { stopReason = reason }
  }

  /// One more line was refused to the end without being acted on. Says whether that must be expected of all.
  func isBarren() -> Bool {
    refused += 1
    return refused >= (hasServed ? 1000 : 20)
  }

  /// An answer came: the service is there.
  func succeeded() {
    hasServed = true
    failures = 0
    refused = 0
    retryAt = 0
  }

  /// A connection ended with no answer on it. Says whether the service counts as out of reach now.
  func failed(
    _ failure: ConnectionFailure, now: UInt64, using generator: inout some RandomNumberGenerator
  ) -> Bool {
    if failures == 0 { failingSince = now }
    failures += 1
    // A host that was never reached is a mistake sooner than an outage.
    let isOver = hasServed ? now - failingSince >= settings.outageTimeout : failures >= settings.connectAttempts
    if failure.isFinal || isOver {
      stop(failure.message)
      return true
    }
    let backoff = Backoff(base: 250_000_000, limit: 5_000_000_000)
    retryAt = now + backoff.delay(attempt: failures, using: &generator)
    return false
  }

  /// When something is to be done about connections without any readiness: monotonic nanoseconds.
  func nextDeadline(now: UInt64) -> UInt64 {
    var soonest = UInt64.max
    for connection in connections {
      soonest = min(soonest, connection.deadline, connection.silenceDeadline)
    }
    guard stopReason == nil, !ready.isEmpty else { return soonest }
    if retryAt > now { soonest = min(soonest, retryAt) }
    if let pace, connections.contains(where: { $0.canSubmit }) { soonest = min(soonest, pace.nextDue(now: now)) }
    return soonest
  }

  /// The provider token to send with; empty for a certificate.
  func authorization() throws(Failure) -> (text: [UInt8], generation: Int) {
    switch service.credential {
    case .certificate: return ([], 0)
    case .token(let source):
      let text = try source.current()
      return (text, source.generation)
    }
  }

  /// Streams to assume before the peer has said: with a provider token APNs allows one until the first answer.
  var assumedStreams: UInt32 {
    if case .token = service.credential { return 1 }
    return 100
  }

  var needsTopic: Bool { service.needsTopic }
}
