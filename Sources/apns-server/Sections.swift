// The manual's chapters: what is checked, what a script can say, what is written down.

import Options
import Service

/// The chapters behind the options.
let serverSections: [Section] = [
  Section(
    "What is checked",
    [
      "Each push to a device is checked in this order; the first fault is the answer. APNs' own order is not "
        + "documented: let no test depend on it.",
      """
      - the path (BadPath), then the method (MethodNotAllowed)
      - the device token (MissingDeviceToken, BadDeviceToken): hexadecimal, whole bytes, 100 at most
      - the credential: a client certificate (BadCertificate, BadCertificateEnvironment), else the provider token \
      (MissingProviderToken, InvalidProviderToken, BadEnvironmentKeyInToken, UnrelatedKeyIdInToken, \
      TooManyProviderTokenUpdates, ExpiredProviderToken)
      - the topic (MissingTopic, BadTopic, TopicDisallowed) and the push type against it (InvalidPushType)
      - priority, expiration, id, collapse id (BadPriority, BadExpirationDate, BadMessageId, BadCollapseId)
      - fields that stand there twice (DuplicateHeaders)
      - the payload: its size by push type (PayloadTooLarge), whether there is one, whether it is a JSON object \
      (PayloadEmpty)
      """,
      "A connection is bound to the team and the key of its first provider token. A token may be replaced by one that is "
        + "20 minutes younger, or after 20 minutes. After an expired token everything on the connection is answered with "
        + "ExpiredProviderToken. A request with a good token lifts the stream limit from --first-streams to --max-streams; "
        + "limits are enforced once the client has acknowledged them.",
      "Deviations of real clients are let pass and logged: an `iat` that is a fraction or a string of digits, a signature "
        + "in DER, `Bearer` with a capital, no ALPN.",
      "Broadcasts (`POST /4/broadcasts/apps/BUNDLE`) and the management of channels (`/1/apps/BUNDLE/channels`, "
        + "`/1/apps/BUNDLE/all-channels`) are served on the same port: path, method, credential, bundle identifier "
        + "(TopicDisallowed, TopicMismatch), channel, push type, priority, expiration, ids, payload.",
    ]),
  Section(
    "Magic tokens",
    [
      "These need no script: the first eight digits of a device token decide. The checks come first. The timestamp of a "
        + "410 is one hour before the server's start, in whole seconds.",
      magicTokenTable.map { "    \($0.digits)  \($0.meaning)" }.joined(separator: "\n"),
    ]),
  Section(
    "Scripts",
    [
      "A script is NDJSON: a rule a line; blank lines and lines that begin with `#` are passed over. The first rule that "
        + "matches a request decides about it. A mistake is a usage error that names line and column.",
      """
          {"match":{"prefix":"aa","every":10},"respond":"TooManyRequests"}
          {"match":{"topic":"com.example.app","nth":3},"goaway":{"reason":"Shutdown"}}
          {"match":{"share":0.01,"seed":7},"delay_ms":500}
      """,
      "Members of `match`, all of which must hold; without any, every request matches:",
      """
      - `token`, `prefix`: the device token, or its beginning, whatever the case of its digits
      - `topic`, `push_type`, `channel_id`, `environment`, `connection` (the number of the connection, from 1)
      - `nth`: the n-th request for which the above holds; `every`: each n-th; `from`, `to`: those between
      - `share`: by chance, from 0 to 1; `seed` makes it repeatable, as --seed does for all
      """,
      "What is done; several may stand in one rule:",
      """
      - `respond`: a reason, or an object with `status`, `reason`, `timestamp` (milliseconds, for 410), `retry_after`
      - `delay_ms`: later; other requests are not kept waiting
      - `silence`: true for no answer at all
      - `reset`: RST_STREAM with this code, a name such as `REFUSED_STREAM` or a number
      - `goaway`: true, or an object with `offset` (0: this request is the last that counts, -1: the one before it), \
      `code`, and `reason` (sent as APNs does, in JSON) or `debug` (sent as it stands)
      - `close`: `now` (in order, no answer), `abort` (TCP reset), `mid_frame` (half of the answer)
      - `stop_reading`: true, or for so many milliseconds
      - `byte_by_byte_ms`: from now on the connection is sent a byte at a time, with this pause
      - `stream_limit`: announces another limit
      - `error`: to the binary gateway alone, an error packet: a status or its words, or an object with `status` and \
      `identifier`; `respond` and `goaway` become the packets that come nearest there, `byte_by_byte_ms` makes the packet \
      arrive in six reads
      - `wedge`: a reason with which everything later on the connection is answered, or `silence`
      - `fail_tls`: so many of the next handshakes fail; `refuse`: so many of the next connections are closed at once; \
      `refuse_ms`: nobody listens for that long
      """,
      "Beside them: `times` (how often at most), `checks` (false: the rule comes before the checks), `comment`, and `at`: "
        + "`request` (the default), `connect` (when a handshake is done; `match` may name `connection`, `environment` and "
        + "the counts), `start` (for `fail_tls`, `refuse` and `refuse_ms`).",
    ]),
  Section(
    "What is recorded",
    [
      "A received notification is a line: the notification record as `apns-push(1)` reads it, filled from path, headers "
        + "and body, then `connection` (from 1), `stream`, `headers` (pairs, in order; a provider token goes without its "
        + "signature), and `verdict`.",
      "A payload that is not JSON stands under `payload_text`, one that is not UTF-8 under `payload_base64`. Line ends "
        + "between the tokens of a payload become spaces.",
      "The verdict holds `status`, `reason`, `timestamp`, the identifiers that the server made (`id`, `unique_id`), "
        + "`because` (more than the reason says), `by` (the rule or magic token that decided), `action` (what was done "
        + "beside or in place of an answer). A request that is delayed is recorded when it is answered.",
      "A notification of the binary gateway is a line as `apns-decode(1)` writes it, with `connection` and `verdict`, whose "
        + "`status` and `reason` are those of the error packet, 0 where there is none. What comes behind a refused one is not "
        + "looked at, as with Apple, and is no line.",
      "Requests of channel management are no notifications: they stand in the log.",
      "The ready record has the single key `listening`, with `endpoint`, `port`, `environment`, `ports`, `gateway`, `feedback`, "
        + "`addresses`, "
        + "`ca_file`, `key_file`, `key_id`, `team_id`, `cert_file`, `cert_topic`, and with --write-credentials `p12_file` "
        + "and `p12_passphrase`. The folder of --write-credentials holds it as server.json too, with `made_key`, the "
        + "name of the key's file when the server made the key.",
    ]),
]
