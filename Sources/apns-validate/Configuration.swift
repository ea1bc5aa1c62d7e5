// The configuration file: options as JSON, turned into the words that would have been typed.

import Filter
import JSON
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
    let more = try path.map { try Self.words(of: $0) } ?? []
    let command = Validate.command
    let arguments = try command.parse(more + words, environment: { Environment.value($0) })
    let setup = try Setup(arguments, isFilter: isFilter)
    setups[path ?? ""] = setup
    return setup
  }

  /// The words of the nearest configuration, for options that concern the whole run.
  mutating func arguments(_ given: Arguments) throws -> Arguments {
    guard let path = explicit ?? (isOff ? nil : find(nil)) else { return given }
    return try Validate.command.parse(Self.words(of: path) + words, environment: { Environment.value($0) })
  }

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

  /// A configuration as the words of a command line.
  static func words(of path: String) throws -> [String] {
    let bytes = try read(path)
    var reader = Reader()
    do throws(JSON.SyntaxError) {
      try reader.read(bytes.span)
    } catch {
      let place = position(of: error.offset, in: bytes.span)
      throw Failure("\(path):\(place.line):\(place.column): \(error.message)")
    }
    let tokens = reader.tokens
    return try words(Document(bytes.span, tokens.span), path)
  }

  private static func read(_ path: String) throws -> [UInt8] {
    do throws(SystemError) {
      return try File.read(path, limit: 1 << 20)
    } catch {
      throw Failure("cannot read \(path): \(error.message)")
    }
  }

  private static func words(_ document: Document, _ path: String) throws -> [String] {
    guard document.kind(0) == .object else { throw Failure("\(path): a configuration is a JSON object") }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    var words: [String] = []
    var key = 1
    while key < document.next(0) {
      words += try option(document, key, path: path, folder: folder)
      key = document.next(key + 1)
    }
    return words
  }

  private static func option(_ document: Document, _ key: Int, path: String, folder: String) throws -> [String] {
    let name = document.string(key)
    let value = key + 1
    let place = position(of: document.start(key), in: document.bytes)
    let fault = "\(path):\(place.line):\(place.column): "
    guard Validate.configurable.contains(name),
      let declaration = Validate.command.declarations.first(where: { $0.name == name })
    else { throw Failure("\(fault)'\(name)' is no option of a configuration") }
    switch document.kind(value) {
    case .true where declaration.isFlag: return ["--\(name)"]
    case .false where declaration.isFlag: return declaration.negatable ? ["--no-\(name)"] : []
    case .array where declaration.repeats:
      var words: [String] = []
      var element = value + 1
      while element < document.next(value) {
        guard let text = text(document, element) else { break }
        words += ["--\(name)", text]
        element = document.next(element)
      }
      if element == document.next(value) { return words }
    case .object where name == "severity":
      var words: [String] = []
      var rule = value + 1
      while rule < document.next(value) {
        words += ["--severity", "\(document.string(rule))=\(document.string(rule + 1))"]
        rule = document.next(rule + 1)
      }
      return words
    default:
      guard !declaration.isFlag, let text = text(document, value) else { break }
      let isPath = name == "strings" && !text.hasPrefix("/") && !text.hasPrefix("{")
      return ["--\(name)", isPath ? folder + text : text]
    }
    throw Failure("\(fault)'\(name)' has a value of the wrong kind")
  }

  private static func text(_ document: Document, _ node: Int) -> String? {
    switch document.kind(node) {
    case .string: document.string(node)
    case .number: document.integer(node).map { String($0) }
    default: nil
    }
  }
}
