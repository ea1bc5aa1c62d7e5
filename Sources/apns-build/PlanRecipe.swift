// The second half of a plan: headers, checks, and what the run needs.

import APNs
import Builder
import Options
import POSIX

extension Plan {
  /// Everything the run needs.
  /// - Parameter withRecipient: whether the record names a device or a channel; a payload by itself needs none.
  func recipe(withRecipient: Bool = true) throws -> Recipe {
    var unsets = try arguments.all(BuildOptions.unset).map { try unset($0) }
    // The bundle of the option takes the place of the one in a file.
    if arguments.isGiven(BuildOptions.simulator) { unsets.append(.unset(inPayload(["Simulator Target Bundle"]))) }
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
        payloadField: arguments[BuildOptions.payloadKey], fillsPayloads: arguments.has(BuildOptions.fill),
        mayBeEmpty: kind != nil, lack: lack)
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
    if let bundle = arguments[BuildOptions.simulator] {
      if let type = kind?.pushType, [.voip, .complication, .fileprovider].contains(type) {
        throw Self.usage("xcrun simctl push knows no pushes of type \(type.rawValue)")
      }
      forms.append(("--simulator", .simulator(bundle: bundle)))
    }
    if arguments.has(BuildOptions.curl) { forms.append(("--curl", .curl)) }
    if let word = arguments[BuildOptions.format], let form = BinaryForm(rawValue: word) {
      forms.append(("--format", .binary(form)))
    }
    if forms.count > 1 { throw Self.usage("\(forms[0].0) and \(forms[1].0) exclude each other") }
    return forms.first?.1 ?? .record
  }
}
