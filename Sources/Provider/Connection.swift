// One connection: name, socket, TLS and HTTP/2, moved forward by readiness and time. It decides nothing about flights.

import APNs
import HTTP2
import JSON
import POSIX
import TLS

/// Why a connection ended or never began, in words that name the host.
struct ConnectionFailure {
  var message: String
  /// Trying again cannot help: the certificate is refused, the protocol is not spoken.
  var isFinal: Bool
}

/// A connection to one service. The owner polls its descriptor, calls `handle`, takes events from `session`.
final class Connection {
  enum Phase: Int, Comparable {
    case resolving, connecting, proxying, handshaking, open, closed

    static func < (first: Phase, second: Phase) -> Bool { first.rawValue < second.rawValue }
  }

  /// The poller's key; never used twice.
  let key: Int
  let route: Int
  let session: ClientSession
  var head: RequestHead
  /// The generation of the provider token in `head`.
  var tokenGeneration = -1
  private(set) var phase = Phase.resolving
  /// The phase in which it ended.
  private(set) var lastPhase = Phase.resolving
  /// TLS stood, and the peer did not choose HTTP/2.
  private(set) var isProtocolRefused = false
  private(set) var failure: ConnectionFailure?
  /// Monotonic nanoseconds when the present phase must be over.
  private(set) var deadline: UInt64
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
  /// It takes no new request: GOAWAY, or the owner's wish.
  var isDraining = false

  private let service: Service
  private let settings: SenderSettings
  private let poller: Poller
  private var resolution: Resolution?
  private var addresses: [Address] = []
  private var socket: Descriptor?
  private var channel: Channel?
  private var interest: Readiness = []
  private var proxyAnswer: [UInt8] = []
  /// When a PING was sent that has no echo yet.
  private var pingedAt: UInt64?
  /// The owner was told that it is open.
  var wasAnnounced = false
  /// HTTP/2 bytes that are not encrypted yet. What is here when the connection dies never left this process.
  private var plain: [UInt8] = []
  /// Changes places with `plain` while it is encrypted; empty otherwise.
  private var encrypting: [UInt8] = []
  private(set) var address: Address?

  /// Encrypt from this many bytes on: full records cost a fifth of small ones.
  private static let recordSize = 16_384
  /// Ciphertext that may wait for a slow peer before no more is made.
  private static let outputLimit = 262_144

  init(
    key: Int, route: Int, service: Service, settings: SenderSettings, poller: Poller, now: UInt64,
    assumedStreams: UInt32
  ) {
    self.key = key
    self.route = route
    self.service = service
    self.settings = settings
    self.poller = poller
    var options = ClientSession.Settings()
    options.assumedStreams = assumedStreams
    session = ClientSession(options)
    head = RequestHead(authority: service.authority)
    connectLimit = now + settings.connectTimeout
    deadline = connectLimit
    lastHeard = now
  }

  /// Starts: the name first. Numeric addresses need no resolver and no thread.
  func start(now: UInt64) {
    let (host, port) = settings.proxy.map { ($0.host, $0.port) } ?? (service.host, service.port)
    if let resolution = Resolution(host: host, port: port) {
      self.resolution = resolution
      do throws(SystemError) {
        try poller.add(resolution.descriptor, for: .readable, key: key)
      } catch {
        fail("cannot wait for the resolver: \(error.message)", final: false)
      }
    } else {
      do throws(ResolutionError) {
        addresses = try Socket.resolve(host, port: port)
        connectNext(now)
      } catch {
        fail("\(host) is not an address: \(error.message)", final: true)
      }
    }
  }

  /// Whether a request can be sent right now.
  var canSubmit: Bool {
    phase == .open && !isDraining && !isProving && session.canSubmit && plain.count < Self.outputLimit
      && (channel?.outputCount ?? 0) < Self.outputLimit
  }

  /// Streams it could hold: what the peer allows.
  var capacity: Int { session.maxConcurrentStreams }

  var isClosed: Bool { phase == .closed }

  var tlsVersion: String { channel?.version ?? "" }

  /// How many HTTP/2 bytes were encrypted so far: what lies behind this never left the process.
  private(set) var handed: UInt64 = 0
  /// Where in the stream of HTTP/2 bytes the next request would begin.
  var position: UInt64 { handed + UInt64(plain.count) }

  /// Sends a request for the flight.
  func submit(_ flight: borrowing Flight, defaultTopic: [UInt8], tag: Int) -> ClientSession.Submission {
    head.fill(flight, defaultTopic: defaultTopic)
    let payload = flight.bytes.span.extracting(flight.payload.range)
    let result = session.submit(head.fields, body: payload, tag: tag, into: &plain)
    if plain.count >= Self.recordSize { flush() }
    return result
  }

  /// The poller found the descriptor ready. `buffers` are the owner's, shared by all connections.
  func handle(_ readiness: Readiness, now: UInt64, _ buffers: inout ReadBuffers) {
    switch phase {
    case .resolving: takeAddresses(now)
    case .connecting: if readiness.contains(.writable) || readiness.contains(.readable) { finishConnect(now) }
    case .proxying: talkToProxy(now)
    case .handshaking, .open:
      if readiness.contains(.readable) { read(now, &buffers) }
      if phase != .closed { flush() }
    case .closed: break
    }
  }

  /// The present phase took too long.
  func expire(now: UInt64) {
    switch phase {
    case .resolving: fail("the name of \(reached) was not resolved in time", final: false)
    case .connecting:
      // The last address has all the time that is left.
      if addresses.isEmpty || now >= connectLimit { return fail("no connection to \(reached) in time", final: false) }
      if let socket { poller.remove(socket) }
      socket = nil
      connectNext(now)
    case .proxying: fail("no answer from \(reached) in time", final: false)
    case .handshaking: fail("no TLS handshake with \(place) in time", final: false)
    case .open: fail("\(place) says nothing: no HTTP/2 SETTINGS in time", final: false)
    case .closed: break
    }
  }

  /// The server's SETTINGS came.
  func settled() { deadline = .max }

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
      end("\(place) allows no requests (SETTINGS_MAX_CONCURRENT_STREAMS is 0)")
    }
  }

  /// The loop could not turn for so long: what it did not hear meanwhile is nobody's silence.
  func excuse(_ nanoseconds: UInt64) {
    // Of an idle one nothing was to be heard: it is to be proven all the same.
    if inFlight > 0 || pingedAt != nil { lastHeard += nanoseconds }
    if let pinged = pingedAt { pingedAt = pinged + nanoseconds }
    if deadline != .max { deadline += nanoseconds }
  }

  private var place: String {
    let name = service.host.contains(":") ? "[\(service.host)]" : service.host
    return "\(name):\(service.port)"
  }

  /// What the socket is connected to: the service, or the proxy before it.
  private var reached: String {
    settings.proxy.map { "the proxy \($0.host):\($0.port)" } ?? place
  }

  // MARK: Name and socket

  private func takeAddresses(_ now: UInt64) {
    guard let resolution else { return }
    poller.remove(resolution.descriptor)
    self.resolution = nil
    switch resolution.result {
    case .success(let found):
      addresses = found.spread()
      connectNext(now)
    case .failure(let error):
      fail("the name \(error.host) cannot be resolved: \(error.message)", final: false)
    case nil:
      fail("the name of \(reached) cannot be resolved", final: false)
    }
  }

  /// When the last address must have answered: monotonic nanoseconds.
  private let connectLimit: UInt64

  private func connectNext(_ now: UInt64, after error: SystemError? = nil) {
    guard !addresses.isEmpty else {
      let words = error?.message ?? "no address"
      return fail("cannot connect to \(reached): \(words)", final: false)
    }
    let next = addresses.removeFirst()
    address = next
    // An address that swallows what is sent to it must not use up the others' time (RFC 8305 has the same worry).
    let left = connectLimit - min(now, connectLimit)
    deadline = addresses.isEmpty ? connectLimit : now + left / UInt64(addresses.count + 1)
    do throws(SystemError) {
      let socket = try Socket.connect(to: next)
      self.socket = socket
      phase = .connecting
      interest = .writable
      try poller.add(socket, for: .writable, key: key)
    } catch {
      connectNext(now, after: error)
    }
  }

  private func finishConnect(_ now: UInt64) {
    guard let socket else { return }
    if let error = Socket.pendingError(socket) {
      poller.remove(socket)
      self.socket = nil
      return connectNext(now, after: error)
    }
    guard let proxy = settings.proxy else { return startTLS(now) }
    phase = .proxying
    deadline = now + settings.connectTimeout
    do throws(SystemError) {
      // A request this short always fits into the empty buffer of a new socket.
      _ = try socket.write(proxy.request(to: place).span)
      try watch(.readable)
    } catch {
      fail("cannot write to \(reached): \(error.message)", final: false)
    }
  }

  private func talkToProxy(_ now: UInt64) {
    guard let socket else { return }
    do throws(SystemError) {
      // The tunnel's own bytes follow only after our ClientHello: whatever is read here is the proxy's answer.
      guard case .bytes = try socket.read(into: &proxyAnswer, limit: 4096) else {
        return fail("\(reached) closed the connection", final: false)
      }
    } catch {
      return fail("\(reached): \(error.message)", final: false)
    }
    switch Proxy.read(proxyAnswer) {
    case nil: return
    case .open: startTLS(now)
    case .refused(let words): fail("\(reached) makes no tunnel to \(place): \(words)", final: true)
    }
  }

  private func startTLS(_ now: UInt64) {
    phase = .handshaking
    deadline = now + settings.handshakeTimeout
    do throws(Failure) {
      channel = try Channel(service.context, host: service.host)
      flush()
    } catch {
      fail("TLS with \(place): \(error.message)", final: true)
    }
  }

  // MARK: Bytes

  private func read(_ now: UInt64, _ buffers: inout ReadBuffers) {
    guard let socket, let channel else { return }
    // A few reads at most: other connections and the input want their turn.
    for _ in 0..<4 {
      let got: Descriptor.Transfer
      do throws(SystemError) { got = try socket.fill(&buffers.cipher) } catch {
        return end("the connection to \(place) broke: \(error.message)")
      }
      switch got {
      case .wouldBlock: return
      case .end: return peerEnded(&buffers)
      case .bytes(let count):
        lastHeard = now
        pingedAt = nil
        isProving = false
        guard take(count, channel, now, &buffers) else { return }
        if count < buffers.cipher.count { return }
      }
    }
  }

  private func take(_ count: Int, _ channel: Channel, _ now: UInt64, _ buffers: inout ReadBuffers) -> Bool {
    buffers.plain.removeAll(keepingCapacity: true)
    let failure = Self.decrypt(channel, buffers.cipher, count, into: &buffers.plain)
    if phase == .handshaking, channel.phase == .open || channel.phase == .closed, failure == nil {
      guard opened(channel, now) else { return false }
    }
    if !buffers.plain.isEmpty { session.receive(buffers.plain.span, into: &plain) }
    if let failure {
      // Alert 120 answers our offer of h2: asking again is of no use (RFC 7301 §3.2).
      if failure.alert == 120 {
        isProtocolRefused = true
        fail("\(place) does not speak HTTP/2: it refuses the protocol h2 (ALPN)", final: true)
        return false
      }
      let isFinal = phase == .handshaking && failure.kind == .verification
      end("TLS with \(place): \(failure.message)", final: isFinal)
      return false
    }
    if channel.phase == .closed {
      end("\(place) closed the connection")
      return false
    }
    return true
  }

  private static func decrypt(
    _ channel: Channel, _ cipher: borrowing [UInt8], _ count: Int, into plain: inout [UInt8]
  ) -> Failure? {
    do throws(Failure) {
      try channel.receive(cipher.span.extracting(first: count), into: &plain)
      return nil
    } catch { return error }
  }

  private func opened(_ channel: Channel, _ now: UInt64) -> Bool {
    switch channel.negotiatedProtocol {
    case "h2": break
    case nil where settings.allowsNoALPN: break
    case nil:
      isProtocolRefused = true
      fail("\(place) does not speak HTTP/2: it chose no protocol (ALPN)", final: true)
      return false
    case .some(let name):
      isProtocolRefused = true
      fail("\(place) does not speak HTTP/2: it chose \(name) (ALPN)", final: true)
      return false
    }
    phase = .open
    // The server's SETTINGS are the first thing it has to say (RFC 9113 §3.4): they come at once or never.
    deadline = now + settings.handshakeTimeout
    session.pump(into: &plain)
    return true
  }

  private func peerEnded(_ buffers: inout ReadBuffers) {
    guard let channel else { return }
    buffers.plain.removeAll(keepingCapacity: true)
    do throws(Failure) {
      try channel.receiveEnd(into: &buffers.plain)
      end("\(place) closed the connection")
    } catch {
      end("\(place) closed the connection: \(error.message)")
    }
  }

  /// Encrypts what is there and writes what the socket takes.
  func flush() {
    guard let socket, let channel, phase == .open || phase == .handshaking else { return }
    if phase == .open, session.wantsWrite { session.pump(into: &plain) }
    do {
      if phase == .open, !plain.isEmpty, channel.outputCount < Self.outputLimit {
        swap(&plain, &encrypting)
        handed += UInt64(encrypting.count)
        try Self.encrypt(encrypting, channel)
        encrypting.removeAll(keepingCapacity: true)
      }
      while channel.outputCount > 0 {
        guard case .bytes(let count) = try socket.write(channel.output) else { break }
        channel.consumeOutput(count)
      }
      try watch(channel.outputCount > 0 ? [.readable, .writable] : .readable)
    } catch let error as SystemError {
      // The peer may have said why before it closed: reading finds out. A socket that is gone for good reads its end.
      brokenWrite = error
      try? watch(.readable)
      channel.consumeOutput(channel.outputCount)
    } catch {
      end("TLS with \(place): \(error)")
    }
  }

  private static func encrypt(_ bytes: borrowing [UInt8], _ channel: Channel) throws(Failure) {
    try channel.write(bytes.span)
  }

  /// Writing failed; what the peer said last may still be read.
  private var brokenWrite: SystemError?

  private func watch(_ wanted: Readiness) throws(SystemError) {
    guard wanted != interest, let socket else { return }
    interest = wanted
    try poller.change(socket, to: wanted, key: key)
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
      return end("\(place) has been silent for \((now - lastHeard) / 1_000_000_000) s and does not echo a PING")
    }
    pingedAt = now
    session.ping(key)
    flush()
  }

  func echoed() { pingedAt = nil }

  // MARK: Endings

  private func fail(_ message: String, final: Bool) {
    end(message, final: final)
  }

  /// Ends the connection: streams without an answer fail in `session`, with what is known about them.
  func end(_ message: String, final: Bool = false) {
    guard phase != .closed else { return }
    var words = message
    if let error = brokenWrite, !message.contains(error.message) { words += " (\(error.message))" }
    failure = ConnectionFailure(message: words, isFinal: final)
    lastPhase = phase
    phase = .closed
    session.transportEnded(words)
    if let resolution { poller.remove(resolution.descriptor) }
    resolution = nil
    if let socket { poller.remove(socket) }
    socket = nil
    channel = nil
    plain = []
  }

  /// Says good-bye and closes.
  func close() {
    isClosedByUs = true
    guard phase == .open, let channel else { return end("closed") }
    session.terminate()
    flush()
    channel.close()
    if let socket, channel.outputCount > 0 { _ = try? socket.write(channel.output) }
    end("closed")
  }
}

/// Buffers for reading, shared by all connections of a loop.
struct ReadBuffers {
  var cipher = [UInt8](repeating: 0, count: 131_072)
  var plain: [UInt8] = []
}

extension [Address] {
  /// DNS gives several addresses so that clients spread over them. The resolver's first family stays the first; the
  /// families take turns, so that one which leads nowhere costs one attempt (RFC 8305 §4).
  func spread() -> [Address] {
    let leader = first?.isIPv6 ?? false
    let first = filter { $0.isIPv6 == leader }.shuffled()
    let second = filter { $0.isIPv6 != leader }.shuffled()
    var result: [Address] = []
    for place in 0..<Swift.max(first.count, second.count) {
      if place < first.count { result.append(first[place]) }
      if place < second.count { result.append(second[place]) }
    }
    return result
  }
}
