// How a transport comes about: the name, the addresses one after the other, the proxy, the start of TLS.

import POSIX
import TLS

extension Transport {
  /// Starts: the name first. Numeric addresses need no resolver and no thread.
  func start(now: UInt64) {
    let (host, port) = settings.proxy.map { ($0.host, $0.port) } ?? (host, port)
    if let resolution = Resolution(host: host, port: port) {
      self.resolution = resolution
      do throws(SystemError) { try poller.add(resolution.descriptor, for: .readable, key: key) } catch {
        end("cannot wait for the resolver: \(error.message)")
      }
    } else {
      do throws(ResolutionError) {
        addresses = try Socket.resolve(host, port: port)
        connectNext(now)
      } catch {
        end("\(host) is not an address: \(error.message)", final: true)
      }
    }
  }

  /// The next phase's turn: the poller found the descriptor ready before TLS began.
  func advance(_ now: UInt64) {
    switch phase {
    case .resolving: takeAddresses(now)
    case .connecting: finishConnect(now)
    case .proxying: talkToProxy(now)
    case .handshaking, .open, .closed: break
    }
  }

  /// The present phase took too long.
  func expire(now: UInt64) {
    switch phase {
    case .resolving: end("the name of \(reached) was not resolved in time")
    case .connecting:
      // The last address has all the time that is left.
      if addresses.isEmpty || now >= connectLimit { return end("no connection to \(reached) in time") }
      if let socket { poller.remove(socket) }
      socket = nil
      connectNext(now)
    case .proxying: end("no answer from \(reached) in time")
    case .handshaking: end("no TLS handshake with \(place) in time")
    case .open, .closed: break
    }
  }

  /// What the socket is connected to: the peer, or the proxy before it.
  private var reached: String { settings.proxy.map { "the proxy \($0.host):\($0.port)" } ?? place }

  private func takeAddresses(_ now: UInt64) {
    guard let resolution else { return }
    poller.remove(resolution.descriptor)
    self.resolution = nil
    switch resolution.result {
    case .success(let found):
      addresses = found.spread()
      connectNext(now)
    case .failure(let error):
      let whose = settings.proxy == nil ? "name" : "proxy's name"
      end("the \(whose) \(error.host) cannot be resolved: \(error.message)")
    case nil:
      end("the name of \(reached) cannot be resolved")
    }
  }

  private func connectNext(_ now: UInt64, after error: SystemError? = nil) {
    guard !addresses.isEmpty else {
      let words = error?.message ?? "no address"
      return end("cannot connect to \(reached): \(words)")
    }
    let next = addresses.removeFirst()
    address = next
    // An address that swallows what is sent to it must not use up the others' time (RFC 8305 has the same worry).
    let left = connectLimit - min(now, connectLimit)
    deadline = addresses.isEmpty ? connectLimit : now + left / UInt64(addresses.count + 1)
    do throws(SystemError) {
      let socket = try Socket.connect(to: next)
      self.socket = socket
      phase = .connecting
      interest = .writable
      try poller.add(socket, for: .writable, key: key)
    } catch {
      connectNext(now, after: error)
    }
  }

  private func finishConnect(_ now: UInt64) {
    guard let socket else { return }
    if let error = Socket.pendingError(socket) {
      poller.remove(socket)
      self.socket = nil
      return connectNext(now, after: error)
    }
    guard let proxy = settings.proxy else { return startTLS(now) }
    phase = .proxying
    deadline = now + settings.connectTimeout
    do throws(SystemError) {
      // A request this short always fits into the empty buffer of a new socket.
      _ = try socket.write(proxy.request(to: place).span)
      try watch(.readable)
    } catch {
      end("cannot write to \(reached): \(error.message)")
    }
  }

  private func talkToProxy(_ now: UInt64) {
    guard let socket else { return }
    do throws(SystemError) {
      // The tunnel's own bytes follow only after our ClientHello: whatever is read here is the proxy's answer.
      guard case .bytes = try socket.read(into: &proxyAnswer, limit: 4096) else {
        return end("\(reached) closed the connection")
      }
    } catch {
      return end("\(reached): \(error.message)")
    }
    switch Proxy.read(proxyAnswer) {
    case nil: return
    case .open: startTLS(now)
    case .refused(let words): end("\(reached) makes no tunnel to \(place): \(words)", final: true)
    }
  }

  private func startTLS(_ now: UInt64) {
    phase = .handshaking
    deadline = now + settings.handshakeTimeout
    do throws(Failure) {
      channel = try Channel(context, host: host)
      flush()
    } catch {
      end("TLS with \(place): \(error.message)", final: true)
    }
  }
}

extension [Address] {
  /// DNS gives several addresses so that clients spread over them. The resolver's first family stays the first; the
  /// families take turns, so that one which leads nowhere costs one attempt (RFC 8305 §4).
  func spread() -> [Address] {
    let leader = first?.isIPv6 ?? false
    let first = filter { $0.isIPv6 == leader }.shuffled()
    let second = filter { $0.isIPv6 != leader }.shuffled()
    var result: [Address] = []
    for place in 0..<Swift.max(first.count, second.count) {
      if place < first.count { result.append(first[place]) }
      if place < second.count { result.append(second[place]) }
    }
    return result
  }
}
