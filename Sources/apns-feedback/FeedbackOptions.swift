// The options of apns-feedback.

import APNs
import Filter
import Options

enum FeedbackOptions {
  static let registry = Option.text(
    "registry", short: "r", value: "FILE", "spare tokens that were registered again later",
    "A list of devices with the time each was last registered: objects with `token` and `registered_at`, or a table with "
      + "these columns. A token whose registration is later than its refusal is not listed: the app is back. A refusal "
      + "without a time is listed always. Times are UNIX seconds, milliseconds, or dates such as 2026-12-01T09:00:00Z or "
      + "2026-12-01, which is that day's midnight in UTC.",
    completion: .files)
  static let prune = Option.text(
    "prune", short: "p", value: "FILE", "print this device list without the tokens to drop",
    "In place of feedback records the list is written, byte for byte and in its order, less the lines of tokens to drop. "
      + "Objects, tables with a header (commas or tabs; any other needs --delimiter) and bare tokens are recognised. What "
      + "cannot be read as a device stays in the list and is reported; a list whose form cannot be told ends the run "
      + "with status 2 before anything is written, and so does one that is standard output too: write to another file, and "
      + "rename it.", completion: .files)
  static let delimiter = Option.delimiter(
    "the character between the columns of the lists",
    "For tables with semicolons, say. Without it a table has commas or tabs.", default: nil)
  static let reason = Option.text(
    "reason", value: "REASON", "take refusals for this reason alone",
    "Such as `Unregistered`, or one that is passed over otherwise, such as `BadDeviceToken`.",
    completion: .words(Reason.all.map(\.name)), repeats: true)
  static let unique = Option.flag(
    "unique", "list each token once, with its newest time",
    "Tokens are written when the input has ended, in the order in which they first came; memory grows with their number. "
      + "With `--no-unique` each refusal is written as it comes, in constant memory.", negatable: true, default: true)
  static let tokenField = Option.text(
    "token-field", value: "NAME", "the column or member that holds the token, in the files",
    "For lists in which the token has another name.", default: "token")
  static let timeField = Option.text(
    "time-field", value: "NAME", "the column or member that holds the time, in the registry",
    "For registries in which the time of registration has another name.", default: "registered_at")
}
