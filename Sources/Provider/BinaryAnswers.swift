// What the binary sender makes of error packets and of connections that end: which flights are accepted, which one is
// refused, which are sent again.

import APNs
import BinaryProtocol
import JSON

extension BinarySender {
  /// Takes what a connection has to tell, and buries it when it is over.
  func settle(_ connection: GatewayConnection, _ route: GatewayRoute) {
    if connection.transport.phase == .open, !connection.wasAnnounced { announce(connection, route) }
    while route.connection === connection, let found = connection.nextEvent(now: now) {
      switch found {
      case .error(let packet): refused(packet, connection, route)
      case .malformed(let damage): doubt(damage, connection)
      default: break
      }
    }
    // Where the next packet may begin is nobody's concern here.
    if let damage = connection.damage { doubt(damage, connection) }
    if connection.transport.isClosed, route.connection === connection { bury(connection, route, packet: nil) }
  }

  private func doubt(_ damage: Damage, _ connection: GatewayConnection) {
    connection.transport.end("\(connection.transport.place) sent what is no error packet: \(damage.found)")
  }

  private func announce(_ connection: GatewayConnection, _ route: GatewayRoute) {
    connection.wasAnnounced = true
    event("connected", connection, route) { out in
      if let address = connection.transport.address { ResultLine.text(&out, "address", address.description) }
      ResultLine.word(&out, "tls", connection.transport.tlsVersion)
    }
  }

  // MARK: Error packets

  private func refused(_ packet: ErrorPacket, _ connection: GatewayConnection, _ route: GatewayRoute) {
    let status = ErrorStatus.of(packet.status)
    let words = status?.reason ?? "status \(packet.status)"
    let place = binary.format.hasIdentifiers ? connection.place(of: packet.identifier) : nil
    event("notification-error", connection, route) { out in
      ResultLine.integer(&out, "status", Int(packet.status))
      ResultLine.text(&out, "reason", words)
      ResultLine.integer(&out, "identifier", Int(packet.identifier))
      if let place { ResultLine.integer(&out, "line", self.flights[connection.window[place]].number) }
    }
    if status == .noError { return praised(place, connection, route) }
    defer { bury(connection, route, packet: words) }
    if let place {
      let later = status == .shutdown ? "named by the gateway as the last one sent" : "the gateway refused a later one"
      for _ in 0..<place { popAccepted(connection, route, later) }
      if status == .shutdown {
        popAccepted(connection, route, later)
      } else if let index = connection.popFirst() {
        reject(index, packet.status, status, connection, route)
      }
      return putBack(connection, route)
    }
    if binary.format.hasIdentifiers, packet.identifier > 0, packet.identifier < connection.first {
      if status != .shutdown { tooLate(packet, words, connection) }
      // Whatever was named came before everything that still waits here: all of that was discarded.
      return putBack(connection, route)
    }
    // Identifier 0, or one that was never given: nobody can say which notification it was.
    let reason = "the gateway said \"\(words)\" about identifier \(packet.identifier), which names no notification"
    doubt(reason, connection, route)
  }

  /// A packet of status 0 refuses nothing: what it names went through, and the connection lives on.
  private func praised(_ place: Int?, _ connection: GatewayConnection, _ route: GatewayRoute) {
    guard let place else { return }
    for _ in 0...place { popAccepted(connection, route, "the gateway said that there was no error") }
  }

  private func popAccepted(_ connection: GatewayConnection, _ route: GatewayRoute, _ basis: String) {
    guard let index = connection.popFirst() else { return }
    accept(index, basis, connection, route)
  }

  /// A result that was printed cannot be taken back; that it was wrong is said.
  private func tooLate(_ packet: ErrorPacket, _ words: String, _ connection: GatewayConnection) {
    let lost = connection.first - packet.identifier - 1
    recorder.say(
      "the gateway said \"\(words)\" about identifier \(packet.identifier) of connection "
        + "\(connection.transport.key - 1) after it had been called accepted"
        + (lost == 0 ? "" : ", and discarded \(lost) more that had been") + "; give a longer --linger")
  }

  func accept(_ index: Int, _ basis: String, _ connection: GatewayConnection, _ route: GatewayRoute) {
    connection.hasProven = true
    route.succeeded()
    var ending = Ending(.accepted)
    ending.basis = basis
    write(index, ending)
  }

  private func reject(
    _ index: Int, _ code: UInt8, _ status: ErrorStatus?, _ connection: GatewayConnection, _ route: GatewayRoute
  ) {
    connection.hasProven = true
    route.succeeded()
    var ending = Ending(.rejected)
    ending.status = Int(code)
    ending.reason = status?.reason ?? "status \(code)"
    ending.advice = status?.advice
    write(index, ending)
  }

  // MARK: What is left in the window

  /// Takes the whole window out, in order.
  private func drain(_ connection: GatewayConnection) -> [Int] {
    var left: [Int] = []
    while let index = connection.popFirst() { left.append(index) }
    return left
  }

  /// Everything in the window was discarded by the gateway: it goes again, in order, before all others.
  private func putBack(_ connection: GatewayConnection, _ route: GatewayRoute) {
    var again: [Int] = []
    for index in drain(connection) {
      if settings.neverTwice, flights[index].position < connection.transport.handed {
        finish(index, unsent: "discarded by the gateway behind a refused notification")
      } else {
        again.append(index)
      }
    }
    for index in again.reversed() {
      if flights[index].position >= connection.transport.handed {
        requeueUnwritten(index, route)
      } else {
        recorder.resent += 1
        requeue(index, route)
      }
    }
  }

  /// Nobody knows what became of the window, except for what never left this process.
  private func doubt(_ reason: String, _ connection: GatewayConnection, _ route: GatewayRoute) {
    var again: [Int] = []
    for index in drain(connection) {
      if flights[index].position >= connection.transport.handed || connection.transport.isRefused {
        again.append(index)
      } else if mayResend(index, route) {
        again.append(index)
      } else {
        finish(index, unknown: reason)
      }
    }
    for index in again.reversed() {
      if flights[index].position >= connection.transport.handed || connection.transport.isRefused {
        requeueUnwritten(index, route)
      } else {
        requeue(index, route)
      }
    }
  }

  private func mayResend(_ index: Int, _ route: GatewayRoute) -> Bool {
    guard settings.resendsUnknown, route.stopReason == nil, flights[index].attempts <= settings.retries,
      retriesLeft > 0
    else { return false }
    retriesLeft -= 1
    recorder.resent += 1
    return true
  }

  private func requeueUnwritten(_ index: Int, _ route: GatewayRoute) {
    flights[index].attempts -= 1
    requeue(index, route)
  }

  private func requeue(_ index: Int, _ route: GatewayRoute) {
    if let reason = route.stopReason { return finish(index, unsent: reason) }
    flights[index].stage = .ready
    route.ready.prepend(index)
  }

  // MARK: The end of a connection

  /// - Parameter packet: what an error packet said, nil when the connection ended without one.
  private func bury(_ connection: GatewayConnection, _ route: GatewayRoute, packet: String?) {
    guard route.connection === connection else { return }
    route.connection = nil
    if !connection.transport.isClosed { connection.transport.close() }
    let failure = connection.transport.failure ?? ConnectionFailure(message: "closed", isFinal: false)
    // Nobody who is out of reach gets what waits.
    let hadWindow = connection.next != connection.first
    var isOver = false
    if packet == nil, !connection.isClosedByUs, route.stopReason == nil, !connection.hasProven, !tookOne(connection),
      hadWindow || !connection.wasAnnounced || !route.ready.isEmpty
    {
      isOver = route.failed(failure, now: now, using: &generator)
    }
    if packet == nil { doubt(failure.message, connection, route) }
    event("end", connection, route) { out in
      ResultLine.text(&out, "why", packet.map { "the gateway said \"\($0)\"" } ?? failure.message)
    }
    if isOver { return stop(route, failure.message) }
    guard packet == nil, !connection.isClosedByUs, route.stopReason == nil, hadWindow || !connection.wasAnnounced else {
      return
    }
    let next = route.ready.isEmpty ? "" : connection.hasProven ? "; connecting again" : "; trying again"
    recorder.say(failure.message + next)
  }

  /// The gateway took a single notification and closed: that is how it refuses one of command 0, and how some simulators
  /// end after each. It is within reach, and no more than this one is in doubt.
  private func tookOne(_ connection: GatewayConnection) -> Bool {
    connection.wasAnnounced && connection.window.count == 1 && !connection.transport.isRefused
      && flights[connection.window[0]].position < connection.transport.handed
  }

  /// Gives a gateway up: what waits for it is unsent.
  private func stop(_ route: GatewayRoute, _ reason: String) {
    recorder.say("stopped: \(reason)")
    if stopReason == nil { stopReason = reason }
    while let index = route.ready.popFirst() { finish(index, unsent: reason) }
  }

  func event(
    _ name: StaticString, _ connection: GatewayConnection, _ route: GatewayRoute, _ more: (inout [UInt8]) -> Void
  ) {
    recorder.event(name, at: clock.unixMilliseconds()) { out in
      ResultLine.text(&out, "service", connection.transport.place)
      if !route.service.name.isEmpty { ResultLine.text(&out, "credential", route.service.name) }
      ResultLine.integer(&out, "connection", connection.transport.key - 1)
      more(&out)
    }
  }
}
