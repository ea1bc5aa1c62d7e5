// A connection that carries bytes and no more: name, socket, proxy, TLS. The old binary services speak on it as they
// like; nothing is chosen by ALPN and nobody keeps it alive.

import POSIX
import TLS

/// A stream of plain bytes over TLS, moved forward by readiness and time. The owner polls, calls `handle`, takes what
/// is in `received`, and appends what is to be sent with `send`.
final class Transport {
  enum Phase {
    case resolving, connecting, proxying, handshaking, open, closed
  }

  /// The poller's key; never used twice.
  let key: Int
  private(set) var phase = Phase.resolving
  private(set) var failure: ConnectionFailure?
  /// The peer refused our certificate: what was written behind the handshake was never looked at.
  private(set) var isRefused = false
  /// The peer closed an open connection of its own will, with or without the close of TLS.
  private(set) var isEndedByPeer = false
  /// Monotonic nanoseconds when the present phase must be over.
  private(set) var deadline: UInt64
  private(set) var address: Address?
  /// Decrypted bytes that the owner has not taken yet.
  var received: [UInt8] = []
  /// How many bytes were encrypted so far: what lies behind this never left the process.
  private(set) var handed: UInt64 = 0
  /// How many encrypted bytes the socket has taken.
  private var written: UInt64 = 0

  private let host: String
  private let port: Int
  private let context: ClientContext
  private let settings: SenderSettings
  private let poller: Poller
  private var resolution: Resolution?
  private var addresses: [Address] = []
  private var socket: Descriptor?
  private var channel: Channel?
  private var interest: Readiness = []
  private var proxyAnswer: [UInt8] = []
  private var plain: [UInt8] = []
  /// Changes places with `plain` while it is encrypted; empty otherwise.
  private var encrypting: [UInt8] = []
  /// Writing failed; what the peer said last may still be read.
  private var brokenWrite: SystemError?

  /// Bytes that may wait for a slow peer before the owner should wait as well.
  private static let outputLimit = 262_144
  /// Encrypt from this many bytes on: full records cost a fifth of small ones.
  private static let recordSize = 16_384

  init(
    key: Int, host: String, port: Int, context: ClientContext, settings: SenderSettings, poller: Poller, now: UInt64
  ) {
    self.key = key
    self.host = host
    self.port = port
    self.context = context
    self.settings = settings
    self.poller = poller
    deadline = now + settings.connectTimeout
  }

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

  var isClosed: Bool { phase == .closed }
  var tlsVersion: String { channel?.version ?? "" }
  /// Whether more may be sent now.
  var hasRoom: Bool {
    phase == .open && brokenWrite == nil && plain.count < Self.outputLimit
      && (channel?.outputCount ?? 0) < Self.outputLimit
  }
  /// Whether everything that was to be sent is encrypted.
  var isEncrypted: Bool { plain.isEmpty }
  /// Where in the stream of encrypted bytes all of them that there are so far end.
  var encryptedEnd: UInt64 { written + UInt64(channel?.outputCount ?? 0) }
  /// How many encrypted bytes the peer's system has acknowledged; where that is not told, how many the socket has taken.
  var acknowledged: UInt64 {
    guard let socket else { return written }
    return written - min(written, UInt64(Socket.unacknowledged(socket) ?? 0))
  }
  /// Where in the stream the next byte to be sent stands.
  var position: UInt64 { handed + UInt64(plain.count) }
  /// Host and port in words.
  var place: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Lets the body append what is to be sent.
  func send<Value>(_ body: (inout [UInt8]) -> Value) -> Value {
    let value = body(&plain)
    if plain.count >= Self.recordSize { flush() }
    return value
  }

  /// The poller found the descriptor ready. `buffers` are the owner's, shared by all connections.
  func handle(_ readiness: Readiness, now: UInt64, _ buffers: inout ReadBuffers) {
    switch phase {
    case .resolving: takeAddresses(now)
    case .connecting: finishConnect(now)
    case .proxying: talkToProxy(now)
    case .handshaking, .open:
      if readiness.contains(.readable) { read(&buffers) }
      if phase != .closed { flush() }
    case .closed: break
    }
  }

  /// The present phase took too long.
  func expire() {
    switch phase {
    case .resolving: end("the name of \(reached) was not resolved in time")
    case .connecting: end("no connection to \(reached) in time")
    case .proxying: end("no answer from \(reached) in time")
    case .handshaking: end("no TLS handshake with \(place) in time")
    case .open, .closed: break
    }
  }

  private var reached: String { settings.proxy.map { "the proxy \($0.host):\($0.port)" } ?? place }

  // MARK: Name and socket

  private func takeAddresses(_ now: UInt64) {
    guard let resolution else { return }
    poller.remove(resolution.descriptor)
    self.resolution = nil
    switch resolution.result {
    case .success(let found):
      addresses = found.spread()
      connectNext(now)
    case .failure(let error): end("the name \(error.host) cannot be resolved: \(error.message)")
    case nil: end("the name of \(reached) cannot be resolved")
    }
  }

  private func connectNext(_ now: UInt64, after error: SystemError? = nil) {
    guard !addresses.isEmpty else {
      return end("cannot connect to \(reached): \(error?.message ?? "no address")")
    }
    let next = addresses.removeFirst()
    address = next
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

  // MARK: Bytes

  private func read(_ buffers: inout ReadBuffers) {
    guard let socket, let channel else { return }
    // A few reads at most: other connections and the input want their turn.
    for _ in 0..<4 {
      let got: Descriptor.Transfer
      do throws(SystemError) { got = try socket.fill(&buffers.cipher) } catch {
        return end("the connection to \(place) broke: \(error.message)")
      }
      switch got {
      case .wouldBlock: return
      case .end: return peerEnded(channel)
      case .bytes(let count):
        guard take(count, channel, buffers.cipher) else { return }
        if count < buffers.cipher.count { return }
      }
    }
  }

  private func take(_ count: Int, _ channel: Channel, _ cipher: borrowing [UInt8]) -> Bool {
    do throws(Failure) {
      try channel.receive(cipher.span.extracting(first: count), into: &received)
    } catch {
      // Under TLS 1.3 a certificate is refused only after the client believes that all is well.
      isRefused = error.alert.map { (42...49).contains($0) || $0 == 116 } ?? false
      let isFinal = isRefused || phase == .handshaking && error.kind == .verification
      end("TLS with \(place): \(error.message)", final: isFinal)
      return false
    }
    if phase == .handshaking, channel.phase == .open || channel.phase == .closed {
      phase = .open
      deadline = .max
    }
    if channel.phase == .closed {
      isEndedByPeer = true
      end("\(place) closed the connection")
      return false
    }
    return true
  }

  private func peerEnded(_ channel: Channel) {
    isEndedByPeer = phase == .open
    do throws(Failure) {
      try channel.receiveEnd(into: &received)
      end("\(place) closed the connection")
    } catch {
      end("\(place) closed the connection: \(error.message)")
    }
  }

  /// Encrypts what is there and writes what the socket takes.
  func flush() {
    guard let socket, let channel, phase == .open || phase == .handshaking, brokenWrite == nil else { return }
    do {
      if phase == .open, !plain.isEmpty, channel.outputCount < Self.outputLimit {
        swap(&plain, &encrypting)
        handed += UInt64(encrypting.count)
        try Self.encrypt(encrypting, channel)
        encrypting.removeAll(keepingCapacity: true)
      }
      while channel.outputCount > 0 {
        guard case .bytes(let count) = try socket.write(channel.output) else { break }
        channel.consumeOutput(count)
        written += UInt64(count)
      }
      try watch(channel.outputCount > 0 ? [.readable, .writable] : .readable)
    } catch let error as SystemError {
      // The peer may have said why before it closed: reading finds out. A socket that is gone for good reads its end.
      brokenWrite = error
      try? watch(.readable)
    } catch {
      end("TLS with \(place): \(error)")
    }
  }

  private static func encrypt(_ bytes: borrowing [UInt8], _ channel: Channel) throws(Failure) {
    try channel.write(bytes.span)
  }

  private func watch(_ wanted: Readiness) throws(SystemError) {
    guard wanted != interest, let socket else { return }
    interest = wanted
    try poller.change(socket, to: wanted, key: key)
  }

  // MARK: The end

  /// Ends it, once. What is in `received` stays.
  func end(_ message: String, final: Bool = false) {
    guard phase != .closed else { return }
    var words = message
    if let error = brokenWrite, !message.contains(error.message) { words += " (\(error.message))" }
    failure = ConnectionFailure(message: words, isFinal: final)
    phase = .closed
    if let resolution { poller.remove(resolution.descriptor) }
    resolution = nil
    if let socket { poller.remove(socket) }
    socket = nil
    channel = nil
    plain = []
  }

  /// Says good-bye and closes.
  func close() {
    if phase == .open, let channel {
      flush()
      channel.close()
      if let socket, channel.outputCount > 0 { _ = try? socket.write(channel.output) }
    }
    end("closed")
  }
}
