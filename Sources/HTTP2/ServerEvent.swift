// What a server learns from its peer.

/// One thing that happened on a server's connection. Plain bytes: copying it costs nothing.
public struct ServerEvent: Sendable, BitwiseCopyable {
  public enum Kind: UInt8, Sendable, BitwiseCopyable {
    /// A request's header list is complete and a body is still to come. Only with `Settings.reportsHeads`.
    case head
    /// A request is complete: read `slot`, answer, release the slot.
    case request
    /// The stream is gone before its answer was complete (`code`): an answer cannot be sent. Release the slot.
    case reset
    /// A stream beyond the acknowledged limit was refused with REFUSED_STREAM. It has no slot.
    case refused
    /// The client acknowledged a SETTINGS frame: `value` is the stream limit in force from now on.
    case acknowledged
    /// The client's own SETTINGS arrived.
    case settings
    /// The client sent GOAWAY: `stream`, `code`, the note its debug data.
    case goAway
    /// A PING of ours came back: `tag` is its payload.
    case pong
    /// The connection is beyond repair: `code`, and the note says what was wrong. Open streams got `reset` first.
    case broken
  }

  public var kind: Kind
  public var stream: Int32 = 0
  /// Where the request is kept until `release`; -1 when the event is not about a request.
  public var slot: Int32 = -1
  public var code = ErrorCode.noError
  public var value: UInt32 = 0
  public var tag = 0
  /// The number of the note in the batch, for `ServerSession.note`; -1 for none.
  public var note: Int32 = -1

  init(_ kind: Kind) { self.kind = kind }
}
