// A command with one option of each kind, which the tests of this folder parse for and print pages of.
import Options
import Testing

extension Command: CustomTestStringConvertible {
  public var testDescription: String { name }
}

/// A value of an option's own type.
struct Endpoint: Equatable, Sendable {
  var host: String
  var port: Int
}

enum Sample {
  static let topic = Option.text(
    "topic", short: "t", value: "TOPIC", "the app the notifications are for",
    "The bundle id of the app, sent as `apns-topic`. Lines that name a topic keep their own; see also --meta.",
    environment: "SAMPLE_TOPIC")
  static let key = Option.text(
    "key", short: "k", value: "FILE", "private key that signs the provider token",
    "A `.p8` file as Apple gives it out. FILE may be a pipe.", defaultText: "none", environment: "SAMPLE_KEY_FILE",
    completion: .filesEnding(["p8", "pem"]))
  static let directory = Option.text(
    "write-to", value: "DIR", "where the answers are written", "A directory, which is made when it does not exist.",
    completion: .directories)
  static let environment = Option.choice(
    "environment", short: "e", value: "WHICH",
    [
      ("production", "apps from the App Store: \"the real one\""),
      ("sandbox", "builds from Xcode [and it's free]"),
    ], "which of the two services is called", "A token is known to one of the two services only.",
    default: "sandbox", environment: "SAMPLE_ENVIRONMENT")
  static let jobs = Option.integer(
    "jobs", short: "j", value: "N", "workers that run side by side",
    "More workers than processors bring nothing. With `--jobs 1` the order of findings is the order of lines.",
    range: 1...64, default: 4, environment: "SAMPLE_JOBS")
  static let shift = Option.integer(
    "shift", value: "SECONDS", "seconds the clock is moved by", "May be negative.")
  static let meta = Option.text(
    "meta", short: "m", value: "NAME=TEXT", "carry NAME along with each line",
    "What is carried along comes back on the result, untouched.", repeats: true)
  static let endpoint = Option<Endpoint>.custom(
    "endpoint", value: "HOST:PORT", "where to connect", "Anything that speaks HTTP/2 will do.",
    defaultText: "the environment's own", completion: .words(["localhost", "example.com"]),
    parse: { text throws(ValueError) in
      let parts = text.split(separator: ":")
      guard parts.count == 2, let port = Int(parts[1]) else { throw ValueError("expected HOST:PORT, found '\(text)'") }
      return Endpoint(host: String(parts[0]), port: port)
    })
  static let quiet = Option.flag(
    "quiet", short: "q", "no words on stderr", "Findings that stop the run are printed all the same.")
  static let verbose = Option.flag("verbose", short: "v", "more words on stderr", "Each connection is told of.")
  static let verify = Option.flag(
    "verify", "check the certificate of the far end", "Without this anyone on the way can read along.",
    negatable: true, default: true, environment: "SAMPLE_VERIFY")

  static let command = Command(
    name: "sample-push", version: "1.2.3", date: "2026-11-30",
    summary: "send notifications to nobody",
    description: [
      "Reads notifications, one JSON object a line, and sends each to nobody. One result line comes back for each "
        + "input line, in the order of the answers.",
      """
      Two kinds of lines are read, e.g. from FILE or from `apns-build --token x`:

      - notifications, which are sent
        at once;
      - empty lines, which are skipped (see --quiet).

          {"token":"00ff","payload":{"aps":{"alert":"it's \\u0041"}}}
          .not a request

      A topic comes from the line, from `--topic`, or from SAMPLE_TOPIC; sample-push never guesses. “Quotes” – and
      dashes – are beyond ASCII.
      """,
    ],
    operand: Operand("FILE", "lines to send; stdin when there is none", repeats: true, completion: .files),
    groups: [
      OptionGroup("Notifications", [topic, meta, directory]),
      OptionGroup("Connection", [key, environment, endpoint, verify, shift]),
      OptionGroup("Run", [jobs, quiet, verbose]),
    ],
    sections: [Section("Records", ["A result has an `outcome`.", "    {\"line\":1,\"outcome\":\"accepted\"}"])],
    environment: [("NO_COLOR", "no colour, even on a terminal")],
    files: [("~/.cache/sample/token", "The provider token, renewed after 50 minutes.")],
    exitStatuses: [("0", "every line was sent"), ("1", "some line was not sent"), ("2", "wrong usage")],
    examples: [
      ("sample-push --topic com.example.app lines.ndjson", "Send a file"),
      (
        "apns-build --title 'It is on' < tokens.txt |\n  sample-push -k <(vault read key) --jobs \"$JOBS\" -- - > results.ndjson",
        "Build, send with a key from a vault, keep the results"
      ),
    ], seeAlso: ["apns-validate", "jq(1)", "mdoc(7)", "apns-build"])
}

/// A command that runs another.
enum Runner {
  static let port = Option.integer(
    "port", short: "p", value: "PORT", "where to listen", "With 0 a free one is taken.", range: 0...65535, default: 0)
  static let passphrase = Option.text(
    "passphrase", value: "SOURCE", "where the passphrase comes from", "As openssl has it.",
    completion: .words(["env:", "file:", "stdin"]))
  static let command = Command(
    name: "sample-server", version: "1.2.3", date: "2026-11-30", summary: "run a command beside a service",
    description: ["Starts a service, runs the command, stops the service."],
    usage: ["[options]", "[options] -- COMMAND [ARGUMENT...]"],
    operand: Operand("COMMAND", "what is run, and its arguments", repeats: true, completion: .commands),
    groups: [OptionGroup("Service", [port, passphrase])],
    exitStatuses: [("0", "all went well")],
    examples: [("sample-server --port 2197 -- make --dry-run test", "Test a client")])
}
