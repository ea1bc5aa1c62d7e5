// How connections end: in order, for a fault, because the client left.

import POSIX
import TLS

extension Server {
  /// Waits a moment for the client's end: closing with its bytes unread would reset the connection, and what we sent
  /// last might be lost with it.
  func linger(_ connection: Connection) {
    connection.ending = .lingering
    connection.deadline = now + 1_000_000_000
    want(connection, .readable)
  }

  /// TLS failed: the client gets the alert, and we say why.
  func failed(_ connection: Connection, _ failure: TLS.Failure) {
    if connection.session == nil, connection.stream == nil {
      // The client's word for a certificate whose authority it was not told to trust: unknown_ca (RFC 8446 section 6).
      let hint = failure.alert == 48 ? ": it was not given our authority; see APNS_CA_FILE" : ""
      observer.trouble("tls", connection: connection.number, failure.message + hint)
      if failure.message.contains("plain HTTP") { explainTLS(connection) }
    } else {
      observer.event("tls", connection: connection.number) {
        $0.key("message")
        $0.string(failure.message)
      }
    }
    if connection.ending == .none { connection.ending = .orderly }
  }

  /// A browser or an HTTP/1.1 client that forgot the s of https gets words it can show.
  private func explainTLS(_ connection: Connection) {
    let words = "This port speaks TLS and HTTP/2 only, as APNs does: use https.\n"
    let text = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n"
    connection.channel.consumeOutput(connection.channel.outputCount)
    _ = try? connection.socket.write(Array("\(text)Content-Length: \(words.utf8.count)\r\n\r\n\(words)".utf8).span)
  }

  /// The client sent its close_notify.
  func closedByPeer(_ connection: Connection) {
    if connection.ending == .none { connection.ending = .orderly }
  }

  /// The client's end of the socket is closed.
  func end(_ connection: Connection) {
    if connection.ending == .none, connection.channel.phase == .handshaking {
      observer.trouble(
        "tls", connection: connection.number, "the client closed the connection before the TLS handshake was done")
    }
    drop(connection, "closed by the client")
  }

  /// Forgets a connection; its socket closes.
  func drop(_ connection: Connection, _ why: String) {
    guard connections[connection.place] === connection else { return }
    poller.remove(connection.socket)
    connections[connection.place] = nil
    freePlaces.append(connection.place)
    connectionCount -= 1
    observer.event("close", connection: connection.number) {
      $0.key("message")
      $0.string(why)
      $0.key("requests")
      $0.integer(connection.requests)
    }
  }
}
