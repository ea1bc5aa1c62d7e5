// Bytes between a socket and its session: reading, TLS, writing, and the ends of a connection.

import APNs
import HTTP2
import POSIX
import TLS

extension Server {
  /// A connection's socket can be read or written.
  func serve(_ ready: Poller.Ready) {
    guard connections.indices.contains(ready.key), let connection = connections[ready.key] else { return }
    if ready.readiness.contains(.readable) { read(connection) }
    guard connections[ready.key] === connection, ready.readiness.contains(.writable) else { return }
    flush(connection)
    // What was left unread while the client did not read: TLS holds nothing back, so only the socket need be asked.
    if connections[ready.key] === connection, connection.channel.outputCount == 0, !connection.isDeaf {
      read(connection)
    }
  }

  private func read(_ connection: Connection) {
    if connection.isDeaf {
      // Nothing is asked of the poller: only the end of both directions is told.
      return drop(connection, "the client is gone")
    }
    // A few rounds at most: one connection must not keep the others waiting.
    for _ in 0..<4 {
      do throws(SystemError) {
        switch try connection.socket.fill(&input) {
        case .wouldBlock: return
        case .end: return end(connection)
        case .bytes(let count):
          if connection.ending != .none { continue }
          feed(connection, count)
          guard connections[connection.place] === connection, connection.ending == .none, !connection.isDeaf else {
            return
          }
          if connection.channel.outputCount > Self.outputLimit { return want(connection, .writable) }
          if count < input.count { return }
        }
      } catch {
        return drop(connection, error.message)
      }
    }
  }

  /// Ciphertext from the client: plaintext to the session, answers to the socket.
  private func feed(_ connection: Connection, _ count: Int) {
    var plain: [UInt8] = []
    swap(&plain, &self.plain)
    plain.removeAll(keepingCapacity: true)
    var failure: TLS.Failure?
    var bytes: [UInt8] = []
    swap(&bytes, &input)
    do throws(TLS.Failure) {
      try connection.channel.receive(bytes.span.extracting(first: count), into: &plain)
    } catch {
      failure = error
    }
    swap(&bytes, &input)
    if connection.session == nil, connection.stream == nil,
      connection.channel.phase == .open || connection.channel.phase == .closed
    {
      opened(connection)
    }
    if !plain.isEmpty { deliver(connection, plain) }
    swap(&plain, &self.plain)
    if let failure {
      failed(connection, failure)
    } else if connection.channel.phase == .closed {
      closedByPeer(connection)
    }
    if connections[connection.place] === connection { flush(connection) }
  }

  /// The handshake is done: HTTP/2 begins.
  private func opened(_ connection: Connection) {
    if connection.role != .push { return openedBinary(connection) }
    let channel = connection.channel
    if let certificate = channel.peerCertificate {
      connection.authority.certificate = CertificateRights(
        certificate, isTrusted: settings.takesAnyCertificate || channel.refusal == nil, connection.checks.environment)
    }
    var session = ServerSession.Settings()
    let limit = connection.authority.certificate == nil ? settings.firstStreams : settings.maxStreams
    session.maxConcurrentStreams = UInt32(clamping: limit)
    // What counts before the client has acknowledged a limit: generous, and the bound of a connection's memory.
    session.hardStreamLimit = UInt32(clamping: max(1000, settings.maxStreams))
    session.fieldLimit = 8000
    // One byte above the largest payload is as good as a thousand.
    session.bodyLimit = PushType.broadcastPayloadLimit + 1
    connection.streamLimit = limit
    connection.session = ServerSession(session)
    if observer.logsFrames { connection.frames = FrameLog() }
    touch(connection)
    observer.event("handshake", connection: connection.number) {
      $0.key("tls")
      $0.string(channel.version)
      $0.key("cipher")
      $0.string(channel.cipher)
      $0.key("alpn")
      if let name = channel.negotiatedProtocol { $0.string(name) } else { $0.null() }
      if let host = channel.requestedHost {
        $0.key("server_name")
        $0.string(host)
      }
      if let certificate = connection.authority.certificate {
        $0.key("certificate")
        $0.string(certificate.subject)
      }
    }
    var out: [UInt8] = []
    connection.session?.pump(into: &out)
    if script.hasConnectRules, let rule = script.rule(forConnection: connection.number, connection.checks.environment) {
      greet(connection, rule, into: &out)
    }
    send(connection, out)
  }

  /// Something came: the idle clock starts anew.
  func touch(_ connection: Connection) {
    guard connection.ending == .none else { return }
    connection.deadline = settings.idleSeconds.map { now + UInt64($0) * 1_000_000_000 } ?? .max
  }

  /// Plaintext to the session, and what it makes of it.
  private func deliver(_ connection: Connection, _ plain: [UInt8]) {
    guard let session = connection.session else { return deliverBinary(connection, plain) }
    if connection.frames != nil { logFrames(connection, plain, isIncoming: true) }
    touch(connection)
    var out: [UInt8] = []
    swap(&out, &self.out)
    out.removeAll(keepingCapacity: true)
    session.receive(plain.span, into: &out)
    drain(connection, session, into: &out)
    send(connection, out)
    swap(&out, &self.out)
  }

  /// Takes the session's events until there are none, and ends the connection when that is due.
  func drain(_ connection: Connection, _ session: ServerSession, into out: inout [UInt8]) {
    var events: [ServerEvent] = []
    swap(&events, &self.events)
    session.takeEvents(into: &events)
    for event in events where connection.ending == .none { handle(connection, session, event, into: &out) }
    swap(&events, &self.events)
    if connection.ending == .none {
      session.pump(into: &out)
      if session.isFinished || (connection.isGoingAway && session.openStreams == 0) { connection.ending = .orderly }
    }
  }

  /// Encrypts plaintext for the client; `flush` sends it.
  func send(_ connection: Connection, _ out: [UInt8]) {
    if out.isEmpty { return }
    if connection.frames != nil { logFrames(connection, out, isIncoming: false) }
    do throws(TLS.Failure) {
      try connection.channel.write(out.span)
    } catch {
      drop(connection, error.message)
    }
  }

  private func logFrames(_ connection: Connection, _ bytes: [UInt8], isIncoming: Bool) {
    guard var frames = connection.frames else { return }
    let note = { (frame: FrameHead) in
      self.observer.event("frame", connection: connection.number) {
        $0.key("direction")
        $0.string(isIncoming ? "in" : "out")
        $0.key("type")
        $0.string(frame.name)
        $0.key("flags")
        $0.integer(Int(frame.flags))
        $0.key("stream")
        $0.integer(frame.stream)
        $0.key("length")
        $0.integer(frame.length)
      }
    }
    if isIncoming { frames.incoming.scan(bytes.span, note) } else { frames.outgoing.scan(bytes.span, note) }
    connection.frames = frames
  }

  /// Sends what TLS has ready. When all is gone, an ending connection takes its next step.
  func flush(_ connection: Connection) {
    if connection.ending == .orderly { connection.channel.close() }
    if connection.dribble != nil { return startDribble(connection) }
    do throws(SystemError) {
      let channel = connection.channel
      while channel.outputCount > 0 {
        guard case .bytes(let count) = try connection.socket.write(channel.output) else {
          // A client that is to be left must take its last bytes within a few seconds.
          if connection.ending != .none { connection.deadline = min(connection.deadline, now + 5_000_000_000) }
          let isFull = channel.outputCount > Self.outputLimit
          return want(connection, isFull || connection.isDeaf ? .writable : [.readable, .writable])
        }
        channel.consumeOutput(count)
      }
    } catch {
      return drop(connection, error.message)
    }
    sent(connection)
  }

  /// All is with the client.
  func sent(_ connection: Connection) {
    switch connection.ending {
    case .none: want(connection, connection.isDeaf ? [] : .readable)
    case .orderly:
      connection.socket.shutdownWriting()
      linger(connection)
    case .cut: drop(connection, "closed on purpose")
    case .lingering: want(connection, .readable)
    }
  }

  func want(_ connection: Connection, _ interest: Readiness) {
    guard connection.interest != interest else { return }
    connection.interest = interest
    try? poller.change(connection.socket, to: interest, key: connection.place)
  }
}
