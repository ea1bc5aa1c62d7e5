// The sender's parts, each alone: journal, pace, schedule, proxy, abort rules, histogram.
import APNs
import JSON
import POSIX
import Testing

@testable import Provider

private func decoded(_ span: Span<UInt8>) -> String {
  var bytes: [UInt8] = []
  bytes.append(span)
  return String(decoding: bytes, as: UTF8.self)
}

/// A folder that is gone after the test.
private final class Folder {
  let path: String
  init() throws { path = try File.makeTemporaryDirectory(prefix: "provider-test") }
  deinit {
    for name in (try? File.entries(of: path)) ?? [] { File.remove("\(path)/\(name)") }
    File.removeDirectory(path)
  }
}

@Suite struct JournalTests {
  private let folder: Folder
  private var path: String { folder.path + "/journal" }

  init() throws { folder = try Folder() }

  private func open() throws(Journal.Fault) -> (Journal, [String]) {
    var replayed: [String] = []
    let journal = try Journal(path: path)
    try journal.replay { replayed.append(decoded($0)) }
    return (journal, replayed)
  }

  private func read(_ journal: Journal, _ lines: ClosedRange<Int>, word: String = "line") throws(Journal.Fault) {
    for number in lines {
      let text = Array("\(word) \(number)".utf8)
      try journal.read(text.span, number: number)
    }
  }

  private func result(_ journal: Journal, _ number: Int) {
    let text = Array("{\"line\":\(number)}".utf8)
    journal.result(number, text, 0..<text.count)
  }

  private func firstRun() throws {
    let (journal, replayed) = try open()
    #expect(!journal.isResumed && replayed.isEmpty)
    try read(journal, 1...5)
    journal.aboutToSend(1...4)
    try journal.commit()
    result(journal, 2)
    result(journal, 1)
    try journal.commit()
  }

  @Test func whatWasFinishedSentAndUntouchedIsToldApart() throws {
    try firstRun()
    let (journal, replayed) = try open()
    #expect(journal.isResumed && replayed == ["{\"line\":2}", "{\"line\":1}"])
    #expect((1...5).map { journal.isFinished($0) } == [true, true, false, false, false])
    #expect((1...5).map { journal.wasSent($0) } == [true, true, true, true, false])
    #expect(!journal.isVerified)
    try read(journal, 1...9)
    #expect(journal.isVerified)
    try journal.inputEnded()
  }

  @Test func aShorterInputIsAnotherOne() throws {
    try firstRun()
    let (journal, _) = try open()
    #expect(throws: Journal.Fault.self) { try journal.inputEnded() }
  }

  @Test func whatWasWithdrawnMayBeSent() throws {
    try firstRun()
    do {
      let (journal, _) = try open()
      try read(journal, 1...5)
      journal.withdraw(4)
      try journal.commit()
    }
    let (journal, _) = try open()
    #expect((1...5).map { journal.wasSent($0) } == [true, true, true, false, false])
  }

  @Test func aTornTailIsCutOffAtEveryByte() throws {
    try firstRun()
    let whole = try File.read(path, limit: 100_000)
    let lastLine = whole.dropLast().lastIndex(of: UInt8(ascii: "\n"))! + 1
    for cut in lastLine..<whole.count {
      try File.create(path).writeAll(Array(whole[..<cut]).span)
      let (journal, _) = try open()
      #expect(journal.repairedBytes == cut - lastLine)
    }
    #expect(try File.read(path, limit: 100_000).count == lastLine)
  }

  @Test func anotherInputIsRefused() throws {
    try firstRun()
    let (journal, _) = try open()
    #expect(throws: Journal.Fault.self) { try read(journal, 1...5, word: "other") }
  }

  @Test func damageInTheMiddleIsNotMended() throws {
    try firstRun()
    var bytes = try File.read(path, limit: 100_000)
    let first = bytes.firstIndex(of: UInt8(ascii: "\n"))!
    bytes[first + 12] ^= 1
    try File.create(path).writeAll(bytes.span)
    #expect(throws: Journal.Fault.self) { try open() }
    #expect(try File.read(path, limit: 100_000) == bytes)
  }

  @Test func aFileThatIsNoJournalIsLeftAlone() throws {
    try File.create(path).writeAll("precious\nwork\n")
    #expect(throws: Journal.Fault.self) { try open() }
    #expect(try File.read(path, limit: 100) == Array("precious\nwork\n".utf8))
  }

  @Test func twoRunsCannotShareIt() throws {
    let (first, _) = try open()
    #expect(throws: Journal.Fault.self) { try open() }
    try first.commit()
  }
}

@Suite struct PaceTests {
  @Test func aRateLetsThatManyThrough() {
    var pace = Pace(perSecond: 100, burst: 5, now: 0)
    var sent = 0
    for millisecond in 0..<1000 {
      while pace.take(now: UInt64(millisecond) * 1_000_000) { sent += 1 }
    }
    #expect((100...105).contains(sent))
    #expect(pace.nextDue(now: 999_000_000) > 999_000_000)
    #expect(pace.nextDue(now: 999_000_000) <= 1_010_000_001)
  }

  @Test func theWindowHalvesOnceAndGrowsAgain() {
    var window = Window()
    #expect(window.hasRoom(1_000_000))
    window.refused(isGeneral: true, inFlight: 100, now: 1_000_000_000)
    window.refused(isGeneral: true, inFlight: 100, now: 1_000_000_001)
    #expect(window.hasRoom(49) && !window.hasRoom(50))
    for _ in 0..<60 { window.accepted() }
    #expect(window.hasRoom(50))
  }

  @Test func fewBusyTokensDoNotSlowTheRun() {
    var window = Window()
    for number in 0..<1000 {
      if number % 100 == 0 {
        window.refused(isGeneral: false, inFlight: 500, now: UInt64(number) * 1_000_000_000)
      } else {
        window.accepted()
      }
    }
    #expect(window.hasRoom(1_000_000))
  }

  /// Timers tick in milliseconds, and late: the rate is kept all the same, and a pause saves no more than the burst.
  @Test(
    arguments: [(50.0, 7_000_000), (2_000, 1_000_000), (20_000, 1_300_000), (20_000, 9_000_000)] as [(Double, UInt64)])
  func aRateIsKept(_ perSecond: Double, _ tick: UInt64) {
    var pace = Pace(perSecond: perSecond, burst: 1, now: 0)
    var (now, sent): (UInt64, Double) = (0, 0)
    while now < 5_000_000_000 {
      while pace.take(now: now) { sent += 1 }
      now += tick
    }
    #expect(abs(sent / 5 - perSecond) <= perSecond * 0.02, "\(sent / 5)")
    // Nothing waited when the pause began.
    var idle = Pace(perSecond: perSecond, burst: 3, now: 0)
    #expect((0..<3).allSatisfy { _ in idle.take(now: 0) })
    #expect((0..<3).allSatisfy { _ in idle.take(now: 60_000_000_000) } && !idle.take(now: 60_000_000_000))
  }

  @Test func aThrottledTokenIsSpaced() {
    var spacing = Spacing(interval: 0)
    #expect(!spacing.isActive && spacing.claim(7, now: 0) == nil)
    spacing.throttled(7, base: 100, limit: 1000, now: 0)
    #expect(spacing.isActive && spacing.claim(8, now: 50) == nil)
    // Each that waits has a turn of its own.
    #expect(spacing.claim(7, now: 50) == 100 && spacing.claim(7, now: 50) == 200 && spacing.isKept(7, since: 50))
    // Refused again: twice the time, and the turns that were given are void. Refused soon after: the same burst.
    spacing.throttled(7, base: 100, limit: 1000, now: 110)
    spacing.throttled(7, base: 100, limit: 1000, now: 120)
    #expect(!spacing.isKept(7, since: 50) && spacing.claim(7, now: 200) == 310 && spacing.isKept(7, since: 200))
    // Refused in its very turn: twice the time again.
    spacing.throttled(7, base: 100, limit: 1000, now: 315)
    #expect(spacing.claim(7, now: 320) == 715)
    // Its time has come: it goes, and the next one goes as long after it.
    #expect(spacing.claim(7, now: 2000) == nil && spacing.claim(7, now: 2001) == 2400)
    // Left in peace for long, it is like any other.
    #expect(spacing.claim(7, now: 100_000) == nil && !spacing.isActive)
  }

  @Test func endlessGoodbyesAreSaid() {
    var goodbyes = Goodbyes()
    let words = (1...100).compactMap { goodbyes.add(answers: $0 * 2) }
    #expect(
      words == [10, 90].map { "has ended \($0) connections with GOAWAY, after 2 answers each; going on, slowly" })
    var seldom = Goodbyes()
    #expect((1...100).allSatisfy { seldom.add(answers: $0 * 10_000) == nil })
  }

  @Test func everyTokenIsSpacedOnRequest() {
    var spacing = Spacing(interval: 100)
    #expect(spacing.claim(1, now: 0) == nil && spacing.claim(2, now: 0) == nil)
    #expect(spacing.claim(1, now: 60) == 100 && spacing.claim(1, now: 60) == 200 && spacing.claim(1, now: 300) == nil)
  }

  @Test func addressesTakeTurnsByFamily() throws {
    let addresses = try ["::1", "::2", "127.0.0.1", "127.0.0.2"].flatMap { try Socket.resolve($0, port: 1) }
    let families = addresses.spread().map(\.isIPv6)
    #expect(families == [true, false, true, false])
    #expect(Set(addresses.spread().map(\.description)) == Set(addresses.map(\.description)))
  }

  @Test func backoffGrowsAndIsBounded() {
    let backoff = Backoff(base: 1000, limit: 60_000)
    var generator = SystemRandomNumberGenerator()
    for attempt in [1, 2, 3, 7, 64, Int.max] {
      let bound: UInt64 = attempt < 7 ? 1000 << UInt64(attempt - 1) : 60_000
      for _ in 0..<50 {
        let delay = backoff.delay(attempt: attempt, using: &generator)
        #expect(delay >= 1 && delay <= bound, "\(attempt)")
      }
    }
  }

  @Test func theScheduleGivesTheSoonestFirst() {
    var schedule = Schedule()
    let dues = (0..<200).map { UInt64($0 * 7919 % 1000) }
    for (flight, due) in dues.enumerated() { schedule.add(flight, due: due) }
    var last: UInt64 = 0
    while let flight = schedule.pop(now: 1000) {
      #expect(dues[flight] >= last)
      last = dues[flight]
    }
    #expect(schedule.isEmpty && schedule.pop(now: .max) == nil)
  }

  @Test func queuesKeepTheirOrder() {
    var queue = FlightQueue()
    for number in 0..<1000 { queue.append(number) }
    queue.prepend(-1)
    #expect(queue[0] == -1 && queue[5] == 4)
    #expect((0..<1001).map { _ in queue.popFirst()! } == Array(-1..<1000))
    #expect(queue.popFirst() == nil)
  }
}

@Suite struct WordsTests {
  static let places: [(String, String?)] = [
    ("localhost", "localhost -"), ("localhost:2197", "localhost 2197"), ("127.0.0.1:1", "127.0.0.1 1"),
    ("[::1]:443", "::1 443"), ("::1", "::1 -"), ("[::1]", "::1 -"), ("", nil), ("host:0", nil), ("host:x", nil),
    ("host:70000", nil), ("http://host", nil), ("[::1]443", nil), ("user@host", nil),
  ]

  @Test(arguments: places) func endpoints(_ text: String, _ expected: String?) {
    #expect(HostPort(text).map { "\($0.host) \($0.port.map { String($0) } ?? "-")" } == expected)
  }

  @Test func proxies() throws {
    let proxy = try #require(Proxy("http://us%3Aer:p%40ss@proxy.example:3128/"))
    #expect(proxy.host == "proxy.example" && proxy.port == 3128 && proxy.userInfo == "us:er:p@ss")
    #expect(Proxy("https://proxy.example") == nil && Proxy("socks5://x") == nil)
    #expect(Proxy("proxy.example")?.port == 8080)
    let request = String(decoding: proxy.request(to: "api.push.apple.com:443"), as: UTF8.self)
    #expect(request.hasPrefix("CONNECT api.push.apple.com:443 HTTP/1.1\r\nHost: api.push.apple.com:443\r\n"))
    #expect(request.contains("Proxy-Authorization: Basic dXM6ZXI6cEBzcw==\r\n") && request.hasSuffix("\r\n\r\n"))
    #expect(Proxy.read(Array("HTTP/1.1 200 Connection established\r\nX: y\r\n\r\n".utf8)) == .open(45))
    #expect(Proxy.read(Array("HTTP/1.1 200 ok\r\n".utf8)) == nil)
    #expect(Proxy.read(Array("HTTP/1.1 407 Who?\r\n\r\n".utf8)) == .refused("it wants a user and a password (407)"))
    #expect(Proxy.read([UInt8](repeating: 65, count: 9000)) == .refused("its answer is no HTTP answer"))
    for list in ["*", "example.com", ".example.com", "x, api.example.com:443"] {
      #expect(Proxy.isExcluded("api.example.com", by: list), "\(list)")
    }
    #expect(!Proxy.isExcluded("api.example.com", by: "pi.example.com, example.org"))
  }

  @Test func abortRules() throws {
    let rule = try #require(AbortRule("BadDeviceToken>20%/500"))
    #expect(rule.word == "BadDeviceToken" && rule.percent == 20 && rule.sample == 500)
    #expect(!rule.isFulfilled(499, of: 499) && !rule.isFulfilled(100, of: 500) && rule.isFulfilled(101, of: 500))
    #expect(rule.matches(.rejected, 400, "BadDeviceToken") && !rule.matches(.rejected, 400, "BadTopic"))
    #expect(AbortRule("410 > 5%")?.sample == nil && AbortRule("410>5%")?.sample == 100)
    for bad in ["", "x", ">5%", "x>5", "x>5%/0", "x>5%/y", "x>100%"] { #expect(AbortRule(bad) == nil, "\(bad)") }
  }

  @Test func histogramsAreTrueToAnEighth() {
    var histogram = Histogram()
    for microseconds in 1...10_000 { histogram.add(UInt64(microseconds) * 1000) }
    for percent in [50.0, 90, 99] {
      let expected = percent * 100
      let found = Double(histogram.percentile(percent))
      #expect(found >= expected * 0.99 && found <= expected * 1.13, "\(percent): \(found)")
    }
    #expect(histogram.count == 10_000 && histogram.percentile(100) == 10_000)
    #expect(histogram.doublings.reduce(0) { $0 + $1.count } == 10_000)
  }

  @Test func keyIdsAreReadFromAppleNames() {
    #expect(CredentialSource.keyID(inName: "keys/AuthKey_ABCDE12345.p8") == "ABCDE12345")
    #expect(CredentialSource.keyID(inName: "AuthKey_ABC.p8") == nil && CredentialSource.keyID(inName: "key.p8") == nil)
  }
}
