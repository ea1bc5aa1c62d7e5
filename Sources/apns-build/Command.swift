// What apns-build says about itself.

import Builder
import Filter
import Options

enum BuildCommand {
  static let command = Command(
    name: "apns-build", version: Suite.version, date: Suite.date,
    summary: "make push notifications from a list of recipients and a message",
    description: [
      "Reads recipients, one a line, and writes a notification record for each, as apns-validate and apns-push read them. "
        + "What the notification says comes from the options; what differs from recipient to recipient is a hole in their "
        + "text, `{{name}}`.",
      """
      A line is one of these:

      - a device token, in hexadecimal digits or in another form that people paste: with spaces, in `<…>`, as base64;
      - a JSON object: its `token` is the device, its other members fill the holes, `{{user.name}}` for a member of
        a member;
      - a notification record (an object with `payload`): the options change it, everything else stays;
      - with --csv or --tsv, a row of a table.
      """,
      "Operands are keys of your own, which stand beside `aps` in the payload: `key=text`, `key:=json`, `key=@FILE` for a "
        + "text from a file, `key:=@FILE` for JSON from a file. A dot leads into an object (`order.id:=7`), `[]` adds to "
        + "an array (`tags[]=new`), a backslash takes the next character as it is (`a\\.b=c`). Keys of Apple's own that "
        + "have no option can be set as `aps.key:=json`; one that is near a key of Apple's and none earns a warning.",
      "A line from which no notification can be made is reported on standard error with its number, and the run goes on.",
    ],
    operand: Operand("KEY=TEXT", "a key of your own in the payload; KEY:=JSON for other values", repeats: true),
    groups: groups, sections: sections,
    environment: [("APNS_PROVIDER_TOKEN", "Read by the commands that --curl writes, not by apns-build.")],
    exitStatuses: Status.rows, examples: examples,
    seeAlso: ["apns-validate", "apns-push", "apns-feedback", "apns-server", "jq(1)", "curl(1)"])

  static let groups: [OptionGroup] = [
    OptionGroup(
      "Recipients",
      [
        BuildOptions.token, BuildOptions.csv, BuildOptions.tsv, BuildOptions.delimiter, BuildOptions.tokenField,
        BuildOptions.channel, BuildOptions.strict,
      ]),
    OptionGroup("Kind", [BuildOptions.kind]),
    OptionGroup("Alert", BuildOptions.alertKeys.map(\.declared)),
    OptionGroup(
      "Other keys of aps",
      BuildOptions.apsKeys.map(\.declared) + [BuildOptions.critical, BuildOptions.volume]),
    OptionGroup("Live Activities", BuildOptions.activityKeys.map(\.declared)),
    OptionGroup(
      "Other kinds", BuildOptions.otherKeys.map(\.declared) + [BuildOptions.action, BuildOptions.actionOption]),
    OptionGroup(
      "Headers",
      [
        BuildOptions.topic, BuildOptions.pushType, BuildOptions.priority, BuildOptions.expiration,
        BuildOptions.collapseID, BuildOptions.id, BuildOptions.environment, BuildOptions.credential, BuildOptions.meta,
      ]),
    OptionGroup(
      "Payload",
      [
        BuildOptions.payload, BuildOptions.fill, BuildOptions.payloadKey, BuildOptions.unset, BuildOptions.truncate,
        BuildOptions.noteTruncation,
      ]),
    OptionGroup(
      "Output", [BuildOptions.payloadOnly, BuildOptions.simulator, BuildOptions.curl, BuildOptions.format]),
    OptionGroup(
      "Run",
      [
        BuildOptions.limit, BuildOptions.skip, BuildOptions.sample, BuildOptions.seed, BuildOptions.now,
        CommonOptions.jobs, CommonOptions.maxLine, CommonOptions.progress,
      ]),
  ]

  static let sections: [Section] = [
    Section(
      "Time values",
      [
        """
        Where an option takes a TIME, it is one of these, always in whole seconds:

        - `now`, `+90s`, `+1h30m`, `+2d`, `+1w`: counted from the moment the record is written;
        - `2026-12-01T09:00:00Z`, `2026-12-01T10:00:00+01:00`: a date and time with its distance from UTC;
        - `2026-12-01`: a date alone, which begins at midnight UTC;
        - `1790000000`, `@1790000000`: UNIX seconds. Milliseconds are refused, with the seconds they mean;
        - `0`: for --expiration one attempt, for --dismissal-date at once.
        """
      ])
  ]

  static let examples: [(command: String, purpose: String)] = [
    (
      "apns-build --topic com.example.app --title 'Hi {{name|there}}' --body 'Your parcel is here' < devices.ndjson",
      "A greeting by name for each device of a list"
    ),
    (
      "apns-build --csv --kind alert --topic com.example.app --body 'Hi {{first name}}, see you in {{city}}' \\\n"
        + "  --truncate body < list.csv",
      "A mailing from a spreadsheet, texts that get too long shortened"
    ),
    (
      "apns-build --token a1b2c3d4 --kind background --topic com.example.app sync=orders since:=1790000000",
      "Wake an app, with two keys of its own"
    ),
    (
      "apns-build --kind liveactivity --event update --content-state '{\"score\":{{score}}}' --topic com.example.app < fans.ndjson",
      "Update a Live Activity, the score taken from each line"
    ),
    (
      "apns-build --payload message.json --badge 3 --unset aps.sound --id stable --topic com.example.app < tokens.txt | \n"
        + "  apns-push",
      "Lay options over a payload from a file, with ids that a second run finds again"
    ),
    (
      "apns-build --sample 5 --title Hello --topic com.example.app < devices.ndjson | apns-push",
      "Try it on five devices"
    ),
    (
      "apns-build --simulator com.example.app --title Test > test.apns", "A file for the simulator"
    ),
  ]
}
