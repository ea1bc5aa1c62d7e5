// apns-push: notifications in, results out, over HTTP/2. One result for each line, whatever happens.

import APNs
import Filter
import Options
import POSIX
import Provider

Tool.main(PushOptions.command) { arguments in
  let services = try Credentials(arguments).services()
  let input = try openInput(arguments.operands.first)
  let signals = try Signals([Signals.interrupt, Signals.terminate, Signals.user1])
  let sender = try Sender(services, settings: settings(arguments), signals: signals.descriptor)
  var run = Run(
    sender: sender, lines: LineReader(input, lineLimit: arguments[CommonOptions.maxLine] ?? 1_048_576),
    signals: signals, drainSeconds: arguments[PushOptions.drainTimeout] ?? 10,
    progress: Progress.isWanted(
      asked: arguments.isGiven(CommonOptions.progress) ? arguments[CommonOptions.progress] : nil))
  return try run.go()
}

func openInput(_ path: String?) throws -> Descriptor {
  guard let path else { return .standardInput }
  do throws(SystemError) { return try File.open(path) } catch {
    throw Filter.Failure("cannot read \(path): \(error.message)")
  }
}

func settings(_ arguments: Arguments) -> SenderSettings {
  var settings = SenderSettings()
  let second: UInt64 = 1_000_000_000
  settings.connections = arguments[PushOptions.connections] ?? 1
  settings.topic = arguments[PushOptions.topic] ?? ""
  settings.connectTimeout = UInt64(arguments[PushOptions.connectTimeout] ?? 10) * second
  settings.handshakeTimeout = settings.connectTimeout
  settings.requestTimeout = UInt64(arguments[PushOptions.requestTimeout] ?? 30) * second
  settings.retries = arguments[PushOptions.retries] ?? 3
  settings.allowsNoALPN = arguments.has(PushOptions.allowNoALPN)
  return settings
}
