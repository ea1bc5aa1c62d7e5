// What the sender makes of events: which flights end, which are sent again, which services are given up.

import APNs
import HTTP2
import JSON
import POSIX

extension Sender {
  func handle(_ event: ClientEvent, _ connection: Connection, _ route: Route) {
    switch event.kind {
    case .done:
      connection.inFlight -= 1
      connection.hasAnswered = true
      connection.lastAnswer = now
      route.answers += 1
      route.succeeded()
      answered(event, connection, route)
      let hasRest = connection.session.dropRest(event.slot)
      connection.session.release(event.slot)
      if hasRest { connection.flush() }
    case .failed:
      connection.inFlight -= 1
      if event.isAnswer { answered(event, connection, route) } else { streamFailed(event, connection, route) }
      connection.session.release(event.slot)
    case .goAway:
      connection.isDraining = true
      connection.goodbye = sayGoodbye(connection.session.note(event), event.code, route)
    case .pong: connection.echoed()
    case .settings:
      connection.settled()
      recorder.event("settings", at: clock.unixMilliseconds()) { out in
        ResultLine.integer(&out, "connection", connection.key - 1)
        ResultLine.integer(&out, "max_concurrent_streams", Int(event.value))
      }
    case .broken:
      connection.end(connection.fate ?? "HTTP/2 with \(route.service.host) failed")
    }
  }

  private func sayGoodbye(_ debug: String, _ code: ErrorCode, _ route: Route) -> String {
    var reason = debug.isEmpty ? code.description : debug
    let bytes = Array(debug.utf8)
    if (try? answerReader.read(bytes.span)) != nil {
      let tokens = answerReader.tokens
      let document = Document(bytes.span, tokens.span)
      if let node = document.find("reason", in: 0), document.kind(node) == .string { reason = document.string(node) }
    }
    let shown = String(reason.unicodeScalars.prefix(200).filter { $0.value >= 0x20 })
    recorder.event("goaway", at: clock.unixMilliseconds()) { out in
      self.name(route, &out)
      ResultLine.text(&out, "reason", shown)
    }
    // A server that only wants a new connection, as APNs does every so often, is no news; one that wants it all the
    // time is.
    if !debug.isEmpty || code != .noError { recorder.say("\(route.service.host) says GOAWAY: \(shown)") }
    if let words = route.goodbyes.add(answers: route.answers) { recorder.say("\(route.service.host) \(words)") }
    // The reasons of refusals apply to connections too: a bad certificate is told this way alone.
    if let row = Reason.named(shown), row.advice == .stop, !row.isAboutConnection {
      stop(route, "\(row.name): \(row.meaning)")
    }
    return shown
  }

  // MARK: Answers

  /// Whether the event is about the flight that has the place now: one that timed out has ended before its stream.
  func isUnderWay(_ index: Int, _ event: ClientEvent, _ connection: Connection) -> Bool {
    flights.indices.contains(index) && flights[index].stage == .sent && flights[index].stream == event.stream
      && flights[index].connection == connection.key
  }

  private func answered(_ event: ClientEvent, _ connection: Connection, _ route: Route) {
    let index = event.tag
    guard isUnderWay(index, event, connection) else { return }
    recorder.latencies.add(now - min(flights[index].sent, now))
    if event.status == 200 {
      route.window.accepted()
      route.renewals = 0
      finish(index, Ending(.accepted), connection, event.slot)
      return
    }
    let refusal = Refusal.read(connection.session, event.slot, &answerReader, now: clock.unixSeconds)
    if refusal.advice == .retry || refusal.advice == .renew { slowDown(index, refusal, route) }
    if sendAgain(index, after: refusal, connection, route) { return }
    if asksOtherEnvironment(index, refusal) { return }
    var ending = Ending(.rejected)
    ending.status = refusal.status
    ending.reason = refusal.reason
    ending.advice = refusal.advice
    ending.timestamp = refusal.timestamp
    if refusal.advice == .stop { giveUp(index, refusal, route) }
    finish(index, ending, connection, event.slot)
  }

  private func slowDown(_ index: Int, _ refusal: Refusal, _ route: Route) {
    let isAboutToken = refusal.reason == "TooManyRequests"
    let isAboutPace = refusal.status == 429 || refusal.reason == "ServiceUnavailable"
    guard isAboutPace || refusal.status == 500 else { return }
    route.window.refused(isGeneral: !isAboutToken, inFlight: route.inFlight, now: now)
    if isAboutToken {
      spacing.throttled(tokenHash(index), base: settings.retryDelay, limit: settings.retryDelayLimit, now: now)
    }
  }

  func tokenHash(_ index: Int) -> UInt64 {
    if flights[index].tokenHash == 0, flights[index].token.isPresent {
      let line = flights[index].bytes
      flights[index].tokenHash = fingerprint(line.span.extracting(flights[index].token.range))
    }
    return flights[index].tokenHash
  }

  /// Whether one more sending is allowed, and counts it.
  func mayRetry(_ index: Int, _ route: Route) -> Bool {
    guard !settings.neverTwice, route.stopReason == nil, flights[index].retried < settings.retries, retriesLeft > 0
    else { return false }
    flights[index].retried += 1
    retriesLeft -= 1
    recorder.resent += 1
    return true
  }

  /// Whether the refusal only means "not now", and the flight was put back.
  private func sendAgain(
    _ index: Int, after refusal: Refusal, _ connection: Connection, _ route: Route
  ) -> Bool {
    switch refusal.advice {
    case .renew:
      guard canRenew(connection, refusal, route), mayRetry(index, route) else { return false }
      requeue(index)
    case .retry:
      // A run that waits for days is no better than one that says "later".
      guard refusal.retryAfter ?? 0 <= Self.longestRest else { return false }
      if refusal.isAboutConnection { connection.isDraining = true }
      guard mayRetry(index, route) else { return false }
      if refusal.isAboutConnection { requeue(index) } else { delay(index, after: refusal) }
    case .stop where refusal.isAboutConnection:
      connection.isDraining = true
      guard mayRetry(index, route) else { return false }
      requeue(index)
    default: return false
    }
    flights[index].lastStatus = refusal.status
    flights[index].lastReason = refusal.reason
    recorder.event("retry", at: clock.unixMilliseconds()) { out in
      ResultLine.integer(&out, "line", self.flights[index].number)
      ResultLine.integer(&out, "status", refusal.status)
      if let reason = refusal.reason { ResultLine.text(&out, "reason", reason) }
    }
    return true
  }

  /// The provider token is called expired: a new one where it is old enough to be replaced, and a new connection in any
  /// case, since the service stays with what it thinks of a connection's token. False when that was tried in vain.
  private func canRenew(_ connection: Connection, _ refusal: Refusal, _ route: Route) -> Bool {
    guard case .token(let source) = route.service.credential else { return false }
    if connection.isDraining { return route.stopReason == nil }
    connection.isDraining = true
    route.renewals += 1
    // The connection's token is stale when another one was minted since; else a new one is due.
    if source.generation == connection.tokenGeneration { _ = try? source.renew() }
    guard route.renewals > Self.renewalLimit else { return true }
    stop(route, "ExpiredProviderToken: a fresh provider token is refused as too old" + skew(refusal))
    return false
  }

  /// Times in a row that a provider token is called expired before that is believed.
  private static let renewalLimit = 3

  /// How far this machine's clock is from the service's, in words; empty when that explains nothing.
  private func skew(_ refusal: Refusal) -> String {
    guard let date = refusal.date, let words = ClockSkew.words(serverDate: date.span, now: clock.unixSeconds) else {
      return ""
    }
    return "; " + words
  }

  /// The longest `Retry-After` that is waited for, in seconds.
  private static let longestRest = 900

  private func delay(_ index: Int, after refusal: Refusal) {
    let backoff = Backoff(base: settings.retryDelay, limit: settings.retryDelayLimit)
    var wait = backoff.delay(attempt: flights[index].retried, using: &generator)
    if let seconds = refusal.retryAfter { wait = max(wait, UInt64(seconds) * 1_000_000_000) }
    delay(index, until: now + wait)
  }

  func delay(_ index: Int, until due: UInt64) {
    flights[index].stage = .delayed
    schedule.add(index, due: due)
  }

  func requeue(_ index: Int) {
    let route = routes[flights[index].route]
    if let reason = route.stopReason { return finish(index, unsent: reason) }
    flights[index].stage = .ready
    route.ready.prepend(index)
  }

  /// A bad token may be a good one of the other environment: that is asked once before the token is called bad.
  private func asksOtherEnvironment(_ index: Int, _ refusal: Refusal) -> Bool {
    guard settings.triesOtherEnvironment, refusal.reason == "BadDeviceToken", !flights[index].triedOtherEnvironment,
      flights[index].environment == nil
    else { return false }
    let here = routes[flights[index].route].service
    let other = routes.firstIndex { $0.service.name == here.name && $0.service.environment != here.environment }
    guard let other, routes[other].stopReason == nil else { return false }
    flights[index].triedOtherEnvironment = true
    flights[index].retried = 0
    flights[index].route = other
    requeue(index)
    return true
  }

  /// A refusal that every further request would meet: the credential goes no further, or this topic does not.
  private func giveUp(_ index: Int, _ refusal: Refusal, _ route: Route) {
    let words = refusal.reason.flatMap { Reason.named($0)?.meaning } ?? "status \(refusal.status)"
    let reason = "\(refusal.reason ?? String(refusal.status)): \(words)" + skew(refusal)
    guard refusal.reason == "TopicDisallowed" else { return stop(route, reason) }
    let topic = topic(of: index)
    if route.refusedTopics.count < 10_000, route.refusedTopics.updateValue(reason, forKey: topic) == nil {
      recorder.say("stopped for topic \(String(decoding: topic, as: UTF8.self)): \(reason)")
    }
    if stopReason == nil { stopReason = reason }
  }

  private func topic(of index: Int) -> [UInt8] {
    guard flights[index].topic.isPresent else { return defaultTopic }
    return Array(flights[index].bytes[flights[index].topic.range])
  }

  func refusedTopic(_ index: Int, _ route: Route) -> String? {
    route.refusedTopics.isEmpty ? nil : route.refusedTopics[topic(of: index)]
  }
}
