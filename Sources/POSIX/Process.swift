// Running a command and hearing how it ended.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A child process, known by its number alone.
public struct Process: Sendable {
  public let identifier: Int32

  /// How a command ended.
  public enum Ending: Equatable, Sendable {
    case exited(Int32)
    case signalled(Int32)

    /// The status a shell would show.
    public var status: Int32 {
      switch self {
      case .exited(let status): status
      case .signalled(let number): 128 + number
      }
    }
  }

  /// Starts `command[0]`, found in `PATH`, with these variables (`NAME=value`). It has our standard streams and
  /// default signal handling, whatever we ignore or block ourselves.
  public static func start(_ command: [String], environment: [String]) throws(SystemError) -> Process {
    guard let name = command.first else { throw SystemError("posix_spawn", code: EINVAL) }
    #if canImport(Darwin)
      var attributes: posix_spawnattr_t?
    #else
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD] { sigaddset(&defaults, signal) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var identifier = pid_t()
    let code = withCStrings(command) { arguments in
      withCStrings(environment) { variables in
        posix_spawnp(&identifier, name, nil, &attributes, arguments, variables)
      }
    }
    guard code == 0 else { throw SystemError("posix_spawn", code: code) }
    return Process(identifier: identifier)
  }

  /// How it ended, nil while it runs (with `wait` false).
  public func ending(wait: Bool) -> Ending? {
    var status: Int32 = 0
    var result: pid_t
    repeat { result = waitpid(identifier, &status, wait ? 0 : WNOHANG) } while result < 0 && errno == EINTR
    guard result == identifier else { return nil }
    let signal = status & 0x7f
    return signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
  }

  public func send(_ signal: Int32) { kill(identifier, signal) }
}

private func withCStrings<Result>(
  _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) }
  pointers.append(nil)
  defer { for pointer in pointers { free(pointer) } }
  return body(pointers)
}
