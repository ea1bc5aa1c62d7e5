// The options of apns-decode.

import BinaryProtocol
import Filter
import Options

enum DecodeOptions {
  static let framing = Option.choice(
    "as", value: "WHAT",
    [
      ("auto", "find out from the first bytes, and say on standard error what it is and why"),
      ("feedback", "tuples of the feedback service"),
      ("commands", "notifications on their way to the gateway: commands 0, 1 and 2"),
      ("responses", "error packets from the gateway"),
      ("jwt", "provider tokens, one a line"),
    ],
    "what the bytes are",
    "The streams of the binary protocol bear no mark. `auto` tries all three over the first 64 KiB; when more than one "
      + "fits, or nothing but feedback whose times cannot be true, the run ends with status 2 and the candidates' names.",
    default: "auto")
  static let from = Option.choice(
    "from", value: "FORM",
    [("auto", "recognise it from the first bytes")] + DumpForm.allCases.map { ($0.rawValue, $0.meaning) },
    "how the bytes are written down",
    "Everything but `raw` is text. A character that has no place in it is reported, left out, and makes the status 1. "
      + "Where too many have none, it is another form: the status is 2, and nothing is decoded.",
    default: "auto")
  static let records = Option.flag(
    "records", short: "r", "write bare records, for apns-push and apns-feedback",
    "Notifications without `kind`, `offset`, `length`, `command`, `identifier` and unknown items; feedback without the "
      + "first three. What cannot be sent (no token, a payload that is no JSON object) and what is malformed is told on "
      + "standard error alone.")
  static let strict = Option.flag(
    "strict", "stop at the first damage",
    "The run ends with status 1 behind the malformed record, in place of looking for the next one that parses.")
  static let now = Option.custom(
    "now", value: "TIME", "take this for the present time",
    "UNIX seconds, a time like `2026-12-01T09:00:00Z`, or a day, `2026-12-01`: its midnight in UTC. For tests, and for dumps of another day.",
    parse: { (text) throws(ValueError) in try moment(text) })
  static let clock = Option.flag(
    "clock", "hold times against the clock",
    "`--no-clock` is for results that do not change from day to day: no time is in the future then, and a provider "
      + "token has no age.", negatable: true, default: true)

  static let command = Command(
    name: "apns-decode", version: Suite.version, date: Suite.date,
    summary: "take the binary protocol of Apple's push service apart",
    description: [
      "Reads bytes of Apple's retired binary protocol, as they were kept in dumps or come from gateways and simulators "
        + "that still speak it, and writes a JSON record a line for each notification, error packet or feedback tuple. "
        + "With `--as` jwt it takes provider tokens apart.",
      "Each record has `kind` (`notification`, `error`, `feedback`, `malformed`, `jwt`), `offset` and `length` in bytes, "
        + "and `file` when there are several. A notification has `command`, `identifier` (0 is a value, not an absence), "
        + "`token`, `priority`, `expiration` and `payload` as they stood there. A payload that is not a JSON object comes "
        + "as `payload_text`, or as `payload_base64` when it is not UTF-8; items of a frame that are none of the five "
        + "known come under `unknown_items`. An error packet has `status`, `reason` and `identifier`, a tuple `token` "
        + "and `timestamp` in UNIX seconds.",
      "Where bytes do not parse, a `malformed` record says from where to where, what was `expected` and what was "
        + "`found`; decoding goes on at the next place where a record stands beyond doubt. Records of TLS, read from a "
        + "socket before they were decrypted, are recognised and named.",
      "What parses but would have been refused, or cannot have been meant, is told on standard error with the rule's "
        + "name: errors (the status becomes 1) such as a token of a wrong length or an item that comes twice, and "
        + "warnings (it does not) such as a feedback time before 2009 or in the future. The gateway itself was switched "
        + "off in March 2021: `--records` makes of old notifications what apns-push(1) sends today.",
    ],
    operand: Operand(
      "FILE", "dumps, one after the other; standard input without them or for -", repeats: true, completion: .files),
    groups: [
      OptionGroup("Input", [framing, from, strict]),
      OptionGroup("Output", [records]),
      OptionGroup("Time", [now, clock]),
    ],
    sections: [
      Section(
        "Provider tokens",
        [
          "A record of `kind` `jwt` has the token's `header` and `claims`, its `age` in seconds, the form of its "
            + "`signature` (`raw`: r and s of 32 bytes each; `der`, which APNs takes too; or `unusable`) and "
            + "`signature_length`; the signature itself stays out. `verdict` is `acceptable` or `refused`, `refusal` the "
            + "reason that APNs would give, `findings` what speaks for it. Whether the signature belongs to the key "
            + "cannot be told without the key.",
          "The text may have `authorization:` and `bearer` before it.",
        ]),
      decodeRules,
    ],
    exitStatuses: Status.rows,
    examples: [
      (command: "apns-decode feedback.bin", purpose: "list the tokens of a dump of the feedback service"),
      (
        command: "xxd capture.bin | apns-decode --as commands --records | apns-push --topic com.example.app",
        purpose: "send the notifications of an old capture again, over HTTP/2"
      ),
      (command: "echo 080800000001 | apns-decode", purpose: "say what an error packet means"),
      (
        command: "python3 -c \"print(open('feedback.bin', 'rb').read())\" | apns-decode",
        purpose: "read what a program has printed of its bytes"
      ),
      (command: "apns-decode --as jwt token.txt", purpose: "see why a provider token is refused"),
    ],
    seeAlso: ["apns-push", "apns-feedback", "apns-validate", "apns-rules(7)", "xxd(1)", "hexdump(1)"])
}

/// A point in time as UNIX seconds: a number, or a time of day in UTC.
func moment(_ text: String) throws(ValueError) -> Int {
  let wrong = ValueError("expected UNIX seconds or a time like 2026-12-01T09:00:00Z or 2026-12-01, found '\(text)'")
  let digits = text.hasPrefix("@") ? text.dropFirst() : text[...]
  if let seconds = Int(digits) {
    guard 0...253_402_300_799 ~= seconds else {
      throw ValueError("'\(text)' is no time in UNIX seconds; milliseconds have three digits more")
    }
    return seconds
  }
  // A day is its midnight.
  let bytes = Array(text.utf8.count == 10 ? "\(text)T00:00:00Z".utf8 : text.utf8)
  guard bytes.count == 20, bytes[19] == UInt8(ascii: "Z") else { throw wrong }
  for (place, mark) in [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")] where bytes[place] != mark.utf8.first {
    throw wrong
  }
  var parts: [Int] = []
  for range in [0..<4, 5..<7, 8..<10, 11..<13, 14..<16, 17..<19] {
    guard let value = Int(String(decoding: bytes[range], as: UTF8.self)), value >= 0 else { throw wrong }
    parts.append(value)
  }
  guard 1970...9999 ~= parts[0], 1...12 ~= parts[1], 1...31 ~= parts[2], parts[3] < 24, parts[4] < 60, parts[5] < 61
  else { throw wrong }
  // Days from the civil date, as Times.day the other way round.
  let year = parts[1] <= 2 ? parts[0] - 1 : parts[0]
  let dayOfYear = (153 * (parts[1] > 2 ? parts[1] - 3 : parts[1] + 9) + 2) / 5 + parts[2] - 1
  let yearOfEra = year % 400
  let days = year / 400 * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  return days * 86_400 + parts[3] * 3600 + parts[4] * 60 + parts[5]
}
