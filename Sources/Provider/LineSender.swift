// What every sender does with lines, whatever protocol it speaks: reading, judging, refusing, watching the input.

import APNs
import JSON
import POSIX
import TLS

/// One way that lines can go: the queue before a service.
protocol Lane: AnyObject {
  var ready: FlightQueue { get set }
  /// Why nothing more goes this way; nil while it works.
  var stopReason: String? { get }
}

/// The half of a sender that knows no connection. `Sender` and `BinarySender` add theirs.
public class LineSender {
  static let inputKey = 0
  static let signalKey = 1

  /// What the run has to say. The owner writes and empties its buffers.
  public final var recorder: Recorder
  /// Set when a service is out of reach or refuses everything: the run should end with the status "stopped early".
  public internal(set) final var stopReason: String?
  /// What the journal found wrong with the input.
  public private(set) final var journalFault: String?

  final let settings: SenderSettings
  final let clock: Clock
  final let poller: Poller
  final let journal: Journal?
  final let services: [Service]
  final var flights = FlightTable()
  final var generator = SystemRandomNumberGenerator()
  final var now: UInt64
  final var retriesLeft: Int
  final var buffers = ReadBuffers()
  final var nextKey = 2
  final var inputIsPollable = true
  final var abortCounts: [Int]
  private final var reader = Reader()
  private final var problems: [Problem] = []
  private final var watchesInput = false
  private final var watched: Descriptor?

  /// - Parameter services: at least one; the first takes what names none.
  /// - Parameter signals: a descriptor that becomes readable when a signal has come.
  init(
    to services: [Service], settings: SenderSettings, journal: Journal?, signals: Descriptor?, clock: Clock
  ) throws(SystemError) {
    self.services = services
    self.settings = settings
    self.clock = clock
    self.journal = journal
    recorder = Recorder(settings)
    poller = try Poller()
    now = clock.monotonic()
    retriesLeft = settings.retryBudget ?? .max
    abortCounts = [Int](repeating: 0, count: settings.abortRules.count)
    if let signals { try poller.add(signals, for: .readable, key: Self.signalKey) }
  }

  // MARK: What a protocol adds

  /// Adds what keeps a good record from going to a service by this protocol.
  func check(_ record: Notification, _ document: borrowing Document, service: Int, _ problems: inout [Problem]) {}

  /// Why nothing more goes to a service; nil while it works.
  func reasonAgainst(service: Int) -> String? { nil }

  /// Gets a flight ready that was just taken.
  func prepare(_ index: Int) {}

  /// Puts a flight into the queue of its service.
  func enqueue(_ index: Int) {}

  /// Adds what a result of this protocol bears.
  func appendFacts(_ index: Int, to out: inout [UInt8]) {}

  /// Nothing new is sent any longer; what is on the wire is still waited for. Later lines end `unsent`.
  public func stopSending(_ reason: String) {}

  // MARK: Lines

  /// Lines that have no result yet.
  public final var pending: Int { flights.count }

  /// Takes a line. Its result is there at once when it is invalid, later otherwise.
  public final func submit(_ line: Span<UInt8>, number: Int) {
    if let journal {
      do throws(Journal.Fault) { try journal.read(line, number: number) } catch {
        journalFault = journalFault ?? error.message
        return stopAll(error.message)
      }
      if journal.isFinished(number) {
        if journal.isRefused(number) { recorder.reject(line) }
        return
      }
    }
    do throws(SyntaxError) {
      try reader.read(line)
    } catch {
      let hint = InputHint.words(line).map { " (\($0))" } ?? ""
      refuse(number, "not JSON: \(error.message)\(hint)", column: position(of: error.offset, in: line).column)
      recorder.reject(line)
      return
    }
    let tokens = reader.tokens
    take(Document(line, tokens.span), number)
  }

  /// A line that could not even be read, such as one that is too long.
  public final func refuse(_ number: Int, _ message: String, column: Int?) {
    if let journal, journal.isFinished(number) { return }
    let start = recorder.results.count
    let message = recorder.masked(message)
    InvalidResult.append(line: number, error: message, to: &recorder.results)
    recorder.say(number, column, message)
    recorded(number, from: start, .invalid, 0, nil)
  }

  private func take(_ document: borrowing Document, _ number: Int) {
    var problems: [Problem] = []
    swap(&problems, &self.problems)
    defer { swap(&problems, &self.problems) }
    problems.removeAll(keepingCapacity: true)
    let record = Notification.read(document, problems: &problems)
    let service = problems.isEmpty ? check(record, document, &problems) : 0
    if problems.isEmpty { settings.judge(document, &problems) }
    if !problems.isEmpty { return refuse(record, document, number, problems) }
    let index = flights.take(record, document, number: number)
    flights[index].route = service
    flights[index].started = now
    prepare(index)
    if let journal, journal.wasSent(number), !settings.resendsUnknown {
      return finish(index, unknown: "sent by a run that ended before the answer came")
    }
    if let reason = reasonAgainst(service: service) { return finish(index, unsent: reason) }
    flights[index].stage = .ready
    enqueue(index)
  }

  /// What the record alone cannot tell: whether there is a service for it, and whether it can go there. Gives its place.
  private func check(_ record: Notification, _ document: borrowing Document, _ problems: inout [Problem]) -> Int {
    var service: Int? = 0
    if services.count > 1 || record.credential != nil || record.environment != nil {
      service = Service.index(for: record, document, services, defaultTopic: settings.topic)
    }
    if let service {
      check(record, document, service: service, &problems)
      return service
    }
    problems.append(Service.problem(with: record, document, services, defaultTopic: settings.topic))
    return 0
  }

  private func refuse(
    _ record: Notification, _ document: borrowing Document, _ number: Int, _ problems: [Problem]
  ) {
    let text = recorder.masked(
      problems.map { $0.message + ($0.help.map { " (\($0))" } ?? "") }.joined(separator: "; "))
    let start = recorder.results.count
    InvalidResult.append(line: number, document, record, error: text, recorder.redaction, to: &recorder.results)
    for problem in problems {
      let place = position(of: document.start(problem.node), in: document.bytes)
      recorder.say(
        number, place.column, recorder.masked(problem.message + (problem.help.map { ": \($0)" } ?? "")))
    }
    recorder.reject(document.bytes)
    recorded(number, from: start, .invalid, 0, problems[0].rule)
  }

  /// Gives every service up.
  final func stopAll(_ reason: String) {
    if stopReason == nil { recorder.say("stopped: \(reason)") }
    stopReason = stopReason ?? reason
    stopSending(reason)
  }

  // MARK: The journal and the input

  /// Brings to the journal what is about to be sent and what has ended; results may be printed afterwards.
  /// - Parameter room: how many of a lane's flights can go at once.
  final func commit<Way: Lane>(_ lanes: [Way], room: (Way) -> Int) {
    guard let journal, journal.isVerified else { return }
    for lane in lanes where lane.stopReason == nil { note(lane, room: room(lane), journal) }
    do throws(Journal.Fault) { try journal.commit() } catch { stopAll(error.message) }
  }

  /// Notes the flights that can go at once, as stretches of line numbers.
  private func note(_ lane: some Lane, room: Int, _ journal: Journal) {
    var stretch: ClosedRange<Int>?
    for place in 0..<min(lane.ready.count, room) {
      let index = lane.ready[place]
      if flights[index].isJournaled { continue }
      flights[index].isJournaled = true
      let number = flights[index].number
      if let known = stretch, number == known.upperBound + 1 {
        stretch = known.lowerBound...number
      } else {
        if let stretch { journal.aboutToSend(stretch) }
        stretch = number...number
      }
    }
    if let stretch { journal.aboutToSend(stretch) }
  }

  final func watch(_ input: Descriptor?) {
    guard inputIsPollable, (input != nil) != watchesInput, let descriptor = input ?? watched else { return }
    do throws(SystemError) {
      if input != nil {
        try poller.add(descriptor, for: .readable, key: Self.inputKey)
      } else {
        poller.remove(descriptor)
      }
      watched = descriptor
      watchesInput = input != nil
    } catch {
      // A regular file cannot be watched: it is always ready.
      inputIsPollable = false
    }
  }

  /// How long the loop may wait, in milliseconds; below 0 without end.
  /// - Parameter soonest: when something is to be done: monotonic nanoseconds.
  final func waitTime(_ limit: Int, until soonest: UInt64) -> Int {
    // What ended is on its way to the journal and to the printer: no waiting before that is done.
    if let journal, journal.pendingCount > 0 { return 0 }
    guard soonest != .max else { return limit }
    let milliseconds = soonest <= now ? 0 : Int(min((soonest - now + 999_999) / 1_000_000, 3_600_000))
    return limit < 0 ? milliseconds : min(limit, milliseconds)
  }
}
