// What the sender does about silence: it asks with PING, and leaves a connection on which nobody answers.
import JSON
import POSIX
import Testing

@testable import Provider

@Suite struct KeepAliveTests {
  private let peer: Peer
  private let sender: Sender

  /// Times of the default settings, made short in their proportions.
  init() throws {
    peer = try Peer()
    var settings = SenderSettings()
    settings.topic = "com.example.app"
    settings.silenceBeforePing = 60_000_000
    settings.pingTimeout = 60_000_000
    settings.idleBeforePing = 120_000_000
    settings.keepsEvents = true
    sender = try Sender([try peer.service()], settings: settings)
  }

  private func submit(_ number: Int) {
    let line = Array(#"{"token":"ab","payload":{"aps":{"badge":\#(number)}}}"#.utf8)
    sender.submit(line.span, number: number)
  }

  /// Gives both ends their turns until the condition holds; false when it does not within half a minute.
  private func run(until condition: () -> Bool) throws -> Bool {
    let end = Clock.system.monotonic() + 30_000_000_000
    while !condition() {
      if Clock.system.monotonic() > end { return false }
      _ = sender.turn(input: nil, limit: 5)
      try peer.turn()
    }
    return true
  }

  private var results: String { String(decoding: sender.recorder.results, as: UTF8.self) }
  private var events: String { String(decoding: sender.recorder.events, as: UTF8.self) }

  @Test func anIdleConnectionIsKeptWithPing() throws {
    submit(1)
    #expect(try run { sender.pending == 0 })
    #expect(try run { peer.lines[0].pings >= 3 })
    submit(2)
    #expect(try run { sender.pending == 0 })
    #expect(peer.lines.count == 1 && peer.lines[0].requests == 2)
    #expect(!results.contains("unknown"))
  }

  @Test func anIdleConnectionThatDiedIsReplaced() throws {
    submit(1)
    #expect(try run { sender.pending == 0 })
    peer.lines[0].isDead = true
    #expect(try run { events.contains(#""event":"closed""#) })
    submit(2)
    #expect(try run { sender.pending == 0 })
    #expect(peer.lines.map(\.requests) == [1, 1])
    #expect(!results.contains("unknown"))
  }

  @Test func aRequestOnADeadConnectionIsUnknownLongBeforeItsTime() throws {
    submit(1)
    #expect(try run { sender.pending == 0 })
    peer.lines[0].isDead = true
    submit(2)
    // The request itself would wait for 30 s.
    let start = Clock.system.monotonic()
    #expect(try run { sender.pending == 0 })
    #expect(results.contains(#""line":2,"token":"ab","outcome":"unknown""#) && results.contains("PING"))
    #expect(Clock.system.monotonic() - start < 29_000_000_000)
    submit(3)
    #expect(try run { sender.pending == 0 })
    #expect(peer.lines.map(\.requests) == [1, 1])
  }
}
