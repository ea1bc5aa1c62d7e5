// What a system call said when it failed: the call, the number, the words.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A failed system call. `call` names it, `code` is its `errno`.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
  public let call: String
  public let code: Int32

  public init(_ call: String, code: Int32) {
    self.call = call
    self.code = code
  }

  /// The error of the call that failed just now; take it before anything else can overwrite `errno`.
  static func last(_ call: String) -> SystemError { SystemError(call, code: errno) }

  /// The system's sentence for the code, such as "No such file or directory".
  public var message: String { String(cString: strerror(code)) }
  public var description: String { "\(call): \(message)" }

  public var isBrokenPipe: Bool { code == EPIPE }
  public var isConnectionRefused: Bool { code == ECONNREFUSED }
  public var isMissingFile: Bool { code == ENOENT }
  /// The disk or the quota is full: nothing more can be written, and trying again will not help.
  public var isNoSpace: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }
}
