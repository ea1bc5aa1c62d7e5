// TCP: names to addresses, connecting without waiting, listening.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// One resolved address, IPv4 or IPv6, with its port.
public struct Address: Sendable, Equatable, CustomStringConvertible {
  /// The `sockaddr` as bytes.
  let storage: [UInt8]
  let family: Int32

  public var isIPv6: Bool { family == AF_INET6 }

  /// The numeric form: `127.0.0.1:443`, `[::1]:443`.
  public var description: String {
    var host = [CChar](repeating: 0, count: 64)
    var service = [CChar](repeating: 0, count: 16)
    let hostSize = socklen_t(host.count)
    let serviceSize = socklen_t(service.count)
    let code = withSockaddr { pointer, length in
      getnameinfo(pointer, length, &host, hostSize, &service, serviceSize, NI_NUMERICHOST | NI_NUMERICSERV)
    }
    guard code == 0 else { return "?" }
    let name = text(host)
    return family == AF_INET6 ? "[\(name)]:\(text(service))" : "\(name):\(text(service))"
  }

  func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    storage.withUnsafeBytes { raw in
      body(raw.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count))
    }
  }

  private func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// A name that could not be turned into addresses, in the resolver's words.
public struct ResolutionError: Error, Equatable, Sendable {
  public let host: String
  public let message: String
}

public enum Socket {
  /// The addresses of a host in the resolver's order. Waits for the network: call it from a thread that may wait.
  public static func resolve(_ host: String, port: Int, passive: Bool = false) throws(ResolutionError) -> [Address] {
    var hints = addrinfo()
    #if canImport(Glibc)
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
      hints.ai_socktype = SOCK_STREAM
    #endif
    hints.ai_flags = passive ? AI_PASSIVE : 0
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, String(port), &hints, &list)
    guard code == 0, let list else {
      let message = code == EAI_SYSTEM ? SystemError.last("getaddrinfo").message : String(cString: gai_strerror(code))
      throw ResolutionError(host: host, message: message)
    }
    defer { freeaddrinfo(list) }
    var addresses: [Address] = []
    var next: UnsafeMutablePointer<addrinfo>? = list
    while let entry = next?.pointee {
      if let pointer = entry.ai_addr {
        let raw = UnsafeRawBufferPointer(start: pointer, count: Int(entry.ai_addrlen))
        addresses.append(Address(storage: Array(raw), family: entry.ai_family))
      }
      next = entry.ai_next
    }
    return addresses
  }

  /// Whether the text is an IPv4 or IPv6 address, which needs no resolver.
  public static func isNumeric(_ host: String) -> Bool {
    var four = in_addr()
    var six = in6_addr()
    return inet_pton(AF_INET, host, &four) == 1 || inet_pton(AF_INET6, host, &six) == 1
  }

  /// Starts to connect and returns at once; the socket becomes writable when it is decided (see `pendingError`).
  public static func connect(to address: Address) throws(SystemError) -> Descriptor {
    let socket = try make(address.family)
    setNoDelay(socket)
    let code = address.withSockaddr { systemConnect(socket.number, $0, $1) }
    if code != 0 && errno != EINPROGRESS { throw .last("connect") }
    return socket
  }

  /// Why a connection attempt failed, nil when it stands.
  public static func pendingError(_ socket: Descriptor) -> SystemError? {
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(socket.number, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { return .last("getsockopt") }
    return code == 0 ? nil : SystemError("connect", code: code)
  }

  /// How many bytes that were written to a connection its peer has not acknowledged yet; nil where the system does not
  /// tell.
  public static func unacknowledged(_ socket: Descriptor) -> Int? {
    #if os(Linux)
      // SIOCOUTQ, which the header has as a cast that Swift does not import: sent and not acknowledged, and not sent
      // (tcp(7)).
      var count: Int32 = 0
      guard ioctl(socket.number, UInt(TIOCOUTQ), &count) == 0, count >= 0 else { return nil }
      return Int(count)
    #else
      return nil
    #endif
  }

  /// Listens; port 0 lets the system choose, `localPort` says what it chose.
  public static func listen(at address: Address, backlog: Int32 = 1024) throws(SystemError) -> Descriptor {
    let socket = try make(address.family)
    var on: Int32 = 1
    setsockopt(socket.number, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    if address.family == AF_INET6 {
      setsockopt(socket.number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, socklen_t(MemoryLayout<Int32>.size))
    }
    guard address.withSockaddr({ bind(socket.number, $0, $1) }) == 0 else { throw .last("bind") }
    guard systemListen(socket.number, backlog) == 0 else { throw .last("listen") }
    return socket
  }

  /// The next waiting connection, nil when there is none. It does not block.
  public static func accept(_ listener: Descriptor) throws(SystemError) -> Descriptor? {
    var number: Int32
    repeat { number = systemAccept(listener.number, nil, nil) } while number < 0 && errno == EINTR
    guard number >= 0 else {
      switch errno {
      case EAGAIN, EWOULDBLOCK, ECONNABORTED: return nil
      default: throw .last("accept")
      }
    }
    let socket = Descriptor(owning: number)
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    try socket.setNonBlocking()
    setNoDelay(socket)
    return socket
  }

  public static func localPort(_ socket: Descriptor) -> Int {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
        guard getsockname(socket.number, general, &size) == 0 else { return 0 }
        // The port stands in network order at the same place for both families.
        return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
          Int(UInt16(bigEndian: $0.pointee.sin_port))
        }
      }
    }
  }

  /// Closes so that the peer sees a reset instead of an orderly end: a server's way to misbehave on purpose.
  public static func resetOnClose(_ socket: Descriptor) {
    var value = linger(l_onoff: 1, l_linger: 0)
    setsockopt(socket.number, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
  }

  private static func make(_ family: Int32) throws(SystemError) -> Descriptor {
    #if canImport(Glibc)
      let number = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    #else
      let number = socket(family, SOCK_STREAM, 0)
    #endif
    guard number >= 0 else { throw .last("socket") }
    let descriptor = Descriptor(owning: number)
    try descriptor.setNonBlocking()
    return descriptor
  }

  private static func setNoDelay(_ socket: Descriptor) {
    var on: Int32 = 1
    setsockopt(socket.number, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }
}

private func systemConnect(_ number: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
  connect(number, address, length)
}

private func systemListen(_ number: Int32, _ backlog: Int32) -> Int32 { listen(number, backlog) }

private func systemAccept(
  _ number: Int32, _ address: UnsafeMutablePointer<sockaddr>?, _ length: UnsafeMutablePointer<socklen_t>?
) -> Int32 {
  accept(number, address, length)
}
