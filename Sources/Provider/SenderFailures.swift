// Requests without an answer: what is proven not to have been acted on is sent again, the rest has no known end.

import APNs
import HTTP2

extension Sender {
  /// Most times a request that nobody acted on is sent anew.
  private static let refusalLimit = 10
  /// The same for one that lay behind the last stream of a GOAWAY, on a connection that served: some lines lie there
  /// again and again where GOAWAY is frequent. A line that makes the service say it must come to its end all the same.
  private static let goAwayLimit = 100

  func streamFailed(_ event: ClientEvent, _ connection: Connection, _ route: Route) {
    let index = event.tag
    guard isUnderWay(index, event, connection) else { return }
    let words = connection.failure?.message ?? connection.fate ?? connection.session.note(event)
    let reason = words.isEmpty ? "the stream was reset: \(event.code)" : words
    // What was never encrypted did not leave this process, whatever HTTP/2 knows about it.
    let neverLeft = flights[index].position >= connection.handed
    if neverLeft { flights[index].attempts -= 1 }
    if event.isUnprocessed || neverLeft {
      if settings.neverTwice { return finish(index, unsent: "refused without being acted on: \(reason)") }
      // Who says GOAWAY on a connection that answered others refuses no line in particular.
      if connection.session.isClosing, connection.hasAnswered, flights[index].goAways < Self.goAwayLimit {
        flights[index].goAways += 1
        recorder.resent += 1
        return requeue(index)
      }
      flights[index].refusals += 1
      guard flights[index].refusals <= Self.refusalLimit else {
        if route.isBarren() { stop(route, "\(route.service.host) acts on no request: \(reason)") }
        return finish(index, unsent: "refused \(flights[index].refusals) times without being acted on: \(reason)")
      }
      recorder.resent += 1
      return flights[index].refusals <= 2 ? requeue(index) : rest(index)
    }
    if settings.resendsUnknown, mayRetry(index, route) { return requeue(index) }
    finish(index, unknown: reason)
  }

  private func rest(_ index: Int) {
    let backoff = Backoff(base: 50_000_000, limit: 2_000_000_000)
    delay(index, until: now + backoff.delay(attempt: flights[index].refusals, using: &generator))
  }

  /// Most times that flow control may hold a request back until its time is over.
  private static let heldBackLimit = 3

  /// The body never went out whole: nobody acted on it, and another connection may have room.
  private func heldBack(_ index: Int, _ reason: String) {
    flights[index].refusals += 1
    guard !settings.neverTwice, flights[index].refusals < Self.heldBackLimit else {
      return finish(index, unsent: reason)
    }
    recorder.resent += 1
    requeue(index)
  }

  func timeOut(_ index: Int) {
    let seconds = settings.requestTimeout / 1_000_000_000
    let route = routes[flights[index].route]
    let (key, stream, sent) = (flights[index].connection, flights[index].stream, flights[index].sent)
    let connection = route.connections.first { $0.key == key }
    if connection?.session.isHeldBack(stream) == true {
      heldBack(index, "\(route.service.host) made no room for the request's body within \(seconds) s")
    } else if settings.resendsUnknown, mayRetry(index, route) {
      requeue(index)
    } else {
      finish(index, unknown: "no answer within \(seconds) s")
    }
    // The flight is gone before its stream ends: what the stream has to say then is nobody's.
    guard let connection else { return }
    // No answer to anybody in all that time, whatever it does with PING: what waits is better off on another one.
    if connection.lastAnswer < sent { connection.isDraining = true }
    connection.session.reset(stream, .cancel)
    connection.flush()
    if !connection.hasAnswered, connection.inFlight <= 1 {
      connection.end("\(route.service.host) answers nothing: no answer within \(seconds) s on a new connection")
    }
    settle(connection)
  }
}

extension ClientEvent {
  /// A stream that ended behind a status and before the end of the answer, for no fault in that: what was decided is
  /// known, though perhaps not why.
  var isAnswer: Bool { status != 0 && [.noError, .cancel, .internalError].contains(code) }
}
