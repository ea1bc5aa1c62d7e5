// What every sender is to the one who runs it, whatever protocol it speaks.

import POSIX

/// Lines in, results out. The owner hands lines over while there is room, lets the sender turn, and writes what gathers
/// in its recorder.
public protocol Sending: AnyObject {
  /// What the run has to say. The owner writes and empties its buffers.
  var recorder: Recorder { get set }
  /// Set when a service is out of reach or refuses everything: the run should end with the status "stopped early".
  var stopReason: String? { get }
  /// What the journal found wrong with the input.
  var journalFault: String? { get }
  /// Whether another line may be submitted.
  var hasRoom: Bool { get }
  /// Lines that have no result yet.
  var pending: Int { get }

  /// Takes a line. Its result is there at once when it is invalid, later otherwise.
  func submit(_ line: Span<UInt8>, number: Int)
  /// A line that could not even be read, such as one that is too long.
  func refuse(_ number: Int, _ message: String, column: Int?)
  /// Brings to the journal what is about to be sent and what has ended; results may be printed afterwards.
  func commit()
  /// Sends what can be sent, waits for the network (and for `input`, when one is given), takes in what came.
  /// - Parameter limit: the longest to wait, in milliseconds; below 0 without end.
  func turn(input: Descriptor?, limit: Int) -> Found
  /// Nothing new is sent any longer; what is on the wire is still waited for. Later lines end `unsent`.
  func stopSending(_ reason: String)
  /// Ends everything that is under way, for a run that must stop now.
  func abandon(_ reason: String)
  /// Says good-bye to the services. Every line has its result before.
  func close()
}

extension Sending {
  public func refuse(_ number: Int, _ message: String) { refuse(number, message, column: nil) }
}

/// What a turn found besides the sender's own work.
public struct Found: OptionSet, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let input = Found(rawValue: 1)
  public static let signal = Found(rawValue: 2)
}
