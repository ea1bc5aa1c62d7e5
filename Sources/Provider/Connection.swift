// One connection: name, socket, TLS and HTTP/2, moved forward by readiness and time. It decides nothing about flights.

import APNs
import HTTP2
import JSON
import POSIX
import TLS

/// A connection to one service. The owner polls its descriptor, calls `handle`, takes events from `session`.
final class Connection {
  typealias Phase = Transport.Phase

  private let transport: Transport
  let route: Int
  let session: ClientSession
  var head: RequestHead
  /// The generation of the provider token in `head`.
  var tokenGeneration = -1
  /// The peer chose HTTP/2, or may go without saying so.
  private var isAgreed = false
  /// TLS stood, and the peer did not choose HTTP/2.
  private(set) var isProtocolRefused = false
  /// The session knows that the transport has ended.
  private var isToldOfEnd = false
  /// Monotonic nanoseconds of the last bytes from the peer.
  private(set) var lastHeard: UInt64
  /// Requests that were sent and have no answer.
  var inFlight = 0
  /// An answer of any kind came: the service is there.
  var hasAnswered = false
  /// Monotonic nanoseconds of the last answer, 0 before the first.
  var lastAnswer: UInt64 = 0
  /// We closed it because there was nothing left to do.
  private(set) var isClosedByUs = false
  /// What broke HTTP/2 on it, in words; known before it is closed.
  var fate: String?
  /// The reason of the peer's GOAWAY; nil while there is none.
  var goodbye: String?
  /// It takes no new request: GOAWAY, or the owner's wish.
  var isDraining = false

  private let service: Service
  private let settings: SenderSettings
  /// When a PING was sent that has no echo yet.
  private var pingedAt: UInt64?
  /// The owner was told that it is open.
  var wasAnnounced = false

  init(
    key: Int, route: Int, service: Service, settings: SenderSettings, poller: Poller, now: UInt64,
    assumedStreams: UInt32
  ) {
    self.route = route
    self.service = service
    self.settings = settings
    transport = Transport(
      key: key, host: service.host, port: service.port, context: service.context, settings: settings, poller: poller,
      now: now)
    var options = ClientSession.Settings()
    options.assumedStreams = assumedStreams
    session = ClientSession(options)
    head = RequestHead(authority: service.authority)
    lastHeard = now
  }

  /// Starts: the name first. Numeric addresses need no resolver and no thread.
  func start(now: UInt64) {
    transport.start(now: now)
    digest(now)
  }

  /// The poller's key; never used twice.
  var key: Int { transport.key }
  var address: Address? { transport.address }
  var tlsVersion: String { transport.tlsVersion }
  var failure: ConnectionFailure? { transport.failure }
  var isClosed: Bool { transport.isClosed }
  var phase: Phase { transport.phase == .open && !isAgreed ? .handshaking : transport.phase }
  /// The phase in which it ended.
  var lastPhase: Phase { transport.lastPhase == .open && !isAgreed ? .handshaking : transport.lastPhase }
  /// Monotonic nanoseconds when the present phase must be over.
  var deadline: UInt64 { transport.deadline }
  /// How many HTTP/2 bytes were encrypted so far: what lies behind this never left the process.
  var handed: UInt64 { transport.handed }
  /// Where in the stream of HTTP/2 bytes the next request would begin.
  var position: UInt64 { transport.position }
  /// Streams it could hold: what the peer allows.
  var capacity: Int { session.maxConcurrentStreams }

  /// Whether a request can be sent right now.
  var canSubmit: Bool { isAgreed && !isDraining && !isProving && session.canSubmit && transport.hasRoom }

  /// Sends a request for the flight.
  func submit(_ flight: borrowing Flight, defaultTopic: [UInt8], tag: Int) -> ClientSession.Submission {
    head.fill(flight, defaultTopic: defaultTopic)
    let payload = flight.bytes.span.extracting(flight.payload.range)
    let result = session.submit(head.fields, body: payload, tag: tag, into: &transport.plain)
    if transport.isFull { flush() }
    return result
  }

  /// The poller found the descriptor ready. `buffers` are the owner's, shared by all connections.
  func handle(_ readiness: Readiness, now: UInt64, _ buffers: inout ReadBuffers) {
    transport.handle(readiness, now: now, &buffers)
    digest(now)
    flush()
  }

  /// The present phase took too long.
  func expire(now: UInt64) {
    if phase == .open {
      transport.end("\(transport.place) says nothing: no HTTP/2 SETTINGS in time")
    } else {
      transport.expire(now: now)
    }
    digest(now)
  }

  /// Takes in what the transport has come to.
  private func digest(_ now: UInt64) {
    if transport.hasHeard {
      transport.hasHeard = false
      lastHeard = now
      pingedAt = nil
      isProving = false
    }
    if transport.wasOpen, !isAgreed, !isProtocolRefused { agree(now) }
    if isAgreed, !transport.received.isEmpty {
      var plain: [UInt8] = []
      swap(&plain, &transport.received)
      session.receive(plain.span, into: &transport.plain)
      plain.removeAll(keepingCapacity: true)
      swap(&plain, &transport.received)
    }
    isProtocolRefused = isProtocolRefused || transport.isProtocolRefused
    guard transport.isClosed, !isToldOfEnd else { return }
    isToldOfEnd = true
    session.transportEnded(transport.failure?.message ?? "closed")
  }

  /// TLS stands: is it HTTP/2 that is spoken on it?
  private func agree(_ now: UInt64) {
    let name = transport.negotiatedProtocol
    guard name == "h2" || name == nil && settings.allowsNoALPN else {
      isProtocolRefused = true
      let choice = name.map { "it chose \($0)" } ?? "it chose no protocol"
      return transport.end("\(transport.place) does not speak HTTP/2: \(choice) (ALPN)", final: true)
    }
    isAgreed = true
    // The server's SETTINGS are the first thing it has to say (RFC 9113 §3.4): they come at once or never.
    if !transport.isClosed { transport.deadline = now + settings.handshakeTimeout }
    session.pump(into: &transport.plain)
  }

  /// Encrypts what is there and writes what the socket takes.
  func flush() {
    guard !transport.isClosed else { return }
    if isAgreed, session.wantsWrite { session.pump(into: &transport.plain) }
    transport.flush()
  }

  /// The server's SETTINGS came.
  func settled() { transport.deadline = .max }

  /// It ended because it allowed no request at all.
  private(set) var wasStarved = false
  /// Since when it allows no request at all, with none under way: monotonic nanoseconds.
  private var starvedSince: UInt64?

  /// Ends a connection that allows no request for as long as a request may take. Says whether it did.
  func lookIntoStarvation(now: UInt64, hasWork: Bool) {
    guard phase == .open, hasWork, inFlight == 0, capacity == 0, !isDraining else {
      starvedSince = nil
      return
    }
    guard let since = starvedSince else {
      starvedSince = now
      return
    }
    if now - since > settings.requestTimeout {
      wasStarved = true
      end("\(transport.place) allows no requests (SETTINGS_MAX_CONCURRENT_STREAMS is 0)")
    }
  }

  /// The loop could not turn for so long: what it did not hear meanwhile is nobody's silence.
  func excuse(_ nanoseconds: UInt64) {
    // Of an idle one nothing was to be heard: it is to be proven all the same.
    if inFlight > 0 || pingedAt != nil { lastHeard += nanoseconds }
    if let pinged = pingedAt { pingedAt = pinged + nanoseconds }
    if transport.deadline != .max { transport.deadline += nanoseconds }
  }

  // MARK: Life signs

  /// When silence must be looked into: monotonic nanoseconds.
  var silenceDeadline: UInt64 {
    guard phase == .open else { return .max }
    if let pingedAt { return pingedAt + (isProving ? settings.proofTimeout : settings.pingTimeout) }
    return lastHeard + (inFlight > 0 ? settings.silenceBeforePing : settings.idleBeforePing)
  }

  /// It was idle for long, and something is to be sent: nothing goes on it before the peer has echoed a PING.
  private var isProving = false

  /// Before something is sent on it.
  func prove(now: UInt64) {
    guard phase == .open, inFlight == 0, pingedAt == nil, now > lastHeard, now - lastHeard > settings.idleBeforeProof
    else { return }
    isProving = true
    pingedAt = now
    session.ping(key)
    flush()
  }

  /// Asks whether anybody is there, or ends the connection when an earlier question was not answered.
  func lookIntoSilence(now: UInt64) {
    guard now >= silenceDeadline else { return }
    if let pingedAt, lastHeard < pingedAt {
      return end(
        "\(transport.place) has been silent for \((now - lastHeard) / 1_000_000_000) s and does not echo a PING")
    }
    pingedAt = now
    session.ping(key)
    flush()
  }

  func echoed() { pingedAt = nil }

  // MARK: Endings

  /// Ends the connection: streams without an answer fail in `session`, with what is known about them.
  func end(_ message: String) {
    transport.end(message)
    digest(lastHeard)
  }

  /// Says good-bye and closes.
  func close() {
    isClosedByUs = true
    if phase == .open {
      session.terminate()
      flush()
    }
    transport.close()
    digest(lastHeard)
  }
}
