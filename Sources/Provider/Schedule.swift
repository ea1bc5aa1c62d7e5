// What is to happen later: flights that wait for their next attempt, soonest first.

/// A binary heap of flights by the time they are due.
struct Schedule {
  private var entries: [(due: UInt64, flight: Int)] = []

  var isEmpty: Bool { entries.isEmpty }
  var count: Int { entries.count }
  /// Monotonic nanoseconds of the soonest, nil when there is none.
  var nextDue: UInt64? { entries.first?.due }

  mutating func add(_ flight: Int, due: UInt64) {
    entries.append((due, flight))
    var child = entries.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard entries[child].due < entries[parent].due else { break }
      entries.swapAt(child, parent)
      child = parent
    }
  }

  /// The soonest flight, if its time has come.
  mutating func pop(now: UInt64) -> Int? {
    guard let first = entries.first, first.due <= now else { return nil }
    return popFirst(first.flight)
  }

  /// Every flight, in no order; the schedule is empty afterwards.
  mutating func removeAll() -> [Int] {
    defer { entries.removeAll() }
    return entries.map(\.flight)
  }

  private mutating func popFirst(_ flight: Int) -> Int {
    let last = entries.removeLast()
    if entries.isEmpty { return flight }
    entries[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
        if entries[child].due < entries[least].due { least = child }
      }
      if least == parent { return flight }
      entries.swapAt(least, parent)
      parent = least
    }
  }
}

/// Exponential back-off with full jitter: a random time up to a bound that doubles, so that what failed together does not
/// come again together.
struct Backoff {
  /// Nanoseconds of the first bound, and of the largest.
  let base: UInt64
  let limit: UInt64

  /// How long to wait before the next attempt. `attempt` counts from 1.
  func delay(attempt: Int, using generator: inout some RandomNumberGenerator) -> UInt64 {
    let doublings = min(max(attempt - 1, 0), 30)
    let (grown, overflow) = base.multipliedReportingOverflow(by: 1 << UInt64(doublings))
    let bound = overflow ? limit : min(grown, limit)
    return UInt64.random(in: 1...max(bound, 1), using: &generator)
  }
}
