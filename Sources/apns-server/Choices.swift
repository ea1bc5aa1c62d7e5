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
    settings.seed = arguments[ServerOptions.seed].map { UInt64($0) }
    return settings
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
