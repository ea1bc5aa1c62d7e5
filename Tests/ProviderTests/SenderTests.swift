// The sender against the local service, with a clock that the test moves.
import APNs
import POSIX
import TLS
import Testing

@testable import Provider

/// A clock that runs with the system's and jumps ahead when told to.
private struct MovableClock: Sendable {
  private let offset = Monitor<UInt64>(0)

  var clock: Clock {
    let offset = offset
    return Clock(
      monotonic: { Clock.system.monotonic() + offset.change { $0 } },
      unixMilliseconds: { Clock.system.unixMilliseconds() + Int(offset.change { $0 } / 1_000_000) })
  }

  func advance(seconds: Double) { offset.change { $0 += UInt64(seconds * 1e9) } }
}

@Suite struct SenderTests {
  private func sender(
    _ service: LocalService, _ clock: MovableClock, _ change: (inout SenderSettings) -> Void = { _ in }
  ) throws -> Sender {
    let key = try #require(service.key)
    let source = TokenSource(key: key, keyID: "ABCDE12345", teamID: "FGHIJ67890", clock: clock.clock)
    let context = try ClientContext(trust: .pem(service.authority))
    var settings = SenderSettings()
    settings.topic = "com.example.app"
    change(&settings)
    return try Sender(
      [
        Service(
          environment: .sandbox, host: "127.0.0.1", port: service.port, context: context, credential: .token(source))
      ], settings: settings, clock: clock.clock)
  }

  /// Sends a line to its end; gives the result.
  private func send(_ number: Int, _ sender: Sender, meanwhile: () -> Void = {}) -> String {
    let token = String(repeating: "0\(number % 10)", count: 32)
    let line = Array(#"{"token":"\#(token)","payload":{"aps":{"alert":"\#(number)"}}}"#.utf8)
    sender.recorder.results.removeAll()
    sender.submit(line.span, number: number)
    while sender.pending > 0 {
      _ = sender.turn(input: nil, limit: 20)
      meanwhile()
    }
    return String(decoding: sender.recorder.results, as: UTF8.self)
  }

  /// After a long pause a connection that nobody answers any more is found out before a line is given to it.
  @Test func anIdleConnectionIsProvenBeforeItIsUsed() throws {
    let service = try LocalService(
      expecting: 2, rules: [#"{"match":{"nth":1},"respond":{"status":200},"stop_reading":true}"#])
    let clock = MovableClock()
    let sender = try sender(service, clock) {
      $0.connections = 1
      $0.keepsEvents = true
    }
    #expect(send(1, sender).contains(#""outcome":"accepted""#))
    clock.advance(seconds: 600)
    // The peer is silent, and its time for an echo passes quickly; not so quickly that it looks like our own delay.
    let second = send(2, sender) { clock.advance(seconds: 0.4) }
    #expect(second.contains(#""outcome":"accepted""#) && second.contains(#""attempts":1"#), "\(second)")
    let events = String(decoding: sender.recorder.events, as: UTF8.self)
    #expect(events.contains("does not echo a PING"), "\(events)")
    sender.close()
  }

  /// One that still answers costs an echo, and is kept.
  @Test func aLivingConnectionIsKept() throws {
    let service = try LocalService(expecting: 2)
    let clock = MovableClock()
    let sender = try sender(service, clock) { $0.keepsEvents = true }
    #expect(send(1, sender).contains(#""outcome":"accepted""#))
    clock.advance(seconds: 600)
    #expect(send(2, sender).contains(#""outcome":"accepted""#))
    let events = String(decoding: sender.recorder.events, as: UTF8.self).split(separator: "\n")
    #expect(events.filter { $0.contains(#""event":"connected""#) }.count == 1)
    sender.close()
  }

  /// The provider token is renewed at fifty minutes, on the connection that stands.
  @Test func theProviderTokenIsRenewedInTime() throws {
    let service = try LocalService(expecting: 3)
    let clock = MovableClock()
    let sender = try sender(service, clock) { $0.keepsEvents = true }
    for number in 1...3 {
      #expect(send(number, sender).contains(#""outcome":"accepted""#))
      clock.advance(seconds: number == 1 ? 2900 : 200)
    }
    let events = String(decoding: sender.recorder.events, as: UTF8.self).split(separator: "\n")
    #expect(events.filter { $0.contains("token-minted") }.count == 2)
    #expect(events.filter { $0.contains(#""event":"connected""#) }.count == 1)
    sender.close()
  }
}
