// The options that fill the payload, one row for each key Apple knows: path, option, form.

import Builder
import Options

/// A key of the payload and the option that sets it.
struct PayloadKey: Sendable {
  enum Form: Sendable {
    case value(Option<Value>)
    /// Each use of the option adds an element to an array.
    case list(Option<Value>)
    /// A flag that writes this JSON.
    case flag(Option<Bool>, String)
  }

  /// From the payload's root.
  let path: [String]
  let form: Form

  static func aps(_ key: String, _ form: Form) -> PayloadKey { PayloadKey(path: ["aps", key], form: form) }
  static func alert(_ key: String, _ form: Form) -> PayloadKey { PayloadKey(path: ["aps", "alert", key], form: form) }

  var declared: any Declared {
    switch form {
    case .value(let option), .list(let option): option
    case .flag(let option, _): option
    }
  }
}

extension BuildOptions {
  static let alertKeys: [PayloadKey] = [
    .aps(
      "alert",
      .value(
        .template(
          "alert", "the alert as a text alone",
          "Sets `aps.alert` to a string, which is shown as the body. For a title as well use --title and --body, which "
            + "make an object of it."))),
    .alert(
      "title",
      .value(
        .template(
          "title", short: "t", "the title of the alert",
          "The short line in bold type. `{{name}}` stands for the field `name` of each recipient, `{{name|friend}}` for "
            + "that field or `friend`; `\\{{` is two braces."))),
    .alert(
      "subtitle",
      .value(.template("subtitle", "the line below the title", "Shown between title and body, since iOS 10."))),
    .alert(
      "body",
      .value(
        .template(
          "body", short: "b", "the text of the alert",
          "The message itself. With --truncate it is shortened when the payload gets too large for APNs."))),
    .alert(
      "launch-image",
      .value(
        .template(
          "launch-image", value: "FILE", "image or storyboard shown while the app starts",
          "The name of a file of the app, with or without its ending. Hardly used since iOS 14."))),
    .alert(
      "title-loc-key",
      .value(
        .template(
          "title-loc-key", value: "KEY", "the title as a key of the app's strings",
          "The device looks the key up in the app's `Localizable.strings` in its own language. A --title beside it is "
            + "the fallback."))),
    .alert(
      "title-loc-args",
      .list(
        .template(
          "title-loc-args", "a value for the title's placeholders",
          "Takes the place of the next `%@` in the text that --title-loc-key names.",
          repeats: true))),
    .alert(
      "subtitle-loc-key",
      .value(
        .template(
          "subtitle-loc-key", value: "KEY", "the subtitle as a key of the app's strings",
          "Like --title-loc-key, for the subtitle."))),
    .alert(
      "subtitle-loc-args",
      .list(
        .template(
          "subtitle-loc-args", "a value for the subtitle's placeholders",
          "Like --title-loc-args, for the subtitle.", repeats: true))),
    .alert(
      "loc-key",
      .value(
        .template(
          "loc-key", value: "KEY", "the body as a key of the app's strings", "Like --title-loc-key, for the body."))),
    .alert(
      "loc-args",
      .list(
        .template(
          "loc-args", "a value for the body's placeholders",
          "Like --title-loc-args, for the body.", repeats: true))),
    .alert(
      "action-loc-key",
      .value(
        .template(
          "action-loc-key", value: "KEY", "the old alert's button as a key of the app's strings",
          "From the days when an alert had a \"View\" button. Gone from Apple's table."))),
    .alert(
      "summary-arg",
      .value(
        .template(
          "summary-arg", "a word for the summary of a stack of notifications", "Read by iOS 12 to 14 alone."))),
    .alert(
      "summary-arg-count",
      .value(
        .shaped(
          "summary-arg-count", value: "N", .number, "how many things the notification stands for in a summary",
          "Read by iOS 12 to 14 alone."))),
  ]

  static let apsKeys: [PayloadKey] = [
    .aps(
      "badge",
      .value(
        .shaped(
          "badge", value: "N", .count, "the number on the app's icon",
          "0 takes the badge away; without the option it stays as it is. A template may fill it: `{{unread}}`."))),
    .aps(
      "sound",
      .value(sound)),
    .aps(
      "thread-id",
      .value(
        .template(
          "thread-id", value: "ID", "groups notifications on the screen",
          "Notifications with the same id are shown as one stack."))),
    .aps(
      "category",
      .value(
        .template(
          "category", value: "ID", "the category, which gives the notification its buttons",
          "The identifier of a category that the app has registered."))),
    .aps(
      "content-available",
      .flag(
        .flag(
          "content-available", "wake the app in the background",
          "Writes `content-available: 1`. Alone it is what --kind background makes; beside an alert it lets the app "
            + "fetch while the alert is shown."), "1")),
    .aps(
      "mutable-content",
      .flag(
        .flag(
          "mutable-content", "run the app's notification service extension first",
          "Writes `mutable-content: 1`: the extension may decrypt, or fetch an image, before the alert is shown."), "1"
      )),
    .aps(
      "target-content-id",
      .value(
        .template(
          "target-content-id", value: "ID", "the window that is brought to the front",
          "Compared with the scenes of the app when the notification is opened."))),
    .aps(
      "interruption-level",
      .value(
        .shaped(
          "interruption-level", value: "LEVEL", .oneOf(["passive", "active", "time-sensitive", "critical"]),
          "how urgent the alert is",
          "`passive` stays silent, `active` is the usual, `time-sensitive` breaks through a Focus, `critical` through "
            + "everything; the last two need an entitlement.",
          completion: .words(["passive", "active", "time-sensitive", "critical"])))),
    .aps(
      "relevance-score",
      .value(
        relevanceScore)),
    .aps(
      "filter-criteria",
      .value(
        .template(
          "filter-criteria", value: "TEXT", "matched against a Focus filter",
          "The app's Focus filter decides by it whether the alert is shown."))),
  ]

  static let activityKeys: [PayloadKey] = [
    .aps(
      "timestamp",
      .value(
        .shaped(
          "timestamp", value: "TIME", .time, "when the update was made",
          "A device ignores an update that is older than the newest one it has seen. A Live Activity gets the moment of "
            + "writing when this is not given. See TIME VALUES below.", defaultText: "now, in a Live Activity"))),
    .aps("event", .value(event)),
    .aps(
      "content-state",
      .value(
        .json(
          "content-state", "the changing data of a Live Activity",
          "A JSON object that the app's ContentState decodes: the keys are the names of its properties. A hole inside of "
            + "a string takes text, `{\"driver\":\"{{driver}}\"}`; any other takes JSON, `{\"eta\":{{eta}}}`.",
          onlyObjects: true))),
    .aps(
      "stale-date",
      .value(
        .shaped(
          "stale-date", value: "TIME", .time, "when the Live Activity is out of date",
          "From then on the system marks the activity as stale. See TIME VALUES below."))),
    .aps(
      "dismissal-date",
      .value(
        .shaped(
          "dismissal-date", value: "TIME", .time, "when an ended Live Activity disappears",
          "At most four hours ahead; a time in the past, such as 0, removes it at once. Only with `--event end`."))),
    .aps(
      "attributes-type",
      .value(
        .template(
          "attributes-type", value: "TYPE", "the Swift type of a Live Activity's attributes",
          "The exact name of the app's ActivityAttributes type. Only with `--event start`."))),
    .aps(
      "attributes",
      .value(
        .json(
          "attributes", "the fixed data of a Live Activity",
          "A JSON object that the type of --attributes-type decodes. Only with `--event start`.", onlyObjects: true))),
    .aps(
      "input-push-token",
      .flag(inputPushToken, "1")),
    .aps(
      "input-push-channel",
      .value(inputPushChannel)),
  ]

  static let otherKeys: [PayloadKey] = [
    .aps(
      "content-changed",
      .flag(
        .flag(
          "content-changed", "tell widgets or controls to reload",
          "Writes `content-changed: true`, the whole payload of --kind widgets and --kind controls."), "true")),
    .aps(
      "url-args",
      .list(
        .template(
          "url-args", "a value for the placeholders of a website's address",
          "For --kind safari: as many as the website's `urlFormatString` has placeholders.",
          repeats: true))),
    PayloadKey(
      path: ["mdm"],
      form: .value(
        .template(
          "mdm", value: "MAGIC", "the PushMagic of a managed device",
          "The string the device gave its MDM server. It is the whole payload; implies --kind mdm."))),
    PayloadKey(
      path: ["container-identifier"],
      form: .value(
        .template(
          "container-identifier", value: "ID", "the container of a File Provider that has changed",
          "Replicated extensions accept the working set alone, which --kind fileprovider fills in by itself."))),
    PayloadKey(
      path: ["domain"],
      form: .value(
        .template(
          "domain", value: "DOMAIN", "the domain of a File Provider that has changed",
          "Needed by --kind fileprovider."))),
    PayloadKey(
      path: ["href", "url"],
      form: .value(href)),
    PayloadKey(
      path: ["href", "view"],
      form: .value(view)),
    PayloadKey(
      path: ["href", "transition"],
      form: .value(transition)),
  ]

  // Those that decide more than their own key.

  static let sound = Option.template(
    "sound", value: "NAME", "the sound that is played",
    "`default`, or the name of a sound file of the app. With --critical or --volume the object form is written. In a "
      + "Live Activity it goes into the alert, where it belongs.")
  static let relevanceScore = Option.shaped(
    "relevance-score", value: "N", .number, "rank in the summary, from 0 to 1",
    "The notification with the highest score is featured. With --kind liveactivity any number will do: among Live "
      + "Activities only the order counts.")
  static let event = Option.shaped(
    "event", value: "EVENT", .oneOf(["start", "update", "end"]), "start, update or end a Live Activity",
    "`start` needs --attributes-type, --attributes, --content-state, --title and --body; `update` needs "
      + "--content-state; `end` takes the last state and perhaps --dismissal-date. Implies --kind liveactivity.",
    completion: .words(["start", "update", "end"]))
  static let inputPushToken = Option.flag(
    "input-push-token", "ask for a token to update the activity with",
    "Writes `input-push-token: 1`. On by itself at the start of a Live Activity unless there is an "
      + "--input-push-channel; `--no-input-push-token` leaves it out. Since iOS 18.", negatable: true)
  static let inputPushChannel = Option.template(
    "input-push-channel", value: "CHANNEL", "the broadcast channel the activity listens to",
    "The channel's identifier in base64, at the start of a Live Activity. Since iOS 18; older systems then do not start "
      + "the activity.")

  static let href = Option.template(
    "href", value: "URL", "the address a Jasonette app opens",
    "Writes `{\"href\":{\"url\":…}}` beside `aps`. See --view and --transition.")

  static let view = Option.template(
    "view", value: "VIEW", "what a Jasonette app opens the address with",
    "`web` for the browser inside of the app, `jason` for a view of its own. Goes with --href.")
  static let transition = Option.template(
    "transition", value: "KIND", "how a Jasonette app goes to the address",
    "`push`, `modal` or `replace`. Goes with --href.")

  static let payloadKeys = alertKeys + apsKeys + activityKeys + otherKeys

  /// Two meanings, told apart by the kind: Safari's button and Jasonette's action.
  static let action = Option.template(
    "action", value: "TEXT", "the action of a Jasonette app, or the button of a Safari alert",
    "With --kind safari the label of the button. Otherwise the type of a Jasonette action, such as `$util.banner`, "
      + "written as `{\"action\":{\"type\":…}}` beside `aps`. With --href as well, the device follows that and leaves "
      + "the action alone: a warning says so.")
  static let actionOption = Option.text(
    "action-option", value: "KEY=TEXT", "an option of the Jasonette action",
    "Goes under `action.options`; `key:=json` for other values than text.", repeats: true)
  static let critical = Option.flag(
    "critical", "play the sound even when the device is muted",
    "Writes `sound` as an object with `critical: 1`, for apps with Apple's entitlement for critical alerts. The sound is "
      + "--sound, or `default`.")
  static let volume = Option.shaped(
    "volume", value: "N", .fraction, "the volume of a critical alert, from 0 to 1",
    "Writes `sound` as an object. The device heeds it in critical alerts only.")
}
