// Files and folders by path: reading whole ones within a bound, opening for writing, listing.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

public enum File {
  /// Opens for reading. `-` is standard input; `/dev/fd/N` and pipes work as any file does.
  public static func open(_ path: String) throws(SystemError) -> Descriptor {
    if path == "-" { return .standardInput }
    return try descriptor(path, O_RDONLY, 0)
  }

  /// Opens for writing: from the start (`truncating`) or behind what is there. New files get `mode`.
  public static func create(
    _ path: String, appending: Bool = false, exclusive: Bool = false, readable: Bool = false, mode: mode_t = 0o644
  ) throws(SystemError) -> Descriptor {
    var flags = (readable ? O_RDWR : O_WRONLY) | O_CREAT | (appending ? O_APPEND : O_TRUNC)
    if exclusive { flags |= O_EXCL }
    return try descriptor(path, flags, mode)
  }

  /// Opens for reading and writing without touching what is there; a new file gets `mode`.
  public static func openOrCreate(_ path: String, mode: mode_t = 0o600) throws(SystemError) -> Descriptor {
    try descriptor(path, O_RDWR | O_CREAT, mode)
  }

  private static func descriptor(_ path: String, _ flags: Int32, _ mode: mode_t) throws(SystemError) -> Descriptor {
    var number: Int32
    repeat { number = systemOpen(path, flags | O_CLOEXEC, mode) } while number < 0 && errno == EINTR
    guard number >= 0 else { throw .last("open") }
    return Descriptor(owning: number)
  }

  /// The whole content. A file of more than `limit` bytes is refused (`EFBIG`) before memory grows past it.
  public static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
    try read(open(path), limit: limit)
  }

  public static func read(_ descriptor: Descriptor, limit: Int) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      switch try descriptor.read(into: &bytes, limit: 65_536) {
      case .bytes: if bytes.count > limit { throw SystemError("read", code: EFBIG) }
      case .end: return bytes
      case .wouldBlock: _ = descriptor.waitUntil(milliseconds: -1)
      }
    }
  }

  /// The identity of the regular file with that path; nil when there is none.
  public static func identity(_ path: String) -> FileIdentity? {
    var facts = stat()
    guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
    return FileIdentity(device: UInt64(facts.st_dev), number: UInt64(facts.st_ino))
  }

  public static func isDirectory(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
  }

  public static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  public static func remove(_ path: String) { unlink(path) }

  public static func rename(_ old: String, to new: String) throws(SystemError) {
    guard systemRename(old, new) == 0 else { throw .last("rename") }
  }

  /// Makes the folder and those above it. A folder that is there already is fine.
  public static func makeDirectory(_ path: String, mode: mode_t = 0o755) throws(SystemError) {
    if path.isEmpty || isDirectory(path) { return }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      try makeDirectory(String(path[..<slash]), mode: mode)
    }
    guard mkdir(path, mode) == 0 || errno == EEXIST else { throw .last("mkdir") }
  }

  /// The names in a folder, sorted by their bytes, without `.` and `..`.
  public static func entries(of path: String) throws(SystemError) -> [String] {
    guard let stream = opendir(path) else { throw .last("opendir") }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// A new, empty folder of this user alone, below `TMPDIR` or `/tmp`.
  public static func makeTemporaryDirectory(prefix: String) throws(SystemError) -> String {
    let root = Environment.value("TMPDIR") ?? "/tmp"
    var template = Array("\(root)/\(prefix).XXXXXX".utf8CString)
    guard template.withUnsafeMutableBufferPointer({ mkdtemp($0.baseAddress!) }) != nil else { throw .last("mkdtemp") }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  public static func removeDirectory(_ path: String) { rmdir(path) }
}

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
private func systemRename(_ old: String, _ new: String) -> Int32 { rename(old, new) }
