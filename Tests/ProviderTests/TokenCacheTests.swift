// One token for all processes: the cache between them, and what it does not fall for.
import APNs
import Foundation
import POSIX
import TLS
import Testing

@testable import Provider

/// A clock that is set by hand.
private final class HandClock: @unchecked Sendable {
  // Set by the test between calls, never during one.
  var now: Int
  init(_ now: Int) { self.now = now }
  var clock: Clock { Clock(monotonic: { 0 }, unixMilliseconds: { self.now * 1000 }) }
}

@Suite struct TokenCaches {
  private let scratch: Scratch
  private let key: SigningKey
  private let hands = HandClock(1_790_000_000)
  private var folder: String { scratch.place("cache/apns-tools") }

  init() throws {
    scratch = try Scratch()
    key = try SigningKey.generate()
  }

  private func source(_ key: SigningKey? = nil, keyID: String = "ABCDE12345", cached: Bool = true) -> TokenSource {
    let key = key ?? self.key
    let cache = TokenCache(folder: folder, keyID: keyID, teamID: "FGHIJ67890", publicKey: key.publicKey)
    return TokenSource(
      key: key, keyID: keyID, teamID: "FGHIJ67890", clock: hands.clock, cache: cached ? cache : nil)
  }

  private func file() throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    try #require(names.count == 1)
    return folder + "/" + names[0]
  }

  @Test func aThousandStartsMintOnce() throws {
    var mints = 0
    var texts: Set<[UInt8]> = []
    for _ in 0..<1000 {
      let source = source()
      texts.insert(try source.current())
      mints += source.mints
    }
    #expect(mints == 1)
    #expect(texts.count == 1)
    // The two that another key has are its own.
    #expect(try source(try SigningKey.generate()).current() != texts.first)
    #expect(try source(keyID: "ZZZZZ12345").current() != texts.first)
    #expect(try source(cached: false).current() != texts.first)
  }

  /// Processes that start together: the lock is the descriptor's, so threads with their own stand in for them.
  @Test func startsAtTheSameTime() throws {
    let mints = Monitor(0)
    let (key, folder, clock) = (key, folder, hands.clock)
    let threads = try (0..<16).map { _ in
      try POSIX.Thread.start {
        for _ in 0..<20 {
          let cache = TokenCache(folder: folder, keyID: "ABCDE12345", teamID: "FGHIJ67890", publicKey: key.publicKey)
          let source = TokenSource(key: key, keyID: "ABCDE12345", teamID: "FGHIJ67890", clock: clock, cache: cache)
          _ = try? source.current()
          mints.change { $0 += source.mints }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(mints.change { $0 } == 1)
  }

  @Test func filesOfThisUserAlone() throws {
    _ = try source().current()
    let manager = FileManager.default
    let fileMode = try manager.attributesOfItem(atPath: file())[.posixPermissions] as? Int
    let folderMode = try manager.attributesOfItem(atPath: folder)[.posixPermissions] as? Int
    #expect(fileMode == 0o600)
    #expect(folderMode == 0o700)
    #expect(!(try file()).contains("ABCDE12345"))
  }

  @Test func renewal() throws {
    let first = source()
    let text = try first.current()
    hands.now += 2999
    #expect(try first.current() == text)
    #expect(try source().current() == text)
    // At 50 minutes whoever comes first mints, and the others follow.
    hands.now += 1
    let second = source()
    let renewed = try second.current()
    #expect(renewed != text && second.mints == 1)
    #expect(try first.current() == renewed)
    #expect(first.mints == 1 && first.generation == 2)
  }

  @Test func expiredAfterAll() throws {
    let first = source()
    let second = source()
    let text = try first.current()
    #expect(try second.current() == text)
    // Too young: the clock is wrong, and a further token would be one too many.
    hands.now += 1199
    #expect(try first.renew() == false)
    hands.now += 1
    #expect(try first.renew())
    let renewed = try first.current()
    #expect(renewed != text)
    // The other process is told the same by its own connection, and finds the new one.
    #expect(try second.renew())
    #expect(try second.current() == renewed)
    #expect(second.mints == 0)
    #expect(try source().current() == renewed)
  }

  @Test func clockSetBack() throws {
    let text = try source().current()
    hands.now -= 7200
    let later = source()
    #expect(try later.current() != text)
    #expect(later.mints == 1)
  }

  /// What somebody else may have put there, or left behind half-written.
  @Test func isNotFooled() throws {
    let text = try source().current()
    let path = try file()
    let good = try Data(contentsOf: URL(fileURLWithPath: path))
    func put(_ data: Data) throws { try data.write(to: URL(fileURLWithPath: path)) }
    func isRefused(_ data: Data) throws -> Bool {
      try put(data)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      let source = source()
      _ = try source.current()
      return source.mints == 1
    }
    #expect(try !isRefused(good))
    #expect(try isRefused(Data()))
    #expect(try isRefused(good.dropLast()))
    #expect(try isRefused(good.prefix(40)))
    #expect(try isRefused(Data("x".utf8) + good))
    #expect(try isRefused(Data(repeating: 0x41, count: 100_000)))
    var bent = good
    bent[bent.count - 20] ^= 1
    #expect(try isRefused(bent))
    // The same token under another time.
    let words = String(decoding: good, as: UTF8.self).split(separator: " ")
    #expect(try isRefused(Data("\(hands.now - 100) \(words[1])".utf8)))
    // A token of another key, signed well.
    let other = TokenSource(
      key: try SigningKey.generate(), keyID: "ABCDE12345", teamID: "FGHIJ67890", clock: hands.clock)
    let foreign = String(decoding: try other.current(), as: UTF8.self)
    #expect(try isRefused(Data("\(hands.now) \(foreign)\n".utf8)))
    #expect(text.count > 100)
  }

  /// Links, modes and owners that are not as we make them: the token is minted, the file left alone.
  @Test func refusedFiles() throws {
    _ = try source().current()
    let path = try file()
    let manager = FileManager.default
    func isUsed() throws -> Bool {
      let source = source()
      _ = try source.current()
      return source.mints == 0 && source.cacheTrouble == nil
    }
    #expect(try isUsed())
    try manager.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    #expect(try !isUsed())
    try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    #expect(try isUsed())
    try manager.linkItem(atPath: path, toPath: scratch.place("second-name"))
    #expect(try !isUsed())
    try manager.moveItem(atPath: scratch.place("second-name"), toPath: scratch.place("moved"))
    try manager.removeItem(atPath: path)
    try manager.createSymbolicLink(atPath: path, withDestinationPath: scratch.place("moved"))
    #expect(try !isUsed())
    try manager.removeItem(atPath: path)
    #expect(try !isUsed())
    #expect(try isUsed())
    try manager.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
    #expect(try !isUsed())
    try manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder)
    try manager.moveItem(atPath: folder, toPath: scratch.place("elsewhere"))
    try manager.createSymbolicLink(atPath: folder, withDestinationPath: scratch.place("elsewhere"))
    #expect(try !isUsed())
  }

  /// Files of keys that nobody uses any longer go when another token is written.
  @Test func oldFilesGo() throws {
    _ = try source().current()
    let old = try file()
    let manager = FileManager.default
    try scratch.write("cache/apns-tools/mine", "x")
    for path in [old, folder + "/mine"] {
      try manager.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -100_000)], ofItemAtPath: path)
    }
    _ = try source(keyID: "ZZZZZ12345").current()
    #expect(!manager.fileExists(atPath: old))
    #expect(manager.fileExists(atPath: folder + "/mine"))
    _ = try source().current()
    _ = try source(try SigningKey.generate()).current()
    #expect(manager.fileExists(atPath: old))
  }

  @Test func somebodyHoldsTheLock() throws {
    _ = try source().current()
    let held = try #require(
      try PrivateFolder(folder).file(URL(fileURLWithPath: file()).lastPathComponent, making: false))
    #expect(try held.lock(wait: false))
    // Reading takes no lock; renewing gives up on it after a while and mints all the same.
    #expect(try source().current().count > 100)
    hands.now += 3000
    let later = source()
    #expect(try later.current().count > 100)
    #expect(later.mints == 1)
    #expect(later.cacheTrouble != nil)
  }

  @Test func noPlaceForIt() throws {
    let cache = TokenCache(
      folder: "/dev/null/x", keyID: "ABCDE12345", teamID: "FGHIJ67890", publicKey: key.publicKey)
    let source = TokenSource(key: key, keyID: "ABCDE12345", teamID: "FGHIJ67890", clock: hands.clock, cache: cache)
    #expect(try source.current().count > 100)
    #expect(source.cacheTrouble != nil)
  }
}

@Suite struct ClockSkews {
  private func seconds(_ text: String) -> Int? {
    let bytes = Array(text.utf8)
    return ClockSkew.unixSeconds(bytes.span)
  }

  private func words(_ text: String, _ now: Int) -> String? {
    let bytes = Array(text.utf8)
    return ClockSkew.words(serverDate: bytes.span, now: now)
  }

  @Test func dates() {
    #expect(seconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
    #expect(seconds("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
    #expect(seconds("Tue, 29 Feb 2028 23:59:59 GMT") == 1_835_481_599)
    #expect(seconds("Mon, 30 Nov 2026 03:16:59 GMT") == 1_796_008_619)
    for text in [
      "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Foo 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 28:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, -6 Nov 1994 08:49:37 GMT",
    ] { #expect(seconds(text) == nil, "\(text)") }
  }

  @Test func inWords() throws {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    #expect(words(date, 784_111_777) == nil)
    #expect(words(date, 784_111_777 + 60) == nil)
    #expect(words(date, 784_111_777 - 60) == nil)
    #expect(try #require(words(date, 784_111_777 + 61)).contains("1 min 1 s ahead"))
    #expect(try #require(words(date, 784_111_777 - 3900)).contains("1 h 5 min behind"))
    #expect(try #require(words(date, 784_111_777 - 200_000)).contains("2 d 7 h behind"))
    #expect(words(date, Int.min) == nil)
    #expect(words("x", 0) == nil)
  }
}
