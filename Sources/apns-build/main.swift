// apns-build: recipients in, notifications out.

import Builder
import Filter
import Options
import POSIX

Tool.main(BuildCommand.command) { arguments in
  let plan = try Plan(arguments)
  let run = try Run(arguments, plan)
  for warning in plan.warnings { Tool.say("apns-build: warning: \(warning)") }
  return try run.status()
}
