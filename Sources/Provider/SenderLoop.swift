// The sender's loop: it waits in one place, for the network, the input and the time.

import APNs
import POSIX

extension Sender {
  /// Brings to the journal what is about to be sent and what has ended; results may be printed afterwards.
  public func commit() {
    commit(routes) { route in min(route.capacity, route.pace?.available(now: self.now) ?? .max) }
  }

  /// Sends what can be sent, waits for the network (and for `input`, when one is given), takes in what came.
  /// - Parameter input: watched until it is readable; leave it out while there is no room.
  /// - Parameter limit: the longest to wait, in milliseconds; below 0 without end, 0 not at all.
  public func turn(input: Descriptor?, limit: Int = -1) -> Found {
    excuseStall()
    defer { lastTurn = clock.monotonic() }
    dispatch()
    for route in routes { for connection in route.connections { connection.flush() } }
    watch(input)
    let inputIsReady = input != nil && !inputIsPollable
    let before = clock.monotonic()
    poller.wait(milliseconds: inputIsReady ? 0 : waitTime(limit))
    now = clock.monotonic()
    for route in routes { route.waited(now - min(before, now)) }
    var found: Found = inputIsReady ? .input : []
    for ready in poller.ready {
      switch ready.key {
      case Self.inputKey: found.insert(.input)
      case Self.signalKey: found.insert(.signal)
      default:
        guard let connection = byKey[ready.key] else { continue }
        connection.handle(ready.readiness, now: now, &buffers)
        settle(connection)
      }
    }
    expire()
    if journal == nil { dispatch() }
    return found
  }

  /// A reader of the results that is slow holds the loop up: no request and no peer is late for that.
  private func excuseStall() {
    let present = clock.monotonic()
    let stall = lastTurn == 0 ? 0 : present - min(lastTurn, present)
    guard stall > 500_000_000 else { return }
    now = present
    for route in routes { for connection in route.connections { connection.excuse(stall) } }
    for index in flights.indices where flights[index].stage == .sent { flights[index].sent += stall }
  }

  private func waitTime(_ limit: Int) -> Int {
    var soonest = schedule.nextDue ?? .max
    for route in routes { soonest = min(soonest, route.nextDeadline(now: now)) }
    if flights.count > 0 { soonest = min(soonest, lastSweep + Self.sweepInterval) }
    return waitTime(limit, until: soonest)
  }

  private func expire() {
    while let index = schedule.pop(now: now) { requeue(index) }
    for route in routes {
      for connection in route.connections {
        if connection.deadline <= now { connection.expire(now: now) }
        connection.lookIntoSilence(now: now)
        connection.lookIntoStarvation(now: now, hasWork: !route.ready.isEmpty)
        if connection.isClosed { settle(connection) }
      }
    }
    guard now - min(lastSweep, now) >= Self.sweepInterval else { return }
    lastSweep = now
    for index in flights.indices where flights[index].stage == .sent {
      guard now > flights[index].sent, now - flights[index].sent > settings.requestTimeout else { continue }
      timeOut(index)
    }
  }
}
