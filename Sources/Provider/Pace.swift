// How fast one may send: the rate the user set, the room APNs leaves, the time a device token needs.

/// A token bucket: so many notifications a second on the long run, so many at once after a pause.
struct Pace {
  /// Notifications in a nanosecond.
  private let rate: Double
  private let burst: Double
  private var saved: Double
  private var last: UInt64
  /// The last one asked for had to wait: what a late timer lost since is made up for, up to this much of a second.
  private var isBehind = false
  private static let catchUp = 0.05

  /// - Parameter perSecond: above 0.
  init(perSecond: Double, burst: Int, now: UInt64) {
    rate = perSecond / 1e9
    self.burst = Double(max(burst, 1))
    saved = self.burst
    last = now
  }

  /// Whether one more may go now; it counts as gone.
  mutating func take(now: UInt64) -> Bool {
    refill(now)
    isBehind = saved < 1
    if isBehind { return false }
    saved -= 1
    return true
  }

  /// How many could go now.
  mutating func available(now: UInt64) -> Int {
    refill(now)
    return Int(min(saved, 1e9))
  }

  /// One that was taken did not go.
  mutating func giveBack() { saved += 1 }

  /// When the next one may go: monotonic nanoseconds.
  func nextDue(now: UInt64) -> UInt64 {
    saved >= 1 ? now : now + UInt64(min((1 - saved) / rate, 3.6e12)) + 1
  }

  private mutating func refill(_ now: UInt64) {
    guard now > last else { return }
    let room = isBehind ? max(burst, rate * 1e9 * Self.catchUp) : burst
    saved = min(saved + Double(now - last) * rate, max(room, saved))
    last = now
  }
}

/// How many requests may be under way at a service. No bound until it says that it is too much; then half of what is
/// under way, and slowly more again: what TCP does about a full link.
struct Window {
  /// However loud the service complains, so many may be under way: one that gets no answer must not block the rest.
  private static let least = 8.0
  private var size = Double.infinity
  private var shrunkAt: UInt64 = 0
  /// Answers since the last throttling, and throttled ones among them.
  private var recent = 0
  private var throttled = 0

  func hasRoom(_ inFlight: Int) -> Bool { Double(inFlight) < size }

  mutating func accepted() {
    note(throttled: false)
    if size < .infinity {
      size += 1 / max(size, 1)
      if size > 4096 { size = .infinity }
    }
  }

  /// - Parameter isGeneral: about the service as a whole, not about one device token.
  mutating func refused(isGeneral: Bool, inFlight: Int, now: UInt64) {
    note(throttled: true)
    // A few busy device tokens say nothing of the service; every fifth answer does.
    guard isGeneral || (recent >= 50 && throttled * 5 > recent), now - shrunkAt > 200_000_000 else { return }
    shrunkAt = now
    size = max(Self.least, min(size, Double(inFlight)) / 2)
  }

  private mutating func note(throttled isThrottled: Bool) {
    recent += 1
    if isThrottled { throttled += 1 }
    if recent >= 400 {
      recent /= 2
      throttled /= 2
    }
  }
}

/// The time between two notifications to one device token: what the user set, and more for a token that APNs said had
/// too many (429 TooManyRequests). Bounded: what is over is forgotten first.
struct Spacing {
  private struct Entry {
    /// Monotonic nanoseconds of its next free turn.
    var next: UInt64
    var interval: UInt64
    /// When the service last complained; nil when it never did.
    var refusedAt: UInt64?
  }

  private let interval: UInt64
  private var entries: [UInt64: Entry] = [:]
  private static let limit = 65_536

  /// - Parameter interval: nanoseconds for every device token; 0 spaces those that were throttled alone.
  init(interval: UInt64) { self.interval = interval }

  var isActive: Bool { interval > 0 || !entries.isEmpty }

  /// Takes the token's turn and gives nil, or keeps a later turn for the caller and says when it comes.
  mutating func claim(_ token: UInt64, now: UInt64) -> UInt64? {
    guard var entry = entries[token] else {
      if interval > 0 { insert(token, Entry(next: now + interval, interval: interval), now) }
      return nil
    }
    if entry.next > now {
      defer { entries[token]?.next += entry.interval }
      return entry.next
    }
    // A token that was left in peace for long is like any other.
    if entry.interval > interval, now - entry.next > 10 * entry.interval {
      entries[token] = interval > 0 ? Entry(next: now + interval, interval: interval) : nil
      return nil
    }
    entry.next = now + entry.interval
    entries[token] = entry
    return nil
  }

  /// Whether a turn that was given at that time may be taken: the service has not complained since.
  func isKept(_ token: UInt64, since claimed: UInt64) -> Bool { entries[token]?.refusedAt ?? 0 <= claimed }

  /// The service says that the token has too many: twice the time it had, from now on.
  mutating func throttled(_ token: UInt64, base: UInt64, limit: UInt64, now: UInt64) {
    let known = entries[token]
    // What was sent before the first complaint is one burst with it.
    if let last = known?.refusedAt, let known, now - min(last, now) < known.interval / 2 { return }
    let longer = min(max(known.map { $0.interval * 2 } ?? 0, base), max(limit, interval))
    insert(token, Entry(next: now + longer, interval: longer, refusedAt: now), now)
  }

  private mutating func insert(_ token: UInt64, _ entry: Entry, _ now: UInt64) {
    if entries.count >= Self.limit { entries = entries.filter { $0.value.next > now } }
    if entries.count >= Self.limit { entries.removeAll(keepingCapacity: true) }
    entries[token] = entry
  }
}

/// A hash of some bytes: for telling apart, not for secrecy. FNV-1a over eight bytes at a time, mixed at the end.
func fingerprint(_ bytes: Span<UInt8>, seed: UInt64 = 0xcbf2_9ce4_8422_2325) -> UInt64 {
  var hash = seed ^ UInt64(truncatingIfNeeded: bytes.count)
  var index = 0
  while index + 8 <= bytes.count {
    var word: UInt64 = 0
    for offset in 0..<8 { word |= UInt64(unsafe bytes[unchecked: index + offset]) << UInt64(offset * 8) }
    hash = (hash ^ word) &* 0x0000_0100_0000_01b3
    hash ^= hash >> 29
    index += 8
  }
  while index < bytes.count {
    hash = (hash ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01b3
    index += 1
  }
  hash ^= hash >> 32
  hash = hash &* 0xd6e8_feb8_6659_fd93
  return hash ^ hash >> 32
}
