// Signals as bytes in a pipe, so that a loop that polls sees them like any other input.

import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// A handler may touch nothing but this number: everything else is unsafe between two instructions of the program.
private let pipeEnd = Atomic<Int32>(-1)

private func deliver(_ signal: Int32) {
  let saved = errno
  var byte = UInt8(truncatingIfNeeded: signal)
  _ = write(pipeEnd.load(ordering: .relaxed), &byte, 1)
  errno = saved
}

public final class Signals: Sendable {
  /// Becomes readable when a signal has come.
  public let descriptor: Descriptor
  private let writer: Descriptor

  /// Catches these signals from now on. One object per process.
  public init(_ signals: [Int32]) throws(SystemError) {
    (descriptor, writer) = try makePipe()
    try descriptor.setNonBlocking()
    try writer.setNonBlocking()
    pipeEnd.store(writer.number, ordering: .relaxed)
    for signal in signals { Self.handle(signal, deliver) }
    // Whoever started us may have had them blocked, as the worker threads of a program with Dispatch do.
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  /// The signals that have come since the last call, oldest first.
  public func taken() -> [Int32] {
    var bytes: [UInt8] = []
    guard (try? descriptor.read(into: &bytes, limit: 64)) != nil else { return [] }
    return bytes.map { Int32($0) }
  }

  /// The signal does nothing until somebody catches it.
  public static func ignore(_ number: Int32) { signal(number, SIG_IGN) }

  public static let brokenPipe = SIGPIPE

  /// A write to a closed pipe becomes an error instead of a death.
  public static func ignoreBrokenPipe() { signal(SIGPIPE, SIG_IGN) }

  /// Ends the process as the signal would have, so that the shell sees the truth (128+n).
  public static func endProcess(with number: Int32) -> Never {
    signal(number, SIG_DFL)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(number)
    exit(128 + number)
  }

  private static func handle(_ number: Int32, _ handler: @convention(c) (Int32) -> Void) {
    var action = sigaction()
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = handler
    #else
      action.__sigaction_handler.sa_handler = handler
    #endif
    action.sa_flags = Int32(SA_RESTART)
    sigaction(number, &action, nil)
  }

  /// Whether whoever started this process had the signal ignored, as nohup(1) does.
  public static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    #if canImport(Darwin)
      return unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    #else
      return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    #endif
  }

  public static let interrupt = SIGINT
  public static let terminate = SIGTERM
  /// A file grew to the limit that `ulimit -f` sets. Ignored, the write fails, as on a full disk.
  public static let fileSize = SIGXFSZ
  public static let hangUp = SIGHUP
  public static let user1 = SIGUSR1
  public static let child = SIGCHLD
}
