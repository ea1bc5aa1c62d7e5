// Which configuration counts for a file, and what it makes of the command line.

import Filter
import Options
import POSIX

/// Finds and reads `.apns-validate.json`, each once.
struct Configurations {
  static let name = ".apns-validate.json"

  private let words: [String]
  private let explicit: String?
  private let isOff: Bool
  private let depth: Int
  private let isFilter: Bool
  private var found: [String: String?] = [:]
  private var setups: [String: Setup] = [:]

  init(_ arguments: Arguments, words: [String], isFilter: Bool) {
    self.words = words
    self.isFilter = isFilter
    explicit = arguments[Validate.config]
    isOff = !arguments.has(Validate.useConfig)
    let path = Environment.value("PWD") ?? ""
    depth = path.isEmpty ? 40 : path.utf8.count(where: { $0 == UInt8(ascii: "/") })
  }

  /// The setup for a file, or for the current folder (nil).
  mutating func setup(for file: String?) throws -> Setup {
    let path = explicit ?? (isOff ? nil : find(file))
    if let setup = setups[path ?? ""] { return setup }
    let more = try path.map { try ConfigurationFile.words(of: $0) } ?? []
    let command = Validate.command
    let arguments = try command.parse(more + words, environment: { Environment.value($0) })
    let setup = try Setup(arguments, isFilter: isFilter)
    setups[path ?? ""] = setup
    return setup
  }

  /// Whether a file is a configuration, by its name or because it was given as one: no notification, then.
  func isConfiguration(_ file: String) -> Bool {
    file == Self.name || file.hasSuffix("/" + Self.name) || explicit.map { Self.plain($0) == Self.plain(file) } ?? false
  }

  private static func plain(_ path: String) -> Substring { path.hasPrefix("./") ? path.dropFirst(2) : path[...] }

  private mutating func find(_ file: String?) -> String? {
    var folder = ""
    if let file, let slash = file.lastIndex(of: "/") { folder = String(file[...slash]) }
    if let known = found[folder] { return known }
    let result = search(folder)
    found[folder] = result
    return result
  }

  private func search(_ folder: String) -> String? {
    var folder = folder
    while !folder.isEmpty {
      if File.exists(folder + Self.name) { return folder + Self.name }
      if folder == "/" { return nil }
      let above = folder.dropLast()
      guard let slash = above.lastIndex(of: "/") else { break }
      folder = String(above[...slash])
    }
    var here = ""
    for _ in 0...depth {
      if File.exists(here + Self.name) { return here + Self.name }
      here += "../"
    }
    return nil
  }
}
