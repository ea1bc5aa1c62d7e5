// The options about certificates and trust that every tool with a connection of its own has: one declaration each.

import Options

public enum AccessOptions {
  public static let caFile = Option.text(
    "ca-file", value: "FILE", "trust the certificates in FILE, and no others",
    "PEM. Without it the system's directory of certificates is used (`SSL_CERT_DIR`, `SSL_CERT_FILE`).",
    environment: "APNS_CA_FILE", completion: .files)
  public static let cert = Option.text(
    "cert", value: "FILE", "a client certificate (PEM or PKCS#12)",
    "In place of a signing key where there is a choice. With its private key in the same file, or in the one of "
      + "`--cert-key`. May be a pipe.",
    environment: "APNS_CERT_FILE", completion: .files)
  public static let certKey = Option.text(
    "cert-key", value: "FILE", "the certificate's private key", "PEM, when it is not in the file of `--cert`.",
    environment: "APNS_CERT_KEY_FILE", completion: .files)
  public static let passphrase = Option.text(
    "passphrase", value: "SOURCE", "where the passphrase of key or certificate is",
    "`env:NAME` for a variable, `file:PATH` for the first line of a file, `fd:N` for an open descriptor. `pass:TEXT` "
      + "gives it here, where every user of the machine can read it. The variable `APNS_PASSPHRASE` holds it directly.")
  public static let environment = Option.choice(
    "environment", short: "e", value: "NAME",
    [
      ("sandbox", "tokens of development builds"), ("production", "tokens of TestFlight and the App Store"),
      ("test", "a server on this machine: localhost, with the ports of the old binary services"),
    ],
    "which of Apple's services to use",
    "A device token belongs to one of the two and is a BadDeviceToken in the other. A record's own `environment` wins. "
      + "`test` is for the binary protocol alone.",
    default: "sandbox", environment: "APNS_ENVIRONMENT")
}
