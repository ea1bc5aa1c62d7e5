// The sender: lines in, results out, everything between in one loop that waits in one place.
//
//   submit(line) ──> flights ──> route.ready ──> connection ──> events ──> results
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

public final class Sender {
  /// What a turn found besides its own work.
  public struct Found: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public static let input = Found(rawValue: 1)
    public static let signal = Found(rawValue: 2)
  }

  private static let inputKey = 0
  private static let signalKey = 1

  /// Result records that wait to be written: whole lines. The owner writes and empties it.
  public var results: [UInt8] = []
  /// Words for standard error: whole lines. The owner writes and empties it.
  public var words: [UInt8] = []
  public internal(set) var counts = Counts()
  /// Set when a service is out of reach or refuses everything: the run should end with the status "stopped early".
  public internal(set) var stopReason: String?

  let settings: SenderSettings
  let clock: Clock
  let poller: Poller
  var routes: [Route] = []
  var flights = FlightTable()
  var schedule = Schedule()
  var generator = SystemRandomNumberGenerator()
  var now: UInt64
  let defaultTopic: [UInt8]
  private var reader = Reader()
  var answerReader = Reader(depthLimit: 16)
  private var problems: [Problem] = []
  private var events: [ClientEvent] = []
  private var buffers = ReadBuffers()
  private var nextKey = 2
  private var byKey: [Int: Connection] = [:]
  private var watchesInput = false
  private var inputIsPollable = true
  private var lastSweep: UInt64 = 0

  /// - Parameter services: at least one; the first takes what names none.
  /// - Parameter signals: a descriptor that becomes readable when a signal has come.
  public init(
    _ services: [Service], settings: SenderSettings, signals: Descriptor? = nil, clock: Clock = .system
  ) throws(SystemError) {
    self.settings = settings
    self.clock = clock
    poller = try Poller()
    now = clock.monotonic()
    defaultTopic = Array(settings.topic.utf8)
    for (index, service) in services.enumerated() {
      routes.append(Route(service, index: index, settings: settings))
    }
    if let signals { try poller.add(signals, for: .readable, key: Self.signalKey) }
  }

  /// Whether another line may be submitted.
  public var hasRoom: Bool {
    flights.count < settings.flightLimit && flights.byteCount < settings.byteLimit
  }

  /// Lines that have no result yet.
  public var pending: Int { flights.count }

  // MARK: Lines

  /// Takes a line. Its result is there at once when it is invalid, later otherwise.
  public func submit(_ line: Span<UInt8>, number: Int) {
    do throws(SyntaxError) {
      try reader.read(line)
    } catch {
      let column = position(of: error.offset, in: line).column
      refuse(number, "not JSON: \(error.message)", column: column)
      return
    }
    let tokens = reader.tokens
    take(Document(line, tokens.span), number)
  }

  /// A line that could not even be read, such as one that is too long.
  public func refuse(_ number: Int, _ message: String, column: Int? = nil) {
    InvalidResult.append(line: number, error: message, to: &results)
    say(number, column, message)
    counts.add(.invalid)
  }

  private func take(_ document: borrowing Document, _ number: Int) {
    problems.removeAll(keepingCapacity: true)
    let record = Notification.read(document, problems: &problems)
    if problems.isEmpty { checkAgainstSettings(record, document) }
    if !problems.isEmpty { return refuse(record, document, number) }
    let route = routes[route(of: record, document) ?? 0]
    let index = flights.take(record, document, number: number)
    flights[index].route = route.index
    flights[index].started = now
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
    if record.topic == nil, defaultTopic.isEmpty, routes[index].needsTopic {
      problems.append(
        Problem("topic-missing", at: 0, "the record has no \"topic\"", help: "give one, or --topic for all"))
    }
  }

  /// The service for a record: by its credential, then by its environment; the first takes what names none.
  private func route(of record: Notification, _ document: borrowing Document) -> Int? {
    if record.credential == nil && record.environment == nil { return 0 }
    let name = record.credential.map { document.string($0) }
    return routes.firstIndex { route in
      (name == nil || route.service.name == name)
        && (record.environment == nil || route.service.environment == record.environment)
    }
  }

  private func refuse(_ record: Notification, _ document: borrowing Document, _ number: Int) {
    let text = problems.map { $0.message + ($0.help.map { " (\($0))" } ?? "") }.joined(separator: "; ")
    InvalidResult.append(line: number, document, record, error: text, to: &results)
    for problem in problems {
      let place = position(of: document.start(problem.node), in: document.bytes)
      say(number, place.column, problem.message + (problem.help.map { ": \($0)" } ?? ""))
    }
    counts.add(.invalid)
  }

  func say(_ number: Int, _ column: Int?, _ message: String) {
    words.append("\(settings.tool): line \(number): ")
    if let column { words.append("column \(column): ") }
    words.append(message)
    words.append("\n")
  }

  func say(_ message: String) { words.append("\(settings.tool): \(message)\n") }

  // MARK: The loop

  /// Sends what can be sent, waits for the network (and for `input`, when one is given), takes in what came.
  /// - Parameter input: watched until it is readable; leave it out while there is no room.
  /// - Parameter limit: the longest to wait, in milliseconds; below 0 without end, 0 not at all.
  public func turn(input: Descriptor?, limit: Int = -1) -> Found {
    dispatch()
    for route in routes { for connection in route.connections { connection.flush() } }
    var found: Found = []
    watch(input)
    let inputIsReady = input != nil && !inputIsPollable
    poller.wait(milliseconds: inputIsReady ? 0 : waitTime(limit))
    now = clock.monotonic()
    for ready in poller.ready {
      switch ready.key {
      case Self.inputKey: found.insert(.input)
      case Self.signalKey: found.insert(.signal)
      default:
        guard let connection = byKey[ready.key] else { continue }
        connection.handle(ready.readiness, now: now, &buffers)
        settle(connection)
      }
    }
    if inputIsReady { found.insert(.input) }
    expire()
    dispatch()
    return found
  }

  private func watch(_ input: Descriptor?) {
    guard inputIsPollable, (input != nil) != watchesInput else { return }
    let descriptor = input ?? watched
    guard let descriptor else { return }
    do throws(SystemError) {
      if input != nil {
        try poller.add(descriptor, for: .readable, key: Self.inputKey)
      } else {
        poller.remove(descriptor)
      }
      watched = descriptor
      watchesInput = input != nil
    } catch {
      // A regular file cannot be watched: it is always ready.
      inputIsPollable = false
    }
  }

  private var watched: Descriptor?

  private func waitTime(_ limit: Int) -> Int {
    var soonest = schedule.nextDue ?? .max
    for route in routes { soonest = min(soonest, route.nextDeadline()) }
    if flights.count > 0 { soonest = min(soonest, lastSweep + Self.sweepInterval) }
    guard soonest != .max else { return limit }
    let milliseconds = soonest <= now ? 0 : Int(min((soonest - now + 999_999) / 1_000_000, 3_600_000))
    return limit < 0 ? milliseconds : min(limit, milliseconds)
  }

  /// Requests without an answer are looked for this often, in nanoseconds.
  private static let sweepInterval: UInt64 = 500_000_000

  private func expire() {
    while let index = schedule.pop(now: now) { requeue(index) }
    for route in routes {
      for connection in route.connections where connection.deadline <= now {
        connection.expire()
        settle(connection)
      }
    }
    guard now - lastSweep >= Self.sweepInterval else { return }
    lastSweep = now
    for index in flights.indices where flights[index].stage == .sent {
      guard now > flights[index].sent, now - flights[index].sent > settings.requestTimeout else { continue }
      timeOut(index)
    }
  }

  // MARK: Sending

  private func dispatch() {
    for route in routes where !route.ready.isEmpty {
      if let reason = route.stopReason {
        while let index = route.ready.popFirst() { finish(index, unsent: reason) }
        continue
      }
      while let connection = route.available() {
        fill(connection, route)
        route.advance()
        if route.ready.isEmpty { break }
      }
      if route.wantsConnection(now: now) { open(route) }
    }
  }

  /// Gives a connection a fair part of what waits.
  private func fill(_ connection: Connection, _ route: Route) {
    guard authorize(connection, route) else { return }
    var part = max(64, route.ready.count / max(1, route.connections.count))
    while part > 0, connection.canSubmit, let index = route.ready.popFirst() {
      part -= 1
      send(index, connection, route)
    }
    settle(connection)
  }

  private func authorize(_ connection: Connection, _ route: Route) -> Bool {
    do throws(Failure) {
      let (text, generation) = try route.authorization()
      if generation != connection.tokenGeneration {
        connection.tokenGeneration = generation
        connection.head.setAuthorization(text)
      }
      return true
    } catch {
      stop(route, "the provider token cannot be made: \(error.message)")
      return false
    }
  }

  private func send(_ index: Int, _ connection: Connection, _ route: Route) {
    if let reason = refusedTopic(index, route) { return finish(index, unsent: reason) }
    switch connection.submit(flights[index], defaultTopic: defaultTopic, tag: index) {
    case .sent(let stream, _):
      flights[index].stage = .sent
      flights[index].stream = stream
      flights[index].connection = connection.key
      flights[index].attempts += 1
      flights[index].sent = now
      connection.inFlight += 1
    case .full:
      route.ready.prepend(index)
    case .goingAway, .usedUp, .broken:
      connection.isDraining = true
      route.ready.prepend(index)
    }
  }

  private func open(_ route: Route) {
    let connection = Connection(
      key: nextKey, route: route.index, service: route.service, settings: settings, poller: poller, now: now,
      assumedStreams: route.assumedStreams)
    nextKey += 1
    byKey[connection.key] = connection
    route.connections.append(connection)
    connection.start(now: now)
    settle(connection)
  }

  // MARK: What a connection has to tell

  /// Takes the events of a connection, and buries it when it is over.
  private func settle(_ connection: Connection) {
    let route = routes[connection.route]
    connection.session.takeEvents(into: &events)
    // Finishing a flight never submits: no event can come while these are handled.
    for event in events { handle(event, connection, route) }
    if connection.session.isClosing { connection.isDraining = true }
    if connection.isDraining, connection.inFlight == 0, !connection.isClosed { connection.close() }
    guard connection.isClosed else { return }
    bury(connection, route)
  }

  private func bury(_ connection: Connection, _ route: Route) {
    connection.session.takeEvents(into: &events)
    for event in events { handle(event, connection, route) }
    byKey[connection.key] = nil
    route.connections.removeAll { $0 === connection }
    guard let failure = connection.failure, !connection.isDraining || !connection.hasAnswered else { return }
    if connection.hasAnswered {
      say("\(failure.message); connecting again when there is something to send")
    } else if route.failed(failure, now: now, using: &generator) {
      stop(route, failure.message)
    } else {
      say("\(failure.message); trying again")
    }
  }

  func stop(_ route: Route, _ reason: String) {
    if route.stopReason == nil { say("stopped: \(reason)") }
    route.stop(reason)
    if stopReason == nil { stopReason = reason }
    while let index = route.ready.popFirst() { finish(index, unsent: reason) }
  }

  // MARK: Endings

  /// Ends everything that is under way: what was sent is unknown, what was not is unsent. For a run that must stop now.
  public func abandon(_ reason: String) {
    now = clock.monotonic()
    for index in schedule.removeAll() { finish(index, unsent: reason) }
    for route in routes {
      while let index = route.ready.popFirst() { finish(index, unsent: reason) }
      for connection in route.connections { connection.end(reason) }
      for connection in route.connections { bury(connection, route) }
    }
    for index in flights.indices where flights[index].stage != .free { finish(index, unknown: reason) }
  }

  /// Nothing new is sent any longer; what is on the wire is still waited for.
  public func stopSending(_ reason: String) {
    for index in schedule.removeAll() { finish(index, unsent: reason) }
    for route in routes {
      route.stop(reason)
      while let index = route.ready.popFirst() { finish(index, unsent: reason) }
    }
  }

  /// Says good-bye to the services. Every flight has ended before.
  public func close() {
    for route in routes {
      for connection in route.connections { connection.close() }
    }
  }
}
