// Files, pipes and sockets: reading, writing, waiting, closing. One owner per descriptor.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// One open descriptor. Closed when the last reference goes, except the three standard ones.
public final class Descriptor: Sendable {
  public let number: Int32
  private let owned: Bool

  public static let standardInput = Descriptor(borrowing: 0)
  public static let standardOutput = Descriptor(borrowing: 1)
  public static let standardError = Descriptor(borrowing: 2)

  /// Takes the descriptor over: it is closed with the object.
  public init(owning number: Int32) {
    self.number = number
    self.owned = true
  }

  /// Uses a descriptor that somebody else closes, such as `/dev/fd/3` given by a shell.
  public init(borrowing number: Int32) {
    self.number = number
    self.owned = false
  }

  deinit {
    if owned { close(number) }
  }

  /// What one attempt to read or write came to.
  public enum Transfer: Equatable, Sendable {
    case bytes(Int)
    /// The other end is finished (reading only).
    case end
    /// Nothing can be moved now; the descriptor does not block.
    case wouldBlock
  }

  /// Appends at most `limit` bytes to `buffer`. Retries when interrupted by a signal.
  public func read(into buffer: inout [UInt8], limit: Int) throws(SystemError) -> Transfer {
    let old = buffer.count
    var failure: SystemError?
    var got = 0
    // Reserve geometrically: an exact reserve would reallocate for every chunk.
    if buffer.capacity < old + limit { buffer.reserveCapacity(max(old + limit, buffer.capacity * 2)) }
    let chunk = [UInt8](unsafeUninitializedCapacity: limit) { space, count in
      repeat { got = systemRead(number, space.baseAddress, limit) } while got < 0 && errno == EINTR
      if got < 0 { failure = SystemError.last("read") }
      count = max(got, 0)
    }
    if let failure {
      if failure.code == EAGAIN || failure.code == EWOULDBLOCK { return .wouldBlock }
      throw failure
    }
    if got == 0 { return .end }
    buffer.append(contentsOf: chunk)
    return .bytes(got)
  }

  /// Fills `storage` from its start and says how many bytes are valid: the loop's form of `read`, without a copy.
  /// `storage` must not be empty; its length is the most that is read.
  public func fill(_ storage: inout [UInt8], from offset: Int = 0) throws(SystemError) -> Transfer {
    var got = 0
    var code: Int32 = 0
    storage.withUnsafeMutableBytes { space in
      guard offset >= 0, offset < space.count, let base = space.baseAddress else { return }
      repeat { got = systemRead(number, base + offset, space.count - offset) } while got < 0 && errno == EINTR
      code = got < 0 ? errno : 0
    }
    if got > 0 { return .bytes(got) }
    if got == 0 { return .end }
    if code == EAGAIN || code == EWOULDBLOCK { return .wouldBlock }
    throw SystemError("read", code: code)
  }

  /// Writes what it can at once.
  public func write(_ bytes: Span<UInt8>) throws(SystemError) -> Transfer {
    if bytes.isEmpty { return .bytes(0) }
    var put = 0
    var code: Int32 = 0
    bytes.withUnsafeBytes { raw in
      repeat { put = systemWrite(number, raw.baseAddress, raw.count) } while put < 0 && errno == EINTR
      code = put < 0 ? errno : 0
    }
    if put >= 0 { return .bytes(put) }
    if code == EAGAIN || code == EWOULDBLOCK { return .wouldBlock }
    throw SystemError("write", code: code)
  }

  /// Writes everything, waiting when the other end is slow.
  public func writeAll(_ bytes: Span<UInt8>) throws(SystemError) {
    var rest = bytes
    while !rest.isEmpty {
      switch try write(rest) {
      case .bytes(let count): rest = rest.extracting(droppingFirst: count)
      case .wouldBlock: _ = waitUntil(writable: true, milliseconds: -1)
      case .end: return
      }
    }
  }

  public func writeAll(_ text: String) throws(SystemError) {
    try writeAll(Array(text.utf8).span)
  }

  /// Waits until the descriptor can be read from (or written to). `milliseconds` below 0 means without end.
  /// Returns false when the time is over. A signal ends the wait early (returns false).
  public func waitUntil(writable: Bool = false, milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: number, events: Int16(writable ? POLLOUT : POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) > 0
  }

  /// Whether a read would return at once, with bytes or with the end.
  public var isReadable: Bool { waitUntil(milliseconds: 0) }

  public func setNonBlocking(_ on: Bool = true) throws(SystemError) {
    let flags = fcntl(number, F_GETFL)
    guard flags >= 0, fcntl(number, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK) >= 0 else {
      throw .last("fcntl")
    }
  }

  /// Waits until what was written has reached the disk.
  public func synchronize() throws(SystemError) {
    guard fsync(number) == 0 else { throw .last("fsync") }
  }

  /// Takes the advisory lock of the file for this process, or returns false when another one holds it.
  public func lock(wait: Bool) throws(SystemError) -> Bool {
    while flock(number, LOCK_EX | (wait ? 0 : LOCK_NB)) != 0 {
      if errno == EINTR { continue }
      if errno == EWOULDBLOCK { return false }
      throw .last("flock")
    }
    return true
  }

  public func truncate(to length: Int) throws(SystemError) {
    guard ftruncate(number, off_t(length)) == 0 else { throw .last("ftruncate") }
  }

  public func seek(to offset: Int) throws(SystemError) {
    guard lseek(number, off_t(offset), SEEK_SET) >= 0 else { throw .last("lseek") }
  }

  /// A second way to the same pipe that never blocks, where the system offers one. The pipe itself, which others may
  /// share, stays as it is.
  public var nonBlockingCopy: Descriptor? {
    #if os(Linux)
      var facts = stat()
      guard fstat(number, &facts) == 0, facts.st_mode & S_IFMT == S_IFIFO else { return nil }
      let copy = open("/proc/self/fd/\(number)", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
      return copy < 0 ? nil : Descriptor(owning: copy)
    #else
      return nil
    #endif
  }

  /// Waits until this one can be written to or the other one read from, without end. Says whether the latter.
  public func waitUntilWritable(orReadable other: Descriptor) -> Bool {
    var entries = [
      pollfd(fd: number, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: other.number, events: Int16(POLLIN), revents: 0),
    ]
    return poll(&entries, 2, -1) > 0 && entries[1].revents != 0
  }

  /// Whether it was opened for writing.
  public var isOpenForWriting: Bool {
    let flags = fcntl(number, F_GETFL)
    return flags >= 0 && flags & O_ACCMODE != O_RDONLY
  }

  /// What tells one file from every other; nil for what is no regular file.
  public var identity: FileIdentity? {
    var facts = stat()
    guard fstat(number, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
    return FileIdentity(device: UInt64(facts.st_dev), number: UInt64(facts.st_ino))
  }

  /// Opens what a careless parent left closed among the descriptors 0, 1 and 2, the wrong way round: reading and writing
  /// still fail, and no file opened later can get such a number and be written over with results or words.
  public static func holdStandardNumbers() {
    for number: Int32 in 0...2 where fcntl(number, F_GETFD) < 0 {
      _ = open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY)
    }
  }

  /// Ends the writing side of a socket; the other end reads its end of file.
  public func shutdownWriting() { shutdown(number, CInt(SHUT_WR)) }

  /// How far a regular file has been read or written, nil for pipes.
  public var position: Int? {
    let place = lseek(number, 0, SEEK_CUR)
    return place < 0 ? nil : Int(place)
  }

  /// A folder can be opened; it fails only when it is read.
  public var isDirectory: Bool {
    var facts = stat()
    return fstat(number, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
  }

  public var isTerminal: Bool { isatty(number) == 1 }

  /// Whether the descriptor is a regular file: its length is known and a read never waits for a person.
  public var regularFileLength: Int? {
    var facts = stat()
    guard fstat(number, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(facts.st_size)
  }
}

// `Descriptor.read` and `write` hide the functions of the C library within the class.
private func systemRead(_ number: Int32, _ base: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(number, base, count)
}

private func systemWrite(_ number: Int32, _ base: UnsafeRawPointer?, _ count: Int) -> Int {
  write(number, base, count)
}

/// Device and number of a file.
public struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let number: UInt64
}

/// A pipe: what is written to `writer` comes out of `reader`. Both close on exec.
public func makePipe() throws(SystemError) -> (reader: Descriptor, writer: Descriptor) {
  var ends: [Int32] = [0, 0]
  guard pipe(&ends) == 0 else { throw .last("pipe") }
  for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  return (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
}
