// The options of apns-push.

import APNs
import Access
import Filter
import Options

enum PushOptions {
  // Where to.
  static let environment = AccessOptions.environment
  static let endpoint = Option.text(
    "endpoint", value: "HOST[:PORT]", "send there instead of to Apple",
    "A local server for tests, for instance. Every record goes there, whatever its environment.",
    environment: "APNS_ENDPOINT")
  static let port = Option.integer(
    "port", value: "PORT", "use another port of the service, such as 2197",
    "Apple's push service also listens on port 2197, for networks that let 443 pass for HTTP alone.", range: 1...65535)
  static let caFile = AccessOptions.caFile
  static let allowNoALPN = Option.flag(
    "allow-no-alpn", "go on when the server chooses no protocol",
    "APNs chooses `h2` by ALPN. Some test servers speak HTTP/2 without saying so.")

  // As whom.
  static let key = Option.text(
    "key", short: "k", value: "FILE", "the provider token's signing key (.p8)",
    "The key Apple gave out as `AuthKey_<key id>.p8`. The variable `APNS_KEY` may hold the key's text instead.",
    environment: "APNS_KEY_FILE", completion: .files)
  static let keyID = Option.text(
    "key-id", value: "ID", "the key's identifier, ten characters",
    "Read from the name of the file when that is `AuthKey_<key id>.p8`.", environment: "APNS_KEY_ID")
  static let teamID = Option.text(
    "team-id", value: "ID", "the team's identifier, ten characters",
    "Shown in the developer account under Membership.", environment: "APNS_TEAM_ID")
  static let cert = AccessOptions.cert
  static let certKey = AccessOptions.certKey
  static let passphrase = AccessOptions.passphrase
  static let topic = Option.text(
    "topic", short: "t", value: "TOPIC", "the topic of records without one",
    "The bundle identifier, with the push type's suffix where it has one.", environment: "APNS_TOPIC")

  static let proxy = Option.text(
    "proxy", value: "URL", "connect through an HTTP proxy",
    "`http://host:port`, with `user:password@` before the host where the proxy asks for them; better set in the "
      + "environment than here, where every user of the machine can read it. Hosts listed in `NO_PROXY` are reached "
      + "directly. `--proxy none` ignores the environment.", environment: "HTTPS_PROXY")

  // How.
  static let connections = Option.custom(
    "connections", short: "c", value: "N", "most connections to a service at a time",
    "One connection carries a thousand requests at once. With `auto`, up to eight are opened, and only while lines wait "
      + "for answers alone; with a number, as many as that as soon as the ones there are full.",
    default: Connections.auto, defaultText: "auto", parse: Connections.init)
  static let connectTimeout = Option.integer(
    "connect-timeout", value: "SECONDS", "longest wait for a connection",
    "For the name's look-up and the TCP connection together. Where the name has several addresses they share it: each is "
      + "tried for a part of it.", range: 1...3600, default: 10)
  static let tlsTimeout = Option.integer(
    "tls-timeout", value: "SECONDS", "longest wait for the TLS handshake",
    "And for the service's first word of HTTP/2 behind it.", range: 1...3600, default: 10)
  static let outageTimeout = Option.integer(
    "outage-timeout", value: "SECONDS", "how long a service may be out of reach",
    "One that answered before in this run is tried again for so long, with growing random delays up to 5 s, while lines "
      + "wait; then the rest is `unsent`. One that never answered is given up after four connections.",
    range: 0...86_400,
    default: 30)
  static let requestTimeout = Option.integer(
    "request-timeout", value: "SECONDS", "longest wait for an answer",
    "A notification without an answer in this time ends as `unknown`: it may have been delivered.", range: 1...3600,
    default: 30)
  static let retries = Option.integer(
    "retries", value: "N", "how often a notification is sent again",
    "Only after a refusal that means \"not now\" (429 TooManyRequests, 500, 503), with growing random delays, or "
      + "after the service's own `Retry-After` where that is 15 minutes or less. What is proven not to have been acted on is sent again in any case.",
    range: 0...100, default: 3)
  static let retryBudget = Option.integer(
    "retry-budget", value: "N", "how many times in the whole run",
    "Bounds what a bad hour of the service may cost: "
      + "when it is used up, a refusal is final at once.", range: 0...1_000_000_000)
  static let resendUnknown = Option.flag(
    "resend-unknown", "send again what got no answer",
    "Such a notification may have been delivered already; it is sent again with the same `id`. Without this it ends as "
      + "`unknown`. See `--journal`.")
  static let delivery = Option.choice(
    "delivery", value: "HOW",
    [
      ("careful", "again only what is proven not to have been acted on, or was refused with \"not now\""),
      ("at-most-once", "nothing is ever sent twice"),
    ], "what may be sent again", "The `unknown` outcome is there under both: an answer can always be lost.",
    default: "careful")
  static let rate = Option.custom(
    "rate", value: "N[/s]", "send at most N a second to a service",
    "Also `N/m` for a minute and `N/h` for an hour. Without it the service alone sets the pace: when it throttles, fewer "
      + "requests are kept under way until it stops.", parse: Rate.parse)
  static let burst = Option.integer(
    "burst", value: "N", "how many at once after a pause, under a rate", "Only with `--rate`.", range: 1...1_000_000,
    default: 1)
  static let repeatInterval = Option.custom(
    "repeat-interval", value: "SECONDS", "send to one device token at most this often",
    "Such as 5 or 0.5, counted from one sending to the next; other tokens' lines go on meanwhile. Without it only a token "
      + "that APNs refuses with TooManyRequests is given time, first a second, then twice as long each time.",
    parse: Seconds.parse)
  static let abortIf = Option.custom(
    "abort-if", value: "REASON>PERCENT%[/N]", "stop when too many end so",
    "`BadDeviceToken>20%/500` stops the run once more than 20 per cent of at least 500 results have that reason: the "
      + "wrong environment, the wrong list. Without `/N` it is 100. An outcome or a status may stand in place of the reason. The rest of the "
      + "lines is `unsent`, the exit status 3.", repeats: true, parse: Conditions.parse)
  static let validate = Option.flag(
    "validate", "send no record with an error that apns-validate would find",
    "Such a record ends as `invalid`, with the rule. Costs a quarter more time. Warnings are not looked at; "
      + "apns-validate(1) before this tool in a pipe says more, and takes settings.")
  static let tryOtherEnvironment = Option.flag(
    "try-other-environment", "ask the other service about a bad token",
    "A `BadDeviceToken` is sent once to the other environment before the token is called bad. When that accepts it, the "
      + "result says `environment`. Needs credentials for both.")
  static let drainTimeout = Option.integer(
    "drain-timeout", value: "SECONDS", "longest wait for answers after a signal",
    "After SIGINT or SIGTERM nothing more is read; what is on the wire is waited for this long. A second signal ends "
      + "the wait.", range: 0...3600, default: 10)

  // What is left behind.
  static let journal = Option.text(
    "journal", short: "j", value: "FILE", "remember what was sent, and go on after a crash",
    "The file knows of a line before it is sent and of its result before that is printed. The same command with the same "
      + "input goes on where it stopped: results that were had are printed again, what was on the wire ends as "
      + "`unknown` (or is sent again with `--resend-unknown`), the rest is sent; `unsent` is no result that lasts. A "
      + "journal of another input is refused before anything is sent.",
    completion: .files)
  static let rejects = Option.text(
    "rejects", value: "FILE", "keep the lines that did not end accepted",
    "Byte for byte, ready to be sent again. They hold device tokens, whatever `--redact` says. Under `--journal` lines "
      + "that are `unsent` are not among them: the next run sends those, and writes the file anew.", completion: .files)
  static let summary = Option.choice(
    "summary", value: "FORMAT", [("text", "a table"), ("json", "one JSON object"), ("none", "nothing")],
    "say at the end what came of it",
    "Counts by outcome and reason, the rate, and how long answers took, on standard error. On a terminal a table comes "
      + "by default."
  ).bare("text")
  static let events = Option.text(
    "events", value: "FILE", "write what happens on the connections, as NDJSON",
    "Such as `connecting`, `connected`, `settings`, `token-minted` or `token-shared`, `retry`, `goaway`, `closed`, each with `time_ms`. Under "
      + "`--protocol binary`: `connecting`, `connected`, `sent` (with line, identifier and bytes), `notification-error`, "
      + "`end`. No event holds a device token or a secret.", completion: .files)
  static let redact = Option.flag(
    "redact", "write keyed hashes in place of device tokens",
    "In results, words and journal; the wire has the tokens. The key is random, so hashes of two runs cannot be compared, "
      + "unless `APNS_REDACT_KEY` gives one.")

  // Instead of sending.
  static let dryRun = Option.flag(
    "dry-run", "print the requests instead of sending them",
    "One object for each line, with `method`, `path`, `headers` in order, and `body`. The provider token is left out. "
      + "Credentials are needed all the same: they decide which headers there are.")
  static let probe = Option.flag(
    "probe", "see whether the services can be reached, and send nothing",
    "Connects to each environment, or to the one chosen, and prints a record of what worked: name, TCP, TLS, protocol, "
      + "settings, answer, and whether the credential is accepted: `steps_ms` has the steps that worked, `failed_at` the "
      + "one that did not. A request for a random device token without a topic asks for that."
  )

  private static let records = Section(
    "Records",
    [
      "A notification record is a JSON object on one line. Unknown keys are refused. Its keys are:",
      [
        "- `token`: the device token, an even number of hexadecimal digits; or `channel_id`, a broadcast channel in base64",
        "- `payload`: the body, a JSON object, sent byte for byte as it stands in the line",
        "- `topic`: `apns-topic`, the bundle identifier with the push type's suffix; see `--topic`",
        "- `push_type`: " + PushType.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", "),
        "- `priority`: 10, 5 or 1",
        "- `expiration`: UNIX seconds; 0 is one attempt; without the key no header is sent",
        "- `collapse_id`: at most 64 bytes",
        "- `id`: `apns-id`, a UUID; APNs makes one when it is missing",
        "- `environment`, `credential`: which service, and as whom",
        "- `meta`: anything of the caller's; it comes back on the result untouched",
      ].joined(separator: "\n"),
    ])

  private static let results = Section(
    "Results",
    [
      "A result record has the keys that have something to say:",
      [
        "- `line`: the number of the input line, from 1",
        "- `id`: the record's, or the one APNs made",
        "- `token` or `channel_id`: the record's",
        "- `topic`: the record's, with `rejected` alone",
        "- `outcome`: see below",
        "- `status`, `reason`: APNs' answer",
        "- `advice`: what to do, see below",
        "- `timestamp`, `timestamp_ms`: since when the device token is dead, in seconds and in milliseconds",
        "- `environment`: which service took it, with `--try-other-environment`",
        "- `unique_id`: `apns-unique-id`, in the sandbox; `request_id`: of a broadcast",
        "- `error`: in words, when no answer came or nothing was sent",
        "- `bytes`, `basis`: with the binary protocol, what was written and why it counts as accepted",
        "- `attempts`: how often it was sent; `elapsed_ms`: milliseconds from reading the line to its end",
        "- `meta`: the record's",
      ].joined(separator: "\n"),
      "An `outcome` is one of:",
      Outcome.allCases.map { "- `\($0.rawValue)`: \($0.meaning)" }.joined(separator: "\n"),
      "An `advice` is one of:",
      Advice.allCases.map { "- `\($0.rawValue)`: \($0.meaning)" }.joined(separator: "\n"),
    ])

  static let command = Command(
    name: "apns-push", version: Suite.version, date: Suite.date,
    summary: "send notifications to Apple's push service, one result for each line",
    description: [
      "Reads notification records, one JSON object a line, sends them to the Apple Push Notification service over "
        + "HTTP/2 and writes one result record for each line, as the answers come. Whatever happens, no line is without "
        + "its result.",
      #"    {"token":"a1b2c3…","topic":"com.example.app","payload":{"aps":{"alert":"Hi"}}}"# + "\n"
        + #"    {"line":1,"token":"a1b2c3…","outcome":"accepted","status":200,"id":"4F2A…"}"#,
      "The environment is the sandbox unless `--environment` or a record says otherwise. One record is sent as one request; "
        + "the service, not this tool, judges what is in the payload: `--validate` or apns-validate(1) do that beforehand.",
    ],
    operand: Operand("FILE", "notification records; standard input without it or with -", completion: .files),
    groups: [
      OptionGroup("Service", [environment, endpoint, port, caFile, proxy, allowNoALPN]),
      OptionGroup(
        "Credentials",
        [
          key, keyID, teamID, cert, certKey, passphrase, CredentialOptions.credentials, CredentialOptions.check,
          CredentialOptions.tokenCache, topic,
        ]),
      OptionGroup(
        "Sending",
        [
          connections, rate, burst, repeatInterval, connectTimeout, tlsTimeout, requestTimeout, outageTimeout,
          drainTimeout, retries,
          retryBudget, delivery,
          resendUnknown, validate, tryOtherEnvironment, abortIf,
        ]),
      OptionGroup("Binary protocol", BinaryOptions.all),
      OptionGroup("Records of the run", [journal, rejects, events, summary, redact]),
      OptionGroup("Without sending", [dryRun, probe]),
      OptionGroup("Input and output", [CommonOptions.maxLine, CommonOptions.progress]),
    ],
    sections: [records, results],
    environment: [
      (
        name: "APNS_SANDBOX_ENDPOINT, APNS_PRODUCTION_ENDPOINT",
        meaning: "The place of one environment; each overrules `APNS_ENDPOINT`, which stands for both."
      ),
      (
        name: "APNS_BINARY_ENDPOINT",
        meaning: "The place of `--endpoint` under `--protocol binary`, where `APNS_ENDPOINT` counts for nothing."
      ),
      (name: "APNS_KEY", meaning: "The text of the signing key, where no file is given."),
      (name: "APNS_PASSPHRASE", meaning: "The passphrase of key or certificate."),
      (name: "APNS_REDACT_KEY", meaning: "The key of the hashes of `--redact`."),
      (name: "NO_PROXY", meaning: "Hosts to reach without `--proxy`, separated by commas."),
    ],
    files: [
      (
        path: "~/.cache/apns-tools/token-*",
        meaning:
          "Provider tokens that runs share, a file of mode 0600 for each key; below $XDG_CACHE_HOME where that is set."
      )
    ],
    exitStatuses: Status.rows,
    examples: [
      (
        command: "apns-build --title Hello --body World < tokens.txt | apns-push --key AuthKey_ABCDE12345.p8 --team-id "
          + "FGHIJ67890 --topic com.example.app",
        purpose: "send one message to a list of device tokens, in the sandbox"
      ),
      (
        command: "apns-push -e production < notifications.ndjson > results.ndjson",
        purpose: "send prepared notifications with the credentials of the environment variables"
      ),
      (
        command: "apns-push --journal mailing.journal --rejects again.ndjson --summary < notifications.ndjson > "
          + "results.ndjson",
        purpose: "a mailing that survives a crash: run it again and it goes on"
      ),
      (
        command: "apns-server -- apns-push --topic com.example.app < notifications.ndjson",
        purpose: "try it against a local server"
      ),
      (
        command: "apns-push --protocol binary -e test --ca-file ca.pem --cert client.p12 < notifications.ndjson",
        purpose: "send them to an old binary gateway on this machine"
      ),
    ],
    seeAlso: ["apns-build", "apns-validate", "apns-feedback", "apns-server", "apns-rules(7)"])
}
