// How the sender's flights come onto connections, and what becomes of the connections.

import APNs
import HTTP2
import POSIX
import TLS

extension Sender {
  func dispatch() {
    for route in routes where !route.ready.isEmpty {
      if let reason = route.stopReason {
        while let index = route.ready.popFirst() { finish(index, unsent: reason) }
        continue
      }
      for connection in route.connections { connection.prove(now: now) }
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
    if spacing.isActive, let due = turn(of: index) {
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
      flights[index].claimedAt = 0
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
  }

  /// When its device token may be sent to; nil for now. A turn is asked for once, and kept until it is taken.
  private func turn(of index: Int) -> UInt64? {
    let token = tokenHash(index)
    if flights[index].claimedAt > 0, spacing.isKept(token, since: flights[index].claimedAt) { return nil }
    flights[index].claimedAt = now
    return spacing.claim(token, now: now)
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
      let note = connection.session.note(broken)
      connection.fate = "HTTP/2 with \(route.service.host): \(note.isEmpty ? broken.code.description : note)"
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

  func bury(_ connection: Connection, _ route: Route) {
    takeEvents(connection, route)
    guard byKey.removeValue(forKey: connection.key) != nil else { return }
    route.connections.removeAll { $0 === connection }
    recorder.event("closed", at: clock.unixMilliseconds()) { out in
      self.name(route, &out)
      ResultLine.integer(&out, "connection", connection.key - 1)
      if let failure = connection.failure { ResultLine.text(&out, "why", failure.message) }
    }
    guard let failure = connection.failure, route.stopReason == nil else { return }
    if let goodbye = connection.goodbye, !connection.hasAnswered, flights.count > 0 {
      let words = "\(route.service.host) ends a connection before it answers anything, with GOAWAY: \(goodbye)"
      return lost(route, ConnectionFailure(message: words, isFinal: false))
    }
    if connection.isClosedByUs { return }
    if connection.wasStarved {
      route.starvations += 1
      // A first answer on each connection is no sign of a service that serves.
      if route.starvations >= settings.connectAttempts { return stop(route, failure.message) }
    }
    if connection.isDraining && connection.hasAnswered { return }
    if connection.hasAnswered {
      recorder.say("\(failure.message); " + Self.later)
    } else {
      lost(route, failure)
    }
  }

  /// A connection ended on which nothing was answered.
  private func lost(_ route: Route, _ failure: ConnectionFailure) {
    if route.failed(failure, now: now, using: &generator) {
      stop(route, failure.message, says: failure.message)
    } else {
      recorder.say("\(failure.message); " + (flights.count == 0 ? Self.later : "trying again"))
    }
  }

  private static let later = "connecting again when there is something to send"

  /// Gives a service up: what waits for it is unsent.
  func stop(_ route: Route, _ reason: String, says words: String? = nil) {
    if route.stopReason == nil || words != nil { recorder.say("stopped: \(words ?? reason)") }
    route.stop(reason)
    if stopReason == nil { stopReason = reason }
    while let index = route.ready.popFirst() { finish(index, unsent: reason) }
  }
}
