// Waiting for many descriptors at once: epoll on Linux, poll elsewhere.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
#if os(Linux)
  internal import CLinux
#endif

/// What a descriptor is watched for, and what it became.
public struct Readiness: OptionSet, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let readable = Readiness(rawValue: 1)
  public static let writable = Readiness(rawValue: 2)
}

/// A set of descriptors with a number of the owner's choice each. One thread uses it.
public final class Poller {
  public struct Ready: Sendable {
    public let key: Int
    public let readiness: Readiness
  }

  /// The descriptors found ready by the last `wait`. Errors and hang-ups count as readable: the read tells.
  public private(set) var ready: [Ready] = []

  #if os(Linux)
    private let epoll: Descriptor
    private var events: [epoll_event]

    public init() throws(SystemError) {
      let number = epoll_create1(Int32(EPOLL_CLOEXEC))
      guard number >= 0 else { throw .last("epoll_create1") }
      epoll = Descriptor(owning: number)
      events = [epoll_event](repeating: epoll_event(), count: 256)
    }

    public func add(_ descriptor: Descriptor, for interest: Readiness, key: Int) throws(SystemError) {
      try control(EPOLL_CTL_ADD, descriptor, interest, key)
    }

    public func change(_ descriptor: Descriptor, to interest: Readiness, key: Int) throws(SystemError) {
      try control(EPOLL_CTL_MOD, descriptor, interest, key)
    }

    /// Must be called before the descriptor is closed.
    public func remove(_ descriptor: Descriptor) {
      var event = epoll_event()
      epoll_ctl(epoll.number, EPOLL_CTL_DEL, descriptor.number, &event)
    }

    private func control(
      _ operation: Int32, _ descriptor: Descriptor, _ interest: Readiness, _ key: Int
    ) throws(SystemError) {
      var mask: UInt32 = 0
      if interest.contains(.readable) { mask |= EPOLLIN.rawValue }
      if interest.contains(.writable) { mask |= EPOLLOUT.rawValue }
      var event = epoll_event(events: mask, data: epoll_data_t(u64: UInt64(bitPattern: Int64(key))))
      guard epoll_ctl(epoll.number, operation, descriptor.number, &event) == 0 else { throw .last("epoll_ctl") }
    }

    /// Waits until something is ready, the time is over (below 0: never) or a signal came; the result is in `ready`.
    public func wait(milliseconds: Int) {
      ready.removeAll(keepingCapacity: true)
      let timeout = Int32(clamping: milliseconds)
      let count = epoll_wait(epoll.number, &events, Int32(events.count), timeout)
      guard count > 0 else { return }
      for index in 0..<Int(count) {
        let mask = events[index].events
        var readiness: Readiness = []
        if mask & (EPOLLIN.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { readiness.insert(.readable) }
        if mask & (EPOLLOUT.rawValue | EPOLLERR.rawValue) != 0 { readiness.insert(.writable) }
        ready.append(
          Ready(key: Int(truncatingIfNeeded: Int64(bitPattern: events[index].data.u64)), readiness: readiness))
      }
    }
  #else
    private var entries: [pollfd] = []
    private var keys: [Int] = []

    public init() throws(SystemError) {}

    public func add(_ descriptor: Descriptor, for interest: Readiness, key: Int) throws(SystemError) {
      entries.append(pollfd(fd: descriptor.number, events: mask(interest), revents: 0))
      keys.append(key)
    }

    public func change(_ descriptor: Descriptor, to interest: Readiness, key: Int) throws(SystemError) {
      guard let index = entries.firstIndex(where: { $0.fd == descriptor.number }) else { return }
      entries[index].events = mask(interest)
      keys[index] = key
    }

    /// Must be called before the descriptor is closed.
    public func remove(_ descriptor: Descriptor) {
      guard let index = entries.firstIndex(where: { $0.fd == descriptor.number }) else { return }
      entries.remove(at: index)
      keys.remove(at: index)
    }

    private func mask(_ interest: Readiness) -> Int16 {
      Int16((interest.contains(.readable) ? POLLIN : 0) | (interest.contains(.writable) ? POLLOUT : 0))
    }

    /// Waits until something is ready, the time is over (below 0: never) or a signal came; the result is in `ready`.
    public func wait(milliseconds: Int) {
      ready.removeAll(keepingCapacity: true)
      guard poll(&entries, nfds_t(entries.count), Int32(clamping: milliseconds)) > 0 else { return }
      for (index, entry) in entries.enumerated() where entry.revents != 0 {
        let got = Int32(entry.revents)
        var readiness: Readiness = []
        if got & (POLLIN | POLLHUP | POLLERR) != 0 { readiness.insert(.readable) }
        if got & (POLLOUT | POLLERR) != 0 { readiness.insert(.writable) }
        ready.append(Ready(key: keys[index], readiness: readiness))
      }
    }
  #endif
}
