// The sender: lines in, results out, everything between in one loop that waits in one place.
//
//   submit(line) ──> flights ──> route.ready ──> connection ──> events ──> recorder
//                       ^            ^                             │
//                       │            └── proven unprocessed ───────┤
//                       └── schedule (back-off) <── may be retried ┘
//
// One result for each line, whatever happens. Nothing is sent twice unless the first sending is proven not to have been
// acted on, or the settings allow it.

import APNs
import HTTP2
import JSON
import POSIX
import TLS

public final class Sender: LineSender, Sending {
  /// Requests without an answer are looked for this often, in nanoseconds.
  static let sweepInterval: UInt64 = 500_000_000

  let seed: UInt64
  var routes: [Route] = []
  var schedule = Schedule()
  var spacing: Spacing
  let defaultTopic: [UInt8]
  var answerReader = Reader(depthLimit: 16)
  var events: [ClientEvent] = []
  var byKey: [Int: Connection] = [:]
  var lastSweep: UInt64 = 0
  var lastTurn: UInt64 = 0

  /// - Parameter services: at least one; the first takes what names none.
  /// - Parameter signals: a descriptor that becomes readable when a signal has come.
  public init(
    _ services: [Service], settings: SenderSettings, journal: Journal? = nil, signals: Descriptor? = nil,
    clock: Clock = .system
  ) throws(SystemError) {
    spacing = Spacing(interval: settings.repeatInterval)
    seed = journal?.seed ?? UInt64.random(in: .min ... .max)
    defaultTopic = Array(settings.topic.utf8)
    try super.init(to: services, settings: settings, journal: journal, signals: signals, clock: clock)
    for (index, service) in services.enumerated() {
      routes.append(Route(service, index: index, settings: settings, now: now))
    }
  }

  /// Whether another line may be submitted.
  public var hasRoom: Bool {
    // What waits to be sent again must not keep other lines from being sent; memory is bounded all the same.
    flights.count - schedule.count < settings.flightLimit && flights.count < settings.flightLimit * 8
      && flights.byteCount < settings.byteLimit
  }

  // MARK: Lines

  override func prepare(_ index: Int) {
    if settings.resendsUnknown || journal != nil { flights[index].makeID(seed: seed) }
  }

  /// Whether there is a topic for it.
  override func check(
    _ record: Notification, _ document: borrowing Document, service: Int, _ problems: inout [Problem]
  ) {
    guard record.topic == nil, defaultTopic.isEmpty, routes[service].needsTopic || record.channelID != nil else {
      return
    }
    problems.append(
      Problem("topic-missing", at: 0, "the record has no \"topic\"", help: "give one, or --topic for all"))
  }

  override func reasonAgainst(service: Int) -> String? { routes[service].stopReason }

  override func enqueue(_ index: Int) { routes[flights[index].route].ready.append(index) }

  // MARK: Endings

  /// Ends everything that is under way: what was sent is unknown, what was not is unsent. For a run that must stop now.
  public func abandon(_ reason: String) {
    now = clock.monotonic()
    stopSending(reason)
    for route in routes {
      for connection in route.connections {
        connection.end(reason)
        bury(connection, route)
      }
    }
    for index in flights.indices where flights[index].stage != .free { finish(index, unknown: reason) }
  }

  /// Nothing new is sent any longer; what is on the wire is still waited for. Later lines end `unsent`.
  public override func stopSending(_ reason: String) {
    for route in routes { route.stop(reason) }
    for index in schedule.removeAll() { finish(index, unsent: reason) }
    for route in routes {
      while let index = route.ready.popFirst() { finish(index, unsent: reason) }
    }
  }

  /// Says good-bye to the services. Every flight has ended before.
  public func close() {
    for route in routes {
      for connection in route.connections {
        connection.close()
        bury(connection, route)
      }
    }
  }

  func name(_ route: Route, _ out: inout [UInt8]) {
    ResultLine.text(&out, "service", route.service.authority)
    if !route.service.name.isEmpty { ResultLine.text(&out, "credential", route.service.name) }
  }
}
