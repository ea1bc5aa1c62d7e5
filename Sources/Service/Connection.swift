// One client: its socket, its TLS, its HTTP/2, and what the server remembers of it.

import APNs
import HTTP2
import POSIX
import TLS

/// A request whose answer is put off, or never comes.
struct HeldRequest {
  let stream: Int32
  /// Tells this use of the slot from a later one.
  let serial: Int
  /// What to do when the time has come; nil for silence.
  let deed: Deed?
  /// The rule or magic token that decided.
  let by: String
}

/// How a connection ends.
enum Ending {
  case none
  /// What is to be sent goes out, then our side is closed in order; the client has a moment to close its own.
  case orderly
  /// What is to be sent goes out, then the connection is dropped without a word.
  case cut
  /// Our side is closed, and the client's end is awaited.
  case lingering
}

/// The state of one connection. It is carried by `Server`.
final class Connection {
  /// From 1, in the order of acceptance.
  let number: Int
  let socket: Descriptor
  let channel: Channel
  let checks: Checks
  /// The place in the server's table, which is also the poller's key.
  let place: Int
  /// There once the handshake is done: a flood of half-open connections costs less without.
  var session: ServerSession?
  /// There once the handshake of a client of the old protocol is done.
  var stream: BinaryStream?
  let role: Role
  var authority = Authority()
  var interest: Readiness = .readable
  var ending = Ending.none
  /// Monotonic nanoseconds at which something is to be done if nothing happens: see `Server.sweep`.
  var deadline: UInt64 = .max
  var held: [Int32: HeldRequest] = [:]
  /// Every further request is left without an answer.
  var isMute = false
  /// The stream limit of authenticated connections was announced.
  var isLifted = false
  /// The announced stream limit.
  var streamLimit = 0
  var requests = 0
  var rejections = 0
  /// Nothing is read until this is over.
  var isDeaf = false
  /// Milliseconds between the bytes that go out; nil for the ordinary way.
  var dribble: Int?
  var isDribbling = false
  /// GOAWAY was sent: the connection ends when its streams have.
  var isGoingAway = false
  /// The last stream a GOAWAY promised to handle: what came with the same bytes behind it was not acted on.
  var lastHandledStream = Int.max
  var frames: FrameLog?

  init(_ number: Int, _ socket: Descriptor, _ channel: Channel, _ checks: Checks, _ role: Role, place: Int) {
    (self.number, self.socket, self.channel, self.checks, self.place) = (number, socket, channel, checks, place)
    self.role = role
  }
}
