// The options of apns-push for the old binary protocol.

import Access
import Filter
import Options
import Provider

enum BinaryOptions {
  static let transport = Option.choice(
    "protocol", value: "NAME",
    [
      ("http2", "the push service of today"),
      ("binary", "the gateway that Apple switched off in 2021: private gateways, simulators and tests speak it still"),
    ],
    "how to speak to the service",
    "A binary gateway takes a certificate and no key, listens on port 2195, and is silent about what it takes. An error "
      + "packet names the first notification it refuses, which ends `rejected` with the packet's status; those before it "
      + "are `accepted`; those behind it were discarded and are sent again on a new connection. With status 10 (shutdown) "
      + "the one named went through. When the packet names no notification that was sent (identifier 0, for instance), or "
      + "the connection closes without one, what was sent and not proven ends `unknown`, or is sent again with "
      + "`--resend-unknown`. A result bears `bytes`, the size on the wire, and when it is accepted `basis`, the reason to "
      + "think so. `topic`, `push_type`, `collapse_id` and `id` have no place in this protocol and are left out. A "
      + "gateway that cannot be reached is tried again `--retries` times; one that takes nothing for `--request-timeout` is "
      + "left.",
    default: "http2")
  static let format = Option.choice(
    "binary-format", value: "FORMAT",
    [
      ("frame", "command 2: payloads of 2048 bytes, tokens up to 100, priority"),
      ("enhanced", "command 1: payloads of 256 bytes, no priority"),
      ("simple", "command 0: payloads of 256 bytes, no priority, no expiration, no identifier"),
      ("2", "frame"), ("1", "enhanced"), ("0", "simple"),
    ],
    "the form of notifications in the binary protocol",
    "Under `simple` the gateway cannot say which notification it refuses: all that are not proven end `unknown`. In "
      + "`enhanced`, a record without `expiration` is stored as long as the gateway stores any.",
    default: "frame")
  static let linger = Option.custom(
    "linger", value: "SECONDS", "silence after which a binary notification counts as accepted",
    "Counted from the moment when the gateway's system has acknowledged it (on Linux; elsewhere when the socket has taken "
      + "it); may have a fraction. Each result waits that long. An "
      + "error packet that comes later is reported, but a printed result cannot be taken back.",
    default: 1_000_000_000, defaultText: "1", parse: seconds)
  static let window = Option.integer(
    "window", value: "N", "most binary notifications sent and not proven",
    "Together with `--linger` the bound of the rate: so many in that time. Without the option also at most 3.5 MiB of "
      + "lines, which keeps memory small.", range: 1...1_000_000, default: 16_000)

  static let all: [any Declared] = [transport, format, linger, window]

  static func isChosen(_ arguments: Arguments) -> Bool { arguments[transport] == "binary" }

  /// Refuses options that say nothing under the protocol.
  static func check(_ arguments: Arguments) throws(UsageError) {
    if isChosen(arguments) {
      let meaningless: [(any Declared, Bool)] = [
        (PushOptions.dryRun, arguments.has(PushOptions.dryRun)), (PushOptions.probe, arguments.has(PushOptions.probe)),
        (PushOptions.tryOtherEnvironment, arguments.has(PushOptions.tryOtherEnvironment)),
      ]
      for (option, isGiven) in meaningless where isGiven {
        throw PushOptions.command.usageError(
          "--\(option.declaration.name) and --protocol binary exclude each other",
          subject: "--\(option.declaration.name)")
      }
      return
    }
    for (name, isGiven) in [
      ("binary-format", arguments.isGiven(format)), ("linger", arguments.isGiven(linger)),
      ("window", arguments.isGiven(window)),
    ] where isGiven {
      throw PushOptions.command.usageError("--\(name) is for --protocol binary", subject: "--\(name)")
    }
    guard arguments[PushOptions.environment] == "test", arguments[PushOptions.endpoint] == nil else { return }
    throw PushOptions.command.usageError(
      "--environment test is for --protocol binary; over HTTP/2 give --endpoint localhost:PORT",
      subject: "--environment")
  }

  static func settings(_ arguments: Arguments) -> BinarySettings {
    var settings = BinarySettings()
    settings.linger = arguments[linger] ?? settings.linger
    switch arguments[format] {
    case "enhanced", "1": settings.format = .enhanced
    case "simple", "0": settings.format = .simple
    default: settings.format = .frame
    }
    return settings
  }

  /// What is not proven waits in memory: more of it than requests that get an answer.
  static func widen(_ settings: inout SenderSettings, _ arguments: Arguments) {
    settings.flightLimit = arguments[window] ?? 16_000
    // Who asks for a window has it, whatever the length of the lines.
    settings.byteLimit = arguments.isGiven(window) ? settings.flightLimit * 4096 : 3_670_016
  }

  private static func seconds(_ text: String) throws(ValueError) -> UInt64 {
    guard let number = Double(text), number >= 0, number <= 3600 else {
      throw ValueError("expected seconds from 0 to 3600, found '\(text)'")
    }
    return UInt64(number * 1e9)
  }
}
