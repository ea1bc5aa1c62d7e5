// The configuration file: options as JSON, turned into the words that would have been typed.

import Filter
import JSON
import Options
import POSIX
import Rules
import Spelling

/// What a key of a configuration may hold.
enum ConfigurationValue: String {
  case text = "a text"
  case number = "a whole number"
  case moment = "a whole number or a text"
  case flag = "true or false"
  case texts = "a text or a list of texts"
  case levels = "an object of rules and their levels"
}

/// A configuration while it is read. Every refusal names the file, the place and the key.
struct ConfigurationFile {
  private let path: String

  /// A configuration as the words of a command line.
  static func words(of path: String) throws -> [String] {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try File.read(path, limit: 1 << 20)
    } catch {
      throw Failure("cannot read \(path): \(error.message)")
    }
    var reader = Reader()
    do throws(JSON.SyntaxError) {
      try reader.read(bytes.span)
    } catch {
      let place = position(of: error.offset, in: bytes.span)
      throw Failure("\(path):\(place.line):\(place.column): \(error.message)")
    }
    let tokens = reader.tokens
    return try ConfigurationFile(path: path).words(Document(bytes.span, tokens.span))
  }

  private func words(_ document: Document) throws -> [String] {
    guard document.kind(0) == .object else { throw Failure("\(path): a configuration is a JSON object") }
    var words: [String] = []
    var seen: Set<String> = []
    var key = 1
    while key < document.next(0) {
      let name = document.string(key)
      guard let form = Validate.configurable.first(where: { $0.name == name })?.value else {
        throw refusal(document, key, unknown(name))
      }
      guard seen.insert(name).inserted else { throw refusal(document, key, "'\(name)' comes twice") }
      words += try option(document, key, name, form)
      key = document.next(key + 1)
    }
    return words
  }

  private func option(_ document: Document, _ key: Int, _ name: String, _ form: ConfigurationValue) throws -> [String] {
    let value = key + 1
    switch (form, document.kind(value)) {
    case (.flag, .true): return ["--\(name)"]
    case (.flag, .false):
      let isNegatable = Validate.command.declarations.contains { $0.name == name && $0.negatable }
      return isNegatable ? ["--no-\(name)"] : []
    case (.text, .string), (.texts, .string), (.moment, .string), (.number, .number), (.moment, .number):
      return try word(document, value, name)
    case (.texts, .array):
      var words: [String] = []
      var element = value + 1
      while element < document.next(value) {
        guard document.kind(element) == .string else {
          throw refusal(document, element, "'\(name)' is a list of texts; this is \(document.words(element))")
        }
        words += try word(document, element, name)
        element = document.next(element)
      }
      return words
    case (.levels, .object): return try levels(document, value)
    default: throw refusal(document, value, "'\(name)' is \(form.rawValue), not \(document.words(value))")
    }
  }

  private func levels(_ document: Document, _ object: Int) throws -> [String] {
    var words: [String] = []
    var rule = object + 1
    while rule < document.next(object) {
      let id = document.string(rule)
      try checkRule(document, rule, id, "severity")
      guard document.kind(rule + 1) == .string else {
        throw refusal(document, rule + 1, "the level of '\(id)' is a text, not \(document.words(rule + 1))")
      }
      words += try checked(document, rule + 1, "severity", "\(id)=\(document.string(rule + 1))")
      rule = document.next(rule + 1)
    }
    return words
  }

  /// One value, held against what the option of the command line takes.
  private func word(_ document: Document, _ node: Int, _ name: String) throws -> [String] {
    if document.kind(node) == .number {
      guard let number = document.integer(node) else {
        throw refusal(document, node, "'\(name)' is a whole number, not a fraction")
      }
      return try checked(document, node, name, String(number))
    }
    let text = document.string(node)
    if name == "only" || name == "disable" { try checkRule(document, node, text, name) }
    // A path is taken from the folder of the configuration.
    let isPath = name == "strings" && !text.hasPrefix("/") && !text.hasPrefix("{")
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let whole = isPath ? folder + text : text
    if name == "strings", !text.hasPrefix("{"), !File.exists(whole) {
      throw refusal(document, node, "'strings': cannot read \(whole): no such file")
    }
    return try checked(document, node, name, whole)
  }

  private func checked(_ document: Document, _ node: Int, _ name: String, _ text: String) throws -> [String] {
    let words = ["--\(name)=\(text)"]
    do throws(UsageError) {
      _ = try Validate.command.parse(words)
    } catch {
      let message =
        error.message.hasPrefix("--\(name): ") ? error.message.dropFirst(name.count + 4) : error.message[...]
      throw refusal(document, node, "'\(name)': \(message)")
    }
    return words
  }

  private func checkRule(_ document: Document, _ node: Int, _ id: String, _ name: String) throws {
    guard Rule.named(id) == nil else { return }
    throw refusal(document, node, "'\(name)': there is no rule '\(id)'\(Setup.suggestion(id))")
  }

  private func unknown(_ name: String) -> String {
    let dashed = name.replacing("_", with: "-")
    let isOption = Validate.command.declarations.contains { $0.name == dashed }
    if isOption, !Validate.configurable.contains(where: { $0.name == dashed }) {
      return "'\(name)' is for the command line alone; a configuration says how files are judged"
    }
    let near = closest(to: dashed, among: Validate.configurable.map(\.name))
    let more = near.map { "; did you mean '\($0)'?" } ?? ": 'man apns-validate' lists the keys"
    return "'\(name)' is no key of a configuration\(more)"
  }

  private func refusal(_ document: Document, _ node: Int, _ message: String) -> Failure {
    let place = position(of: document.start(node), in: document.bytes)
    return Failure("\(path):\(place.line):\(place.column): \(message)")
  }
}
