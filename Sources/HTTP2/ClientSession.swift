// One end of an HTTP/2 connection, the client's, without a socket: bytes in, bytes and events out.
internal import CNGHTTP2

/// A client's end of an HTTP/2 connection (RFC 9113). It owns no socket and knows no time: the owner carries bytes
/// to and from the peer, and takes events. One owner, one thread.
///
/// `receive`, `submit` and `pump` append to `out` what must go to the peer; nothing is held back but what the peer's
/// flow control forbids. The owner stops calling `receive` while too much of `out` is unsent: answers to the peer's
/// PING and SETTINGS frames would pile up.
public final class ClientSession: Session {
  /// What a client announces and keeps.
  public struct Settings: Sendable {
    /// Streams taken to be allowed until the peer's SETTINGS arrive. APNs allows 1 under token authentication.
    public var assumedStreams: UInt32 = 1
    /// Bytes the peer may send on a stream before we answer.
    public var streamWindow: UInt32 = 65_535
    /// Bytes the peer may send on the connection before we answer.
    public var connectionWindow: UInt32 = 1 << 20
    /// Bytes of an answer's header fields kept, counted as RFC 9113 section 6.5.2 does; the rest is dropped.
    public var fieldLimit = 8192
    /// Bytes of an answer's body kept; the rest is dropped.
    public var bodyLimit = 16_384
    /// The first stream's id, odd. Tests begin near the end of the range.
    public var firstStream: Int32 = 1

    public init() {}
  }

  /// What became of a `submit`.
  public enum Submission: Equatable, Sendable {
    /// On its way as this stream. Its end is told by one event, `done` or `failed`, with this slot.
    case sent(stream: Int32, slot: Int32)
    /// The peer's limit of concurrent streams is reached.
    case full
    /// The peer sent GOAWAY: a new connection is needed.
    case goingAway
    /// Stream ids are used up: a new connection is needed.
    case usedUp
    /// The connection is broken.
    case broken
  }

  let state: UnsafeMutablePointer<ClientState>
  private let session: OpaquePointer?

  /// A new connection. The preface and SETTINGS come with the first call that appends to an `out`.
  public init(_ settings: Settings = Settings()) {
    state = .allocate(capacity: 1)
    state.initialize(
      to: ClientState(
        fieldLimit: settings.fieldLimit, bodyLimit: settings.bodyLimit, announcedStreams: settings.assumedStreams))
    session = makeClientSession(settings, state)
    super.init(pointer(state, to: \.table))
    if session == nil { state.pointee.breakDown(.internalError, "out of memory") }
    if settings.firstStream > 1 { nghttp2_session_set_next_stream_id(session, settings.firstStream) }
  }

  deinit {
    if session != nil { nghttp2_session_del(session) }
    state.pointee.table.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Streams that nghttp2 counts against the peer's limit.
  public var openStreams: Int { state.pointee.openStreams }

  /// The peer's limit as last announced, at first the assumption.
  public var maxConcurrentStreams: Int { Int(state.pointee.announcedStreams) }

  /// Whether `submit` would send now.
  public var canSubmit: Bool {
    !state.pointee.isBroken && !state.pointee.goAwayReceived && !state.pointee.idsAreUsedUp
      && state.pointee.openStreams < Int(state.pointee.announcedStreams)
  }

  /// GOAWAY came, ids are used up or the connection broke: it takes no new request.
  public var isClosing: Bool { state.pointee.isBroken || state.pointee.goAwayReceived || state.pointee.idsAreUsedUp }

  /// Nothing more will come and nothing is to be sent: close the connection.
  public var isFinished: Bool {
    guard let session else { return true }
    return nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
  }

  /// Sends a request. The body's bytes are read during the call, and only what flow control holds back is copied.
  /// An empty body ends the stream with the header list. `tag` comes back with the event.
  public func submit(_ head: FieldTemplate, body: Span<UInt8>, tag: Int, into out: inout [UInt8]) -> Submission {
    if state.pointee.isBroken { return .broken }
    if state.pointee.goAwayReceived { return .goingAway }
    if state.pointee.idsAreUsedUp { return .usedUp }
    if state.pointee.openStreams >= Int(state.pointee.announcedStreams) { return .full }
    let index = state.pointee.table.take()
    let slot = state.pointee.table[index]
    return body.withUnsafeBufferPointer { body in
      (slot.pointee.tag, slot.pointee.pending, slot.pointee.pendingCount) = (tag, body.baseAddress, body.count)
      let (fields, count) = head.prepare(&state.pointee.indexedNames)
      let stream = withUnsafePointer(to: clientBody(index)) {
        nghttp2_submit_request(session, nil, fields, count, body.isEmpty ? nil : $0, slotPointer(index))
      }
      guard stream > 0 else {
        state.pointee.table.free(index)
        if stream == Int32(NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE.rawValue) {
          state.pointee.idsAreUsedUp = true
          return .usedUp
        }
        state.pointee.breakDown(.internalError, "nghttp2: " + libraryWords(Int(stream)))
        return .broken
      }
      (slot.pointee.stream, slot.pointee.isOpen) = (stream, true)
      state.pointee.openStreams += 1
      pump(into: &out)
      // The header list went out: a stream within the limit is never queued.
      slot.pointee.keepRest()
      return .sent(stream: stream, slot: Int32(truncatingIfNeeded: index))
    }
  }

  /// The answer's status; 0 while none came.
  public func status(_ slot: Int32) -> Int { Int(self.slot(slot)?.pointee.status ?? 0) }

  /// Takes bytes from the peer. Events are appended, and so is what must be answered at once.
  public func receive(_ bytes: Span<UInt8>, into out: inout [UInt8]) {
    if state.pointee.isBroken { return }
    state.pointee.nuisance.startRead()
    let taken = bytes.withUnsafeBufferPointer { nghttp2_session_mem_recv(session, $0.baseAddress, $0.count) }
    if taken < 0 {
      state.pointee.breakDown(.protocolError, "nghttp2: " + libraryWords(taken))
    } else if state.pointee.isFlooded {
      state.pointee.breakDown(.enhanceYourCalm, "the peer floods the connection with frames that carry nothing")
      terminate(.enhanceYourCalm)
      pump(into: &out)
    } else {
      pump(into: &out)
    }
  }

  /// Appends what waits to be sent.
  public func pump(into out: inout [UInt8]) {
    guard let session else { return }
    while true {
      var bytes: UnsafePointer<UInt8>?
      let count = nghttp2_session_mem_send(session, &bytes)
      guard count > 0 else {
        if count < 0 { state.pointee.breakDown(.internalError, "nghttp2: " + libraryWords(count)) }
        return
      }
      let frame = UnsafeBufferPointer(start: bytes, count: count)
      out.append(contentsOf: frame)
      if let goAway = GoAwayFrame(frame) {
        // Ours or nghttp2's own: either way the streams still open will never be answered.
        state.pointee.breakDown(goAway.code, goAway.text.isEmpty ? "this end gave the connection up" : goAway.text)
      }
    }
  }

  /// Whether `pump` would append something.
  public var wantsWrite: Bool { session != nil && nghttp2_session_want_write(session) != 0 }

  /// The transport ended: every open stream fails with this code, and the session is over.
  public func transportEnded(_ words: String, code: ErrorCode = .cancel) { state.pointee.breakDown(code, words) }

  /// Asks for an echo; `tag` comes back with `pong`. Sent by the next `pump`.
  public func ping(_ tag: Int) {
    guard let session else { return }
    withUnsafeBytes(of: tag) { bytes in
      _ = nghttp2_submit_ping(session, 0, bytes.bindMemory(to: UInt8.self).baseAddress)
    }
  }

  /// Whether the peer's flow control has held a part of the request's body back until now: nobody can have acted on it.
  public func isHeldBack(_ stream: Int32) -> Bool {
    guard let session else { return false }
    let index = slotIndex(nghttp2_session_get_stream_user_data(session, stream))
    return index >= 0 && state.pointee.table[index].pointee.pendingCount > 0
  }

  /// Gives a stream up. Never for one that was answered: servers count resets. Sent by the next `pump`, whose events
  /// then hold `failed` for the stream.
  public func reset(_ stream: Int32, _ code: ErrorCode) {
    guard let session else { return }
    let index = slotIndex(nghttp2_session_get_stream_user_data(session, stream))
    guard index >= 0, !state.pointee.table[index].pointee.isReported else { return }
    state.pointee.table[index].pointee.isReset = true
    nghttp2_submit_rst_stream(session, 0, stream, code.rawValue)
  }

  /// Sends no more of a request that has its answer. Flow control may hold the rest back for ever, and as long as it
  /// does, the stream counts as open. Before `release`; sent by the next `pump`. Says whether there was a rest.
  public func dropRest(_ slot: Int32) -> Bool {
    guard let session, let pointer = self.slot(slot), pointer.pointee.isOpen, pointer.pointee.pendingCount > 0 else {
      return false
    }
    nghttp2_submit_rst_stream(session, 0, pointer.pointee.stream, ErrorCode.cancel.rawValue)
    return true
  }

  /// Says good-bye: GOAWAY with this code, sent by the next `pump`, which also fails every open stream.
  public func terminate(_ code: ErrorCode = .noError) {
    guard let session else { return }
    nghttp2_session_terminate_session(session, code.rawValue)
  }

  /// Hands the events since the last call over; `events` is emptied first and its memory reused.
  public func takeEvents(into events: inout [ClientEvent]) {
    events.removeAll(keepingCapacity: true)
    swap(&events, &state.pointee.events)
    state.pointee.notes.take()
  }

  /// The words that came with an event of the batch taken last; empty for none.
  public func note(_ event: ClientEvent) -> String { state.pointee.notes.text(event.note) }
}
