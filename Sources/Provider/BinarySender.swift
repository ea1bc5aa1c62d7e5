// The sender over the old binary protocol: lines in, results out, in one loop that waits in one place.
//
//   submit(line) ──> flights ──> route.ready ──> window of a connection ──> recorder
//                                    ^                    │
//                                    └─ discarded behind ─┘
//                                       a refused one
//
// The gateway says nothing about what it takes. A notification is `accepted` when an error packet names a later one, or
// when nothing came for the time of `linger`; the result's `basis` says which.

import APNs
import BinaryProtocol
import JSON
import POSIX
import TLS

public final class BinarySender: Sending {
  private static let inputKey = 0
  private static let signalKey = 1

  public var recorder: Recorder
  public internal(set) var stopReason: String?

  let settings: SenderSettings
  let binary: BinarySettings
  let basis: String
  let clock: Clock
  public private(set) var journalFault: String?
  let journal: Journal?
  var routes: [GatewayRoute] = []
  var flights = FlightTable()
  var generator = SystemRandomNumberGenerator()
  var now: UInt64
  var retriesLeft: Int
  var abortCounts: [Int]
  private let services: [Service]
  private let poller: Poller
  private var reader = Reader()
  private var problems: [Problem] = []
  private var buffers = ReadBuffers()
  private var token: [UInt8] = []
  private var nextKey = 2
  private var watchesInput = false
  private var inputIsPollable = true
  private var watched: Descriptor?

  /// - Parameter services: at least one, each with a certificate; the first takes what names none.
  /// - Parameter signals: a descriptor that becomes readable when a signal has come.
  public init(
    _ services: [Service], settings: SenderSettings, binary: BinarySettings, journal: Journal? = nil,
    signals: Descriptor? = nil, clock: Clock = .system
  ) throws(SystemError) {
    self.services = services
    self.settings = settings
    self.binary = binary
    basis = binary.basis
    self.clock = clock
    self.journal = journal
    recorder = Recorder(settings)
    // A table that doubles would stay in memory twice.
    flights.reserve(min(settings.flightLimit, 65_536))
    poller = try Poller()
    now = clock.monotonic()
    retriesLeft = settings.retryBudget ?? .max
    abortCounts = [Int](repeating: 0, count: settings.abortRules.count)
    for (index, service) in services.enumerated() {
      routes.append(GatewayRoute(service, index: index, settings: settings, now: now))
    }
    if let signals { try poller.add(signals, for: .readable, key: Self.signalKey) }
  }

  public var hasRoom: Bool { flights.count < settings.flightLimit && flights.byteCount < settings.byteLimit }

  public var pending: Int { flights.count }

  // MARK: Lines

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
      refuse(number, "not JSON: \(error.message)", column: position(of: error.offset, in: line).column)
      recorder.reject(line)
      return
    }
    let tokens = reader.tokens
    take(Document(line, tokens.span), number)
  }

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
    let index = problems.isEmpty ? check(record, document) : nil
    if problems.isEmpty { settings.judge(document, &problems) }
    guard problems.isEmpty, let index else { return refuse(record, document, number) }
    let route = routes[index]
    let flight = flights.take(record, document, number: number)
    flights[flight].route = index
    flights[flight].started = now
    if let journal, journal.wasSent(number), !settings.resendsUnknown {
      return finish(flight, unknown: "sent by a run that ended before the answer came")
    }
    if let reason = route.stopReason { return finish(flight, unsent: reason) }
    flights[flight].stage = .ready
    route.ready.append(flight)
  }

  /// What this protocol and these settings cannot carry. Returns the record's route.
  private func check(_ record: Notification, _ document: borrowing Document) -> Int? {
    problems.append(contentsOf: BinaryLimits.problems(of: record, document, binary.format))
    if routes.count == 1, record.credential == nil, record.environment == nil { return 0 }
    let index = Service.index(for: record, document, services, defaultTopic: settings.topic)
    if index == nil {
      let node = record.credential ?? record.environmentNode ?? 0
      let what = record.credential.map { "credential \"\(document.string($0).prefix(60))\"" } ?? "environment"
      problems.append(Problem("record-no-service", at: node, "this run has no gateway for the record's \(what)"))
    }
    return index
  }

  private func refuse(_ record: Notification, _ document: borrowing Document, _ number: Int) {
    let text = problems.map { $0.message + ($0.help.map { " (\($0))" } ?? "") }.joined(separator: "; ")
    let start = recorder.results.count
    InvalidResult.append(line: number, document, record, error: text, recorder.redaction, to: &recorder.results)
    for problem in problems {
      let place = position(of: document.start(problem.node), in: document.bytes)
      recorder.say(number, place.column, problem.message + (problem.help.map { ": \($0)" } ?? ""))
    }
    recorder.reject(document.bytes)
    recorded(number, from: start, .invalid, 0, problems[0].rule)
  }

  // MARK: The loop

  public func commit() {
    guard let journal, journal.isVerified else { return }
    for route in routes where route.stopReason == nil { note(route, journal) }
    do throws(Journal.Fault) { try journal.commit() } catch { stopAll(error.message) }
  }

  /// Notes the flights that can go at once, as stretches of line numbers.
  private func note(_ route: GatewayRoute, _ journal: Journal) {
    var stretch: ClosedRange<Int>?
    for place in 0..<route.ready.count {
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

  public func turn(input: Descriptor?, limit: Int = -1) -> Found {
    // The reader of the results may have held the loop up.
    now = clock.monotonic()
    dispatch()
    watch(input)
    let inputIsReady = input != nil && !inputIsPollable
    poller.wait(milliseconds: inputIsReady ? 0 : waitTime(limit))
    now = clock.monotonic()
    var found: Found = inputIsReady ? .input : []
    for ready in poller.ready {
      switch ready.key {
      case Self.inputKey: found.insert(.input)
      case Self.signalKey: found.insert(.signal)
      default:
        for route in routes {
          guard let connection = route.connection, connection.transport.key == ready.key else { continue }
          connection.transport.handle(ready.readiness, now: now, &buffers)
          settle(connection, route)
        }
      }
    }
    for route in routes { expire(route) }
    if journal == nil { dispatch() }
    return found
  }

  /// What time alone brings about. What the gateway has said by now was heard before.
  private func expire(_ route: GatewayRoute) {
    guard let connection = route.connection else { return }
    connection.mark(now: now)
    // Some at a time: results are printed before there are very many.
    for _ in 0..<1000 {
      guard let index = connection.popProven(now: now) else { break }
      accept(index, basis, connection, route)
    }
    if connection.transport.deadline <= now { connection.transport.expire(now: now) }
    if let stalled = connection.stalledSince, now >= stalled + settings.requestTimeout {
      let seconds = settings.requestTimeout / 1_000_000_000
      connection.transport.end("\(connection.transport.place) has taken nothing for \(seconds) s")
    }
    if connection.partDeadline <= now {
      connection.transport.end("\(connection.transport.place) sent what is no whole error packet, and then nothing")
    }
    if connection.isUsedUp, connection.next == connection.first {
      connection.isClosedByUs = true
      connection.transport.close()
    }
    if connection.transport.isClosed { settle(connection, route) }
  }

  private func watch(_ input: Descriptor?) {
    guard inputIsPollable, (input != nil) != watchesInput, let descriptor = input ?? watched else { return }
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
    if let journal, journal.pendingCount > 0 { return 0 }
    var soonest = UInt64.max
    for route in routes { soonest = min(soonest, route.nextDeadline(now: now)) }
    guard soonest != .max else { return limit }
    let milliseconds = soonest <= now ? 0 : Int(min((soonest - now + 999_999) / 1_000_000, 3_600_000))
    return limit < 0 ? milliseconds : min(limit, milliseconds)
  }

  // MARK: Sending

  private func dispatch() {
    for route in routes {
      if let reason = route.stopReason {
        while let index = route.ready.popFirst() { finish(index, unsent: reason) }
      }
      if route.connection == nil, !route.ready.isEmpty, now >= route.retryAt { open(route) }
      if let connection = route.connection { fill(connection, route) }
    }
  }

  private func fill(_ connection: GatewayConnection, _ route: GatewayRoute) {
    while connection.canSubmit, let index = nextReady(route) {
      _ = route.ready.popFirst()
      send(index, connection)
    }
    connection.transport.flush()
    connection.mark(now: now)
    settle(connection, route)
  }

  /// The next flight that may go now: known to the journal, and within the rate.
  private func nextReady(_ route: GatewayRoute) -> Int? {
    guard !route.ready.isEmpty else { return nil }
    let index = route.ready[0]
    if journal != nil, !flights[index].isJournaled { return nil }
    if route.pace != nil, route.pace?.take(now: now) == false { return nil }
    return index
  }

  private func send(_ index: Int, _ connection: GatewayConnection) {
    let identifier = connection.next
    let position = connection.transport.position
    token.removeAll(keepingCapacity: true)
    BinaryLimits.decode(flights[index].bytes.span.extracting(flights[index].token.range), into: &token)
    let size = connection.transport.send { out in
      let before = out.count
      // The fields were measured when the line was taken: they fit.
      try? self.flights[index].appendNotification(self.binary.format, identifier, self.token, to: &out)
      return out.count - before
    }
    connection.sent(index)
    flights[index].stage = .sent
    flights[index].position = position
    flights[index].frameSize = size
    flights[index].attempts += 1
    flights[index].sent = now
    guard recorder.keepsEvents else { return }
    recorder.event("sent", at: clock.unixMilliseconds()) { out in
      ResultLine.integer(&out, "line", self.flights[index].number)
      ResultLine.integer(&out, "connection", connection.transport.key - 1)
      if self.binary.format.hasIdentifiers { ResultLine.integer(&out, "identifier", Int(identifier)) }
      ResultLine.integer(&out, "bytes", size)
    }
  }

  private func open(_ route: GatewayRoute) {
    let transport = Transport(
      key: nextKey, host: route.service.host, port: route.service.port, context: route.service.context,
      settings: settings, poller: poller, now: now)
    nextKey += 1
    let connection = GatewayConnection(transport, route: route.index, linger: binary.linger)
    route.connection = connection
    event("connecting", connection, route) { _ in }
    transport.start(now: now)
    settle(connection, route)
  }

  // MARK: Stopping

  /// Gives every gateway up.
  func stopAll(_ reason: String) {
    if stopReason == nil { recorder.say("stopped: \(reason)") }
    stopReason = stopReason ?? reason
    stopSending(reason)
  }

  public func stopSending(_ reason: String) {
    for route in routes {
      route.stop(reason)
      while let index = route.ready.popFirst() { finish(index, unsent: reason) }
    }
  }

  /// What was sent and is not proven is unknown, what was not sent is unsent.
  public func abandon(_ reason: String) {
    now = clock.monotonic()
    stopSending(reason)
    for route in routes {
      guard let connection = route.connection else { continue }
      connection.isClosedByUs = true
      connection.transport.end(reason)
      settle(connection, route)
    }
  }

  public func close() {
    for route in routes {
      guard let connection = route.connection else { continue }
      connection.isClosedByUs = true
      connection.transport.close()
      settle(connection, route)
    }
  }
}
