// Whether a service can be reached and takes the credential: a connection and one request that reaches no device.

import APNs
import HTTP2
import JSON
import POSIX
import TLS

/// Looks at one service. The request it sends has a device token made of random bytes, which no device has, and no
/// topic: APNs looks at the credential before it misses the topic, so the refusal tells whether that is accepted.
public enum Probe {
  /// What a connection goes through, in this order.
  public enum Step: String, Sendable, CaseIterable {
    /// The host's name has addresses.
    case name
    /// One of them takes a TCP connection.
    case tcp
    /// The proxy makes a tunnel; only where there is one.
    case proxy
    /// The certificate chain is trusted, the host's name stands in it, and ours is taken.
    case tls
    /// The service chooses HTTP/2 (ALPN).
    case `protocol`
    /// It says its SETTINGS.
    case settings
    /// It answers a request.
    case answer
    /// Its answer is about the request, not about the credential.
    case credential
  }

  /// What was found.
  public struct Finding: Sendable {
    public let service: String
    public let environment: ServiceEnvironment
    /// The step that failed, nil when all worked.
    public let failedAt: Step?
    /// What worked, and after how many milliseconds.
    public let steps: [(step: Step, elapsed: Int)]
    public let message: String
    public let address: String?
    public let tls: String?
    public let maxConcurrentStreams: Int?
    /// Milliseconds until the answer came.
    public let elapsed: Int

    /// The record, with its newline.
    public func append(to out: inout [UInt8]) {
      out.append("{\"service\":")
      out.appendJSONString(service)
      ResultLine.word(&out, "environment", environment.rawValue)
      out.append(failedAt == nil ? ",\"ok\":true" : ",\"ok\":false")
      if let failedAt { ResultLine.word(&out, "failed_at", failedAt.rawValue) }
      ResultLine.text(&out, "message", message)
      if let address { ResultLine.text(&out, "address", address) }
      if let tls { ResultLine.word(&out, "tls", tls) }
      if let streams = maxConcurrentStreams { ResultLine.integer(&out, "max_concurrent_streams", streams) }
      out.append(",\"steps_ms\":{")
      for (place, reached) in steps.enumerated() {
        if place > 0 { out.append(UInt8(ascii: ",")) }
        out.appendJSONString(reached.step.rawValue)
        out.append(UInt8(ascii: ":"))
        out.append(decimal: reached.elapsed)
      }
      out.append(UInt8(ascii: "}"))
      ResultLine.integer(&out, "elapsed_ms", elapsed)
      ResultLine.end(&out)
    }
  }

  public static func look(at service: Service, settings: SenderSettings) throws(SystemError) -> Finding {
    var look = try Look(service, settings)
    while look.goesOn { look.turn() }
    return look.finding()
  }
}

/// A look that is under way.
private struct Look {
  private let service: Service
  private let connection: Connection
  private let poller: Poller
  private let hasProxy: Bool
  private let clock = Clock.system
  private let start: UInt64
  private let end: UInt64
  private var buffers = ReadBuffers()
  private var events: [ClientEvent] = []
  private var streams: Int?
  private var tls: String?
  private var answer: (status: Int, reason: String?)?
  private var steps: [(step: Probe.Step, elapsed: Int)] = []

  init(_ service: Service, _ settings: SenderSettings) throws(SystemError) {
    self.service = service
    hasProxy = settings.proxy != nil
    start = clock.monotonic()
    end = start + settings.connectTimeout + settings.handshakeTimeout + settings.requestTimeout
    poller = try Poller()
    connection = Connection(
      key: 2, route: 0, service: service, settings: settings, poller: poller, now: start, assumedStreams: 1)
    connection.start(now: start)
  }

  var goesOn: Bool { !connection.isClosed && answer == nil && clock.monotonic() < end }

  mutating func turn() {
    noteSteps()
    poller.wait(milliseconds: 100)
    let now = clock.monotonic()
    for ready in poller.ready { connection.handle(ready.readiness, now: now, &buffers) }
    if connection.deadline <= now { connection.expire(now: now) }
    noteSteps()
    connection.session.takeEvents(into: &events)
    for event in events {
      if event.kind == .settings {
        streams = Int(event.value)
        reached(.settings)
      }
      guard event.kind == .done else { continue }
      var reader = Reader(depthLimit: 8)
      let refusal = Refusal.read(connection.session, event.slot, &reader, now: clock.unixSeconds)
      answer = (refusal.status, refusal.reason)
      reached(.answer)
      if refusal.status != 403 { reached(.credential) }
    }
  }

  /// What the connection's phase says of the steps before it.
  private mutating func noteSteps() {
    let phase = connection.isClosed ? connection.lastPhase : connection.phase
    if phase > .resolving { reached(.name) }
    if phase > .connecting { reached(.tcp) }
    if phase > .proxying, hasProxy { reached(.proxy) }
    if phase > .handshaking || connection.isProtocolRefused { reached(.tls) }
    guard phase == .open, !steps.contains(where: { $0.step == .protocol }) else { return }
    reached(.protocol)
    tls = connection.tlsVersion
    submit()
  }

  private mutating func reached(_ step: Probe.Step) {
    if steps.contains(where: { $0.step == step }) { return }
    steps.append((step, Int((clock.monotonic() - start) / 1_000_000)))
  }

  func finding() -> Probe.Finding {
    let elapsed = Int((clock.monotonic() - start) / 1_000_000)
    let failure = connection.failure?.message ?? "no answer in time"
    connection.close()
    let missing = Probe.Step.allCases.first { step in
      (step != .proxy || hasProxy) && !steps.contains { $0.step == step }
    }
    var message = failure
    if let answer {
      let words =
        answer.reason.flatMap { Reason.named($0) }.map { "\($0.name): \($0.meaning)" } ?? "status \(answer.status)"
      message =
        missing == nil
        ? "connected, and the credential is accepted (the request for no device at all: \(words))" : words
    }
    return Probe.Finding(
      service: service.authority, environment: service.environment, failedAt: missing, steps: steps, message: message,
      address: connection.address?.description, tls: tls, maxConcurrentStreams: streams, elapsed: elapsed)
  }

  private func submit() {
    if case .token(let source) = service.credential, let text = try? source.current() {
      connection.head.setAuthorization(text)
    }
    var flight = Flight()
    flight.bytes = Array("{\"aps\":{}}".utf8)
    flight.payload = Piece(0..<flight.bytes.count)
    let start = flight.bytes.count
    for _ in 0..<32 { flight.bytes.append(hexadecimal: UInt8.random(in: 0...255)) }
    flight.token = Piece(start..<flight.bytes.count)
    _ = connection.submit(flight, defaultTopic: [], tag: 1)
    connection.flush()
  }
}
