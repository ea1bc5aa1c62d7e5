// A folder that only this user can look into, and the files in it: for what must not be read, planted or redirected.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A folder of mode 0700. Whatever is not exactly what this user would have made is refused, never repaired: a link, a
/// file of somebody else, a mode that lets others in.
public final class PrivateFolder: Sendable {
  private let descriptor: Descriptor
  private let path: String

  /// Opens the folder; makes it, and those above it, when it is missing.
  /// - Throws: `ELOOP` or `ENOTDIR` for a link, `EPERM` for a folder of somebody else or one that others may write to.
  public init(_ path: String) throws(SystemError) {
    self.path = path
    if !File.isDirectory(path) { try File.makeDirectory(path, mode: 0o700) }
    let number = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard number >= 0 else { throw .last("open") }
    descriptor = Descriptor(owning: number)
    var facts = stat()
    guard fstat(number, &facts) == 0 else { throw .last("fstat") }
    guard facts.st_uid == geteuid(), facts.st_mode & 0o022 == 0 else { throw SystemError("open", code: EPERM) }
  }

  /// Opens a file of the folder for reading and writing; a new one gets the mode 0600.
  /// - Parameter name: a plain name, without a slash.
  /// - Returns: nil when there is no such file and none is to be made.
  /// - Throws: `ELOOP` for a link, `EPERM` for anything but a file of this user that nobody else may open and that has
  ///   no second name.
  public func file(_ name: String, making: Bool) throws(SystemError) -> Descriptor? {
    let flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (making ? O_CREAT : 0)
    let number = openat(descriptor.number, name, flags, 0o600)
    if number < 0, errno == ENOENT, !making { return nil }
    guard number >= 0 else { throw .last("openat") }
    let file = Descriptor(owning: number)
    var facts = stat()
    guard fstat(number, &facts) == 0 else { throw .last("fstat") }
    guard facts.st_mode & S_IFMT == S_IFREG, facts.st_uid == geteuid(), facts.st_mode & 0o077 == 0, facts.st_nlink == 1
    else { throw SystemError("openat", code: EPERM) }
    return file
  }

  /// Removes a file of the folder, if there is one.
  /// - Parameter name: a plain name, without a slash.
  public func remove(_ name: String) { unlinkat(descriptor.number, name, 0) }

  /// Removes files of this user that have not been written to for a time.
  /// - Parameters:
  ///   - prefix: how the names of those that may be removed start.
  ///   - age: seconds since the last change.
  ///   - now: UNIX seconds.
  public func removeFiles(prefix: String, unchangedFor age: Int, now: Int) {
    guard let names = try? File.entries(of: path) else { return }
    for name in names where name.hasPrefix(prefix) {
      var facts = stat()
      guard fstatat(descriptor.number, name, &facts, AT_SYMLINK_NOFOLLOW) == 0, facts.st_mode & S_IFMT == S_IFREG,
        facts.st_uid == geteuid(), now - lastChange(facts) > age
      else { continue }
      unlinkat(descriptor.number, name, 0)
    }
  }
}

/// UNIX seconds of a file's last change.
private func lastChange(_ facts: stat) -> Int {
  #if canImport(Darwin)
    Int(facts.st_mtimespec.tv_sec)
  #else
    Int(facts.st_mtim.tv_sec)
  #endif
}

extension Descriptor {
  /// Takes the file's advisory lock, waiting up to a time. False when another process kept it that long.
  public func lock(withinMilliseconds limit: Int) throws(SystemError) -> Bool {
    var waited = 0
    while try !lock(wait: false) {
      guard waited < limit else { return false }
      // Whoever holds it does so for a fraction of a millisecond, unless it was stopped in the middle.
      poll(nil, 0, 2)
      waited += 2
    }
    return true
  }
}
