// The sender's loop: it waits in one place, for the network, the input and the time.

import APNs
import POSIX

extension Sender {
  /// Brings to the journal what is about to be sent and what has ended; results may be printed afterwards.
  public func commit() {
    guard let journal, journal.isVerified else { return }
    for route in routes where route.stopReason == nil { note(route, journal) }
    do throws(Journal.Fault) { try journal.commit() } catch { stopAll(error.message) }
  }

  /// Notes the flights that can go at once, as stretches of line numbers.
  private func note(_ route: Route, _ journal: Journal) {
    var stretch: ClosedRange<Int>?
    let room = min(route.ready.count, route.capacity, route.pace?.available(now: now) ?? .max)
    for place in 0..<room {
      let index = route.ready[place]
      if flights[index].isJournaled { continue }
      flights[index].isJournaled = true
      let number = flights[index].number
      if let known = stretch, number == known.upperBound + 1 {
        stretch = known.lowerBound...number
      } else {
        if let stretch { journal.aboutToSend(stretch) }
        stretch = number...number
      }
    }
    if let stretch { journal.aboutToSend(stretch) }
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

  private func watch(_ input: Descriptor?) {
    guard inputIsPollable, (input != nil) != watchesInput else { return }
    guard let descriptor = input ?? watched else { return }
    do throws(SystemError) {
      if input != nil {
        try poller.add(descriptor, for: .readable, key: Self.inputKey)
      } else {
        poller.remove(descriptor)
      }
      watched = descriptor
      watchesInput = input != nil
    } catch {
      // A regular file cannot be watched: it is always ready.
      inputIsPollable = false
    }
  }

  private func waitTime(_ limit: Int) -> Int {
    // What ended is on its way to the journal and to the printer: no waiting before that is done.
    if let journal, journal.pendingCount > 0 { return 0 }
    var soonest = schedule.nextDue ?? .max
    for route in routes { soonest = min(soonest, route.nextDeadline(now: now)) }
    if flights.count > 0 { soonest = min(soonest, lastSweep + Self.sweepInterval) }
    guard soonest != .max else { return limit }
    let milliseconds = soonest <= now ? 0 : Int(min((soonest - now + 999_999) / 1_000_000, 3_600_000))
    return limit < 0 ? milliseconds : min(limit, milliseconds)
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
