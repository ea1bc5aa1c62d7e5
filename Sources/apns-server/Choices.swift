// What the options come to: settings, keys, identifiers.

import APNs
import Filter
import Options
import POSIX
import Service
import TLS

extension ServerRun {
  /// Settings but for the keys.
  func settings(_ topics: [String]) throws -> Settings {
    var settings = Settings()
    let port = arguments[ServerOptions.port] ?? 0
    switch arguments[ServerOptions.environment] {
    case "production": settings.ports = [(.production, port)]
    case "both": settings.ports = [(.sandbox, port), (.production, arguments[ServerOptions.productionPort] ?? 0)]
    default: settings.ports = [(.sandbox, port)]
    }
    let addresses = arguments.all(ServerOptions.bind)
    if !addresses.isEmpty { settings.addresses = addresses }
    for address in settings.addresses where !Socket.isNumeric(address) {
      throw Command.server.usageError("--bind: '\(address)' is not a numeric address", subject: "--bind")
    }
    settings.maxStreams = arguments[ServerOptions.maxStreams] ?? settings.maxStreams
    settings.firstStreams = arguments[ServerOptions.firstStreams] ?? settings.firstStreams
    settings.takesAnyToken = arguments.has(ServerOptions.anyToken)
    settings.takesAnyCertificate = arguments.has(ServerOptions.anyCertificate)
    if let path = arguments[ServerOptions.clientCA] { settings.clientAuthorities = try read(path, "--client-ca") }
    settings.topics = topics
    settings.streamsAfterRejection = arguments[ServerOptions.streamsAfterRejection]
    settings.excessEndsConnection = arguments[ServerOptions.onExcess] == "goaway"
    settings.rejectionLimit = arguments[ServerOptions.rejectionLimit]
    settings.idleSeconds = arguments[ServerOptions.idle]
    settings.handshakeSeconds = arguments[ServerOptions.handshake] ?? settings.handshakeSeconds
    settings.tokenSpacing = arguments[ServerOptions.tokenSpacing] ?? settings.tokenSpacing
    settings.futureTokenIsExpired = arguments[ServerOptions.future] == "expired"
    settings.usesDocumentedReasons = arguments.has(ServerOptions.documented)
    settings.sendsDate = arguments.isGiven(ServerOptions.clockOffset)
    settings.checksDocument = arguments.has(ServerOptions.checkPayload)
    settings.channels = arguments.all(ServerOptions.channel).map { ($0.bundle, $0.id, $0.storesMessages) }
    settings.channelLimit = arguments[ServerOptions.maxChannels] ?? settings.channelLimit
    settings.connectionLimit = arguments[ServerOptions.maxConnections] ?? settings.connectionLimit
    settings.expected = command.isEmpty ? arguments[ServerOptions.expect] : nil
    settings.timeoutSeconds = arguments[ServerOptions.timeout]
    settings.keys = try keyList()
    settings.goneSince = (Clock.system.unixSeconds - 3600) * 1000
    settings.script = try script(settings.goneSince)
    settings.gatewayPort = arguments[BinaryServerOptions.gateway]
    settings.feedbackPort = arguments[BinaryServerOptions.feedback]
    if let path = arguments[BinaryServerOptions.feedbackFile] {
      settings.feedbackPort = settings.feedbackPort ?? 0
      settings.feedback = try feedbackList(path, settings.goneSince / 1000)
    }
    settings.seed = arguments[ServerOptions.seed].map { UInt64($0) }
    return settings
  }

  /// The rules of all scripts, then those of the command line.
  private func script(_ timestamp: Int) throws -> Script {
    var script = Script()
    for path in arguments.all(ServerOptions.script) {
      let bytes = try read(path, "--script")
      do {
        script.append(try Script.read(bytes.span, word: "line", timestamp: timestamp))
      } catch {
        throw Command.server.usageError("\(path):\(error)", subject: "--script")
      }
    }
    for (index, text) in arguments.all(ServerOptions.rule).enumerated() {
      do {
        script.append(try Script.read(rule: text, number: index + 1, timestamp: timestamp))
      } catch {
        throw Command.server.usageError("--rule: column \(error.column): \(error.message)", subject: "--rule")
      }
    }
    return script
  }

  /// The keys of --keys.
  private func keyList() throws -> [KnownKey] {
    guard let path = arguments[ServerOptions.keys] else { return [] }
    let bytes = try read(path, "--keys")
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    do {
      return try KnownKey.list(bytes.span) { (file: String) throws -> [UInt8] in
        try File.read(file.hasPrefix("/") ? file : folder + file, limit: 1_048_576)
      }
    } catch {
      throw Command.server.usageError("\(path):\(error)", subject: "--keys")
    }
  }

  private func feedbackList(_ path: String, _ time: Int) throws -> FeedbackList {
    let bytes = try read(path, "--feedback-file")
    do {
      return try FeedbackList(bytes.span, time: time)
    } catch {
      throw Command.server.usageError("\(path):\(error)", subject: "--feedback-file")
    }
  }

  func read(_ path: String, _ option: String) throws -> [UInt8] {
    do {
      return try File.read(path, limit: 16_777_216)
    } catch {
      throw Failure("\(option): \(path): \(error.message)")
    }
  }

  /// The key of --key: private, public, or neither when the option is not given.
  func readKey() throws -> (SigningKey?, PublicKey?) {
    guard let path = arguments[ServerOptions.key] else { return (nil, nil) }
    let bytes = try read(path, "--key")
    do {
      let key = try SigningKey(bytes.span)
      return (key, key.publicKey)
    } catch {
      if let key = try? PublicKey(bytes.span) { return (nil, key) }
      throw Failure("--key: \(path): \(error)")
    }
  }

  /// The key id: given, or read from the file's name.
  func keyID() throws -> String? {
    if let given = try identifier(ServerOptions.keyID) { return given }
    guard let path = arguments[ServerOptions.key], let name = path.split(separator: "/").last,
      name.hasPrefix("AuthKey_"), name.hasSuffix(".p8")
    else { return nil }
    let id = String(name.dropFirst(8).dropLast(3))
    return ProviderToken.isIdentifier(id) ? id : nil
  }

  func identifier(_ option: Option<String>) throws -> String? {
    guard let text = arguments[option] else { return nil }
    if ProviderToken.isIdentifier(text) { return text }
    let name = "--\(option.declaration.name)"
    throw Command.server.usageError("\(name): expected ten capital letters and digits, found '\(text)'", subject: name)
  }
}
