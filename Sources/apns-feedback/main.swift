// apns-feedback: results in, the tokens to drop out.

import Filter
import Options

Tool.main(FeedbackCommand.command) { arguments in
  let asked = arguments.isGiven(CommonOptions.progress) ? arguments[CommonOptions.progress] : nil
  let loop = LineLoop(
    tool: FeedbackCommand.command.name, lineLimit: arguments[CommonOptions.maxLine] ?? 1_048_576,
    jobs: arguments[CommonOptions.jobs] ?? 1, progress: Progress.isWanted(asked: asked))
  return try loop.run { FeedbackFilter() }.status
}
