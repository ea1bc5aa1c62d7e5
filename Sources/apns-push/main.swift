// apns-push: notifications in, results out, over HTTP/2 or the old binary protocol. One result for each line, whatever happens.

import APNs
import Filter
import Options
import POSIX
import Provider

// Before its handler is in place this signal would end the run that it only asks about.
Signals.ignore(Signals.user1)
// A file that may not grow is a full disk: an end for every line, not a death.
Signals.ignore(Signals.fileSize)

Tool.main(PushOptions.command) { arguments in
  try BinaryOptions.check(arguments)
  try checkIdle(arguments)
  if arguments.has(CredentialOptions.check) { return try Credentials(arguments).check() }
  let isBinary = BinaryOptions.isChosen(arguments)
  // What was typed is judged before any file is opened.
  var settings = try settings(arguments)
  let services = isBinary ? try Credentials(arguments).gateways() : try Credentials(arguments).services()
  settings.proxy = try proxy(arguments, host: services[0].host)
  if arguments.has(PushOptions.probe) { return try probe(services, settings, arguments) }
  let lines = LineReader(try input(arguments), lineLimit: arguments[CommonOptions.maxLine] ?? 1_048_576)
  if arguments.has(PushOptions.dryRun) { return try rehearse(services, settings, lines) }

  let first = services[0]
  let topic = settings.topic.isEmpty ? "" : ", topic \(settings.topic)"
  let target =
    "\(isBinary ? "the binary protocol" : "HTTP/2") to \(first.environment.rawValue) at \(first.host)\(topic)".visible
  let outputs = try Outputs(arguments, input: lines.input, target: target)
  settings.keepsRejects = outputs.keepsRejects
  settings.keepsEvents = outputs.keepsEvents
  // Nothing was processed yet: what cannot be had now is no early stop.
  let signals = try beforehand { () throws(SystemError) in
    // A lost terminal is a wish to stop, unless nohup(1) says otherwise.
    let hangUp = Signals.isIgnored(Signals.hangUp) ? [] : [Signals.hangUp]
    return try Signals([Signals.interrupt, Signals.terminate, Signals.user1] + hangUp)
  }
  if isBinary {
    BinaryOptions.widen(&settings, arguments)
    let sender = try beforehand { () throws(SystemError) in
      try BinarySender(
        services, settings: settings, binary: BinaryOptions.settings(arguments), journal: outputs.journal,
        signals: signals.descriptor)
    }
    return try run(sender, lines, outputs, signals, arguments)
  }
  let sender = try beforehand { () throws(SystemError) in
    try Sender(services, settings: settings, journal: outputs.journal, signals: signals.descriptor)
  }
  return try run(sender, lines, outputs, signals, arguments)
}

/// What the run needs of the system before its first line.
func beforehand<Thing>(_ make: () throws(SystemError) -> Thing) throws(Filter.Failure) -> Thing {
  do throws(SystemError) { return try make() } catch { throw Filter.Failure("cannot begin: \(error.description)") }
}

/// Where nothing is sent, nothing is left behind: an option that asks for it is a mistake.
func checkIdle(_ arguments: Arguments) throws {
  let idle = [PushOptions.probe, CredentialOptions.check, PushOptions.dryRun].filter { arguments.has($0) }
  guard let first = idle.first else { return }
  if idle.count > 1 {
    throw PushOptions.command.usageError(
      "--\(first.declaration.name) and --\(idle[1].declaration.name) exclude each other")
  }
  for option in [PushOptions.journal, PushOptions.rejects, PushOptions.events]
  where arguments.origin(of: option) == .commandLine {
    throw PushOptions.command.usageError(
      "--\(option.declaration.name) has nothing to write under --\(first.declaration.name)")
  }
}

/// Lets a sender send the lines.
func run(
  _ sender: some Sending, _ lines: LineReader, _ outputs: Outputs, _ signals: Signals, _ arguments: Arguments
) throws -> Status {
  let asked = arguments.isGiven(CommonOptions.progress) ? arguments[CommonOptions.progress] : nil
  var run = Run(
    sender: sender, lines: lines, outputs: outputs, signals: signals,
    drainSeconds: arguments[PushOptions.drainTimeout] ?? 10,
    progress: Progress.isWanted(asked: asked),
    summary: arguments[PushOptions.summary] ?? (Descriptor.standardError.isTerminal ? "text" : "none"))
  return try run.go()
}

func input(_ arguments: Arguments) throws -> Descriptor {
  guard let path = arguments.operands.first, path != "-" else {
    return try Tool.standardInput(PushOptions.command.name, "notification records")
  }
  // A folder can be opened; it fails only when it is read.
  if File.isDirectory(path) { throw Filter.Failure("cannot read \(path): it is a folder") }
  do throws(SystemError) { return try File.open(path) } catch {
    let isFormat = arguments.isGiven(PushOptions.summary) && ["text", "json", "none"].contains(path)
    throw Filter.Failure("cannot read \(path): \(error.message)" + (isFormat ? "; write --summary=\(path)" : ""))
  }
}

/// The sender's settings, but for the proxy, which depends on the host.
func settings(_ arguments: Arguments) throws -> SenderSettings {
  var settings = SenderSettings()
  let second: UInt64 = 1_000_000_000
  let connections = arguments[PushOptions.connections] ?? .auto
  settings.connections = connections.most
  settings.growsConnections = connections.grows
  settings.topic = arguments[PushOptions.topic] ?? ""
  settings.connectTimeout = UInt64(arguments[PushOptions.connectTimeout] ?? 10) * second
  settings.handshakeTimeout = UInt64(arguments[PushOptions.tlsTimeout] ?? 10) * second
  settings.repeatInterval = UInt64((arguments[PushOptions.repeatInterval] ?? 0) * 1e9)
  settings.outageTimeout = UInt64(arguments[PushOptions.outageTimeout] ?? 30) * second
  settings.requestTimeout = UInt64(arguments[PushOptions.requestTimeout] ?? 30) * second
  settings.retries = arguments[PushOptions.retries] ?? 3
  settings.retryBudget = arguments[PushOptions.retryBudget]
  settings.resendsUnknown = arguments.has(PushOptions.resendUnknown)
  settings.neverTwice = arguments[PushOptions.delivery] == "at-most-once"
  settings.triesOtherEnvironment = arguments.has(PushOptions.tryOtherEnvironment)
  settings.rate = arguments[PushOptions.rate]
  settings.burst = arguments[PushOptions.burst] ?? 1
  settings.abortRules = arguments.all(PushOptions.abortIf)
  if arguments.has(PushOptions.validate) { settings.judge = Judge.make(arguments) }
  settings.allowsNoALPN = arguments.has(PushOptions.allowNoALPN)
  if arguments.isGiven(PushOptions.burst), settings.rate == nil {
    throw PushOptions.command.usageError("--burst is for --rate: give that too", subject: "--burst")
  }
  if settings.neverTwice && settings.resendsUnknown {
    throw PushOptions.command.usageError(
      "--resend-unknown and --delivery=at-most-once exclude each other: give one of them", subject: "--resend-unknown")
  }
  if arguments.has(PushOptions.redact) {
    settings.redactionKey =
      Environment.value("APNS_REDACT_KEY").map { Array($0.utf8) } ?? (0..<32).map { _ in UInt8.random(in: 0...255) }
  }
  return settings
}

func proxy(_ arguments: Arguments, host: String) throws -> Proxy? {
  guard let text = arguments[PushOptions.proxy] ?? Environment.value("https_proxy"), !text.isEmpty, text != "none"
  else { return nil }
  if let list = Environment.value("NO_PROXY") ?? Environment.value("no_proxy"), Proxy.isExcluded(host, by: list) {
    return nil
  }
  guard let proxy = Proxy(text) else {
    // The text may hold a password: it is not repeated.
    throw PushOptions.command.usageError("the proxy is not http://host:port", subject: "--proxy")
  }
  return proxy
}
