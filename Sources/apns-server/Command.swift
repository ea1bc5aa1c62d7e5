// What apns-server says about itself.

import Filter
import Options
import Service

extension Command {
  static let server = Command(
    name: "apns-server", version: Suite.version, date: Suite.date,
    summary: "a local APNs for tests",
    description: [
      "Serves HTTP/2 over TLS on the loopback, checks each push as APNs does, and answers with its statuses, reasons and "
        + "headers. The certificate, its authority and the key for provider tokens are made at the start and thrown away "
        + "at the end.",
      "Behind `--` stands a command: it is run with the variables that make a client talk to this server, and its exit "
        + "status becomes ours. Standard input and output are the command's own then; --received keeps what came.",
      "Without a command the first line of standard output is a record with the single key `listening`: ports, "
        + "addresses, files and identifiers. Each further line is a received notification: the record, the connection, "
        + "the stream, the header fields in order, and the verdict.",
    ],
    usage: ["[options]", "[options] -- command [argument...]"],
    operand: Operand("COMMAND", "the command to run, behind `--`", repeats: true, completion: .commands),
    groups: [
      OptionGroup(
        "Listening",
        [
          ServerOptions.environment, ServerOptions.port, ServerOptions.productionPort, ServerOptions.bind,
          ServerOptions.host,
        ]),
      OptionGroup("Old binary protocol", BinaryServerOptions.all),
      OptionGroup(
        "Credentials",
        [
          ServerOptions.key, ServerOptions.keyID, ServerOptions.teamID, ServerOptions.keys, ServerOptions.topic,
          ServerOptions.auth, ServerOptions.anyToken, ServerOptions.anyCertificate, ServerOptions.clientCA,
          ServerOptions.writeCredentials,
        ]),
      OptionGroup(
        "Behaviour",
        [
          ServerOptions.script, ServerOptions.rule, ServerOptions.maxStreams, ServerOptions.firstStreams,
          ServerOptions.streamsAfterRejection, ServerOptions.onExcess, ServerOptions.rejectionLimit, ServerOptions.idle,
          ServerOptions.handshake, ServerOptions.tokenSpacing, ServerOptions.future, ServerOptions.documented,
          ServerOptions.clockOffset,
          ServerOptions.checkPayload,
          ServerOptions.channel, ServerOptions.maxChannels, ServerOptions.maxConnections, ServerOptions.seed,
        ]),
      OptionGroup(
        "Observing",
        [
          ServerOptions.received, ServerOptions.log, ServerOptions.logFrames, ServerOptions.expect,
          ServerOptions.timeout, ServerOptions.readyFD, ServerOptions.readyFile, ServerOptions.quiet,
        ]),
    ],
    sections: serverSections,
    environment: [
      (
        "APNS_ENDPOINT, APNS_ENVIRONMENT",
        "set for the command: where the server listens, `localhost:PORT`, and as what"
      ),
      (
        "APNS_SANDBOX_ENDPOINT, APNS_PRODUCTION_ENDPOINT",
        "set for the command under `--environment both`: where each of the two is served"
      ),
      ("APNS_CA_FILE", "set for the command: the authority to trust"),
      ("APNS_KEY_FILE, APNS_KEY_ID, APNS_TEAM_ID", "set for the command under `--auth token`"),
      (
        "APNS_CERT_FILE",
        "set for the command under `--auth certificate`, --gateway and --feedback: certificate and key in one PEM file"
      ),
      (
        "APNS_BINARY_ENDPOINT, APNS_FEEDBACK_ENDPOINT",
        "set for the command under --gateway and --feedback: where those listen, `localhost:PORT`"
      ),
      ("NO_PROXY, no_proxy", "set for the command: the loopback is added"),
      ("TMPDIR", "where the temporary folder is made, with mode 0700"),
    ],
    exitStatuses: [
      ("0", "without a command: the notifications of --expect came, or nobody reads standard output any more"),
      ("any", "with a command: its own exit status"),
      ("1", "fewer notifications than --expect came before the command ended, or --timeout passed"),
      (
        "2",
        "usage: an unknown option, a file that cannot be read, a port that is taken, a command that cannot be run; "
          + "nothing was served"
      ),
      ("3", "what came, or the log, cannot be written, because the disk is full"),
      ("128+n", "the command, or the server itself, was ended by signal n"),
    ],
    examples: [
      (
        "apns-server -- sh -c 'apns-push < notifications.ndjson'",
        "sends to a server that lives as long as the command"
      ),
      (
        "apns-server --gateway -- apns-push --protocol binary notifications.ndjson",
        "sends to the binary gateway"
      ),
      (
        "rm -f ready.json\n"
          + "apns-server --port 8443 --write-credentials ./apns --ready-file ready.json > received.ndjson &\n"
          + "until test -e ready.json; do sleep 0.1; done\n"
          + "apns-push --endpoint localhost:8443 --ca-file apns/ca.pem --credentials apns/credentials.json < "
          + "notifications.ndjson\nkill $!",
        "serves in the background until it is stopped, for clients started by hand once it listens"
      ),
    ],
    seeAlso: ["apns-build", "apns-push", "apns-validate", "apns-feedback"])
}
