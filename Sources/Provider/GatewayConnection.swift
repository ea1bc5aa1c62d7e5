// A connection to a binary gateway: what was sent on it and is not proven, and what the gateway says of it.

import BinaryProtocol
import POSIX
import TLS

/// The gateway is silent about what it takes. It names the first notification it refuses, discards everything behind
/// that one, and closes. So each notification waits here, in order, until an error packet or time has proven it.
final class GatewayConnection {
  let transport: Transport
  let route: Int
  /// Flights sent on it and not proven yet, in order. Their identifiers are consecutive.
  private(set) var window = FlightQueue()
  /// The identifier of the window's first flight. 0 is never given: gateways say it when they know none.
  private(set) var first: UInt32 = 1
  /// Something that was sent on it is known to have been taken or refused.
  var hasProven = false
  /// The owner was told that it is open.
  var wasAnnounced = false
  /// The owner has closed it because there was nothing left to do.
  var isClosedByUs = false
  private var decoder = Decoder(.responses)
  /// When a part of an error packet came that is not whole yet: monotonic nanoseconds.
  private(set) var partSince: UInt64?
  /// The rest of a packet is waited for this long, in nanoseconds.
  private static let partPatience: UInt64 = 10_000_000_000
  private var silence: Silence
  /// The first identifier that is not known to have waited long enough.
  private var provenEnd: UInt32 = 0

  init(_ transport: Transport, route: Int, linger: UInt64) {
    self.transport = transport
    self.route = route
    silence = Silence(linger: linger)
  }

  /// One more than the last identifier given.
  var next: UInt32 { first &+ UInt32(truncatingIfNeeded: window.count) }
  /// Identifiers are used up after four thousand million notifications.
  var canSubmit: Bool { transport.hasRoom && next < .max }
  var isUsedUp: Bool { next == .max }

  /// The flight gets the next identifier; its bytes have been given to the transport.
  func sent(_ index: Int) { window.append(index) }

  /// Takes the oldest unproven flight out.
  func popFirst() -> Int? {
    guard let index = window.popFirst() else { return nil }
    first += 1
    return index
  }

  /// The place in the window of an identifier, nil for one that is not in it.
  func place(of identifier: UInt32) -> Int? {
    guard identifier >= first, identifier < next else { return nil }
    return Int(identifier - first)
  }

  /// Notes how far what was sent has come.
  func mark(now: UInt64) {
    guard transport.phase == .open else { return }
    if transport.isEncrypted, !window.isEmpty {
      silence.note(end: next, position: transport.encryptedEnd, now: now)
    }
    let sent = transport.encryptedEnd + (transport.isEncrypted ? 0 : 1)
    silence.observe(acknowledged: transport.acknowledged, sent: sent, now: now)
  }

  /// Since when the gateway has taken nothing of what waits for it; nil while it does, or nothing waits.
  var stalledSince: UInt64? { transport.phase == .open && !window.isEmpty ? silence.stalledSince : nil }

  /// When the rest of an error packet must have come: monotonic nanoseconds.
  var partDeadline: UInt64 { partSince.map { $0 + Self.partPatience } ?? .max }

  /// When time alone brings something about: monotonic nanoseconds.
  var nextProof: UInt64 {
    if transport.phase != .open { return .max }
    if hasProof { return 0 }
    return partSince == nil ? silence.nextLook : partDeadline
  }

  /// Takes out the oldest flight that has waited long enough without an error; nil for none. A packet of which a part
  /// has come is no silence.
  func popProven(now: UInt64) -> Int? {
    if partSince != nil { return nil }
    if let end = silence.proven(now: now) { provenEnd = end }
    return hasProof ? popFirst() : nil
  }

  /// Whether a flight has waited long enough and was not taken out yet.
  var hasProof: Bool { partSince == nil && first < provenEnd && !window.isEmpty }

  /// What the gateway said that is no error packet, as soon as that is clear.
  var damage: Damage? { decoder.damage }

  /// What the gateway said since the last time; nil when nothing is complete.
  func nextEvent(now: UInt64) -> Event? {
    if !transport.received.isEmpty {
      let bytes = transport.received
      transport.received.removeAll()
      decoder.append(bytes.span)
      partSince = partSince ?? now
    }
    if transport.isClosed { decoder.finish() }
    guard let event = decoder.next() else { return nil }
    partSince = nil
    return event
  }
}

/// The way to one gateway: the queue before it, its one connection, and what keeps it from working.
final class GatewayRoute: Lane {
  let service: Service
  let index: Int
  var ready = FlightQueue()
  var connection: GatewayConnection?
  var pace: Pace?
  /// Why nothing more goes this way; nil while it works.
  private(set) var stopReason: String?
  /// Monotonic nanoseconds before which no new connection is tried.
  private(set) var retryAt: UInt64 = 0
  /// Connections in a row that proved nothing.
  private var failures = 0
  private let attempts: Int
  private let patience: UInt64

  init(_ service: Service, index: Int, settings: SenderSettings, now: UInt64) {
    self.service = service
    self.index = index
    attempts = settings.retries + 1
    patience = settings.requestTimeout
    pace = settings.rate.map { Pace(perSecond: $0, burst: settings.burst, now: now) }
  }

  func stop(_ reason: String) {
    if stopReason == nil { stopReason = reason }
  }

  func succeeded() {
    failures = 0
    retryAt = 0
  }

  /// A connection ended and proved nothing. Says whether the gateway counts as out of reach now.
  func failed(_ failure: ConnectionFailure, now: UInt64, using generator: inout some RandomNumberGenerator) -> Bool {
    failures += 1
    if failure.isFinal || failures >= attempts {
      stop(failure.message)
      return true
    }
    retryAt = now + Backoff(base: 250_000_000, limit: 30_000_000_000).delay(attempt: failures, using: &generator)
    return false
  }

  /// When something is to be done without any readiness: monotonic nanoseconds.
  func nextDeadline(now: UInt64) -> UInt64 {
    var soonest = connection.map { min($0.transport.deadline, $0.nextProof) } ?? .max
    if let stalled = connection?.stalledSince { soonest = min(soonest, stalled + patience) }
    guard stopReason == nil, !ready.isEmpty else { return soonest }
    if connection == nil { soonest = min(soonest, max(retryAt, now)) }
    if let pace, connection?.canSubmit == true { soonest = min(soonest, pace.nextDue(now: now)) }
    return soonest
  }
}
