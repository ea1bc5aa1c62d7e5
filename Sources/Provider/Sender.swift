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
  private static let inputKey = 0
  private static let signalKey = 1

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
  private let services: [Service]
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
  private var events: [ClientEvent] = []
  private var buffers = ReadBuffers()
  private var nextKey = 2
  private var byKey: [Int: Connection] = [:]
  private var watchesInput = false
  private var inputIsPollable = true
  private var watched: Descriptor?
  private var lastSweep: UInt64 = 0
  private var lastTurn: UInt64 = 0

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

  // MARK: The loop

  /// Brings to the journal what is about to be sent and what has ended; results may be printed afterwards.
  public func commit() {
    guard let journal, journal.isVerified else { return }
    for route in routes where route.stopReason == nil { note(route, journal) }
    do throws(Journal.Fault) { try journal.commit() } catch { stopAll(error.message) }
  }

  /// Notes the flights that can go at once, as stretches of line numbers.
  private func note(_ route: Route, _ journal: Journal) {
    var stretch: ClosedRange<Int>?
    let room = min(route.ready.count, route.capacity, route.pace?.available(now: now) ?? .max)
    for place in 0..<room {
      let index = route.ready[place]
      if flights[index].isJournaled { continue }
      flights[index].isJournaled = true
      let number = flights[index].number
      if let known = stretch, number == known.upperBound + 1 {
        stretch = known.lowerBound...number
      } else {
        if let stretch { journal.aboutToSend(stretch) }
        stretch = number...number
      }
    }
    if let stretch { journal.aboutToSend(stretch) }
  }

  /// Sends what can be sent, waits for the network (and for `input`, when one is given), takes in what came.
  /// - Parameter input: watched until it is readable; leave it out while there is no room.
  /// - Parameter limit: the longest to wait, in milliseconds; below 0 without end, 0 not at all.
  public func turn(input: Descriptor?, limit: Int = -1) -> Found {
    excuseStall()
    defer { lastTurn = clock.monotonic() }
    dispatch()
    for route in routes { for connection in route.connections { connection.flush() } }
    watch(input)
    let inputIsReady = input != nil && !inputIsPollable
    let before = clock.monotonic()
    poller.wait(milliseconds: inputIsReady ? 0 : waitTime(limit))
    now = clock.monotonic()
    for route in routes { route.waited(now - min(before, now)) }
    var found: Found = inputIsReady ? .input : []
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
    expire()
    if journal == nil { dispatch() }
    return found
  }

  /// A reader of the results that is slow holds the loop up: no request and no peer is late for that.
  private func excuseStall() {
    let present = clock.monotonic()
    let stall = lastTurn == 0 ? 0 : present - min(lastTurn, present)
    guard stall > 500_000_000 else { return }
    now = present
    for route in routes { for connection in route.connections { connection.excuse(stall) } }
    for index in flights.indices where flights[index].stage == .sent { flights[index].sent += stall }
  }

  private func watch(_ input: Descriptor?) {
    guard inputIsPollable, (input != nil) != watchesInput else { return }
    guard let descriptor = input ?? watched else { return }
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

  private func waitTime(_ limit: Int) -> Int {
    // What ended is on its way to the journal and to the printer: no waiting before that is done.
    if let journal, journal.pendingCount > 0 { return 0 }
    var soonest = schedule.nextDue ?? .max
    for route in routes { soonest = min(soonest, route.nextDeadline(now: now)) }
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
      for connection in route.connections {
        if connection.deadline <= now { connection.expire(now: now) }
        connection.lookIntoSilence(now: now)
        connection.lookIntoStarvation(now: now, hasWork: !route.ready.isEmpty)
        if connection.isClosed { settle(connection) }
      }
    }
    guard now - min(lastSweep, now) >= Self.sweepInterval else { return }
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
      while route.window.hasRoom(route.inFlight), let connection = route.available() {
        let before = route.ready.count
        fill(connection, route)
        route.advance()
        // Nothing went: the pace, the journal or the connection holds it back.
        if route.ready.isEmpty || route.ready.count >= before { break }
      }
      if route.wantsConnection(now: now) { open(route) }
    }
  }

  /// Gives a connection a fair part of what waits.
  private func fill(_ connection: Connection, _ route: Route) {
    guard authorize(connection, route) else { return }
    var part = max(64, route.ready.count / max(1, route.connections.count))
    while part > 0, connection.canSubmit, !route.ready.isEmpty, route.window.hasRoom(route.inFlight) {
      if journal != nil, !flights[route.ready[0]].isJournaled { break }
      if route.pace != nil, route.pace?.take(now: now) == false { break }
      guard let index = route.ready.popFirst() else { break }
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
        tellOfToken(route)
      }
      return true
    } catch {
      stop(route, "the provider token cannot be made: \(error.message)")
      return false
    }
  }

  private func tellOfToken(_ route: Route) {
    guard case .token(let source) = route.service.credential, let news = source.takeNews() else { return }
    recorder.event(news == .minted ? "token-minted" : "token-shared", at: clock.unixMilliseconds()) { out in
      self.name(route, &out)
      ResultLine.text(&out, "key_id", source.keyID)
      if let issuedAt = source.issuedAt { ResultLine.integer(&out, "issued_at", issuedAt) }
    }
  }

  private func send(_ index: Int, _ connection: Connection, _ route: Route) {
    if let reason = refusedTopic(index, route) { return finish(index, unsent: reason) }
    if spacing.isActive, let due = spacing.claim(tokenHash(index), now: now) {
      route.pace?.giveBack()
      return wait(index, until: due)
    }
    let position = connection.position
    switch connection.submit(flights[index], defaultTopic: defaultTopic, tag: index) {
    case .sent(let stream, _):
      flights[index].stage = .sent
      flights[index].stream = stream
      flights[index].connection = connection.key
      flights[index].position = position
      flights[index].attempts += 1
      flights[index].sent = now
      connection.inFlight += 1
    case .full: putBack(index, route)
    case .goingAway, .usedUp, .broken:
      connection.isDraining = true
      putBack(index, route)
    }
  }

  private func putBack(_ index: Int, _ route: Route) {
    route.ready.prepend(index)
    route.pace?.giveBack()
    if spacing.isActive { spacing.giveBack(tokenHash(index), now: now) }
  }

  /// Its device token was sent to a moment ago. A run that ends meanwhile must know that this line was not sent.
  private func wait(_ index: Int, until due: UInt64) {
    if let journal, flights[index].isJournaled, flights[index].attempts == 0 {
      journal.withdraw(flights[index].number)
      flights[index].isJournaled = false
    }
    delay(index, until: due)
  }

  private func open(_ route: Route) {
    let connection = Connection(
      key: nextKey, route: route.index, service: route.service, settings: settings, poller: poller, now: now,
      assumedStreams: route.assumedStreams)
    nextKey += 1
    byKey[connection.key] = connection
    route.connections.append(connection)
    recorder.event("connecting", at: clock.unixMilliseconds()) { out in
      self.name(route, &out)
      ResultLine.integer(&out, "connection", connection.key - 1)
    }
    connection.start(now: now)
    settle(connection)
  }

  // MARK: What a connection has to tell

  /// Takes the events of a connection, and buries it when it is over.
  func settle(_ connection: Connection) {
    let route = routes[connection.route]
    takeEvents(connection, route)
    if connection.phase == .open, !connection.wasAnnounced { announce(connection, route) }
    if connection.session.isClosing { connection.isDraining = true }
    if connection.isDraining, connection.inFlight == 0, !connection.isClosed { connection.close() }
    if connection.isClosed { bury(connection, route) }
  }

  private func takeEvents(_ connection: Connection, _ route: Route) {
    connection.session.takeEvents(into: &events)
    // What broke a connection is told last, after the streams that failed with it: they should say it too.
    if let broken = events.last, broken.kind == .broken, connection.fate == nil {
      connection.fate = "HTTP/2 with \(route.service.host): \(connection.session.note(broken))"
    }
    // Handling an event never submits nor receives: no further event can come meanwhile.
    for event in events { handle(event, connection, route) }
  }

  private func announce(_ connection: Connection, _ route: Route) {
    connection.wasAnnounced = true
    recorder.event("connected", at: clock.unixMilliseconds()) { out in
      self.name(route, &out)
      ResultLine.integer(&out, "connection", connection.key - 1)
      if let address = connection.address { ResultLine.text(&out, "address", address.description) }
      ResultLine.word(&out, "tls", connection.tlsVersion)
    }
  }

  private func bury(_ connection: Connection, _ route: Route) {
    takeEvents(connection, route)
    guard byKey.removeValue(forKey: connection.key) != nil else { return }
    route.connections.removeAll { $0 === connection }
    recorder.event("closed", at: clock.unixMilliseconds()) { out in
      self.name(route, &out)
      ResultLine.integer(&out, "connection", connection.key - 1)
      if let failure = connection.failure { ResultLine.text(&out, "why", failure.message) }
    }
    guard let failure = connection.failure, !connection.isClosedByUs, route.stopReason == nil else { return }
    if connection.wasStarved {
      route.starvations += 1
      // A first answer on each connection is no sign of a service that serves.
      if route.starvations >= settings.connectAttempts { return stop(route, failure.message) }
    }
    if connection.isDraining && connection.hasAnswered { return }
    if connection.hasAnswered {
      recorder.say("\(failure.message); connecting again when there is something to send")
    } else if route.failed(failure, now: now, using: &generator) {
      stop(route, failure.message, says: failure.message)
    } else {
      recorder.say("\(failure.message); trying again")
    }
  }

  /// Gives a service up: what waits for it is unsent.
  func stop(_ route: Route, _ reason: String, says words: String? = nil) {
    if route.stopReason == nil || words != nil { recorder.say("stopped: \(words ?? reason)") }
    route.stop(reason)
    if stopReason == nil { stopReason = reason }
    while let index = route.ready.popFirst() { finish(index, unsent: reason) }
  }

  /// Gives every service up.
  func stopAll(_ reason: String) {
    if stopReason == nil { recorder.say("stopped: \(reason)") }
    stopReason = stopReason ?? reason
    stopSending(reason)
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
