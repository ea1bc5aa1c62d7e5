// The options of apns-validate.

import APNs
import Filter
import Options
import Rules

enum Validate {
  // MARK: What the input is

  static let form = Option.choice(
    "as", value: "FORM",
    [
      ("record", "notification records, one a line or pretty-printed"), ("payload", "bare payloads"),
      ("apns", "files for xcrun simctl push"),
      ("request", "requests with method, path, headers and payload"),
    ],
    "what the input holds, instead of recognising it",
    "Without it each document is recognised by its keys: a record has `payload` and keys such as `token` or `topic`, a payload "
      + "has `aps`, a simulator's file `Simulator Target Bundle` or the ending .apns, a request `headers` and `path`. "
      + "`aps` beside a device token, or beside a topic and another key of a record, is a record's, at the wrong level."
  )
  static let recursive = Option.flag(
    "recursive", short: "r", "look into folders",
    "Takes every file below a folder that ends in .json, .ndjson, .jsonl or .apns, in letters of either case. Hidden ones "
      + "are left out, pipes too; links are followed, each folder once. A folder without any such file ends the run with "
      + "status 2, and so does the option without any FILE.")

  // MARK: Headers

  static let pushType = Option.choice(
    "push-type", value: "TYPE", PushType.allCases.map { ($0.rawValue, $0.row.meaning) },
    "the push type of a bare payload, and of records without one")
  static let topic = Option.text(
    "topic", value: "TOPIC", "the topic of a bare payload, and of records without one",
    "What apns-push(1) will add counts as given.", environment: "APNS_TOPIC")
  static let priority = Option.choice(
    "priority", value: "N", [("10", "at once"), ("5", "sparing power"), ("1", "never wakes the device")],
    "the priority of a bare payload, and of records without one")
  static let expiration = Option.integer(
    "expiration", value: "SECONDS", "the expiration of a bare payload, and of records without one",
    "UNIX seconds; 0 means one attempt.", range: 0...Int.max)
  static let broadcast = Option.flag("broadcast", "bare payloads go to a broadcast channel")
  static let environment = Option.choice(
    "environment", value: "NAME", ServiceEnvironment.allCases.map { ($0.rawValue, "the \($0.rawValue) service") },
    "the environment of records without one", environment: "APNS_ENVIRONMENT")

  // MARK: What rules may know

  static let now = Option.custom(
    "now", value: "TIME", "the time for rules that need a clock",
    "UNIX seconds, a date and time such as 2026-09-21T15:00:00Z, or `now`. In the filter form it is the system's clock; with FILE "
      + "operands there is none, so that a file stays as green as it was.", parse: parseTime)
  static let clock = Option.flag(
    "clock", "ask rules that need a clock",
    "`--no-clock` keeps them silent. Without either, the filter form has a clock and FILE operands have none.",
    negatable: true)
  static let authentication = Option.choice(
    "auth", value: "KIND", [("token", "a provider token"), ("certificate", "a client certificate")],
    "the kind of credential that will be used")
  static let allowedTopics = Option.text(
    "allowed-topic", value: "TOPIC", "a topic that the credential may push to", "Give it once for each.", repeats: true)
  static let teamID = Option.text(
    "team-id", value: "ID", "the team of the provider token", environment: "APNS_TEAM_ID")
  static let keyID = Option.text("key-id", value: "ID", "the key of the provider token", environment: "APNS_KEY_ID")
  static let keyEnvironment = Option.choice(
    "key-environment", value: "NAME", ServiceEnvironment.allCases.map { ($0.rawValue, "the \($0.rawValue) service") },
    "the one environment that the key is for")
  static let bundle = Option.text("bundle", value: "ID", "the app's bundle identifier")
  static let platform = Option.choice(
    "platform", value: "NAME", Settings.Platform.allCases.map { ($0.rawValue, "") }, "the platform of the devices")
  static let categories = Option.text(
    "category", value: "NAME", "a category that the app registers", "Give it once for each.", repeats: true)
  static let strings = Option.text(
    "strings", value: "FILE", "the app's string table, for loc-keys",
    "A Localizable.strings file, or a JSON object of keys and texts; text that starts with `{` is taken as such an object itself.",
    completion: .files)
  static let channelPolicy = Option.choice(
    "channel-policy", value: "N", [("0", "no message is stored"), ("1", "the newest message is stored")],
    "the storage policy of broadcast channels")

  // MARK: Rules

  static let only = Option.text(
    "only", value: "RULE", "ask this rule alone", "Give it once for each rule.",
    completion: ruleNames, repeats: true)
  static let disable = Option.text(
    "disable", value: "RULE", "do not ask this rule", "Give it once for each rule.",
    completion: ruleNames, repeats: true)
  static let severity = Option.custom(
    "severity", value: "RULE=LEVEL", "take a rule as error, warning, note or off", "Give it once for each rule.",
    completion: .words(Rule.all.map { $0.id + "=" }), repeats: true, parse: parseSeverity)
  static let failOn = Option.choice(
    "fail-on", value: "LEVEL",
    [("error", "errors only"), ("warning", "warnings and errors"), ("note", "every finding")],
    "from which level on a finding is a failure",
    "A failure holds the line back in the filter form, and makes the exit status 1.", default: "error")
  static let show = Option.choice(
    "show", value: "LEVEL",
    [("error", "errors only"), ("warning", "warnings and errors"), ("note", "every finding")],
    "from which level on findings are reported", defaultText: "warning in the filter form, note with FILE operands")
  static let config = Option.text(
    "config", value: "FILE", "read this configuration instead of looking for one", completion: .filesEnding(["json"]))
  static let useConfig = Option.flag(
    "find-config", "look for a configuration", "`--no-find-config` reads none.", negatable: true, default: true)

  // MARK: Reports

  static let format = Option.choice(
    "format", value: "FORMAT",
    [
      ("text", "like a compiler, with the line and a caret"), ("json", "one finding a line"),
      ("github", "annotations of a GitHub workflow"), ("sarif", "SARIF 2.1.0"), ("junit", "JUnit XML"),
    ],
    "how findings are reported", default: "text")
  static let quiet = Option.flag("quiet", short: "q", "report nothing; the exit status tells")
  static let fix = Option.flag(
    "fix", "mend what has exactly one right answer",
    "Misspelt keys, a badge as text, a token with brackets, keys at the wrong level. Files are rewritten, and what was changed is printed: "
      + "a new file takes the place of the old one, which stays as it was when that fails (status 3). They may have 16 MiB "
      + "and be no pipes; in the filter form the mended lines are passed on. Everything else in a text stays as it is."
  )
  static let explainSize = Option.flag(
    "explain-size", "show where the bytes of each payload go, and what is left")
  static let explain = Option.text(
    "explain", value: "RULE", "explain a rule and exit",
    "The beginning of a name will do where one rule alone begins so. May be given several times, and further rules may stand "
      + "behind it; `--format json` writes what --list-rules does.",
    completion: ruleNames, repeats: true)
  static let listRules = Option.flag(
    "list-rules", "list all rules and exit",
    "One a line; with `--format json` everything that is known of each. Words behind it choose: the rules of which name, "
      + "sentence or chapter holds one of them.")
  private static let ruleNames = Completion.words(Rule.all.map(\.id))

  static let command = Command(
    name: "apns-validate", version: Suite.version, date: Suite.date,
    summary: "check notifications before they are sent",
    description: [
      "Checks notification records, bare payloads and simulator files against what APNs and Apple's systems ask for, offline.",
      "Without FILE it is a filter: lines without errors pass from standard input to standard output in order, findings go to "
        + "standard error, and the exit status is 1 when a line was held back. What stands in a line passes byte for byte; "
        + "around it, CRLF becomes LF, a last line without LF gets one, and blank lines and a byte order mark at the start "
        + "are left out.",
      "With FILE operands the findings go to standard output and nothing is passed through. A file may be pretty-printed, hold "
        + "several documents, or one a line; `-` is standard input read as a file. It may be of any length, a document in it of "
        + "4 MiB. Reports that are one document, SARIF and JUnit, hold the first 25000 findings.",
      "A FILE may also be a request, `{\"method\": …, \"host\": …, \"path\": …, \"headers\": [[name, value], …], \"payload\": …}`, "
        + "so that rules about paths, hosts and header lines apply; or a credential: a provider token, with or without `bearer`, a "
        + "key or certificates in PEM. Credentials are never quoted in a report.",
      "Every finding names its rule; `--explain` says more of it, and apns-rules(7) lists them all.",
    ],
    usage: ["[options] < records.ndjson", "[options] FILE...", "--explain RULE... | --list-rules [WORD...]"],
    operand: Operand("FILE", "a file of records or payloads, or a folder", repeats: true, completion: .files),
    groups: [
      OptionGroup("Input", [form, recursive, CommonOptions.maxLine, CommonOptions.jobs, CommonOptions.progress]),
      OptionGroup(
        "Headers that are not in the input", [pushType, topic, priority, expiration, broadcast, environment]),
      OptionGroup(
        "What rules may know",
        [
          now, clock, authentication, allowedTopics, teamID, keyID, keyEnvironment, bundle, platform, categories,
          strings,
          channelPolicy,
        ]),
      OptionGroup("Rules", [only, disable, severity, failOn, show, config, useConfig]),
      OptionGroup("Output", [format, quiet, fix, explainSize, explain, listRules]),
    ],
    sections: [Section("Configuration", configurationText)],
    files: [(".apns-validate.json", "Options for the files beside and below it.")],
    exitStatuses: Status.rows,
    examples: [
      (
        "apns-build --title Hello --topic com.example.app < devices.txt | apns-validate | apns-push > results.ndjson",
        "send what is valid"
      ),
      ("apns-validate --push-type alert push.json", "check a payload"),
      ("apns-validate --recursive --format github payloads/", "annotate a pull request"),
      ("apns-validate --fix push.apns", "mend what can be mended"),
    ],
    seeAlso: ["apns-rules(7)", "apns-build", "apns-decode", "apns-push", "apns-server"])

  private static let configurationText = [
    "The file .apns-validate.json holds one JSON object, which says how the files beside and below it are judged. It is looked "
      + "for in the folder of each FILE and the folders above it, in the filter form from the current folder; the nearest one "
      + "counts. The command line wins over it, and what can be given several times adds up.",
    "    {\"push-type\": \"alert\", \"topic\": \"com.example.app\", \"fail-on\": \"warning\",\n"
      + "     \"disable\": [\"alert-title-only\"], \"severity\": {\"badge-bool\": \"error\"}}",
    "Its keys are these options of this page, without their dashes:",
    configurable.map { "- `\($0.name)`: \($0.value.rawValue)" }.joined(separator: "\n"),
    "All others concern a run, not a file, and are refused in a configuration, as is every other key and a value of another "
      + "kind. A path is taken from the folder of the configuration. A configuration that is among the FILEs is read, and not "
      + "checked as a payload.",
  ]

  /// Options that a configuration may set: those that judge.
  static let configurable: [(name: String, value: ConfigurationValue)] = [
    ("as", .text), ("push-type", .text), ("topic", .text), ("priority", .number), ("expiration", .number),
    ("broadcast", .flag), ("environment", .text), ("now", .moment), ("clock", .flag), ("auth", .text),
    ("allowed-topic", .texts), ("team-id", .text), ("key-id", .text), ("key-environment", .text), ("bundle", .text),
    ("platform", .text), ("category", .texts), ("strings", .text), ("channel-policy", .number), ("only", .texts),
    ("disable", .texts), ("severity", .levels), ("fail-on", .text), ("show", .text),
  ]
}
