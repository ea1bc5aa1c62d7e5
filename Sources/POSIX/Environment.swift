// What the process was given: environment variables, user folders, its own number.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

public enum Environment {
  /// The variable's text, nil when it is not set.
  public static func value(_ name: String) -> String? {
    guard let text = getenv(name) else { return nil }
    return String(cString: text)
  }

  /// All variables as `NAME=value`.
  public static var all: [String] {
    var entries: [String] = []
    var next = environ
    while let entry = next.pointee {
      entries.append(String(cString: entry))
      next += 1
    }
    return entries
  }

  /// Where this user's caches live (XDG Base Directory: `XDG_CACHE_HOME`, else `~/.cache`); nil without a home.
  public static var cacheDirectory: String? {
    if let path = value("XDG_CACHE_HOME"), path.hasPrefix("/") { return path }
    guard let home = value("HOME"), home.hasPrefix("/") else { return nil }
    return home + "/.cache"
  }

  public static var processIdentifier: Int32 { getpid() }
  public static var userIdentifier: UInt32 { getuid() }
  public static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  /// The largest resident size this process has had, in KiB (Linux counts in KiB, Darwin in bytes).
  public static var peakResidentKiB: Int {
    var usage = rusage()
    #if canImport(Darwin)
      getrusage(RUSAGE_SELF, &usage)
      return Int(usage.ru_maxrss) / 1024
    #else
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      return Int(usage.ru_maxrss)
    #endif
  }
}

/// Ends the process with this status; standard output must have been flushed before.
public func exitProcess(_ status: Int32) -> Never { exit(status) }
