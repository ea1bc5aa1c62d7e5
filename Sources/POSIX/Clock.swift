// Time as a value: what needs the time takes a clock, so that a test can hold it still.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Two readings: one that only goes forward, for durations, and the calendar's, for stamps.
public struct Clock: Sendable {
  /// Nanoseconds since some fixed moment; never goes back.
  public var monotonic: @Sendable () -> UInt64
  /// Milliseconds since 1 January 1970 UTC.
  public var unixMilliseconds: @Sendable () -> Int

  public init(monotonic: @escaping @Sendable () -> UInt64, unixMilliseconds: @escaping @Sendable () -> Int) {
    self.monotonic = monotonic
    self.unixMilliseconds = unixMilliseconds
  }

  /// Whole seconds since 1 January 1970 UTC.
  public var unixSeconds: Int { unixMilliseconds() / 1000 }

  public static let system = Clock(
    monotonic: {
      var now = timespec()
      clock_gettime(CLOCK_MONOTONIC, &now)
      return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    },
    unixMilliseconds: {
      var now = timespec()
      clock_gettime(CLOCK_REALTIME, &now)
      return Int(now.tv_sec) * 1000 + Int(now.tv_nsec) / 1_000_000
    })

  /// A clock that stands still at this UNIX second.
  public static func still(at unixSeconds: Int) -> Clock {
    Clock(monotonic: { 0 }, unixMilliseconds: { unixSeconds * 1000 })
  }
}
