// What apns-feedback says about itself.

import Filter
import Options

enum FeedbackCommand {
  static let command = Command(
    name: "apns-feedback", version: Suite.version, date: Suite.date,
    summary: "list the device tokens to drop, from the results of a run",
    description: [
      "Reads results, as apns-push writes them, and writes a feedback record for each device token that APNs has refused "
        + "for good: which token, since when, and why. Other results are passed over in silence. A device token is listed once, "
        + "with its newest time.",
      "A refusal is for good when the advice for its reason is `drop`: `Unregistered` and `ExpiredToken`, both with status "
        + "410. A `BadDeviceToken` is not among them: it may be a good token of the other environment. --reason chooses "
        + "others.",
      "Of each input's lines that are no results the first twenty are told one by one, then only their number.",
      "Feedback records are read as well, of this tool or of apns-decode, so that lists can be put together. Results written "
        + "with `apns-push --redact` name no device, and cannot tell which to drop.",
      "With --service nothing is read: the records come from a feedback service of the old binary protocol, which tells each "
        + "refusal once. They bear `\"source\":\"service\"` and are written one for each of its tuples, as they come, unless "
        + "--unique, --registry or --prune is given. An empty answer is no error. When the service ends inside a tuple, what "
        + "came before is written and the exit status is 1; when it cannot be reached, 3.",
      "APNs gives the time of a refusal in milliseconds, the old feedback service gave seconds. Here `timestamp` is always "
        + "in seconds; `timestamp_ms` has the milliseconds beside it.",
    ],
    operand: Operand(
      "FILE", "results, one file after the other; standard input without them or for -", repeats: true,
      completion: .files),
    groups: [
      OptionGroup("Service", ServiceOptions.all),
      OptionGroup(
        "Tokens",
        [FeedbackOptions.reason, FeedbackOptions.registry, FeedbackOptions.unique]),
      OptionGroup(
        "Device lists",
        [
          FeedbackOptions.prune, FeedbackOptions.delimiter, FeedbackOptions.tokenField, FeedbackOptions.timeField,
        ]),
      OptionGroup("Run", [CommonOptions.jobs, CommonOptions.maxLine, CommonOptions.progress]),
    ],
    environment: [(name: "APNS_PASSPHRASE", meaning: "The passphrase of key or certificate.")],
    exitStatuses: Status.rows,
    examples: [
      ("apns-feedback results.ndjson > dead.ndjson", "Keep the tokens to drop"),
      (
        "apns-push < notifications.ndjson | tee results.ndjson | apns-feedback --no-unique",
        "Watch them while a run is going on"
      ),
      (
        "apns-feedback --registry devices.csv --prune devices.csv results.ndjson > kept.csv",
        "Take the dead out of a device list, but none that came back since"
      ),
      (
        "apns-feedback --service -e production --cert push.p12 --registry devices.csv > dead.ndjson",
        "Ask a feedback service of the old protocol"
      ),
      ("apns-feedback --reason BadDeviceToken results.ndjson", "See which tokens are of the wrong environment"),
    ], seeAlso: ["apns-push", "apns-build", "apns-decode", "apns-server", "jq(1)"])
}
