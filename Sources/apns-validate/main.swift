// apns-validate: notifications in, the good ones out; each finding names its rule and its place.

import Filter
import Options
import POSIX
import Rules

let words = Array(CommandLine.arguments.dropFirst())

// The manual of the rules is a page beside the ones that every command can print about itself.
if words == ["--generate-rules-page"] {
  try? Descriptor.standardOutput.writeAll(RulesManual.page())
  exitProcess(Status.ok.rawValue)
}

// Beyond a limit on file sizes a write is to fail, as on a full disk.
Signals.ignore(Signals.fileSize)

Tool.main(Validate.command) { arguments in
  if let words = try Explain.asked(arguments) {
    try Descriptor.standardOutput.writeAll(words.span)
    return .ok
  }
  if !arguments.operands.isEmpty {
    var run = FileRun(arguments, words: words)
    return try run.run()
  }
  // A list of files that came out empty would pass as a check of nothing.
  if arguments.has(Validate.recursive) {
    throw Validate.command.usageError("--recursive needs a FILE: no file or folder was given", subject: "--recursive")
  }
  return try FilterRun.run(arguments, words: words)
}
