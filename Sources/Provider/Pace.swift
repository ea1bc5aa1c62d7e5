// How fast one may send: the rate the user set, the room APNs leaves, the rest a device token needs.

/// A token bucket: so many notifications a second on the long run, so many at once after a pause.
struct Pace {
  /// Notifications in a nanosecond.
  private let rate: Double
  private let burst: Double
  private var saved: Double
  private var last: UInt64

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
    guard saved >= 1 else { return false }
    saved -= 1
    return true
  }

  /// How many could go now.
  mutating func available(now: UInt64) -> Int {
    refill(now)
    return Int(min(saved, 1e9))
  }

  /// One that was taken did not go.
  mutating func giveBack() { saved = min(saved + 1, burst) }

  /// When the next one may go: monotonic nanoseconds.
  func nextDue(now: UInt64) -> UInt64 {
    saved >= 1 ? now : now + UInt64(min((1 - saved) / rate, 3.6e12)) + 1
  }

  private mutating func refill(_ now: UInt64) {
    guard now > last else { return }
    saved = min(saved + Double(now - last) * rate, burst)
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

/// Device tokens that asked for a rest, and until when. Bounded: the oldest wishes are forgotten first.
struct Rests {
  private var until: [UInt64: UInt64] = [:]
  private static let limit = 65_536

  var isEmpty: Bool { until.isEmpty }

  /// When the token may be sent to again, nil when it may now.
  mutating func due(_ token: UInt64, now: UInt64) -> UInt64? {
    guard let due = until[token] else { return nil }
    if due <= now {
      until[token] = nil
      return nil
    }
    return due
  }

  mutating func rest(_ token: UInt64, until due: UInt64, now: UInt64) {
    if until.count >= Self.limit { until = until.filter { $0.value > now } }
    if until.count >= Self.limit { until.removeAll(keepingCapacity: true) }
    until[token] = max(until[token] ?? 0, due)
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
