// From what was typed to what is done: the options become changes to a record, checked against each other.

import APNs
import Builder
import Filter
import JSON
import Options
import POSIX

/// The reading of a command line.
struct Plan {
  let arguments: Arguments
  /// The kind asked for, or told from an option that belongs to one kind alone.
  let kind: Kind?
  let isBroadcast: Bool
  private(set) var warnings: [String] = []
  var base = Value.json("{}")
  var payloadChanges: [Change] = []
  /// Whether the command line says anything about the payload, besides the kind.
  var saysSomething = false

  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    isBroadcast = arguments.isGiven(BuildOptions.channel)
    kind = try Self.kind(arguments, isBroadcast)
    base = try readBase()
    let asked = try options()
    let said = try asked + operands(besides: asked)
    for case .set(let path, _) in said { warnings += ApsKeys.warning(path).map { [$0] } ?? [] }
    saysSomething = !said.isEmpty || arguments.isGiven(BuildOptions.payload)
    payloadChanges = said + skeleton()
    if arguments.isGiven(BuildOptions.href), arguments.isGiven(BuildOptions.action), kind?.name != "safari" {
      warnings.append("with href and action both in the payload the device follows href and leaves the action alone")
    }
  }

  static func usage(_ message: String) -> UsageError { BuildCommand.command.usageError(message) }

  private static func kind(_ arguments: Arguments, _ isBroadcast: Bool) throws -> Kind? {
    if let name = arguments[BuildOptions.kind] {
      let kind = Kind.named(name)
      if isBroadcast, kind?.pushType != .liveactivity {
        throw usage("--channel-id takes Live Activities only; leave out --kind \(name)")
      }
      return kind
    }
    let type = arguments[BuildOptions.pushType]?.plainText
    if isBroadcast || arguments.isGiven(BuildOptions.event) || type == PushType.liveactivity.rawValue {
      return Kind.named("liveactivity")
    }
    return nil
  }

  private mutating func readBase() throws -> Value {
    guard let path = arguments[BuildOptions.payload] else {
      if arguments.has(BuildOptions.fill), !arguments.isGiven(BuildOptions.payloadKey) {
        throw Self.usage("--fill goes with --payload or --payload-key")
      }
      return .json("{}")
    }
    let bytes = try readFile(path, for: "--payload")
    let value: Value
    do throws(ValueError) {
      value = try arguments.has(BuildOptions.fill) ? Value(jsonWithHoles: bytes) : Value(plainJSON: bytes)
    } catch {
      throw Failure("\(path): \(error.message)")
    }
    guard value.isObject else { throw Failure("\(path): a payload is a JSON object") }
    if value.seemsToHaveHoles { warnings.append("\(path) holds '{{', which goes out as it stands; --fill fills it") }
    return value
  }

  /// A file's bytes; in words that name the option when it cannot be read.
  private func readFile(_ path: String, for option: String) throws(Failure) -> [UInt8] {
    if path == "-" { throw Failure("\(option): '-' is not taken, since recipients come from standard input") }
    do throws(SystemError) {
      return try File.read(path, limit: 16_777_216)
    } catch {
      throw Failure("cannot read \(path): \(error.message)")
    }
  }

  // MARK: The payload

  private var isActivity: Bool { kind?.pushType == .liveactivity }

  private func options() throws -> [Change] {
    var changes: [Change] = []
    for key in BuildOptions.payloadKeys {
      guard var value = value(key.form) else { continue }
      if key.path == ["aps", "relevance-score"], !isActivity { value = try fraction(value) }
      changes.append(.set(inPayload(place(key.path)), value))
    }
    if arguments.has(BuildOptions.critical) || arguments.isGiven(BuildOptions.volume) { changes += criticalSound() }
    if let action = arguments[BuildOptions.action] {
      let isSafari = kind?.name == "safari"
      changes.append(.set(inPayload(isSafari ? ["aps", "alert", "action"] : ["action", "type"]), action))
    }
    if arguments[BuildOptions.action] == nil, arguments.isGiven(BuildOptions.actionOption) {
      throw Self.usage("--action-option goes with --action")
    }
    for (name, option) in [("view", BuildOptions.view), ("transition", BuildOptions.transition)] {
      if arguments.isGiven(option), !arguments.isGiven(BuildOptions.href) {
        throw Self.usage("--\(name) goes with --href")
      }
    }
    for text in arguments.all(BuildOptions.actionOption) {
      changes += try custom(text, under: inPayload(["action", "options"]), "--action-option")
    }
    return changes
  }

  /// Outside of Live Activities a score has an end.
  private func fraction(_ score: Value) throws(UsageError) -> Value {
    do throws(ValueError) {
      switch score {
      case .filled(let template, _): return .filled(template, .fraction)
      case .json(let digits): return try Value(String(decoding: digits, as: UTF8.self), .fraction)
      default: return score
      }
    } catch {
      throw Self.usage("--relevance-score: \(error.message); any number is for --kind liveactivity alone")
    }
  }

  private func value(_ form: PayloadKey.Form) -> Value? {
    switch form {
    case .value(let option): return arguments[option]
    case .list(let option):
      let values = arguments.all(option)
      return values.isEmpty ? nil : .array(values)
    case .flag(let option, let json): return arguments.has(option) ? .json(json) : nil
    }
  }

  func inPayload(_ path: [String]) -> [PathStep] { [.key("payload")] + path.map { .key($0) } }

  /// In a Live Activity the alert has its sound inside, and its localised texts are objects (Apple, "Starting and
  /// updating Live Activities with ActivityKit push notifications").
  private func place(_ path: [String]) -> [String] {
    guard isActivity else { return path }
    switch path.last {
    case "sound" where path.count == 2: return ["aps", "alert", "sound"]
    case "title-loc-key": return ["aps", "alert", "title", "loc-key"]
    case "title-loc-args": return ["aps", "alert", "title", "loc-args"]
    case "loc-key": return ["aps", "alert", "body", "loc-key"]
    case "loc-args": return ["aps", "alert", "body", "loc-args"]
    default: return path
    }
  }

  private func criticalSound() -> [Change] {
    var members: [Value.Member] = []
    if arguments.has(BuildOptions.critical) { members.append(.init("critical", .json("1"))) }
    members.append(.init("name", arguments[BuildOptions.sound] ?? .json("\"default\"")))
    if let volume = arguments[BuildOptions.volume] { members.append(.init("volume", volume)) }
    return [.set(inPayload(place(["aps", "sound"])), .object(members))]
  }

  private func operands(besides asked: [Change]) throws -> [Change] {
    let changes = try arguments.operands.flatMap { try custom($0, under: [.key("payload")], "'\($0.prefix(60))'") }
    guard let payload = try? Value.object([.init("payload", .json("{}"))]).applying(asked) else { return changes }
    for case .set(let path, _) in changes where path.dropFirst().first == .key("aps") && payload.find(path[...]) != nil
    {
      let place = path.dropFirst().compactMap { if case .key(let key) = $0 { key } else { nil } }.joined(separator: ".")
      throw Self.usage("\(place) is set by an option already: give it once")
    }
    return changes
  }

  /// One `key=text`, `key:=json`, `key=@file` or `key:=@file`.
  func custom(_ text: String, under root: [PathStep], _ name: String) throws -> [Change] {
    do throws(ValueError) {
      let key = try CustomKey(text)
      if root == [.key("payload")], key.path == [.key("aps")] {
        throw ValueError("aps holds Apple's own keys: set them one by one, as in aps.badge:=3, or use --payload")
      }
      return [.set(root + key.path, try value(key.source))]
    } catch {
      if root == [.key("payload")], File.exists(text) {
        throw Self.usage("\(name) is a file: recipients are read from standard input, as in apns-build < \(text)")
      }
      throw Self.usage("\(name): \(error.message)")
    }
  }

  private func value(_ source: CustomKey.Source) throws(ValueError) -> Value {
    switch source {
    case .text(let text): return .text(try Template(text))
    case .json(let text): return try Value(json: text)
    case .textFile(let path):
      var bytes = try readFor(path)
      // The last line end belongs to the file, not to the text.
      if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
      guard let text = String(validating: bytes, as: UTF8.self) else { throw ValueError("\(path) is not UTF-8") }
      return .text(try Template(text))
    case .jsonFile(let path): return try Value(json: String(decoding: try readFor(path), as: UTF8.self))
    }
  }

  private func readFor(_ path: String) throws(ValueError) -> [UInt8] {
    do throws(Failure) { return try readFile(path, for: "@-") } catch { throw ValueError(error.message) }
  }

  private func skeleton() -> [Change] {
    var changes: [Change] = []
    for (path, json) in kind?.skeleton ?? [] { changes.append(.fill(inPayload(path), .json(json))) }
    if isActivity {
      changes.append(.fill(inPayload(["aps", "timestamp"]), .clock(offset: 0)))
      if event == "start", !arguments.isGiven(BuildOptions.inputPushChannel),
        !arguments.isGiven(BuildOptions.inputPushToken)
      {
        changes.append(.fill(inPayload(["aps", "input-push-token"]), .json("1")))
      }
    }
    return changes
  }

  var event: String? { arguments[BuildOptions.event]?.plainText }
}
