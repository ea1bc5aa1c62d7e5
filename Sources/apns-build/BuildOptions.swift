// The options besides the payload's keys: recipients, headers, what is written and how.

import APNs
import Builder
import Filter
import Options

enum BuildOptions {
  // MARK: Recipients

  static let token = Option.text(
    "token", value: "TOKEN", "send to this device; nothing is read then",
    "A device token, in any of the forms that are read from lines.", repeats: true)
  static let channel = Option.shaped(
    "channel-id", value: "CHANNEL", .channelID, "broadcast to this channel instead of a device",
    "The channel's identifier in base64. The notification is then a Live Activity's update or end, needs no token, and "
      + "its topic is the bundle identifier alone. Nothing is read, unless the value or another has holes.")
  static let csv = Option.flag(
    "csv", "read a table with commas between its columns",
    "The first row names the columns, and each may be used as `{{name}}`. Quotes as in RFC 4180: a quoted field may hold "
      + "commas, line breaks and doubled quotes. A row with a quote that nothing closes, or with text behind a closing "
      + "one, is an error of the line where it starts, and the next line is read as a row again.")
  static let tsv = Option.flag(
    "tsv", "read a table with tabs between its columns", "Like --csv, with tabs in place of commas.")
  static let delimiter = Option.delimiter(
    "the character between the columns of --csv", "For tables with semicolons, say.", default: UInt8(ascii: ","))
  static let tokenField = Option.text(
    "token-field", value: "NAME", "the column or member that holds the token",
    "For tables and objects in which the token has another name.", default: "token")
  static let strict = Option.flag(
    "strict-tokens", "take tokens only as APNs wants them",
    "Without this the forms people paste are mended: upper case, spaces, `<…>`, base64 in both alphabets. What cannot be "
      + "mended is an error either way.")

  // MARK: Headers

  static let topic = Option.shaped(
    "topic", value: "TOPIC", .topic(suffix: ""), "the app the notification is for",
    "Its bundle identifier, sent as `apns-topic`. The suffix of the push type is added where it is missing, so that "
      + "`--kind voip --topic com.example.app` is right. From the environment it fills lines without a topic only.",
    environment: "APNS_TOPIC")
  static let pushType = Option.shaped(
    "push-type", value: "TYPE", .pushType, "what the notification is, for APNs",
    "Sent as `apns-push-type`. Better take --kind, which fills in what goes with the type. Without both it is told from "
      + "the payload.", defaultText: "from --kind, or the payload",
    completion: .words(PushType.allCases.map(\.rawValue)))
  static let priority = Option.shaped(
    "priority", short: "p", value: "N", .priority, "10 at once, 5 sparing power, 1 never wakes the device",
    "Sent as `apns-priority`. Background pushes take 5 alone.", defaultText: "from --kind",
    completion: .words(["10", "5", "1"]))
  static let expiration = Option.shaped(
    "expiration", value: "TIME", .time, "until when APNs may try to deliver",
    "Sent as `apns-expiration`. 0 means one attempt; without the option APNs stores the push for as long as it sees fit. "
      + "See TIME VALUES below.")
  static let collapseID = Option.shaped(
    "collapse-id", value: "ID", .collapseID, "replaces the notification shown under the same id",
    "Sent as `apns-collapse-id`; at most 64 bytes.")
  static let id = Option<Value>.custom(
    "id", value: "ID", "the notification's own id: auto, stable or a UUID",
    "Sent as `apns-id` and returned on the result. `auto` makes a random UUID. `stable` makes one from the record's "
      + "content (version 5; times counted from now do not enter into it): a run that is started again gives the same ids "
      + "to the same records, and `apns-push --journal` can go on where it stopped. Anything else is the UUID itself, "
      + "perhaps from a field.",
    completion: .words(["auto", "stable"]),
    parse: { (text) throws(ValueError) in
      switch text {
      case "auto": .newID
      case "stable": .stableID
      default: try Value(text, .uuid)
      }
    })
  static let environment = Option.shaped(
    "environment", short: "e", value: "WHICH", .environment, "production or sandbox, for these lines",
    "Tells apns-push which of the two services a line goes to. Better left to its own option when all lines go the same "
      + "way.", completion: .words(ServiceEnvironment.allCases.map(\.rawValue)))
  static let credential = Option.shaped(
    "credential", value: "NAME", .header, "the credential these lines are sent with",
    "A name from the file given to `apns-push --credentials`.")
  static let meta = Option.text(
    "meta", short: "m", value: "KEY=TEXT", "carry something along with the record",
    "Written under `meta`, which comes back on the result untouched and is never sent: `-m order:=7` is yours alone, where "
      + "the operand `order:=7` goes to the app in the payload. `key:=json` for other values than text.", repeats: true)

  // MARK: Payload

  static let kind = Option.choice(
    "kind", short: "k", value: "KIND", Kind.all.map { ($0.name, $0.meaning) }, "the kind of notification",
    "Fills in push type, suffix of the topic, priority, expiration and the keys every such push has, and refuses what "
      + "contradicts it. `wallet` and `passbook` also fill in the environment, production: passes have no sandbox. An "
      + "option or a record that says otherwise is left alone. Records that come in whole have their kind already: leave "
      + "it out to change them.")
  static let payload = Option.text(
    "payload", value: "FILE", "a payload to begin with",
    "A file with a JSON object, over which the options are laid. What no option touches keeps its bytes; line breaks "
      + "between values are taken out. `-` is not taken: lines come from there.", completion: .files)
  static let fill = Option.flag(
    "fill", "fill the holes in the strings of --payload and --payload-key",
    "Without it they are taken as they stand; a `{{` in the file earns a warning, and one that is left in a line's own "
      + "payload is found by apns-validate.")
  static let payloadKey = Option.text(
    "payload-key", value: "NAME", "the member of a line that holds a payload of its own",
    "An object there is laid over --payload and under the options, member by member.")
  static let unset = Option.text(
    "unset", value: "PATH", "take something out again",
    "A key of the record (`priority`), of its payload (`aps.badge`, `order.id`) or `payload` and `meta` with what is in "
      + "them (`meta.run`). Done last.", repeats: true)
  static let truncate = Option.text(
    "truncate", value: "FIELD", "shorten this text when the payload is too large",
    "`body`, `title`, `subtitle`, `alert`, or the path of a text such as `message.text`. Cut where a character ends as "
      + "readers see it, with an ellipsis, so that the payload just fits. May be given several times: the first field "
      + "goes first. Without it a payload that is too large is an error of its line.",
    completion: .words(["body", "title", "subtitle", "alert"]), repeats: true)
  static let noteTruncation = Option.flag(
    "note-truncation", "say under meta what was shortened",
    "Writes `meta.truncated`: for each shortened text its bytes before and after.")

  // MARK: Output

  static let payloadOnly = Option.flag(
    "payload-only", "write the payloads alone",
    "One payload a line, without the record around it. Without any "
      + "recipient, a single one.")
  static let simulator = Option.text(
    "simulator", value: "BUNDLE", "write a file for xcrun simctl push",
    "The payload with `Simulator Target Bundle` in it. Nothing is read, unless a value has holes. "
      + "`xcrun simctl push booted FILE` shows it in the simulator.")
  static let curl = Option.flag(
    "curl", "write a command line for curl instead of each record",
    "Quoted for a shell. The provider token is taken from APNS_PROVIDER_TOKEN when the command is run.")
  static let format = Option.choice(
    "format", value: "FORMAT",
    [
      ("frame", "command 2, with items for everything"), ("enhanced", "command 1, with an identifier"),
      ("simple", "command 0, token and payload alone"),
    ], "write bytes of the retired binary protocol",
    "Identifiers count from 0. For tests and archives: Apple's own gateway was switched off in 2021.")

  // MARK: Run

  static let limit = Option.integer(
    "limit", short: "n", value: "N", "stop after N recipients",
    "Nothing behind them is read. With --skip, counted from there.",
    range: 0...Int.max)
  static let skip = Option.integer(
    "skip", value: "N", "pass over the first N recipients", "A table's header does not count.", range: 0...Int.max)
  static let sample = Option.integer(
    "sample", value: "N", "take N recipients at random",
    "All are read, N are taken, each with the same chance, and written in the order of the input.",
    range: 0...10_000_000)
  static let seed = Option.integer(
    "seed", value: "NUMBER", "make --sample repeat its choice", "The same number picks the same recipients again.",
    range: 0...Int.max)

  static let now = Option<Moment>.custom(
    "now", value: "TIME", "take this for the present time", "For tests: times from now become repeatable.",
    defaultText: "the clock", parse: { (text) throws(ValueError) in try Moment(text) })
}
