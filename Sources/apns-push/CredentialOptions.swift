// The options of apns-push that speak of several credentials, and of credentials without sending.

import Options

enum CredentialOptions {
  static let credentials = Option.text(
    "credentials", value: "FILE", "several credentials under names, in a JSON file",
    "An object of names: `{\"shop\": {\"key\": \"AuthKey_ABCDE12345.p8\", \"team_id\": \"FGHIJ67890\", \"topics\": "
      + "[\"com.example.shop\"]}, \"voice\": {\"cert\": \"voip.p12\", \"passphrase\": \"env:VOIP_PASSPHRASE\"}}`. A key "
      + "has `key` (a path) or `key_text_env` (the variable that holds its text), `key_id` and `team_id`; a certificate "
      + "has `cert` and, where they are needed, `cert_key` and `passphrase` (as `--passphrase`). Both may have `topics` and "
      + "`environment` (`production` or `sandbox`; both when it is missing). Paths are relative to the file. A record goes "
      + "to the one its `credential` names, else to the one that lists its topic, with or without the push type's "
      + "suffix, else to one that lists none.",
    completion: .files)
  static let check = Option.flag(
    "check-credentials", "examine the credentials and exit; nothing is sent",
    "Connects to nothing. Writes one record for each credential: what the file is and how it is damaged, key id and team "
      + "id and whether they look swapped, topics, environment, the days a certificate has left, whether the trusted "
      + "certificates hold the roots that Apple uses, the `problems`, and `ok`, which is false when one of them is an error. Nothing private is printed. The exit status is "
      + "0 when all is well, 1 when a problem is an error or a warning (such as fewer than 30 days left), 2 when there "
      + "was nothing to examine.")
  static let tokenCache = Option.flag(
    "token-cache", "share provider tokens with other runs",
    "A key's token is kept in a file that only the user can read, below `$XDG_CACHE_HOME/apns-tools` or "
      + "`~/.cache/apns-tools`, and used until it is 50 minutes old: Apple refuses keys whose tokens change more often than "
      + "every 20 minutes. On by default; `--no-token-cache` neither reads nor writes it.", negatable: true,
    default: true)
}
