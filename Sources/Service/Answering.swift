// Requests and what they get: the checks' verdict, a script's deed, a magic token's, and the record of it.

import APNs
import HTTP2
import JSON
import POSIX

extension Server {
  /// One event of a session. It may set the connection's `ending`.
  func handle(_ connection: Connection, _ session: ServerSession, _ event: ServerEvent, into out: inout [UInt8]) {
    switch event.kind {
    case .request where Int(event.stream) > connection.lastHandledStream: session.release(event.slot)
    case .request: request(connection, session, event, into: &out)
    case .reset: withdrawn(connection, session, event)
    case .refused:
      observer.event("stream_refused", connection: connection.number) {
        $0.key("stream")
        $0.integer(Int(event.stream))
      }
      if settings.excessEndsConnection {
        goAway(connection, session, Deed.GoAway(code: .refusedStream, debug: Self.excessWords), from: event.stream)
      }
    case .broken:
      observer.trouble("http2", connection: connection.number, session.note(event))
      connection.ending = .orderly
    case .goAway:
      observer.event("goaway_received", connection: connection.number) {
        $0.key("code")
        $0.string(event.code.description)
        $0.key("debug")
        $0.string(session.note(event))
      }
    case .acknowledged:
      observer.event("settings_acknowledged", connection: connection.number) {
        $0.key("streams")
        $0.integer(Int(event.value))
      }
    case .settings, .pong, .head: break
    }
  }

  private static let excessWords = Array("The maximum number of active streams was exceeded".utf8)

  /// A complete request.
  private func request(
    _ connection: Connection, _ session: ServerSession, _ event: ServerEvent, into out: inout [UInt8]
  ) {
    let request = Request(session, event.slot, event.stream)
    connection.requests += 1
    if connection.isMute {
      hold(connection, request, nil)
      return record(connection, request, Fate(by: "wedge", action: "no answer"))
    }
    if request.target == .channels || request.target == .allChannels {
      return manage(connection, session, request, into: &out)
    }
    if script.hasRulesBeforeChecks, let rule = rule(for: request, connection, behindChecks: false) {
      return perform(rule.deed, by: rule.name, connection, session, request, into: &out)
    }
    let verdict = connection.checks.verdict(request, &connection.authority, now: seconds)
    noteTokens(connection)
    liftLimit(connection, session)
    guard verdict.reply.isSuccess else {
      return answer(connection, request, Fate(reply: verdict.reply, because: verdict.because), into: &out)
    }
    if script.hasRulesBehindChecks, let rule = rule(for: request, connection, behindChecks: true) {
      perform(rule.deed, by: rule.name, connection, session, request, into: &out)
    } else if request.target == .device, let row = magic.row(request.subjectText) {
      perform(row.deed, by: row.digits, connection, session, request, into: &out)
    } else {
      answer(connection, request, Fate(reply: .accepted), into: &out)
    }
  }

  /// The script's rule for a request. A broadcast's topic is the bundle identifier of its path.
  private func rule(for request: Request, _ connection: Connection, behindChecks: Bool) -> ScriptRule? {
    let isDevice = request.target == .device
    let nothing = request.value(-1)
    return script.rule(
      for: ScriptSubject(
        token: isDevice ? request.subjectText : nothing,
        topic: isDevice || request.topic >= 0 ? request.value(request.topic) : request.subjectText,
        pushType: request.value(request.pushType), channelID: request.value(request.channelID),
        environment: connection.checks.environment, connection: connection.number), behindChecks: behindChecks)
  }

  /// Deviations of a new provider token that were let pass.
  private func noteTokens(_ connection: Connection) {
    let checks = connection.checks
    if checks.tokenNotes.isEmpty { return }
    for note in checks.tokenNotes {
      observer.event("provider_token", connection: connection.number) {
        $0.key("message")
        $0.string(note)
      }
    }
    checks.tokenNotes.removeAll()
  }

  /// The first authenticated request lifts the stream limit; a rejected one may have lowered it.
  private func liftLimit(_ connection: Connection, _ session: ServerSession) {
    guard connection.authority.isAuthenticated, !connection.isLifted else { return }
    connection.isLifted = true
    announce(connection, session, settings.maxStreams)
  }

  func announce(_ connection: Connection, _ session: ServerSession, _ limit: Int) {
    guard connection.streamLimit != limit else { return }
    connection.streamLimit = limit
    session.announce(maxConcurrentStreams: UInt32(clamping: limit))
    observer.event("stream_limit", connection: connection.number) {
      $0.key("streams")
      $0.integer(limit)
    }
  }

  /// Answers, records, gives the slot back.
  func answer(_ connection: Connection, _ request: Request, _ given: Fate, into out: inout [UInt8]) {
    var fate = given
    respond(connection, request, &fate, into: &out)
    record(connection, request, fate)
    request.session.release(request.slot)
  }

  /// Puts the answer on the wire.
  private func respond(_ connection: Connection, _ request: Request, _ fate: inout Fate, into out: inout [UInt8]) {
    guard let reply = fate.reply else { return }
    let isDevice = request.target != .broadcast
    fate.hasUniqueID = isDevice && connection.checks.environment == .sandbox
    if fate.hasUniqueID { random.writeUUID(into: &received.uniqueID) }
    let given = isDevice || request.requestID < 0 ? request.id : request.requestID
    fate.hasMadeID = given < 0
    if given < 0 { random.writeUUID(into: &received.madeID) }
    let made = received.madeID
    let id = given < 0 ? made.span : request.value(given)
    let uniqueID = fate.hasUniqueID ? received.uniqueID : nil
    let head =
      reply === Reply.accepted && isDevice
      ? heads.success(id: id, uniqueID: uniqueID) : heads.any(reply, id: id, isDevice: isDevice, uniqueID: uniqueID)
    let body = reply.body
    if !request.session.respond(request.slot, head, body: body.span, into: &out) {
      fate.action = "the client had reset the stream"
    }
    if !reply.isSuccess {
      rejected(connection, request.session, reply)
    } else {
      restoreLimit(connection, request.session)
    }
  }

  /// APNs lowers the stream limit after refusals, and leaves those who earn too many.
  private func rejected(_ connection: Connection, _ session: ServerSession, _ reply: Reply) {
    if reply.status == 410 { return }
    connection.rejections += 1
    if let limit = settings.streamsAfterRejection, connection.authority.isAuthenticated {
      announce(connection, session, limit)
    }
    if let limit = settings.rejectionLimit, connection.rejections == limit {
      observer.trouble("rejections", connection: connection.number, "\(limit) pushes were rejected: goodbye")
      goAway(connection, session, Deed.GoAway(debug: Deed.debug(reply.reason)), from: 0)
    }
  }

  private func restoreLimit(_ connection: Connection, _ session: ServerSession) {
    if settings.streamsAfterRejection != nil { announce(connection, session, settings.maxStreams) }
  }

  /// Writes the record and counts it.
  func record(_ connection: Connection, _ request: Request, _ fate: Fate) {
    if output != nil {
      received.append(request, connection.checks, connection: connection.number, fate, to: &records)
    }
    guard request.target == .device || request.target == .broadcast else { return }
    observer.count(fate.reply)
    if let expected = settings.expected, observer.notifications >= expected { isExpectationMet = true }
  }

  /// Keeps a request without an answer, or for a later one.
  func hold(_ connection: Connection, _ request: Request, _ deed: Deed?, by: String = "") {
    nextSerial += 1
    connection.held[request.slot] = HeldRequest(stream: request.stream, serial: nextSerial, deed: deed, by: by)
  }

  /// The client gave a request up, or its connection.
  private func withdrawn(_ connection: Connection, _ session: ServerSession, _ event: ServerEvent) {
    observer.event("stream_reset", connection: connection.number) {
      $0.key("stream")
      $0.integer(Int(event.stream))
      $0.key("code")
      $0.string(event.code.description)
    }
    connection.held[event.slot] = nil
    session.release(event.slot)
  }

  func goAway(_ connection: Connection, _ session: ServerSession, _ order: Deed.GoAway, from stream: Int32) {
    let last = stream > 0 ? max(0, Int(stream) + 2 * order.offset) : nil
    session.goAway(lastStream: last.map { Int32(clamping: $0) }, order.code, debug: order.debug.span)
    connection.isGoingAway = true
    if let last { connection.lastHandledStream = min(connection.lastHandledStream, last) }
    observer.event("goaway", connection: connection.number) {
      if let last {
        $0.key("last_stream")
        $0.integer(last)
      }
      $0.key("code")
      $0.string(order.code.description)
      $0.key("debug")
      $0.string(utf8: order.debug.span)
    }
  }
}
