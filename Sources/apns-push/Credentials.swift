// From what was typed to services that can be connected to: keys, certificates, trust, endpoints.

import APNs
import Access
import Filter
import Options
import POSIX
import Provider

struct Credentials {
  private let arguments: Arguments

  private let access: Access

  init(_ arguments: Arguments) {
    self.arguments = arguments
    access = Access(arguments, PushOptions.command)
  }

  /// The services of the run: those of the chosen environment first. Reads files; opens no connection. What should be
  /// known of the credentials is said on standard error.
  func services() throws -> [Service] {
    // What was typed is judged before any file is opened.
    let places = try ServiceEnvironment.allCases.map { ($0, try place($0)) }
    let credentials: [LoadedCredential]
    do throws(CredentialProblem) { credentials = try LoadedCredential.load(try sources(), try settings()) } catch {
      throw Failure(error.description)
    }
    access.warn(about: credentials)
    let chosen = ServiceEnvironment(rawValue: arguments[PushOptions.environment] ?? "sandbox") ?? .sandbox
    let order = [chosen] + ServiceEnvironment.allCases.filter { $0 != chosen }
    return order.flatMap { environment in
      let (host, port) = places.first { $0.0 == environment }?.1 ?? ("", 0)
      return credentials.filter { $0.environments.contains(environment) }.map {
        $0.service(environment: environment, host: host, port: port, isAlone: credentials.count == 1)
      }
    }
  }

  /// A topic that two credentials list goes by the first of them, which may be a slip.
  private func warnOfSharedTopics(_ credentials: [CredentialExamination]) {
    var first: [String: CredentialExamination] = [:]
    for credential in credentials {
      for topic in credential.topics {
        guard let other = first.updateValue(first[topic] ?? credential, forKey: topic) else { continue }
        guard other.environments.contains(where: credential.environments.contains) else { continue }
        access.warn("credentials \"\(other.name)\" and \"\(credential.name)\" both list \(topic); it goes by the first")
      }
    }
  }

  /// The gateways of a run over the binary protocol: certificates alone. A key in the environment is passed over.
  func gateways() throws -> [Service] {
    let keyIsTyped = arguments.origin(of: PushOptions.key) == .commandLine
    if keyIsTyped {
      throw PushOptions.command.usageError(
        "--protocol binary takes no signing key: give a certificate, --cert", subject: "--key")
    }
    let sources: [CredentialSource]
    do throws(CredentialProblem) {
      sources = arguments.isGiven(CredentialOptions.credentials) ? try self.sources() : [try access.certificate()]
    } catch { throw Failure(error.description) }
    let isTyped = arguments.origin(of: PushOptions.endpoint) == .commandLine
    let endpoint = isTyped ? arguments[PushOptions.endpoint] : Environment.value("APNS_BINARY_ENDPOINT")
    var services = try access.binaryServices(.gateway, sources, endpoint: endpoint)
    if let port = arguments[PushOptions.port] { for index in services.indices { services[index].port = port } }
    return services
  }

  /// `--check-credentials`: a record for each credential on standard output.
  func check() throws -> Status {
    let found: [CredentialExamination]
    let settings: CredentialSettings
    do throws(CredentialProblem) {
      let now = Clock.system.unixSeconds
      settings = try self.settings()
      // The binary protocol knows certificates alone.
      let isBinary = BinaryOptions.isChosen(arguments) && !arguments.isGiven(CredentialOptions.credentials)
      found = try (isBinary ? [access.certificate()] : sources()).map { source in
        var source = source
        // Nothing is about to be sent: what a certificate is for is said, and held against nobody who did not ask.
        if !arguments.isGiven(PushOptions.environment) { source.wantedEnvironment = nil }
        return CredentialExamination(source, now: now)
      }
    } catch { throw Failure(error.description) }
    if found.count == 1, found[0].kind == .none, let problem = found[0].problems.last {
      throw Failure(problem.description)
    }
    let trust = TrustReport(settings, file: arguments[PushOptions.caFile])
    var doctor = CredentialDoctor(trust: trust, isApple: arguments[PushOptions.endpoint] == nil)
    for one in found { doctor.report(one) }
    warnOfSharedTopics(found)
    try Descriptor.standardOutput.writeAll(doctor.output.bytes.span)
    return doctor.needsAttention ? .findings : .ok
  }

  private func place(_ environment: ServiceEnvironment) throws -> (String, Int) {
    let row = Endpoint.of(.push, environment)
    guard let given = endpoint(environment) else { return (row.host, arguments[PushOptions.port] ?? row.port) }
    let place = try access.place(given)
    return (place.host, arguments[PushOptions.port] ?? place.port ?? row.port)
  }

  /// A server of one's own: as it was typed, else the environment's own variable, else the one for both.
  private func endpoint(_ environment: ServiceEnvironment) -> String? {
    if arguments.origin(of: PushOptions.endpoint) == .commandLine { return arguments[PushOptions.endpoint] }
    let own = Environment.value("APNS_\(environment.rawValue.uppercased())_ENDPOINT") ?? ""
    return own.isEmpty ? arguments[PushOptions.endpoint] : own
  }

  private func settings() throws(CredentialProblem) -> CredentialSettings {
    var settings = try access.settings()
    if arguments.has(CredentialOptions.tokenCache) { settings.tokenFolder = TokenCache.usualFolder }
    return settings
  }

  private func sources() throws(CredentialProblem) -> [CredentialSource] {
    guard let path = arguments[CredentialOptions.credentials] else { return [try typedSource()] }
    let others = [arguments.origin(of: PushOptions.key), arguments.origin(of: PushOptions.cert)]
    if others.contains(.commandLine) {
      throw CredentialProblem(
        "options-exclude", "--credentials and --key or --cert exclude each other: name the credential in the file")
    }
    do throws(CredentialsFileError) { return try CredentialsFile.read(path) } catch {
      throw CredentialProblem("credentials-file", error.description)
    }
  }

  /// The one credential of options and variables.
  private func typedSource() throws(CredentialProblem) -> CredentialSource {
    var source = CredentialSource()
    let keyIsTyped = arguments.origin(of: PushOptions.key) == .commandLine
    let certIsTyped = arguments.origin(of: PushOptions.cert) == .commandLine
    if keyIsTyped && certIsTyped {
      throw CredentialProblem("options-exclude", "--key and --cert exclude each other: give one of them")
    }
    source.passphrase = try access.passphrase()
    // A certificate on the command line is not overruled by a key in the environment.
    if !certIsTyped { source.key = key() }
    source.keyID = arguments[PushOptions.keyID]
    source.teamID = arguments[PushOptions.teamID]
    if source.key == nil {
      source.certificate = arguments[PushOptions.cert].map { CredentialFile(reading: $0) }
      source.certificateKey = arguments[PushOptions.certKey].map { CredentialFile(reading: $0) }
    }
    // A server of one's own takes every line, whatever its environment; it matters where somebody says so.
    let isApple = ServiceEnvironment.allCases.contains { endpoint($0) == nil }
    if isApple || arguments.isGiven(PushOptions.environment) {
      source.wantedEnvironment = ServiceEnvironment(rawValue: arguments[PushOptions.environment] ?? "sandbox")
    }
    return source
  }

  private func key() -> CredentialFile? {
    if let path = arguments[PushOptions.key] { return CredentialFile(reading: path) }
    guard let text = Environment.value("APNS_KEY"), !text.isEmpty else { return nil }
    return CredentialFile(text: Array(text.utf8), variable: "APNS_KEY")
  }
}
