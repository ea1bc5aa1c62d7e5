// apns-feedback --service: from the tuples of a feedback service to records.

import APNs
import Access
import BinaryProtocol
import Filter
import JSON
import Options
import POSIX
import Provider

struct ServiceQuery {
  /// Where tokens are gathered, when they are.
  private(set) var dead = DeadTokens()
  let gathers: Bool
  /// Places where the answer was no tuple.
  private(set) var faults = 0
  private(set) var isOutOfReach = false

  private let fetch: FeedbackFetch
  private let times = Times(now: Clock.system.unixSeconds)
  private let name = FeedbackCommand.command.name
  private let writer = RecordWriter(.bare)
  private var out: [UInt8] = []
  private var digits: [UInt8] = []
  /// What a service's record has behind its time.
  private let tail = Array(",\"source\":\"service\"}\n".utf8)
  private var count = 0
  private var warnings = 0

  /// Most warnings about tuples that are said one by one.
  private static let warningLimit = 10

  /// - Parameter gathers: all tokens must be known before anything is written.
  init(_ arguments: Arguments, gathers: Bool) throws {
    self.gathers =
      gathers || arguments.isGiven(FeedbackOptions.unique) && arguments.has(FeedbackOptions.unique)
    let access = Access(arguments, FeedbackCommand.command)
    let sources: [CredentialSource]
    do throws(CredentialProblem) { sources = [try access.certificate()] } catch { throw Failure(error.description) }
    let services = try access.binaryServices(.feedback, sources, endpoint: arguments[ServiceOptions.endpoint])
    let timeout = UInt64(arguments[ServiceOptions.timeout] ?? 30) * 1_000_000_000
    var settings = SenderSettings()
    settings.connectTimeout = timeout
    settings.handshakeTimeout = timeout
    settings.retries = arguments[ServiceOptions.retries] ?? 3
    // The chosen environment comes first, if the certificate is for it.
    fetch = FeedbackFetch(services[0], settings: settings, timeout: timeout)
  }

  /// Asks, and writes each record as it comes, unless they are gathered.
  mutating func go() throws {
    let name = name
    let failure = try fetch.run(
      trouble: { Tool.say("\(name): \($0); trying again") }, pause: { try flush(above: 0) },
      { event, bytes in try take(event, bytes) })
    try flush(above: 0)
    if warnings > Self.warningLimit { Tool.say("\(name): \(warnings - Self.warningLimit) more such warnings") }
    guard let failure else { return }
    Tool.say("\(name): stopped: \(failure)")
    isOutOfReach = true
  }

  private mutating func take(_ event: Event, _ bytes: Span<UInt8>) throws {
    switch event {
    case .feedback(let tuple):
      count += 1
      if let fault = times.fault(of: tuple) { warn(fault.message) }
      if gathers { gather(tuple, bytes) } else { writer.append(tuple, bytes, to: &out) }
    case .malformed(let damage):
      faults += 1
      Tool.say("\(name): byte \(damage.offset): expected \(damage.expected), found \(damage.found)")
    default: break
    }
    try flush(above: 131_072)
  }

  private mutating func gather(_ tuple: Tuple, _ bytes: Span<UInt8>) {
    digits.removeAll(keepingCapacity: true)
    let token = bytes.extracting(tuple.token)
    for index in token.indices { digits.append(hexadecimal: token[index]) }
    let (digits, tail) = (digits, tail)
    dead.add(digits.span, Refusal(time: Int(tuple.timestamp) * 1000), tail: tail.span, line: count)
  }

  private mutating func warn(_ message: String) {
    warnings += 1
    if warnings <= Self.warningLimit { Tool.say("\(name): warning: tuple \(count): \(message)") }
  }

  private mutating func flush(above size: Int) throws {
    guard out.count > size else { return }
    try Descriptor.standardOutput.writeAll(out.span)
    out.removeAll(keepingCapacity: true)
  }
}
