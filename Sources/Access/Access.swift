// From what was typed to credentials and to the old binary services: certificates, trust, endpoints.

import APNs
import Filter
import Options
import POSIX
import Provider

public struct Access {
  private let arguments: Arguments
  private let command: Command

  public init(_ arguments: Arguments, _ command: Command) {
    self.arguments = arguments
    self.command = command
  }

  public func warn(_ text: String) { Tool.say("\(command.name): warning: \(text)") }

  /// Says what should be known of credentials before they are used.
  public func warn(about credentials: [LoadedCredential]) {
    for credential in credentials {
      let name = credential.name.isEmpty ? "" : "credential \"\(credential.name)\": "
      for warning in credential.warnings { warn(name + warning.description) }
    }
  }

  /// What all credentials of a run share: the content of `--ca-file`.
  public func settings() throws(CredentialProblem) -> CredentialSettings {
    var settings = CredentialSettings()
    guard let path = arguments[AccessOptions.caFile] else { return settings }
    do throws(SystemError) { settings.trust = try File.read(path, limit: 16_777_216) } catch {
      throw CredentialProblem("ca-file", "cannot read the CA file \(path): \(error.message)")
    }
    return settings
  }

  /// The passphrase of option or variable; nil for none.
  public func passphrase() throws(CredentialProblem) -> [UInt8]? {
    guard let source = arguments[AccessOptions.passphrase] else {
      return Environment.value("APNS_PASSPHRASE").map { Array($0.utf8) }
    }
    let passphrase = try Passphrase(source)
    if passphrase.isExposed { warn("a passphrase on the command line can be read by every user of this machine") }
    return passphrase.bytes
  }

  /// The certificate of options and variables.
  public func certificate() throws(CredentialProblem) -> CredentialSource {
    var source = CredentialSource()
    source.passphrase = try passphrase()
    source.certificate = arguments[AccessOptions.cert].map { CredentialFile(reading: $0) }
    source.certificateKey = arguments[AccessOptions.certKey].map { CredentialFile(reading: $0) }
    return source
  }

  /// A place as it was typed.
  public func place(_ text: String, option: String = "--endpoint") throws -> HostPort {
    guard let place = HostPort(text) else {
      throw command.usageError(
        "'\(text)' is no endpoint: give HOST:PORT, or [ADDRESS]:PORT for IPv6", subject: option)
    }
    return place
  }

  // MARK: The binary services

  /// Whether a server on this machine is meant.
  public var isTest: Bool { arguments[AccessOptions.environment] == "test" }

  /// The services of the old protocol to connect to, those of the chosen environment first. Reads files; opens no
  /// connection.
  /// - Parameters:
  ///   - sources: certificates. A server of one's own may want none.
  ///   - endpoint: a place that was typed or came from the environment; nil for Apple's, or for localhost under `test`.
  public func binaryServices(
    _ kind: Endpoint.Service, _ sources: [CredentialSource], endpoint: String?
  ) throws -> [Service] {
    let chosen = ServiceEnvironment(rawValue: arguments[AccessOptions.environment] ?? "sandbox") ?? .sandbox
    let order = [chosen] + ServiceEnvironment.allCases.filter { $0 != chosen }
    let credentials = try load(sources, isOwn: endpoint != nil || isTest, chosen)
    let given = try endpoint.map { try place($0) }
    if given == nil, !isTest {
      warn("Apple closed its binary services on 31 March 2021; --endpoint names one that still speaks the protocol")
    }
    return order.flatMap { environment in
      let row = Endpoint.of(kind, environment)
      let host = given?.host ?? (isTest ? "localhost" : row.host)
      let fitting = credentials.filter { $0.environments.contains(environment) || isTest || given != nil }
      return fitting.map {
        $0.service(environment: environment, host: host, port: given?.port ?? row.port, isAlone: credentials.count == 1)
      }
    }
  }

  private func load(
    _ sources: [CredentialSource], isOwn: Bool, _ chosen: ServiceEnvironment
  ) throws -> [LoadedCredential] {
    do throws(CredentialProblem) {
      var settings = try settings()
      // Nobody speaks of HTTP/2 here.
      settings.protocols = []
      if let key = sources.first(where: { $0.key != nil }) {
        throw CredentialProblem(
          "binary-needs-certificate",
          (key.name.isEmpty ? "" : "credential \"\(key.name)\": ") + "the binary protocol takes no signing key",
          help: "give a certificate, --cert")
      }
      if sources.allSatisfy({ $0.certificate == nil }) {
        if isOwn { return [try LoadedCredential.anonymous(settings)] }
        throw CredentialProblem(
          "binary-needs-certificate", "no certificate is given", help: "give --cert, or set APNS_CERT_FILE")
      }
      let wanted = sources.map { source in
        var source = source
        source.wantedEnvironment = isOwn ? nil : chosen
        return source
      }
      let credentials = try LoadedCredential.load(wanted, settings)
      warn(about: credentials)
      return credentials
    } catch { throw Failure(error.description) }
  }
}
