// apns-feedback: results in, the tokens to drop out.

import Filter

Tool.main(FeedbackCommand.command) { arguments in
  var run = try FeedbackRun(arguments)
  return try run.status()
}
