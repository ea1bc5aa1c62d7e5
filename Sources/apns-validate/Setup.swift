// What was typed, and what it means: rules, settings and forms for the files of one configuration.

import APNs
import Filter
import JSON
import Options
import POSIX
import Rules

/// Everything a check needs besides the bytes.
struct Setup: Sendable {
  let settings: Settings
  let rules: RuleSet
  let form: Form?
  let failOn: Severity
  /// Findings below this are not reported; they may still be mended.
  let shown: Severity

  /// - Parameter isFilter: lines are about to be sent, so that there is a clock, and notes are of no interest.
  init(_ arguments: Arguments, isFilter: Bool) throws {
    let failOn = arguments[Validate.failOn].flatMap { Severity(word: $0) } ?? .error
    let shown = arguments[Validate.show].flatMap { Severity(word: $0) } ?? (isFilter ? .warning : .note)
    // A capital digit is a note, and mended all the same.
    let least = arguments.has(Validate.fix) ? .note : min(shown, failOn)
    settings = try Self.settings(arguments, isFilter: isFilter)
    rules = RuleSet(try Self.selection(arguments, least: least), knowing: settings)
    self.failOn = failOn
    self.shown = min(shown, failOn)
    form = arguments[Validate.form].flatMap { Form(rawValue: $0) }
  }

  private static func selection(_ arguments: Arguments, least: Severity) throws -> Selection {
    var selection = Selection()
    selection.only = Set(arguments.all(Validate.only))
    selection.disabled = Set(arguments.all(Validate.disable))
    for (rule, level) in arguments.all(Validate.severity) { selection.severities[rule] = level }
    selection.least = least
    for id in selection.only.union(selection.disabled).union(selection.severities.keys).sorted() {
      guard Rule.named(id) == nil else { continue }
      throw Failure("there is no rule '\(id)'\(suggestion(id)); --list-rules lists them")
    }
    return selection
  }

  static func suggestion(_ id: String) -> String {
    Rule.nearest(to: id).map { "; did you mean '\($0)'?" } ?? ""
  }

  private static func settings(_ arguments: Arguments, isFilter: Bool) throws -> Settings {
    var settings = Settings()
    settings.pushType = arguments[Validate.pushType].flatMap { PushType(rawValue: $0) }
    settings.topic = arguments[Validate.topic]
    settings.priority = arguments[Validate.priority].flatMap { Int($0) }
    settings.expiration = arguments[Validate.expiration]
    settings.isBroadcast = arguments.has(Validate.broadcast)
    settings.environment = arguments[Validate.environment].flatMap { ServiceEnvironment(rawValue: $0) }
    settings.authentication = arguments[Validate.authentication].flatMap { Settings.Authentication(rawValue: $0) }
    settings.teamID = arguments[Validate.teamID]
    settings.keyID = arguments[Validate.keyID]
    settings.keyEnvironment = arguments[Validate.keyEnvironment].flatMap { ServiceEnvironment(rawValue: $0) }
    settings.bundle = arguments[Validate.bundle]
    settings.platform = arguments[Validate.platform].flatMap { Settings.Platform(rawValue: $0) }
    settings.channelPolicy = arguments[Validate.channelPolicy].flatMap { Int($0) }
    let categories = arguments.all(Validate.categories)
    if !categories.isEmpty { settings.categories = Set(categories) }
    let topics = arguments.all(Validate.allowedTopics)
    if !topics.isEmpty { settings.allowedTopics = Set(topics) }
    if let strings = arguments[Validate.strings] { settings.strings = try StringTable.read(strings) }
    switch arguments[Validate.now] {
    case .unix(let seconds): settings.now = seconds
    case .system: settings.now = Clock.system.unixSeconds
    case nil: if isFilter || arguments.has(Validate.clock) { settings.now = Clock.system.unixSeconds }
    }
    if arguments.isGiven(Validate.clock), !arguments.has(Validate.clock) { settings.now = nil }
    return settings
  }
}

/// A string table: a JSON object of texts, or a `.strings` file of `"key" = "text";` lines.
enum StringTable {
  static func read(_ given: String) throws -> [String: String] {
    if given.hasPrefix("{") { return try json(Array(given.utf8), name: "--strings") }
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try File.read(given, limit: 64 << 20)
    } catch {
      throw Failure("--strings: cannot read \(given): \(error.message)")
    }
    if bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") { return try json(bytes, name: given) }
    return strings(bytes)
  }

  private static func json(_ bytes: [UInt8], name: String) throws -> [String: String] {
    var reader = Reader()
    do throws(JSON.SyntaxError) {
      try reader.read(bytes.span)
    } catch {
      let place = position(of: error.offset, in: bytes.span)
      throw Failure("\(name):\(place.line):\(place.column): \(error.message)")
    }
    let tokens = reader.tokens
    let document = Document(bytes.span, tokens.span)
    var table: [String: String] = [:]
    var key = 1
    while key < document.next(0) {
      table[document.string(key)] = document.string(key + 1)
      key = document.next(key + 1)
    }
    return table
  }

  /// Quoted texts in pairs; comments hold none that count.
  private static func strings(_ bytes: [UInt8]) -> [String: String] {
    var table: [String: String] = [:]
    var key: String?
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "/"), index + 1 < bytes.count {
        if bytes[index + 1] == UInt8(ascii: "/") {
          while index < bytes.count, bytes[index] != 0x0A { index += 1 }
          continue
        }
        if bytes[index + 1] == UInt8(ascii: "*") {
          index += 2
          while index + 1 < bytes.count, !(bytes[index] == UInt8(ascii: "*") && bytes[index + 1] == UInt8(ascii: "/")) {
            index += 1
          }
          index += 2
          continue
        }
      }
      guard bytes[index] == UInt8(ascii: "\"") else {
        index += 1
        continue
      }
      var text: [UInt8] = []
      index += 1
      while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
        if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count { index += 1 }
        text.append(bytes[index])
        index += 1
      }
      index += 1
      let string = String(decoding: text, as: UTF8.self)
      if let left = key {
        table[left] = string
        key = nil
      } else {
        key = string
      }
    }
    return table
  }
}
