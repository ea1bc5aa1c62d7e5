// A file's content changed as a whole: there is the old one or the new one, never half of it; and what a path leads to.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension File {
  /// Gives a regular file other content. A new file is written beside it, with its mode and where possible its owner, and
  /// takes its name; when that fails, the old one is as it was. A link stays a link: what it leads to is changed.
  public static func replace(_ path: String, with bytes: Span<UInt8>) throws(SystemError) {
    guard let resolved = realpath(path, nil) else { throw .last("realpath") }
    defer { free(resolved) }
    let target = String(cString: resolved)
    var facts = stat()
    guard stat(target, &facts) == 0 else { throw .last("stat") }
    guard facts.st_mode & S_IFMT == S_IFREG else { throw SystemError("open", code: EINVAL) }
    // A file that is not to be written to is not replaced behind its owner's back.
    guard access(target, W_OK) == 0 else { throw .last("open") }
    let (file, name) = try temporaryFile(beside: target)
    do throws(SystemError) {
      if facts.st_uid != geteuid() || facts.st_gid != getegid() { _ = fchown(file.number, facts.st_uid, facts.st_gid) }
      guard fchmod(file.number, facts.st_mode & 0o7777) == 0 else { throw .last("fchmod") }
      try file.writeAll(bytes)
      try file.synchronize()
      try rename(name, to: target)
    } catch {
      remove(name)
      throw error
    }
  }

  private static func temporaryFile(beside path: String) throws(SystemError) -> (Descriptor, String) {
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    var template = Array("\(folder).apns-XXXXXX".utf8CString)
    let number = template.withUnsafeMutableBufferPointer { space in
      space.baseAddress.map { mkstemp($0) } ?? -1
    }
    guard number >= 0 else { throw .last("mkstemp") }
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    let name = template.dropLast().map { UInt8(bitPattern: $0) }
    return (Descriptor(owning: number), String(decoding: name, as: UTF8.self))
  }

  /// What a path leads to.
  public enum Kind: Sendable {
    case regular, folder
    /// A pipe, a device, a socket.
    case other
  }

  /// What a path leads to.
  /// - Throws: the system's reason when it leads nowhere.
  public static func kind(_ path: String) throws(SystemError) -> Kind {
    var facts = stat()
    guard stat(path, &facts) == 0 else { throw .last("stat") }
    switch facts.st_mode & S_IFMT {
    case S_IFREG: return .regular
    case S_IFDIR: return .folder
    default: return .other
    }
  }

  /// What tells one folder from every other; nil for what is no folder.
  public static func folderIdentity(_ path: String) -> FileIdentity? {
    var facts = stat()
    guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else { return nil }
    return FileIdentity(device: UInt64(facts.st_dev), number: UInt64(facts.st_ino))
  }
}
