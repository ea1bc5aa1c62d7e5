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
      route.succeeded()
      answered(event, connection, route)
      connection.session.release(event.slot)
    case .failed:
      connection.inFlight -= 1
      connection.session.release(event.slot)
      streamFailed(event, connection, route)
    case .goAway:
      connection.isDraining = true
      sayGoodbye(connection.session.note(event), event.code, route)
    case .settings, .pong: break
    case .broken:
      connection.end("HTTP/2 with \(route.service.host): \(connection.session.note(event))")
    }
  }

  private func sayGoodbye(_ debug: String, _ code: ErrorCode, _ route: Route) {
    var reason = debug.isEmpty ? code.description : debug
    let bytes = Array(debug.utf8)
    if (try? answerReader.read(bytes.span)) != nil {
      let tokens = answerReader.tokens
      let document = Document(bytes.span, tokens.span)
      if let node = document.find("reason", in: 0), document.kind(node) == .string { reason = document.string(node) }
    }
    let shown = String(reason.unicodeScalars.prefix(200).filter { $0.value >= 0x20 })
    say("\(route.service.host) says GOAWAY: \(shown)")
    // The reasons of refusals apply to connections too: a bad certificate is told this way alone.
    if let row = Reason.named(shown), row.advice == .stop { stop(route, "\(row.name): \(row.meaning)") }
  }

  // MARK: Answers

  private func answered(_ event: ClientEvent, _ connection: Connection, _ route: Route) {
    let index = event.tag
    guard isUnderWay(index, event, connection) else { return }
    if event.status == 200 {
      finish(index, Ending(.accepted), connection, event.slot)
      return
    }
    let refusal = Refusal.read(connection.session, event.slot, &answerReader)
    if sendAgain(index, after: refusal, connection, route) { return }
    var ending = Ending(.rejected)
    ending.status = refusal.status
    ending.reason = refusal.reason
    ending.advice = refusal.advice
    ending.timestamp = refusal.timestamp
    if refusal.advice == .stop { giveUp(index, refusal, route) }
    finish(index, ending, connection, event.slot)
  }

  /// Whether the event is about the flight that has the place now: one that timed out has ended before its stream.
  private func isUnderWay(_ index: Int, _ event: ClientEvent, _ connection: Connection) -> Bool {
    flights.indices.contains(index) && flights[index].stage == .sent && flights[index].stream == event.stream
      && flights[index].connection == connection.key
  }

  /// Whether the refusal only means "not now", and the flight was put back.
  private func sendAgain(
    _ index: Int, after refusal: Refusal, _ connection: Connection, _ route: Route
  ) -> Bool {
    guard flights[index].attempts <= settings.retries, route.stopReason == nil else { return false }
    switch refusal.advice {
    case .renew:
      connection.isDraining = true
      guard case .token(let source) = route.service.credential else { return false }
      // The connection's token is stale when another one was minted since; else a new one is due.
      if source.generation == connection.tokenGeneration, (try? source.renew()) != true { return false }
      requeue(index)
    case .retry:
      if refusal.reason == "Shutdown" || refusal.reason == "IdleTimeout" {
        connection.isDraining = true
        requeue(index)
      } else {
        delay(index, after: refusal)
      }
    default: return false
    }
    return true
  }

  private func delay(_ index: Int, after refusal: Refusal) {
    let backoff = Backoff(base: settings.retryDelay, limit: settings.retryDelayLimit)
    var wait = backoff.delay(attempt: flights[index].attempts, using: &generator)
    if let seconds = refusal.retryAfter { wait = max(wait, UInt64(seconds) * 1_000_000_000) }
    flights[index].stage = .delayed
    schedule.add(index, due: now + wait)
  }

  func requeue(_ index: Int) {
    let route = routes[flights[index].route]
    if let reason = route.stopReason { return finish(index, unsent: reason) }
    flights[index].stage = .ready
    route.ready.prepend(index)
  }

  /// A refusal that every further request would meet: the credential goes no further, or this topic does not.
  private func giveUp(_ index: Int, _ refusal: Refusal, _ route: Route) {
    let words = refusal.reason.flatMap { Reason.named($0)?.meaning } ?? "status \(refusal.status)"
    let reason = "\(refusal.reason ?? String(refusal.status)): \(words)"
    guard refusal.reason == "TopicDisallowed" else { return stop(route, reason) }
    let topic = topic(of: index)
    if route.refusedTopics.count < 10_000, route.refusedTopics.updateValue(reason, forKey: topic) == nil {
      say("stopped for topic \(String(decoding: topic, as: UTF8.self)): \(reason)")
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

  // MARK: No answer

  /// Most times a request that nobody acted on is sent anew.
  private static let refusalLimit = 10

  private func streamFailed(_ event: ClientEvent, _ connection: Connection, _ route: Route) {
    let index = event.tag
    guard isUnderWay(index, event, connection) else { return }
    let words = connection.failure?.message ?? connection.session.note(event)
    let reason = words.isEmpty ? "the stream was reset: \(event.code)" : words
    if event.isUnprocessed {
      flights[index].refusals += 1
      flights[index].attempts -= 1
      guard flights[index].refusals <= Self.refusalLimit else {
        return finish(index, unsent: "refused \(flights[index].refusals) times without being acted on: \(reason)")
      }
      return flights[index].refusals <= 2 ? requeue(index) : wait(index)
    }
    if settings.resendsUnknown, flights[index].attempts <= settings.retries { return requeue(index) }
    finish(index, unknown: reason)
  }

  private func wait(_ index: Int) {
    let backoff = Backoff(base: 50_000_000, limit: 2_000_000_000)
    flights[index].stage = .delayed
    schedule.add(index, due: now + backoff.delay(attempt: flights[index].refusals, using: &generator))
  }

  func timeOut(_ index: Int) {
    let seconds = settings.requestTimeout / 1_000_000_000
    let stream = flights[index].stream
    for connection in routes[flights[index].route].connections where connection.key == flights[index].connection {
      // Nothing at all for so long: the connection is dead, whatever the socket says.
      if now - connection.lastHeard > settings.requestTimeout {
        connection.end("\(routes[flights[index].route].service.host) has been silent for \(seconds) s")
        return
      }
      connection.session.reset(stream, .cancel)
    }
    finish(index, unknown: "no answer within \(seconds) s")
  }

  // MARK: Results

  private func finish(_ index: Int, _ ending: Ending, _ connection: Connection, _ slot: Int32) {
    var ending = ending
    ending.elapsed = elapsed(index)
    let hasID = flights[index].id.isPresent
    let isSandbox = routes[flights[index].route].service.environment == .sandbox
    let isBroadcast = flights[index].channel.isPresent
    let session = connection.session
    flights[index].appendResult(ending, to: &results) { out in
      if !hasID, let id = session.field(slot, "apns-id") { ResultLine.text(&out, "id", id) }
      if isSandbox, let unique = session.field(slot, "apns-unique-id") { ResultLine.text(&out, "unique_id", unique) }
      if isBroadcast, let id = session.field(slot, "apns-request-id") { ResultLine.text(&out, "request_id", id) }
    }
    counts.add(ending.outcome)
    flights.release(index)
  }

  func finish(_ index: Int, unknown reason: String) {
    finish(index, .unknown, reason)
  }

  func finish(_ index: Int, unsent reason: String) {
    finish(index, .unsent, reason)
  }

  private func finish(_ index: Int, _ outcome: Outcome, _ reason: String) {
    var ending = Ending(outcome)
    ending.error = reason
    if flights[index].attempts > 0 { ending.elapsed = elapsed(index) }
    flights[index].appendResult(ending, to: &results) { _ in }
    counts.add(outcome)
    flights.release(index)
  }

  /// Milliseconds since the flight was handed in, rounded.
  private func elapsed(_ index: Int) -> Int {
    let started = flights[index].started
    return now > started ? Int((now - started + 500_000) / 1_000_000) : 0
  }
}
