// When silence proves something: what was sent must have reached the peer first, and then enough time must have passed.

/// The clock of a binary connection's notifications. It starts for one when the peer's system has acknowledged its last
/// byte; where the system does not tell, when the socket has taken it.
struct Silence {
  /// Notifications up to an identifier, and where in the stream of encrypted bytes they end.
  private struct Mark {
    var end: UInt32
    var position: UInt64
    /// When the first of them was sent: monotonic nanoseconds.
    var opened: UInt64
    /// When the peer was seen to have them all; nil while it has not.
    var reached: UInt64?
  }

  private var marks: [Mark] = []
  private let linger: UInt64
  /// Since when the peer has acknowledged nothing of what waits for it; nil while nothing waits.
  private(set) var stalledSince: UInt64?
  private var acknowledged: UInt64 = 0
  private var observed: UInt64 = 0

  init(linger: UInt64) { self.linger = linger }

  /// Notes that the notifications up to `end` lie before `position`. At most some sixteen marks stand for each `linger`:
  /// those that follow closely wait a little longer together.
  mutating func note(end: UInt32, position: UInt64, now: UInt64) {
    guard marks.last?.end != end else { return }
    if let last = marks.last, now - min(last.opened, now) < linger / 16 {
      marks[marks.count - 1] = Mark(end: end, position: position, opened: last.opened)
    } else {
      marks.append(Mark(end: end, position: position, opened: now))
    }
  }

  /// Takes in what the peer has acknowledged by now.
  /// - Parameter sent: where everything ends that is to reach it.
  mutating func observe(acknowledged: UInt64, sent: UInt64, now: UInt64) {
    if acknowledged >= sent {
      stalledSince = nil
    } else if stalledSince == nil || acknowledged != self.acknowledged {
      stalledSince = now
    }
    (self.acknowledged, observed) = (acknowledged, now)
    var place = marks.count
    while place > 0, marks[place - 1].reached == nil {
      place -= 1
      if marks[place].position <= acknowledged { marks[place].reached = now }
    }
  }

  /// Whether something waits to be acknowledged.
  var isWaiting: Bool { stalledSince != nil || marks.contains { $0.reached == nil } }

  /// When to look again: monotonic nanoseconds. Nobody tells when an acknowledgement comes.
  var nextLook: UInt64 {
    let step = min(max(linger / 16, 1_000_000), 50_000_000)
    let look = isWaiting ? observed + step : .max
    return min(look, marks.first?.reached.map { $0 + linger } ?? .max)
  }

  /// The notifications up to which everything has waited long enough; nil for none that are new.
  mutating func proven(now: UInt64) -> UInt32? {
    var end: UInt32?
    while let mark = marks.first, let reached = mark.reached, reached + linger <= now {
      end = mark.end
      marks.removeFirst()
    }
    return end
  }
}
