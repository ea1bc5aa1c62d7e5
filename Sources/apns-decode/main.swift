// apns-decode: bytes of the binary protocol in, records out; what is damaged is named and passed over.

import APNs
import BinaryProtocol
import Filter
import Options
import POSIX

Tool.main(DecodeOptions.command) { arguments in
  let paths = arguments.operands.isEmpty ? ["-"] : arguments.operands
  // All of them before the first: an unreadable file means that nothing was processed.
  let inputs = try paths.map { (path: $0, descriptor: try openFile($0)) }
  var settings = Settings()
  settings.framing = arguments[DecodeOptions.framing] ?? "auto"
  settings.form = DumpForm(rawValue: arguments[DecodeOptions.from] ?? "auto")
  settings.isBare = arguments.has(DecodeOptions.records)
  settings.isStrict = arguments.has(DecodeOptions.strict)
  settings.now = arguments.has(DecodeOptions.clock) ? arguments[DecodeOptions.now] ?? Clock.system.unixSeconds : nil
  if settings.isBare, settings.framing == "jwt" || settings.framing == "responses" {
    throw DecodeOptions.command.usageError("--records has no form for --as \(settings.framing)", subject: "--records")
  }
  var words = Words()
  defer { words.finish() }
  for (path, descriptor) in inputs {
    var run = Run(settings, path, descriptor, showsFile: inputs.count > 1)
    try run.go(&words)
    if settings.isStrict, words.faults > 0 { break }
  }
  return words.faults == 0 ? .ok : .findings
}

func openFile(_ path: String) throws -> Descriptor {
  if path == "-" { return try Tool.standardInput(DecodeOptions.command.name, "a dump") }
  // A folder can be opened; it fails only when it is read.
  if File.isDirectory(path) { throw Filter.Failure("cannot read \(path): it is a folder") }
  do throws(SystemError) { return try File.open(path) } catch {
    throw Filter.Failure("cannot read \(path): \(error.message)")
  }
}
