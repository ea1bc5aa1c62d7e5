// The options of apns-server for the old binary protocol.

import Options

enum BinaryServerOptions {
  static let gateway = Option.integer(
    "gateway", value: "PORT", "serve the binary gateway too, on this port",
    "Commands 0, 1 and 2 over TLS 1.0 to 1.2. As with Apple, who has no certificate of the authority gets no further than "
      + "the handshake, unless --any-certificate is given. What is accepted is accepted in silence; what is refused gets an "
      + "error packet, and the connection is closed. Without a port the system chooses one; Apple's was 2195.",
    range: 0...65_535
  ).bare("0")
  static let feedback = Option.integer(
    "feedback", value: "PORT", "serve a feedback service too, on this port",
    "It tells its list to who asks first, closes, and has forgotten it. Without a port the system chooses one; Apple's "
      + "was 2196.", range: 0...65_535
  ).bare("0")
  static let feedbackFile = Option.text(
    "feedback-file", value: "FILE", "what the feedback service tells",
    "NDJSON with `token` and `timestamp` (UNIX seconds), as apns-feedback writes it, or bare tokens; a token without a time "
      + "was refused an hour ago. Magic tokens that answer 410 are added when the gateway has refused them. Implies "
      + "--feedback.", completion: .files)

  static let all: [any Declared] = [gateway, feedback, feedbackFile]
}
