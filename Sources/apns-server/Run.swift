// From options to a running server: credentials, files, the command, the end.

import APNs
import Filter
import JSON
import Options
import POSIX
import Service
import TLS

struct ServerRun {
  let arguments: Arguments
  let command: [String]

  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    let before = arguments.separator ?? arguments.operands.count
    if before > 0 {
      throw Command.server.usageError(
        "unexpected operand '\(arguments.operands[0])': a command stands behind '--'", subject: arguments.operands[0])
    }
    command = arguments.operands
    if arguments.separator != nil, command.isEmpty { throw Command.server.usageError("no command behind '--'") }
    if arguments.has(ServerOptions.logFrames), arguments[ServerOptions.log] == nil {
      throw Command.server.usageError("--log-frames goes with --log: frames are written there", subject: "--log-frames")
    }
    if arguments.isGiven(ServerOptions.productionPort), arguments[ServerOptions.environment] != "both" {
      throw Command.server.usageError(
        "--production-port goes with --environment both; --port is the one environment's", subject: "--production-port")
    }
  }

  func run() throws -> Status {
    let clock = Clock.system
    let (key, known) = try readKey()
    let topics = arguments.all(ServerOptions.topic)
    let credentials: Credentials
    do {
      credentials = try Credentials.make(
        hosts: arguments.all(ServerOptions.host), clientTopic: topics.first ?? "com.example.app", signingKey: key,
        makesKey: known == nil, keyID: try keyID(), teamID: try identifier(ServerOptions.teamID),
        now: clock.unixSeconds)
    } catch let error as TLS.Failure {
      throw Failure(error.message)
    }
    var settings = try settings(topics)
    let publicKey = known ?? credentials.signingKey?.publicKey
    if let publicKey {
      settings.keys.append(KnownKey(id: credentials.keyID, teamID: credentials.teamID, key: publicKey))
    }
    // From here on a signal is an end in order: the temporary files are taken away.
    let signals = try Signals(
      [Signals.interrupt, Signals.terminate, Signals.hangUp] + (command.isEmpty ? [] : [Signals.child]))
    let files: CredentialFiles
    let lock = try hold()
    do {
      files = try CredentialFiles(
        credentials, in: arguments[ServerOptions.writeCredentials], ownsKey: known == nil, lock: lock)
    } catch {
      throw Failure(
        "the credentials cannot be written\(arguments[ServerOptions.writeCredentials].map { " to " + $0 } ?? ""): "
          + "\(error.message)")
    }
    let traces = Traces(files: files, credentials: credentials, isKeyOurs: known == nil)
    defer { traces.remove() }
    return try serve(settings, traces, signals, clock)
  }

  /// The folder of --write-credentials, for this server alone.
  private func hold() throws -> Descriptor? {
    guard let folder = arguments[ServerOptions.writeCredentials] else { return nil }
    let lock: Descriptor?
    do throws(SystemError) {
      lock = try CredentialFiles.hold(folder)
    } catch {
      throw Failure("the credentials cannot be written to \(folder): \(error.message)")
    }
    if let lock { return lock }
    throw Failure("--write-credentials: another server that still runs has its credentials in \(folder)")
  }

  private func serve(
    _ settings: Settings, _ traces: Traces, _ signals: Signals, _ clock: Clock
  ) throws -> Status {
    let (files, credentials) = (traces.files, traces.credentials)
    let words = arguments.has(ServerOptions.quiet) ? nil : Descriptor.standardError
    let outputs = try OutputFiles(arguments, runsCommand: !command.isEmpty)
    let observer = Observer(
      log: outputs.log, frames: arguments.has(ServerOptions.logFrames), words: words, clock: clock)
    let server: Server
    do {
      server = try Server(settings, credentials, output: outputs.records, observer: observer, clock: shifted(clock))
    } catch let error as ListenError {
      throw Failure(error.description)
    }
    let ready = readyLine(server, credentials, files)
    do {
      try files.describe { appendListening(server, credentials, files, to: &$0) }
    } catch {
      throw Failure(
        "the credentials cannot be written\(arguments[ServerOptions.writeCredentials].map { " to " + $0 } ?? ""): "
          + "\(error.message)")
    }
    if command.isEmpty { try Descriptor.standardOutput.writeAll(ready.span) }
    try tell(ready)
    let child = try start(server, credentials, files)
    // From a terminal ^C reaches the command by itself.
    let deafTo = Descriptor.standardInput.isTerminal ? [Signals.interrupt] : []
    let end = try run(server, signals, observer, child, deafTo)
    return conclude(end, observer, traces, child)
  }

  /// Serves to the end; what cannot be written is an end, too.
  private func run(
    _ server: Server, _ signals: Signals, _ observer: Observer, _ child: Process?, _ deafTo: [Int32]
  ) throws -> RunEnd {
    do {
      return try server.run(signals: signals, child: child, deafTo: deafTo)
    } catch {
      // The command has nobody to talk to any more.
      child?.send(Signals.terminate)
      if let failure = observer.failure {
        throw Failure("--log: \(arguments[ServerOptions.log] ?? ""): \(failure.message)", status: .stopped)
      }
      throw error
    }
  }

  /// What the end of the run means for the exit status.
  private func conclude(_ end: RunEnd, _ observer: Observer, _ traces: Traces, _ child: Process?) -> Status {
    switch end {
    case .command(let status):
      traces.remove()
      if let expected = arguments[ServerOptions.expect], observer.notifications < expected {
        Tool.say("apns-server: \(observer.notifications) notifications came, \(expected) were expected")
        exitProcess(status == 0 ? Status.findings.rawValue : status)
      }
      exitProcess(status)
    case .signal(let number):
      traces.remove()
      Signals.endProcess(with: number)
    case .expected, .outputClosed: return .ok
    case .timeout:
      child?.send(Signals.terminate)
      let wanted = arguments[ServerOptions.expect].map { " of \($0)" } ?? ""
      Tool.say("apns-server: the time is over: \(observer.notifications)\(wanted) notifications came")
      return .findings
    }
  }

  /// The ready record for those who wait at a descriptor or a file.
  private func tell(_ ready: [UInt8]) throws {
    if let number = arguments[ServerOptions.readyFD] {
      // The standard streams are still needed.
      let descriptor = number > 2 ? Descriptor(owning: Int32(number)) : Descriptor(borrowing: Int32(number))
      do throws(SystemError) { try descriptor.writeAll(ready.span) } catch {
        throw Failure("--ready-fd: \(number): \(error.message)")
      }
    }
    guard let path = arguments[ServerOptions.readyFile] else { return }
    do throws(SystemError) {
      let half = path + ".part"
      try File.create(half).writeAll(ready.span)
      try File.rename(half, to: path)
    } catch { throw Failure("--ready-file: \(path): \(error.message)") }
  }

  /// The clock that provider tokens are judged by.
  private func shifted(_ clock: Clock) -> Clock {
    guard let seconds = arguments[ServerOptions.clockOffset] else { return clock }
    return Clock(monotonic: clock.monotonic, unixMilliseconds: { clock.unixMilliseconds() + seconds * 1000 })
  }

  private func start(_ server: Server, _ credentials: Credentials, _ files: CredentialFiles) throws -> Process? {
    if command.isEmpty { return nil }
    var variables = Environment.all.filter { entry in
      !Self.replaced.contains { entry.hasPrefix($0 + "=") }
    }
    let port = server.ports[0]
    variables.append("APNS_ENDPOINT=localhost:\(port.port)")
    variables.append("APNS_ENVIRONMENT=\(port.environment.rawValue)")
    // With one environment there is one place, which the command may overrule with one variable.
    for other in server.ports where server.ports.count > 1 {
      variables.append("APNS_\(other.environment.rawValue.uppercased())_ENDPOINT=localhost:\(other.port)")
    }
    variables.append("APNS_CA_FILE=\(files.caFile)")
    if let port = server.gatewayPort { variables.append("APNS_BINARY_ENDPOINT=localhost:\(port)") }
    if let port = server.feedbackPort { variables.append("APNS_FEEDBACK_ENDPOINT=localhost:\(port)") }
    let isCertificate = arguments[ServerOptions.auth] == "certificate"
    // The old protocol knows no keys.
    if isCertificate || server.gatewayPort != nil || server.feedbackPort != nil {
      variables.append("APNS_CERT_FILE=\(files.certificateFile)")
    }
    if !isCertificate, let file = files.keyFile {
      variables.append("APNS_KEY_FILE=\(file)")
      variables.append("APNS_KEY_ID=\(credentials.keyID)")
      variables.append("APNS_TEAM_ID=\(credentials.teamID)")
    }
    // A proxy has no way to this machine's loopback.
    for name in ["NO_PROXY", "no_proxy"] {
      let others = Environment.value(name).map { "," + $0 } ?? ""
      variables.append("\(name)=localhost,127.0.0.1,::1\(others)")
    }
    do {
      return try Process.start(command, environment: variables)
    } catch {
      throw Failure("cannot run '\(command[0])': \(error.message)")
    }
  }

  /// Variables that would lead a client elsewhere, or give it another credential.
  private static let replaced = [
    "APNS_ENDPOINT", "APNS_ENVIRONMENT", "APNS_SANDBOX_ENDPOINT", "APNS_PRODUCTION_ENDPOINT", "APNS_CA_FILE",
    "APNS_BINARY_ENDPOINT", "APNS_FEEDBACK_ENDPOINT",
    "APNS_KEY",
    "APNS_KEY_FILE", "APNS_KEY_ID", "APNS_TEAM_ID", "APNS_CERT_FILE", "APNS_CERT_KEY_FILE", "APNS_PASSPHRASE",
    "NO_PROXY",
    "no_proxy",
  ]
}
