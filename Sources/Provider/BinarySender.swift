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

public final class BinarySender: LineSender, Sending {
  let binary: BinarySettings
  let basis: String
  var routes: [GatewayRoute] = []
  private var token: [UInt8] = []

  /// - Parameter services: at least one, each with a certificate; the first takes what names none.
  /// - Parameter signals: a descriptor that becomes readable when a signal has come.
  public init(
    _ services: [Service], settings: SenderSettings, binary: BinarySettings, journal: Journal? = nil,
    signals: Descriptor? = nil, clock: Clock = .system
  ) throws(SystemError) {
    self.binary = binary
    basis = binary.basis
    try super.init(to: services, settings: settings, journal: journal, signals: signals, clock: clock)
    // A table that doubles would stay in memory twice.
    flights.reserve(min(settings.flightLimit, 65_536))
    for (index, service) in services.enumerated() {
      routes.append(GatewayRoute(service, index: index, settings: settings, now: now))
    }
  }

  public var hasRoom: Bool { flights.count < settings.flightLimit && flights.byteCount < settings.byteLimit }

  // MARK: Lines

  /// Whether this protocol can carry it.
  override func check(
    _ record: Notification, _ document: borrowing Document, service: Int, _ problems: inout [Problem]
  ) {
    problems.append(contentsOf: BinaryLimits.problems(of: record, document, binary.format))
  }

  override func reasonAgainst(service: Int) -> String? { routes[service].stopReason }

  override func enqueue(_ index: Int) { routes[flights[index].route].ready.append(index) }

  /// How large it was on the wire.
  override func appendFacts(_ index: Int, to out: inout [UInt8]) {
    guard flights[index].attempts > 0, flights[index].frameSize > 0 else { return }
    ResultLine.integer(&out, "bytes", flights[index].frameSize)
  }

  // MARK: The loop

  public func commit() { commit(routes) { $0.ready.count } }

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

  private func waitTime(_ limit: Int) -> Int {
    var soonest = UInt64.max
    for route in routes { soonest = min(soonest, route.nextDeadline(now: now)) }
    return waitTime(limit, until: soonest)
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
    let line = flights[index].bytes
    BinaryLimits.decode(line.span.extracting(flights[index].token.range), into: &token)
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

  public override func stopSending(_ reason: String) {
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
