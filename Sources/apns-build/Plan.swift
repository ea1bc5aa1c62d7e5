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
  private var base = Value.json("{}")
  private var payloadChanges: [Change] = []
  /// Whether the command line says anything about the payload, besides the kind.
  private var saysSomething = false

  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    isBroadcast = arguments.isGiven(BuildOptions.channel)
    kind = try Self.kind(arguments, isBroadcast)
    base = try readBase()
    let said = try options() + operands()
    saysSomething = !said.isEmpty || arguments.isGiven(BuildOptions.payload)
    payloadChanges = said + skeleton()
    if arguments.isGiven(BuildOptions.href), arguments.isGiven(BuildOptions.action), kind?.name != "safari" {
      warnings.append("with href and action both in the payload the device follows href and leaves the action alone")
    }
  }

  private static func usage(_ message: String) -> UsageError { BuildCommand.command.usageError(message) }

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

  private func readBase() throws -> Value {
    guard let path = arguments[BuildOptions.payload] else { return .json("{}") }
    let bytes = try readFile(path, for: "--payload")
    let value: Value
    do throws(ValueError) {
      value = try Value(plainJSON: bytes)
    } catch {
      throw Failure("\(path): \(error.message)")
    }
    guard value.isObject else { throw Failure("\(path): a payload is a JSON object") }
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
      guard let value = value(key.form) else { continue }
      changes.append(.set(inPayload(place(key.path)), value))
    }
    if arguments.has(BuildOptions.critical) || arguments.isGiven(BuildOptions.volume) { changes += criticalSound() }
    if let action = arguments[BuildOptions.action] {
      let isSafari = kind?.name == "safari"
      changes.append(.set(inPayload(isSafari ? ["aps", "alert", "action"] : ["action", "type"]), action))
    }
    for text in arguments.all(BuildOptions.actionOption) {
      changes += try custom(text, under: inPayload(["action", "options"]), "--action-option")
    }
    return changes
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

  private func inPayload(_ path: [String]) -> [PathStep] { [.key("payload")] + path.map { .key($0) } }

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

  private func operands() throws -> [Change] {
    try arguments.operands.flatMap { try custom($0, under: [.key("payload")], "'\($0.prefix(60))'") }
  }

  /// One `key=text`, `key:=json`, `key=@file` or `key:=@file`.
  private func custom(_ text: String, under root: [PathStep], _ name: String) throws -> [Change] {
    do throws(ValueError) {
      let key = try CustomKey(text)
      if root == [.key("payload")], key.path == [.key("aps")] {
        throw ValueError("aps holds Apple's own keys: set them one by one, as in aps.badge:=3, or use --payload")
      }
      return [.set(root + key.path, try value(key.source))]
    } catch {
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

  private var event: String? { arguments[BuildOptions.event]?.plainText }
}

extension Plan {
  // MARK: The whole

  /// Everything the run needs.
  /// - Parameter withRecipient: whether the record names a device or a channel; a payload by itself needs none.
  func recipe(withRecipient: Bool = true) throws -> Recipe {
    let unsets = try arguments.all(BuildOptions.unset).map { try unset($0) }
    let recipient = Value.Member(
      isBroadcast ? "channel_id" : "token", isBroadcast ? arguments[BuildOptions.channel] ?? .token : .token)
    let start = Value.object((withRecipient ? [recipient] : []) + [.init("payload", base)])
    do {
      let payload = try start.applying(payloadChanges).find([.key("payload")])
      let headers = try Headers(arguments, kind, isBroadcast, payload).changes
      let metas = try self.metas()
      let made = try start.applying(payloadChanges + headers.new + metas + unsets)
      let lack = try checkKind(made)
      return try Recipe(
        tool: BuildCommand.command.name, start: start, changes: payloadChanges + headers.new + metas + unsets,
        edits: baseForEdits + payloadChanges + headers.edits + metas + unsets, truncatable: try truncatable(),
        settings: settings(), form: form(), tokenField: arguments[BuildOptions.tokenField] ?? "token",
        payloadField: arguments[BuildOptions.payloadKey], mayBeEmpty: kind != nil, lack: lack)
    } catch let error as PathError {
      throw Self.usage(error.message)
    } catch let error as ValueError {
      throw Self.usage(error.message)
    }
  }

  private var baseForEdits: [Change] {
    arguments.isGiven(BuildOptions.payload) ? [.merge([.key("payload")], base)] : []
  }

  private func metas() throws -> [Change] {
    try arguments.all(BuildOptions.meta).flatMap { try custom($0, under: [.key("meta")], "--meta") }
  }

  /// A kind checks what all recipients share; what a line brings along is the validator's business.
  /// - Returns: what new records lack, when the lines may be records that have it.
  private func checkKind(_ record: Value) throws -> String? {
    guard let kind, let payload = record.find([.key("payload")]) else { return nil }
    if arguments.isGiven(BuildOptions.payloadKey) { return nil }
    if let fault = kind.contradiction(in: payload) { throw Self.usage(fault) }
    if isBroadcast, event == "start" {
      throw Self.usage("a broadcast cannot start a Live Activity, only update or end it")
    }
    guard let lack = kind.lack(in: payload) else { return nil }
    if saysSomething || arguments.isGiven(BuildOptions.token) || isBroadcast { throw Self.usage(lack) }
    return lack
  }

  private func unset(_ text: String) throws -> Change {
    do throws(ValueError) {
      let path = try CustomKey.path(text)
      guard case .key(let first) = path[0], first != "token", first != "channel_id" else {
        throw ValueError("a record needs its recipient")
      }
      return .unset(Notification.Key(rawValue: first) == nil ? [.key("payload")] + path : path)
    } catch {
      throw Self.usage("--unset: \(error.message)")
    }
  }

  private func truncatable() throws -> [[PathStep]] {
    var paths: [[PathStep]] = []
    for field in arguments.all(BuildOptions.truncate) {
      switch field {
      case "body": paths += [inPayload(["aps", "alert", "body"]), inPayload(["aps", "alert"])]
      case "title", "subtitle": paths.append(inPayload(["aps", "alert", field]))
      case "alert": paths.append(inPayload(["aps", "alert"]))
      default:
        do throws(ValueError) {
          let path = try CustomKey.path(field)
          paths.append(path[0] == .key("payload") ? path : [.key("payload")] + path)
        } catch {
          throw Self.usage("--truncate: \(error.message)")
        }
      }
    }
    return paths
  }

  private func settings() -> RunSettings {
    var settings = RunSettings()
    settings.strictTokens = arguments.has(BuildOptions.strict)
    settings.notesTruncation = arguments.has(BuildOptions.noteTruncation)
    if let now = arguments[BuildOptions.now] { settings.clock = .still(at: now.seconds(now: Clock.system.unixSeconds)) }
    return settings
  }

  private func form() throws -> OutputForm {
    var forms: [(String, OutputForm)] = []
    if arguments.has(BuildOptions.payloadOnly) { forms.append(("--payload-only", .payload)) }
    if let bundle = arguments[BuildOptions.simulator] { forms.append(("--simulator", .simulator(bundle: bundle))) }
    if arguments.has(BuildOptions.curl) { forms.append(("--curl", .curl)) }
    if let word = arguments[BuildOptions.format], let form = BinaryForm(rawValue: word) {
      forms.append(("--format", .binary(form)))
    }
    if forms.count > 1 { throw Self.usage("\(forms[0].0) and \(forms[1].0) exclude each other") }
    return forms.first?.1 ?? .record
  }
}
