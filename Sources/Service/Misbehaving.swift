// Deeds done: answers that are late or never come, resets, GOAWAY, closing at a bad moment.

import APNs
import HTTP2
import POSIX

extension Server {
  /// Does to a request what a rule or a magic token says.
  func perform(
    _ deed: Deed, by: String, _ connection: Connection, _ session: ServerSession, _ request: Request,
    into out: inout [UInt8]
  ) {
    if deed.delay > 0 {
      var later = deed
      later.delay = 0
      hold(connection, request, later, by: by)
      return schedule(connection, deed.delay, .answer(slot: request.slot, serial: nextSerial))
    }
    prepare(deed, connection, session)
    var fate = Fate(reply: deed.isWithoutAnswer ? nil : deed.reply ?? .accepted, by: by, action: deed.words)
    if let order = deed.goAway, order.offset < 0 {
      // The stream lies above the last one that counts: it is dropped, not answered.
      fate.reply = nil
      record(connection, request, fate)
      session.release(request.slot)
      return goAway(connection, session, order, from: request.stream)
    }
    if let code = deed.reset { session.reset(request.stream, code) }
    if deed.isSilent, deed.reset == nil {
      record(connection, request, fate)
      hold(connection, request, nil)
    } else {
      let start = out.count
      answer(connection, request, fate, into: &out)
      if deed.close == .midFrame { out.removeLast((out.count - start + 1) / 2) }
    }
    if let order = deed.goAway { goAway(connection, session, order, from: request.stream) }
    finish(deed, connection, session, into: &out)
  }

  /// Does to a new connection what a rule says.
  func greet(_ connection: Connection, _ rule: ScriptRule, into out: inout [UInt8]) {
    guard let session = connection.session else { return }
    observer.event("script", connection: connection.number) {
      $0.key("by")
      $0.string(rule.name)
      $0.key("action")
      $0.string(rule.deed.words)
    }
    prepare(rule.deed, connection, session)
    if let order = rule.deed.goAway { goAway(connection, session, order, from: 0) }
    finish(rule.deed, connection, session, into: &out)
    session.pump(into: &out)
  }

  /// What must be so before the answer goes out.
  private func prepare(_ deed: Deed, _ connection: Connection, _ session: ServerSession) {
    failTLS += deed.failTLS
    refuse += deed.refuse
    if deed.refuseMilliseconds > 0 { refuseConnections(milliseconds: deed.refuseMilliseconds) }
    if let limit = deed.streamLimit { announce(connection, session, limit) }
    if let pause = deed.dribble { connection.dribble = pause }
    if let reply = deed.wedge { connection.authority.wedged = Verdict(reply, "a script wedged the connection") }
    if deed.wedgeIsSilent { connection.isMute = true }
  }

  /// What is done to the connection behind the answer.
  private func finish(
    _ deed: Deed, _ connection: Connection, _ session: ServerSession, into out: inout [UInt8]
  ) {
    if let pause = deed.stopReading {
      connection.isDeaf = true
      if pause > 0 { schedule(connection, pause, .hear) }
    }
    switch deed.close {
    case nil: break
    case .now:
      session.pump(into: &out)
      connection.ending = .orderly
    case .midFrame: connection.ending = .cut
    case .abort:
      Socket.resetOnClose(connection.socket)
      connection.ending = .cut
    }
  }

  private func schedule(_ connection: Connection, _ milliseconds: Int, _ kind: Timer.Kind) {
    timers.add(
      Timer(
        due: now &+ UInt64(max(0, milliseconds)) &* 1_000_000, place: connection.place, number: connection.number,
        kind: kind))
  }

  /// A timer is due.
  func fire(_ timer: Timer) {
    if case .listen = timer.kind { return resumeListening() }
    guard connections.indices.contains(timer.place), let connection = connections[timer.place],
      connection.number == timer.number
    else { return }
    switch timer.kind {
    case .answer(let slot, let serial): answerLate(connection, slot, serial)
    case .dribble: dribble(connection)
    case .refuse: refuseLate(connection)
    case .hear:
      connection.isDeaf = false
      want(connection, .readable)
    case .listen: break
    }
  }

  private func answerLate(_ connection: Connection, _ slot: Int32, _ serial: Int) {
    guard let session = connection.session, let held = connection.held[slot], held.serial == serial,
      let deed = held.deed, connection.ending == .none
    else { return }
    connection.held[slot] = nil
    connection.checks.forgetBody()
    var out: [UInt8] = []
    perform(deed, by: held.by, connection, session, Request(session, slot, held.stream), into: &out)
    drain(connection, session, into: &out)
    send(connection, out)
    if connections[connection.place] === connection { flush(connection) }
  }

  /// A byte now, the next one after the pause.
  func startDribble(_ connection: Connection) {
    want(connection, .readable)
    if connection.isDribbling { return }
    // With nothing to send an ending connection must still take its next step.
    if connection.channel.outputCount == 0 { return sent(connection) }
    connection.isDribbling = true
    dribble(connection)
  }

  private func dribble(_ connection: Connection) {
    connection.isDribbling = false
    guard let pause = connection.dribble else { return }
    if connection.channel.outputCount == 0 { return sent(connection) }
    do {
      let channel = connection.channel
      if case .bytes(let count) = try connection.socket.write(channel.output.extracting(first: 1)) {
        channel.consumeOutput(count)
      }
    } catch {
      return drop(connection, "\(error)")
    }
    connection.isDribbling = true
    schedule(connection, pause, .dribble)
  }

  /// A deadline has passed.
  func overdue(_ connection: Connection) {
    switch connection.ending {
    case .lingering, .cut, .orderly: return drop(connection, "closed")
    case .none: break
    }
    if let stream = connection.stream {
      observer.event("idle", connection: connection.number)
      return sendOffBinary(connection, stream)
    }
    guard let session = connection.session else {
      observer.trouble(
        "tls", connection: connection.number,
        "the TLS handshake was not done within \(settings.handshakeSeconds) s: closed")
      return drop(connection, "handshake timed out")
    }
    observer.event("idle", connection: connection.number)
    sendOff(connection, session, "IdleTimeout")
  }

  /// Ends a connection as APNs does: GOAWAY with a reason, then the close.
  func sendOff(_ connection: Connection, _ reason: String = "Shutdown") {
    guard connection.ending == .none else { return }
    if let stream = connection.stream { return sendOffBinary(connection, stream) }
    guard let session = connection.session else { return drop(connection, "shutdown") }
    sendOff(connection, session, reason)
  }

  private func sendOff(_ connection: Connection, _ session: ServerSession, _ reason: String) {
    var out: [UInt8] = []
    goAway(connection, session, Deed.GoAway(debug: Deed.debug(reason)), from: 0)
    session.pump(into: &out)
    connection.dribble = nil
    connection.ending = .orderly
    send(connection, out)
    if connections[connection.place] === connection { flush(connection) }
  }
}

extension Deed {
  /// What was done, for the record.
  var words: String {
    var words: [String] = []
    if isSilent { words.append("no answer") }
    if let code = reset { words.append("reset \(code)") }
    if let order = goAway { words.append("goaway \(order.code) offset \(order.offset)") }
    switch close {
    case .now: words.append("close")
    case .abort: words.append("abort")
    case .midFrame: words.append("close mid-frame")
    case nil: break
    }
    if stopReading != nil { words.append("stop reading") }
    if let pause = dribble { words.append("a byte each \(pause) ms") }
    if let limit = streamLimit { words.append("stream limit \(limit)") }
    if failTLS > 0 { words.append("fail the next \(failTLS) handshakes") }
    if refuse > 0 { words.append("refuse the next \(refuse) connections") }
    if refuseMilliseconds > 0 { words.append("refuse connections for \(refuseMilliseconds) ms") }
    if wedge != nil || wedgeIsSilent { words.append("wedge the connection") }
    return words.joined(separator: ", ")
  }
}
