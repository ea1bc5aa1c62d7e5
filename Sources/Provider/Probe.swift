// Whether a service can be reached and takes the credential: a connection and one request that reaches no device.

import APNs
import HTTP2
import JSON
import POSIX
import TLS

/// Looks at one service. The request it sends has a device token made of random bytes, which no device has, and no
/// topic: APNs looks at the credential before it misses the topic, so the refusal tells whether that is accepted.
public enum Probe {
  /// What was found.
  public struct Finding: Sendable {
    public let service: String
    public let environment: ServiceEnvironment
    /// The step that failed, nil when all worked: `connect`, `credential`.
    public let failedAt: String?
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
      if let failedAt { ResultLine.word(&out, "failed_at", failedAt) }
      ResultLine.text(&out, "message", message)
      if let address { ResultLine.text(&out, "address", address) }
      if let tls { ResultLine.word(&out, "tls", tls) }
      if let streams = maxConcurrentStreams { ResultLine.integer(&out, "max_concurrent_streams", streams) }
      ResultLine.integer(&out, "elapsed_ms", elapsed)
      ResultLine.end(&out)
    }
  }

  public static func look(at service: Service, settings: SenderSettings) throws(SystemError) -> Finding {
    let clock = Clock.system
    let start = clock.monotonic()
    let poller = try Poller()
    let connection = Connection(
      key: 2, route: 0, service: service, settings: settings, poller: poller, now: start, assumedStreams: 1)
    connection.start(now: start)
    var buffers = ReadBuffers()
    var events: [ClientEvent] = []
    var streams: Int?
    var address: String?
    var tls: String?
    var answer: (status: Int, reason: String?)?
    var sent = false
    let end = start + settings.connectTimeout + settings.handshakeTimeout + settings.requestTimeout
    while !connection.isClosed, answer == nil, clock.monotonic() < end {
      poller.wait(milliseconds: 100)
      let now = clock.monotonic()
      for ready in poller.ready { connection.handle(ready.readiness, now: now, &buffers) }
      if connection.deadline <= now { connection.expire() }
      if connection.phase == .open, !sent {
        sent = true
        address = connection.address?.description
        tls = connection.tlsVersion
        submit(connection, service)
      }
      connection.session.takeEvents(into: &events)
      for event in events {
        if event.kind == .settings { streams = Int(event.value) }
        guard event.kind == .done else { continue }
        var reader = Reader(depthLimit: 8)
        let refusal = Refusal.read(connection.session, event.slot, &reader)
        answer = (refusal.status, refusal.reason)
      }
    }
    let elapsed = Int((clock.monotonic() - start) / 1_000_000)
    let failure = connection.failure?.message ?? "no answer in time"
    connection.close()
    let (step, message) = verdict(answer, failure)
    return Finding(
      service: service.authority, environment: service.environment, failedAt: step, message: message, address: address,
      tls: tls, maxConcurrentStreams: streams, elapsed: elapsed)
  }

  private static func submit(_ connection: Connection, _ service: Service) {
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

  private static func verdict(_ answer: (status: Int, reason: String?)?, _ failure: String) -> (String?, String) {
    guard let answer else { return ("connect", failure) }
    let words =
      answer.reason.flatMap { Reason.named($0) }.map { "\($0.name): \($0.meaning)" } ?? "status \(answer.status)"
    if answer.status == 403 { return ("credential", words) }
    return (nil, "connected, and the credential is accepted (the request for no device at all: \(words))")
  }
}
