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

public final class Sender: Sending {
  static let inputKey = 0
  static let signalKey = 1
  /// Requests without an answer are looked for this often, in nanoseconds.
  static let sweepInterval: UInt64 = 500_000_000

  /// What the run has to say. The owner writes and empties its buffers.
  public var recorder: Recorder
  /// Set when a service is out of reach or refuses everything: the run should end with the status "stopped early".
  public internal(set) var stopReason: String?

  public private(set) var journalFault: String?

  let settings: SenderSettings
  let clock: Clock
  let poller: Poller
  let journal: Journal?
  let seed: UInt64
  let services: [Service]
  var routes: [Route] = []
  var flights = FlightTable()
  var schedule = Schedule()
  var spacing: Spacing
  var generator = SystemRandomNumberGenerator()
  var now: UInt64
  var retriesLeft: Int
  let defaultTopic: [UInt8]
  var abortCounts: [Int]
  private var reader = Reader()
  var answerReader = Reader(depthLimit: 16)
  private var problems: [Problem] = []
  var events: [ClientEvent] = []
  var buffers = ReadBuffers()
  var nextKey = 2
  var byKey: [Int: Connection] = [:]
  var watchesInput = false
  var inputIsPollable = true
  var watched: Descriptor?
  var lastSweep: UInt64 = 0
  var lastTurn: UInt64 = 0

  /// - Parameter services: at least one; the first takes what names none.
  /// - Parameter signals: a descriptor that becomes readable when a signal has come.
  public init(
    _ services: [Service], settings: SenderSettings, journal: Journal? = nil, signals: Descriptor? = nil,
    clock: Clock = .system
  ) throws(SystemError) {
    self.services = services
    self.settings = settings
    self.clock = clock
    self.journal = journal
    recorder = Recorder(settings)
    spacing = Spacing(interval: settings.repeatInterval)
    poller = try Poller()
    now = clock.monotonic()
    seed = journal?.seed ?? UInt64.random(in: .min ... .max)
    retriesLeft = settings.retryBudget ?? .max
    defaultTopic = Array(settings.topic.utf8)
    abortCounts = [Int](repeating: 0, count: settings.abortRules.count)
    for (index, service) in services.enumerated() {
      routes.append(Route(service, index: index, settings: settings, now: now))
    }
    if let signals { try poller.add(signals, for: .readable, key: Self.signalKey) }
  }

  /// Whether another line may be submitted.
  public var hasRoom: Bool {
    // What waits to be sent again must not keep other lines from being sent; memory is bounded all the same.
    flights.count - schedule.count < settings.flightLimit && flights.count < settings.flightLimit * 8
      && flights.byteCount < settings.byteLimit
  }

  /// Lines that have no result yet.
  public var pending: Int { flights.count }

  // MARK: Lines

  /// Takes a line. Its result is there at once when it is invalid, later otherwise.
  public func submit(_ line: Span<UInt8>, number: Int) {
    if let journal {
      do throws(Journal.Fault) { try journal.read(line, number: number) } catch {
        journalFault = journalFault ?? error.message
        return stopAll(error.message)
      }
      if journal.isFinished(number) { return }
    }
    do throws(SyntaxError) {
      try reader.read(line)
    } catch {
      let column = position(of: error.offset, in: line).column
      refuse(number, "not JSON: \(error.message)", column: column)
      recorder.reject(line)
      return
    }
    let tokens = reader.tokens
    take(Document(line, tokens.span), number)
  }

  /// A line that could not even be read, such as one that is too long.
  public func refuse(_ number: Int, _ message: String, column: Int?) {
    if let journal, journal.isFinished(number) { return }
    let start = recorder.results.count
    InvalidResult.append(line: number, error: message, to: &recorder.results)
    recorder.say(number, column, message)
    recorded(number, from: start, .invalid, 0, nil)
  }

  private func take(_ document: borrowing Document, _ number: Int) {
    problems.removeAll(keepingCapacity: true)
    let record = Notification.read(document, problems: &problems)
    if problems.isEmpty { checkAgainstSettings(record, document) }
    if problems.isEmpty { settings.judge(document, &problems) }
    if !problems.isEmpty { return refuse(record, document, number) }
    let route = routes[route(of: record, document) ?? 0]
    let index = flights.take(record, document, number: number)
    flights[index].route = route.index
    flights[index].started = now
    if settings.resendsUnknown { flights[index].makeID(seed: seed) }
    if let journal, journal.wasSent(number), !settings.resendsUnknown {
      return finish(index, unknown: "sent by a run that ended before the answer came")
    }
    if let reason = route.stopReason { return finish(index, unsent: reason) }
    flights[index].stage = .ready
    route.ready.append(index)
  }

  /// What the record alone cannot tell: whether there is a service for it, and a topic.
  private func checkAgainstSettings(_ record: Notification, _ document: borrowing Document) {
    guard let index = route(of: record, document) else {
      let node = record.credential ?? record.environmentNode ?? 0
      let what = record.credential.map { "credential \"\(document.string($0).prefix(60))\"" } ?? "environment"
      problems.append(Problem("record-no-service", at: node, "this run has no service for the record's \(what)"))
      return
    }
    if record.topic == nil, defaultTopic.isEmpty, routes[index].needsTopic || record.channelID != nil {
      problems.append(
        Problem("topic-missing", at: 0, "the record has no \"topic\"", help: "give one, or --topic for all"))
    }
  }

  private func route(of record: Notification, _ document: borrowing Document) -> Int? {
    if routes.count == 1, record.credential == nil, record.environment == nil { return 0 }
    return Service.index(for: record, document, services, defaultTopic: settings.topic)
  }

  private func refuse(_ record: Notification, _ document: borrowing Document, _ number: Int) {
    let text = problems.map { $0.message + ($0.help.map { " (\($0))" } ?? "") }.joined(separator: "; ")
    let start = recorder.results.count
    InvalidResult.append(
      line: number, document, record, error: text, recorder.redaction, to: &recorder.results)
    for problem in problems {
      let place = position(of: document.start(problem.node), in: document.bytes)
      recorder.say(number, place.column, problem.message + (problem.help.map { ": \($0)" } ?? ""))
    }
    recorder.reject(document.bytes)
    recorded(number, from: start, .invalid, 0, problems[0].rule)
  }

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
  public func stopSending(_ reason: String) {
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
