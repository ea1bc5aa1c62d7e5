// Listening and accepting: the front door, and the ways it can be kept shut.

import APNs
import POSIX
import TLS

/// No port could be had.
public struct ListenError: Error, CustomStringConvertible {
  public let description: String
}

extension Server {
  /// Listens at each address on one port. With port 0 the first address chooses and the others follow; when one of
  /// them finds that port taken, another choice is made.
  func listen(service: Int, role: Role = .push, port: Int) throws {
    var last: (any Error)?
    for _ in 0..<(port == 0 ? 20 : 1) {
      do {
        for listener in try open(service, role, port) { listeners.append(listener) }
        for index in listeners.indices where listeners[index].service == service && listeners[index].role == role {
          try poller.add(listeners[index].socket, for: .readable, key: -2 - index)
        }
        return
      } catch {
        last = error
      }
    }
    if let last { throw last }
  }

  private func open(_ service: Int, _ role: Role, _ port: Int) throws -> [Listener] {
    var opened: [Listener] = []
    var chosen = port
    for text in settings.addresses {
      for address in try Socket.resolve(text, port: chosen, passive: true) {
        do {
          let socket = try Socket.listen(at: address)
          if chosen == 0 { chosen = Socket.localPort(socket) }
          let real = try Socket.resolve(text, port: chosen, passive: true).first { $0.isIPv6 == address.isIPv6 }
          opened.append(Listener(socket: socket, address: real ?? address, service: service, role: role))
        } catch let error as SystemError {
          // A machine without IPv6 still has the other loopback.
          if address.isIPv6, !opened.isEmpty, !error.isAddressInUse { continue }
          throw ListenError(description: "cannot listen at \(address): \(error.message)")
        }
        break
      }
    }
    return opened
  }

  /// Takes what waits at a listener.
  func accept(listener index: Int) {
    guard isListening, listeners.indices.contains(index) else { return }
    for _ in 0..<64 {
      if connectionCount >= settings.connectionLimit {
        observer.trouble("limit", connection: nil, "\(connectionCount) connections are open: no more are accepted")
        return pauseListening(milliseconds: 100)
      }
      do {
        guard let socket = try Socket.accept(listeners[index].socket) else { return }
        take(socket, listeners[index])
      } catch {
        observer.trouble("accept", connection: nil, "no connection can be accepted: \(error)")
        return pauseListening(milliseconds: 100)
      }
    }
  }

  private func take(_ socket: Descriptor, _ listener: Listener) {
    let service = listener.service
    observer.connected()
    let number = observer.connections
    observer.event("connect", connection: number) {
      $0.key("environment")
      $0.string(self.checks[service].environment.rawValue)
    }
    if refuse > 0 {
      refuse -= 1
      observer.event("refused", connection: number)
      return Socket.resetOnClose(socket)
    }
    do {
      let channel = try Channel(listener.role == .push ? context : binaryContext ?? context)
      let place = freePlaces.popLast() ?? connections.count
      let connection = Connection(number, socket, channel, checks[service], listener.role, place: place)
      try poller.add(socket, for: .readable, key: place)
      if place == connections.count { connections.append(connection) } else { connections[place] = connection }
      connectionCount += 1
      connection.deadline = now + UInt64(settings.handshakeSeconds) * 1_000_000_000
      if connectionCount == 1 { nextSweep = now + 1_000_000_000 }
      if failTLS > 0 { failHandshake(connection) }
    } catch {
      observer.trouble("accept", connection: number, "the connection cannot be served: \(error)")
    }
  }

  /// Sends a fatal alert where the handshake should begin: handshake_failure, in a plain record (RFC 8446 section 6).
  private func failHandshake(_ connection: Connection) {
    failTLS -= 1
    observer.event("tls_failed", connection: connection.number)
    let alert: [UInt8] = [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28]
    _ = try? connection.socket.write(alert.span)
    connection.socket.shutdownWriting()
    linger(connection)
  }

  /// Accepts nothing for a while; connections wait in the system's queue.
  func pauseListening(milliseconds: Int) {
    guard isListening else { return }
    isListening = false
    for listener in listeners { poller.remove(listener.socket) }
    timers.add(Timer(due: now + UInt64(milliseconds) * 1_000_000, place: -1, number: -1, kind: .listen))
  }

  /// Closes the listening sockets for a while: connecting is refused.
  func refuseConnections(milliseconds: Int) {
    guard isListening else { return }
    observer.event("not_listening", connection: nil)
    pauseListening(milliseconds: milliseconds)
    for index in listeners.indices { listeners[index].socket = .standardError }
  }

  /// Listens again.
  func resumeListening() {
    for index in listeners.indices {
      do {
        if listeners[index].socket === Descriptor.standardError {
          listeners[index].socket = try Socket.listen(at: listeners[index].address)
        }
        try poller.add(listeners[index].socket, for: .readable, key: -2 - index)
      } catch {
        observer.trouble("listen", connection: nil, "cannot listen at \(listeners[index].address) again: \(error)")
      }
    }
    isListening = true
  }

  /// Listens no more.
  func stopListening() {
    if isListening { for listener in listeners { poller.remove(listener.socket) } }
    isListening = false
    listeners.removeAll()
  }
}

extension SystemError {
  /// Another process has the port (EADDRINUSE).
  var isAddressInUse: Bool {
    #if os(Linux)
      code == 98
    #else
      code == 48
    #endif
  }
}
