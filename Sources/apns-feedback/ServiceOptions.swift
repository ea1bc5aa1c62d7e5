// The options of apns-feedback for a feedback service of the old binary protocol.

import Access
import Options

enum ServiceOptions {
  static let service = Option.flag(
    "service", "ask a feedback service instead of reading results",
    "Connects with a certificate to the feedback service of the old binary protocol, which Apple switched off in 2021, and "
      + "reads to the end. The service tells each refusal once and then forgets it: keep what comes.")
  static let endpoint = Option.text(
    "endpoint", value: "HOST[:PORT]", "ask there instead of Apple", "The port is 2196 where none is given.",
    environment: "APNS_FEEDBACK_ENDPOINT")
  static let retries = Option.integer(
    "retries", value: "N", "how often a failed connection is tried again", "With growing random delays.",
    range: 0...100, default: 3)
  static let timeout = Option.integer(
    "timeout", value: "SECONDS", "longest wait for a connection, and for more to come",
    "When it is over the connection counts as failed and is tried again.", range: 1...3600, default: 30)

  static let all: [any Declared] = [
    service, AccessOptions.environment, endpoint, AccessOptions.caFile, AccessOptions.cert, AccessOptions.certKey,
    AccessOptions.passphrase, retries, timeout,
  ]

  /// Refuses options that mean nothing together. What comes from the environment is there for other tools too.
  static func check(_ arguments: Arguments) throws(UsageError) {
    if arguments.has(service) {
      guard !arguments.isGiven(FeedbackOptions.reason) else {
        throw FeedbackCommand.command.usageError("--reason and --service exclude each other: the service gives none")
      }
      if let operand = arguments.operands.first {
        throw FeedbackCommand.command.usageError(
          "--service reads no results: '\(operand)' is not wanted", subject: operand)
      }
      return
    }
    let typed: [(String, Arguments.Origin?)] = [
      ("environment", arguments.origin(of: AccessOptions.environment)), ("endpoint", arguments.origin(of: endpoint)),
      ("cert", arguments.origin(of: AccessOptions.cert)), ("retries", arguments.origin(of: retries)),
      ("timeout", arguments.origin(of: timeout)),
    ]
    for (name, origin) in typed where origin == .commandLine {
      throw FeedbackCommand.command.usageError("--\(name) is for --service", subject: "--\(name)")
    }
  }
}
