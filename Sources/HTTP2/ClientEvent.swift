// What a client learns from its peer.

/// One thing that happened on a client's connection. Plain bytes: copying it costs nothing.
public struct ClientEvent: Sendable, BitwiseCopyable {
  public enum Kind: UInt8, Sendable, BitwiseCopyable {
    /// The final answer is complete: `stream`, `slot`, `tag`, `status`. Read the slot, then release it.
    case done
    /// The stream ended without a complete answer: `code`, `isUnprocessed`, `isOurs`. Release the slot.
    case failed
    /// The peer's settings arrived or changed: `value` is its MAX_CONCURRENT_STREAMS now.
    case settings
    /// GOAWAY arrived: `stream` is the last stream the peer will handle, `code` why, the note its debug data.
    case goAway
    /// A PING of ours came back: `tag` is its payload.
    case pong
    /// The connection is beyond repair: `code`, and the note says what was wrong. Every open stream has failed.
    case broken
  }

  public var kind: Kind
  /// The stream ended because this end reset it or gave the connection up.
  public var isOurs = false
  /// Proven not to have been acted on (RFC 9113 section 8.7): refused, above GOAWAY's last stream, or never written.
  public var isUnprocessed = false
  /// The answer's status, 0 when none came.
  public var status: UInt16 = 0
  public var stream: Int32 = 0
  /// Where the answer is kept until `release`; -1 when the event is not about a stream.
  public var slot: Int32 = -1
  public var code = ErrorCode.noError
  public var value: UInt32 = 0
  /// What `submit` was given, or the PING's payload.
  public var tag = 0
  /// The number of the note in the batch, for `ClientSession.note`; -1 for none.
  public var note: Int32 = -1

  init(_ kind: Kind) { self.kind = kind }
}
