// Asking a feedback service of the old protocol: connect, say nothing, read to the end.

import BinaryProtocol
import POSIX

/// One question to a feedback service, asked again when the connection fails.
public struct FeedbackFetch {
  private let service: Service
  private let settings: SenderSettings
  private let timeout: UInt64
  private let clock: Clock

  /// - Parameters:
  ///   - settings: its time for connections, its proxy, and how often a failed connection is tried again.
  ///   - timeout: nanoseconds without a byte after which the connection counts as failed.
  public init(_ service: Service, settings: SenderSettings, timeout: UInt64, clock: Clock = .system) {
    self.service = service
    self.settings = settings
    self.timeout = timeout
    self.clock = clock
  }

  /// Asks. The service forgets what it has told: nothing is asked for again that was heard, and after a failure only
  /// what it had not told yet can still come.
  /// - Parameters:
  ///   - trouble: takes the words of a failure after which it is tried again.
  ///   - pause: called before it waits for more.
  ///   - take: takes each tuple, and what lies between tuples, with the bytes that the event's ranges are places in.
  /// - Returns: why there was no whole answer; nil when the service ended it.
  public func run(
    trouble: (String) -> Void, pause: () throws -> Void, _ take: (Event, Span<UInt8>) throws -> Void
  ) throws -> String? {
    let poller = try Poller()
    var generator = SystemRandomNumberGenerator()
    var failures = 0
    while true {
      let transport = Transport(
        key: 0, host: service.host, port: service.port, context: service.context, settings: settings, poller: poller,
        now: clock.monotonic())
      try read(transport, poller, pause, take)
      if transport.isEndedByPeer { return nil }
      let failure = transport.failure ?? ConnectionFailure(message: "closed", isFinal: false)
      failures += 1
      if failure.isFinal || failures > settings.retries { return failure.message }
      trouble(failure.message)
      let pause = Backoff(base: 250_000_000, limit: 30_000_000_000).delay(attempt: failures, using: &generator)
      poller.wait(milliseconds: Int(pause / 1_000_000))
    }
  }

  private func read(
    _ transport: Transport, _ poller: Poller, _ pause: () throws -> Void, _ take: (Event, Span<UInt8>) throws -> Void
  ) throws {
    var decoder = Decoder(.feedback)
    var buffers = ReadBuffers()
    var heard = clock.monotonic()
    transport.start(now: heard)
    while true {
      if !transport.received.isEmpty {
        let bytes = transport.received
        transport.received.removeAll()
        decoder.append(bytes.span)
      }
      if transport.isClosed { decoder.finish() }
      while let event = decoder.next() { try take(event, decoder.bytes.span) }
      if transport.isClosed { return }
      let deadline = transport.phase == .open ? heard + timeout : transport.deadline
      let now = clock.monotonic()
      if now >= deadline {
        if transport.phase == .open {
          transport.end("\(transport.place) has been silent for \(timeout / 1_000_000_000) s")
        } else {
          transport.expire(now: now)
        }
        continue
      }
      try pause()
      poller.wait(milliseconds: Int(min((deadline - now) / 1_000_000 + 1, 3_600_000)))
      let (before, later) = (transport.phase, clock.monotonic())
      for ready in poller.ready { transport.handle(ready.readiness, now: later, &buffers) }
      if before != transport.phase || !transport.received.isEmpty { heard = later }
    }
  }
}
