// The rules that apns-decode names in brackets, for its manual. Those of provider tokens stand in apns-rules(7).

import Options

let decodeRules = Section(
  "Rules",
  [
    "What is said on standard error ends with the name of a rule. The names that begin with `jwt-` are of apns-rules(7), "
      + "and `apns-validate --explain` tells more of them. The others are these; W marks a warning, which leaves the "
      + "status alone.",
    decodeRuleTable.map { "- `\($0.id)`\($0.isWarning ? " (W)" : ""): \($0.sentence)" }.joined(separator: "\n"),
  ])

private let decodeRuleTable: [(id: String, isWarning: Bool, sentence: String)] = [
  ("bin-command", false, "a record begins with the number of a command that exists"),
  ("bin-truncated", false, "the stream does not end inside a record"),
  ("bin-frame-length", false, "the items of a frame fill it to its last byte"),
  ("bin-item-unknown", false, "an item of a frame is one of the five that are known"),
  ("bin-item-repeated", false, "no item comes twice in a frame"),
  ("bin-item-size", false, "identifier and expiration have four bytes, the priority has one"),
  ("bin-token-missing", false, "a notification has a device token"),
  ("bin-token-size", false, "a device token has 32 bytes, and lengths of token and payload can be true"),
  ("bin-payload-missing", false, "a notification has a payload"),
  ("bin-payload-size", false, "a payload has at most 2048 bytes; before 2014 it had 256"),
  ("bin-payload-json", true, "a payload is a JSON object in UTF-8"),
  ("bin-priority", false, "the priority is 10 or 5, and 5 for a push that only wakes the app"),
  ("bin-expiration", true, "an expiration is a UNIX time in seconds that can have been meant"),
  ("bin-status", true, "the status of an error packet is one that is documented"),
  ("bin-record", false, "with --records, what is read can be sent"),
  ("feedback-token-empty", true, "a tuple has a token"),
  ("feedback-time-early", true, "the time of a tuple is not before 2009, when APNs began"),
  ("feedback-time-future", true, "the time of a tuple is not ahead of the clock"),
  ("dump-text", false, "the text of a dump holds nothing but what its form has"),
]
