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

Tool.main(Validate.command) { arguments in
  if let id = arguments[Validate.explain] {
    guard let rule = Rule.named(id) else {
      throw Failure("there is no rule '\(id)'\(Setup.suggestion(id)); --list-rules lists them")
    }
    try Descriptor.standardOutput.writeAll(Explain.page(rule))
    return .ok
  }
  if arguments.has(Validate.listRules) {
    try Descriptor.standardOutput.writeAll(Explain.list(asJSON: arguments[Validate.format] == "json").span)
    return .ok
  }
  if !arguments.operands.isEmpty {
    var run = try FileRun(arguments, words: words)
    return try run.run()
  }
  return try FilterRun.run(arguments, words: words)
}
