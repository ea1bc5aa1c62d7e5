// The server: listening sockets, connections, and the one loop that serves them all.

import APNs
import BinaryProtocol
import HTTP2
import POSIX
import TLS

/// A socket that takes connections.
struct Listener {
  var socket: Descriptor
  let address: Address
  /// The place of its environment in `Server.checks`.
  let service: Int
  let role: Role
}

/// How a run ended.
public enum RunEnd: Equatable, Sendable {
  case signal(Int32)
  /// The command ended with this status.
  case command(Int32)
  /// As many notifications came as were expected.
  case expected
  case timeout
  /// Nobody reads the records any more.
  case outputClosed
}

/// A local APNs. One thread runs it.
public final class Server {
  let settings: Settings
  let clock: Clock
  let observer: Observer
  let poller: Poller
  let context: ServerContext
  /// For the gateway and the feedback service; nil without them.
  let binaryContext: ServerContext?
  let judge: GatewayJudge
  var feedback: FeedbackList
  /// The checks of each environment that is served.
  let checks: [Checks]
  let heads = ResponseHeads()
  let magic: MagicTokens
  let script: ScriptRun
  var listeners: [Listener] = []
  var isListening = true
  var connections: [Connection?] = []
  var freePlaces: [Int] = []
  var connectionCount = 0
  var timers = Timers()
  var random: Random
  var nextSerial = 0
  var failTLS = 0
  var refuse = 0
  /// UNIX seconds and monotonic nanoseconds of the current round of the loop.
  var seconds = 0
  var now: UInt64 = 0
  var nextSweep: UInt64 = 0
  var isExpectationMet = false

  // Buffers reused from round to round. A method that fills one takes it out and puts it back.
  var input = [UInt8](repeating: 0, count: 65_536)
  var plain: [UInt8] = []
  var out: [UInt8] = []
  var events: [ServerEvent] = []
  var received = ReceivedWriter()
  var records: [UInt8] = []
  let output: Descriptor?

  /// The key under which signals arrive; listeners have the numbers below it, connections those from 0 on.
  static let signalKey = -1
  /// The key under which the loss of the records' reader arrives: far below the listeners'.
  private static let outputKey = Int.min
  /// Ciphertext a client may leave unread before nothing more is read from it.
  static let outputLimit = 262_144

  /// Bytes of records that are kept at most before they are written.
  static let recordLimit = 262_144

  /// Starts to listen.
  /// - Parameters:
  ///   - output: gets a record for each notification; nil for none.
  public init(
    _ settings: Settings, _ credentials: Credentials, output: Descriptor?, observer: Observer, clock: Clock = .system
  ) throws {
    (self.settings, self.clock, self.observer, self.output) = (settings, clock, observer, output)
    poller = try Poller()
    let trusted = settings.clientAuthorities + credentials.authority.certificate.pem
    context = try ServerContext(identity: credentials.server, protocols: ["h2"], clients: .requested(.pem(trusted)))
    feedback = settings.feedback
    if settings.gatewayPort != nil || settings.feedbackPort != nil {
      // Tickets of TLS 1.3 make a socket readable, which old clients take for an error packet. As with Apple, who has no
      // certificate gets no further than the handshake.
      binaryContext = try ServerContext(
        identity: credentials.server, protocols: [],
        clients: settings.takesAnyCertificate ? .requested(.pem(trusted)) : .required(.pem(trusted)), versions: .upTo12)
    } else {
      binaryContext = nil
    }
    let book = TokenBook(keys: settings.keys, takesAnyKey: settings.takesAnyToken)
    checks = settings.ports.map { Checks(settings, $0.environment, book, ChannelBook(limit: settings.channelLimit)) }
    magic = MagicTokens(timestamp: settings.goneSince)
    random = Random(seed: settings.seed ?? Random.freshSeed())
    script = ScriptRun(settings.script, seed: settings.seed ?? Random.freshSeed())
    judge = GatewayJudge(script, magic)
    readClock()
    for (index, port) in settings.ports.enumerated() { try listen(service: index, port: port.port) }
    if let port = settings.gatewayPort { try listen(service: 0, role: .gateway, port: port) }
    if let port = settings.feedbackPort { try listen(service: 0, role: .feedback, port: port) }
    for rule in script.startRules {
      failTLS += rule.deed.failTLS
      refuse += rule.deed.refuse
      if rule.deed.refuseMilliseconds > 0 { refuseConnections(milliseconds: rule.deed.refuseMilliseconds) }
    }
    for channel in settings.channels {
      for book in checks.map(\.channels) {
        _ = book.add(channel.bundle, ChannelBook.Entry(id: channel.id, storesMessages: channel.storesMessages))
      }
    }
  }

  /// The port of each environment.
  public var ports: [(environment: ServiceEnvironment, port: Int)] {
    checks.indices.map { index in
      let socket = listeners.first { $0.service == index && $0.role == .push }?.socket
      return (checks[index].environment, socket.map(Socket.localPort) ?? 0)
    }
  }

  /// The port of the binary gateway, nil without one.
  public var gatewayPort: Int? { port(of: .gateway) }

  /// The port of the feedback service, nil without one.
  public var feedbackPort: Int? { port(of: .feedback) }

  private func port(of role: Role) -> Int? {
    listeners.first { $0.role == role }.map { Socket.localPort($0.socket) }
  }

  /// The addresses that are listened at, as `127.0.0.1:port`.
  public var endpoints: [String] { listeners.filter { $0.role == .push }.map(\.address.description) }

  /// Serves until a signal, the end of the command, or one of the settings' reasons to stop.
  /// - Parameters:
  ///   - child: the command that was started, if any.
  ///   - deafTo: signals the command gets by itself, from the terminal.
  public func run(signals: Signals, child: Process?, deafTo: [Int32] = []) throws -> RunEnd {
    try poller.add(signals.descriptor, for: .readable, key: Self.signalKey)
    // A reader that left is noticed at once, and not with the next record. Files and /dev/null cannot be watched.
    if child == nil, let output { try? poller.add(output, for: [], key: Self.outputKey) }
    readClock()
    let end = settings.timeoutSeconds.map { now + UInt64($0) * 1_000_000_000 }
    nextSweep = now + 1_000_000_000
    while true {
      poller.wait(milliseconds: waitMilliseconds(until: end))
      readClock()
      for ready in poller.ready {
        if ready.key >= 0 {
          serve(ready)
          // Many busy connections in one round must not fill the memory with what is still to be written.
          if records.count > Self.recordLimit, try !writeRecords() { return try finish(.outputClosed) }
        } else if ready.key == Self.outputKey {
          return try finish(.outputClosed)
        } else if ready.key == Self.signalKey {
          for signal in signals.taken() {
            if let end = heard(signal, child, deafTo) { return try finish(end) }
          }
        } else {
          accept(listener: -2 - ready.key)
        }
      }
      while let timer = timers.take(at: now) { fire(timer) }
      if now >= nextSweep { sweep() }
      guard try writeRecords() else { return try finish(.outputClosed) }
      if isExpectationMet { return try finish(.expected) }
      if let end, now >= end { return try finish(.timeout) }
    }
  }

  func readClock() {
    now = clock.monotonic()
    seconds = clock.unixSeconds
    if settings.sendsDate { heads.setDate(seconds) }
  }

  private func waitMilliseconds(until end: UInt64?) -> Int {
    var due = timers.next ?? .max
    if let end { due = min(due, end) }
    if connectionCount > 0 { due = min(due, nextSweep) }
    if due == .max { return -1 }
    return due <= now ? 0 : Int((due - now + 999_999) / 1_000_000)
  }

  /// What a signal means: the end of the command, or of us.
  private func heard(_ signal: Int32, _ child: Process?, _ deafTo: [Int32]) -> RunEnd? {
    if signal == Signals.child {
      guard let ending = child?.ending(wait: false) else { return nil }
      return .command(ending.status)
    }
    guard let child else { return .signal(signal) }
    if !deafTo.contains(signal) { child.send(signal) }
    return nil
  }

  /// Writes the records of this round. False when nobody reads them any more.
  private func writeRecords() throws(SystemError) -> Bool {
    observer.flush()
    if let failure = observer.failure { throw failure }
    guard let output, !records.isEmpty else { return true }
    var bytes: [UInt8] = []
    swap(&bytes, &records)
    do throws(SystemError) {
      try output.writeAll(bytes.span)
    } catch {
      if error.isBrokenPipe { return false }
      throw error
    }
    bytes.removeAll(keepingCapacity: true)
    swap(&bytes, &records)
    return true
  }

  /// Says goodbye: GOAWAY to every client, a moment for what is underway, the summary.
  private func finish(_ end: RunEnd) throws(SystemError) -> RunEnd {
    stopListening()
    for connection in connections { if let connection { sendOff(connection) } }
    let last = now + 1_000_000_000
    while connectionCount > 0, now < last {
      poller.wait(milliseconds: Int((last - now) / 1_000_000) + 1)
      readClock()
      for ready in poller.ready where ready.key >= 0 { serve(ready) }
    }
    if end != .outputClosed { _ = try writeRecords() }
    observer.summarize()
    if let failure = observer.failure { throw failure }
    return end
  }

  /// Every second: what has waited for too long.
  private func sweep() {
    nextSweep = now + 1_000_000_000
    for connection in connections {
      guard let connection, now >= connection.deadline else { continue }
      overdue(connection)
    }
  }
}
