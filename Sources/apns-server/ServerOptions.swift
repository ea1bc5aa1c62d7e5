// The options of apns-server, each declared once.

import APNs
import Options

enum ServerOptions {
  // MARK: Listening

  static let environment = Option.choice(
    "environment", short: "e", value: "ENVIRONMENT",
    [
      ("sandbox", "the sandbox: answers bear apns-unique-id"), ("production", "production"),
      ("both", "both, each on a port of its own"),
    ], "which of Apple's two environments to be",
    "Tokens, certificates and keys of the one are not good for the other. Under `both` a client chooses by the port.",
    default: "sandbox")
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
    "ca.pem, AuthKey_<key id>.p8, client.pem, client.p12 (passphrase `apns`), credentials.json as "
      + "`apns-push --credentials` reads it, and server.json with the ready record. Each start makes them anew; the key "
      + "that the start before made there is removed. A folder belongs to one running server. Without the option "
      + "they are in a temporary folder that is removed at the end.", completion: .directories)
  static let auth = Option.choice(
    "auth", value: "KIND",
    [("token", "APNS_KEY_FILE, APNS_KEY_ID and APNS_TEAM_ID"), ("certificate", "APNS_CERT_FILE")],
    "which credential the command is given",
    "The server takes either; a client that is given both has to choose.", default: "token")

  static let keys = Option.text(
    "keys", value: "FILE", "believe the keys of this list too",
    "NDJSON, a key a line: `file` (PEM, relative to the list), `key_id`, `team_id`, and where the key is restricted "
      + "`environment` and `topics`.", completion: .files)

  // MARK: Behaviour

  static let script = Option.text(
    "script", short: "s", value: "FILE", "misbehave as this script says",
    "NDJSON, a rule a line; see SCRIPTS.", completion: .files, repeats: true)
  static let rule = Option.text(
    "rule", value: "JSON", "one more rule of the script", "Behind those of --script. May be given several times.",
    repeats: true)

  static let maxStreams = Option.integer(
    "max-streams", value: "N", "streams a connection may have open",
    "Announced once a request of the connection was authenticated; before that --first-streams counts.",
    range: 1...100_000, default: 1000)
  static let firstStreams = Option.integer(
    "first-streams", value: "N", "streams before the first authenticated request",
    "Under provider tokens; a client certificate has --max-streams from the start.", range: 1...100_000, default: 1)
  static let streamsAfterRejection = Option.integer(
    "streams-after-rejection", value: "N", "lower the stream limit after a rejected push",
    "APNs does so; an accepted push restores it.", range: 0...100_000, defaultText: "unchanged")
  static let onExcess = Option.choice(
    "on-excess", value: "ACTION",
    [("refuse", "RST_STREAM with REFUSED_STREAM"), ("goaway", "GOAWAY: the connection ends")],
    "what a stream beyond the limit earns",
    "The limit counts once the client has acknowledged it. APNs was seen to end the connection.", default: "refuse")
  static let rejectionLimit = Option.integer(
    "disconnect-after", value: "N", "send a client away after so many rejected pushes",
    "Those with status 410 do not count.", range: 1...Int.max, defaultText: "never")
  static let idle = Option.integer(
    "idle-timeout", value: "SECONDS", "send a silent client away", "GOAWAY with the reason IdleTimeout.",
    range: 1...1_000_000, defaultText: "never")
  static let handshake = Option.integer(
    "handshake-timeout", value: "SECONDS", "time a client has for its TLS handshake",
    "A connection that is not through with it by then is closed.", range: 1...86_400, default: 10)
  static let tokenSpacing = Option.integer(
    "token-spacing", value: "SECONDS", "time between two provider tokens on a connection",
    "A sooner one gets TooManyProviderTokenUpdates. Both the tokens' own times and their arrival count: either far "
      + "enough apart will do.", range: 0...86_400, default: 1200)
  static let future = Option.choice(
    "future-token", value: "REASON", [("invalid", "InvalidProviderToken"), ("expired", "ExpiredProviderToken")],
    "what a provider token earns whose time is over an hour ahead", "APNs' own answer is not documented.",
    default: "invalid")
  static let documented = Option.flag(
    "documented-reasons", "say BadEnvironmentKeyIdInToken as Apple's table does",
    "Without it the answer is BadEnvironmentKeyInToken, the spelling the service was seen to use.")
  static let clockOffset = Option.integer(
    "clock-offset", value: "SECONDS", "be so many seconds ahead, or below 0 behind",
    "For clients that must notice a wrong clock: the age of provider tokens is judged by this time, and answers bear it "
      + "in a `date` field.", range: -1_000_000_000...1_000_000_000, defaultText: "0, and no `date` field")
  static let checkPayload = Option.flag(
    "check-payload", "refuse a payload that is no JSON object",
    "With PayloadEmpty. APNs' own answer is not documented; `--no-check-payload` accepts it.", negatable: true,
    default: true)
  static let channel = Option.custom(
    "channel", value: "BUNDLE:ID", "a broadcast channel that exists from the start",
    "The app's bundle identifier and the channel's in base64; `:0` behind it makes a channel that stores no messages. "
      + "May be given several times.", repeats: true, parse: parseChannel)
  static let maxChannels = Option.integer(
    "max-channels", value: "N", "broadcast channels an app may have", "One more earns CannotCreateChannelConfig.",
    range: 0...10_000_000, default: 10_000)
  static let maxConnections = Option.integer(
    "max-connections", value: "N", "connections at a time", "Further ones wait to be accepted.", range: 1...1_000_000,
    default: 10_000)
  static let seed = Option.integer(
    "seed", value: "N", "make random choices repeatable",
    "The shares of a script and the identifiers the server gives.", range: 0...Int.max, defaultText: "random")

  // MARK: Observing

  static let received = Option.text(
    "received", value: "FILE", "write what was received here",
    "Without the option it goes to standard output, or nowhere when a command is run.", completion: .files)
  static let log = Option.text(
    "log", value: "FILE", "write what happens on connections here",
    "NDJSON: connections, handshakes, stream limits, resets, GOAWAY, and oddities in words.", completion: .files)
  static let logFrames = Option.flag("log-frames", "log each HTTP/2 frame too", "Needs --log.")
  static let expect = Option.integer(
    "expect", value: "N", "end when so many notifications have come",
    "Behind a command: the status is 1 when fewer came, whatever the command's.", range: 1...Int.max)
  static let timeout = Option.integer(
    "timeout", value: "SECONDS", "end after this time at the latest",
    "The status is 1 then. A command that still runs is ended with SIGTERM.", range: 1...1_000_000)
  static let readyFD = Option.integer(
    "ready-fd", value: "FD", "write the ready record to this descriptor", "It is closed then.", range: 1...1_000_000)
  static let readyFile = Option.text(
    "ready-file", value: "FILE", "write the ready record to this file",
    "It appears whole, when the server listens.", completion: .files)
  static let quiet = Option.flag(
    "quiet", short: "q", "say nothing on standard error", "Neither oddities nor the summary; errors still are said.")
}

/// A channel as --channel takes it.
struct ChannelChoice: Sendable {
  var bundle: String
  var id: String
  var storesMessages = true
}

private func parseChannel(_ text: String) throws(ValueError) -> ChannelChoice {
  let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { String($0) }
  guard parts.count == 2 || (parts.count == 3 && ["0", "1"].contains(parts[2])), !parts[0].isEmpty,
    Identifiers.isChannel(parts[1].utf8Span.span)
  else { throw ValueError("expected a bundle identifier, a colon and a channel in base64, found '\(text)'") }
  return ChannelChoice(bundle: parts[0], id: parts[1], storesMessages: parts.count == 2 || parts[2] == "1")
}
