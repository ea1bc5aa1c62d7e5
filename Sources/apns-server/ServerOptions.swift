// The options of apns-server, each declared once.

import Options

enum ServerOptions {
  // MARK: Listening

  static let environment = Option.choice(
    "environment", short: "e", value: "ENVIRONMENT",
    [
      ("sandbox", "the sandbox: answers bear apns-unique-id"), ("production", "production"),
      ("both", "both, each on a port of its own"),
    ], "which of Apple's two environments to be", default: "sandbox")
  static let port = Option.integer(
    "port", short: "p", value: "PORT", "listen on this port",
    "With 0 the system chooses a free one. Under `--environment both` it is the sandbox's.", range: 0...65_535,
    default: 0, defaultText: "0: a free one")
  static let productionPort = Option.integer(
    "production-port", value: "PORT", "listen on this port for production",
    "Used with `--environment both` alone.", range: 0...65_535, default: 0, defaultText: "0: a free one")
  static let bind = Option.text(
    "bind", value: "ADDRESS", "listen at this address",
    "A numeric address such as 0.0.0.0; may be given several times. Beyond the loopback, give --host as well.",
    defaultText: "127.0.0.1 and ::1", repeats: true)
  static let host = Option.text(
    "host", value: "NAME", "make the certificate out to this name or address too",
    "Beside localhost, 127.0.0.1 and ::1. May be given several times.", repeats: true)

  // MARK: Credentials

  static let key = Option.text(
    "key", value: "FILE", "believe this key's provider tokens instead of a throw-away key's",
    "A P-256 key as PEM: Apple's .p8, or its public half. The key id is read from a name like AuthKey_ABC123DEFG.p8 "
      + "unless --key-id gives it.", completion: .filesEnding(["p8", "pem"]))
  static let keyID = Option.text(
    "key-id", value: "ID", "the key's id", "Ten capital letters and digits.", defaultText: "from the file, or random")
  static let teamID = Option.text(
    "team-id", value: "ID", "the team's id", "Ten capital letters and digits.", defaultText: "random")
  static let anyToken = Option.flag(
    "any-token", "believe every well-formed provider token",
    "Neither the key nor the signature is looked at; the age still is.")
  static let anyCertificate = Option.flag(
    "any-certificate", "believe every client certificate", "Whoever signed it, and however old it is.")
  static let clientCA = Option.text(
    "client-ca", value: "FILE", "believe client certificates of these authorities too", "PEM, one or more.",
    completion: .filesEnding(["pem", "crt"]))
  static let topic = Option.text(
    "topic", value: "BUNDLE", "the app the credentials are for",
    "The bundle identifier, without a suffix. May be given several times. The first is the client certificate's; "
      + "provider tokens get TopicDisallowed for every other one. Without the option they may push to any topic, and "
      + "the certificate is made out to com.example.app.", repeats: true)
  static let writeCredentials = Option.text(
    "write-credentials", value: "DIR", "write the credentials here and leave them there",
    "ca.pem, AuthKey_<key id>.p8, client.pem, client.p12 (passphrase `apns`) and credentials.json. Without the option "
      + "they are in a temporary folder that is removed at the end.", completion: .directories)
  static let auth = Option.choice(
    "auth", value: "KIND",
    [("token", "APNS_KEY_FILE, APNS_KEY_ID and APNS_TEAM_ID"), ("certificate", "APNS_CERT_FILE")],
    "which credential the command is given", default: "token")

  // MARK: Behaviour

  static let maxStreams = Option.integer(
    "max-streams", value: "N", "streams a connection may have open",
    "Announced once a request of the connection was authenticated; before that --first-streams counts.",
    range: 1...100_000, default: 1000)
  static let firstStreams = Option.integer(
    "first-streams", value: "N", "streams before the first authenticated request",
    "Under provider tokens; a client certificate has --max-streams from the start.", range: 1...100_000, default: 1)
  static let seed = Option.integer(
    "seed", value: "N", "make random choices repeatable",
    "The shares of a script and the identifiers the server gives.", range: 0...Int.max, defaultText: "random")

  // MARK: Observing

  static let received = Option.text(
    "received", value: "FILE", "write what was received here",
    "Without the option it goes to standard output, or nowhere when a command is run.", completion: .files)
  static let quiet = Option.flag(
    "quiet", short: "q", "say nothing on standard error", "Neither oddities nor the summary; errors still are said.")
}
