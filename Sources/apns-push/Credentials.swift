// From what was typed to services that can be connected to: keys, certificates, trust, endpoints.

import APNs
import Filter
import Options
import POSIX
import Provider

struct Credentials {
  private let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  /// The services of the run: the chosen environment first. Reads files; opens no connection.
  func services() throws -> [Service] {
    let passphrase = try passphrase()
    let credential = try CredentialSource(
      key: try keyText(), keyName: arguments[PushOptions.key], keyID: arguments[PushOptions.keyID],
      teamID: arguments[PushOptions.teamID], certificate: try file(arguments[PushOptions.cert], "certificate"),
      certificateKey: try file(arguments[PushOptions.certKey], "certificate's key"), passphrase: passphrase,
      trust: try file(arguments[PushOptions.caFile], "CA file")
    ).load()
    let chosen = ServiceEnvironment(rawValue: arguments[PushOptions.environment] ?? "sandbox") ?? .sandbox
    let order = [chosen] + ServiceEnvironment.allCases.filter { $0 != chosen }
    return try order.map { environment in
      let (host, port) = try place(environment)
      return credential.service(environment: environment, host: host, port: port)
    }
  }

  private func place(_ environment: ServiceEnvironment) throws -> (String, Int) {
    let row = Endpoint.of(.push, environment)
    guard let given = arguments[PushOptions.endpoint] else {
      return (row.host, arguments[PushOptions.port] ?? row.port)
    }
    guard let place = HostPort(given) else {
      throw PushOptions.command.usageError(
        "'\(given)' is no endpoint: give HOST:PORT, or [ADDRESS]:PORT for IPv6", subject: "--endpoint")
    }
    return (place.host, arguments[PushOptions.port] ?? place.port ?? row.port)
  }

  private func passphrase() throws -> [UInt8]? {
    if let source = arguments[PushOptions.passphrase] { return try readPassphrase(source) }
    return Environment.value("APNS_PASSPHRASE").map { Array($0.utf8) }
  }

  private func keyText() throws -> [UInt8]? {
    // A certificate on the command line is not overruled by a key in the environment.
    let keyIsTyped = arguments.origin(of: PushOptions.key) == .commandLine
    let certIsTyped = arguments.origin(of: PushOptions.cert) == .commandLine
    if keyIsTyped && certIsTyped {
      throw PushOptions.command.usageError("--key and --cert exclude each other: give one of them", subject: "--cert")
    }
    if certIsTyped { return nil }
    if let path = arguments[PushOptions.key] { return try file(path, "key") }
    return Environment.value("APNS_KEY").flatMap { $0.isEmpty ? nil : Array($0.utf8) }
  }

  private func file(_ path: String?, _ what: String) throws -> [UInt8]? {
    guard let path else { return nil }
    do throws(SystemError) { return try File.read(path, limit: 1_048_576) } catch {
      throw Failure("cannot read the \(what) \(path): \(error.message)")
    }
  }

  /// The passphrase from `env:NAME`, `file:PATH`, `fd:N` or `pass:TEXT`, as OpenSSL's own tools take it.
  private func readPassphrase(_ source: String) throws -> [UInt8] {
    let parts = source.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
    guard parts.count == 2 else { throw unknownSource() }
    switch parts[0] {
    case "pass":
      Tool.say(
        "\(PushOptions.command.name): warning: a passphrase on the command line can be read by every user of this machine"
      )
      return Array(parts[1].utf8)
    case "env":
      guard let text = Environment.value(parts[1]) else {
        throw Failure("the variable \(parts[1]) of --passphrase is not set")
      }
      return Array(text.utf8)
    case "file":
      return firstLine(try file(parts[1], "passphrase file") ?? [])
    case "fd":
      guard let number = Int32(parts[1]), number >= 0 else { throw unknownSource() }
      do throws(SystemError) { return firstLine(try File.read(Descriptor(borrowing: number), limit: 65_536)) } catch {
        throw Failure("cannot read the passphrase from descriptor \(number): \(error.message)")
      }
    default: throw unknownSource()
    }
  }

  private func firstLine(_ bytes: [UInt8]) -> [UInt8] {
    var line = Array(bytes.prefix { $0 != UInt8(ascii: "\n") })
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return line
  }

  private func unknownSource() -> UsageError {
    PushOptions.command.usageError(
      "--passphrase takes env:NAME, file:PATH, fd:N or pass:TEXT", subject: "--passphrase")
  }
}
