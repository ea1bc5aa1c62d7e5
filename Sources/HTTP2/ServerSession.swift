// One end of an HTTP/2 connection, the server's, without a socket: bytes in, bytes and events out.
internal import CNGHTTP2

/// A server's end of an HTTP/2 connection (RFC 9113). It owns no socket and knows no time: the owner carries bytes to
/// and from the client, and takes events. One owner, one thread.
///
/// `receive`, `respond` and `pump` append to `out` what must go to the client. The owner stops calling `receive`
/// while too much of `out` is unsent.
public final class ServerSession: Session {
  /// What a server announces and keeps.
  public struct Settings: Sendable {
    /// The stream limit announced first; in force once the client acknowledged it.
    public var maxConcurrentStreams: UInt32 = 100
    /// Streams beyond which nghttp2 refuses whatever was announced: the bound of memory.
    public var hardStreamLimit: UInt32 = 4096
    /// Bytes a client may send on a stream before we answer.
    public var streamWindow: UInt32 = 65_535
    /// Bytes a client may send on the connection before we answer.
    public var connectionWindow: UInt32 = 1 << 20
    public var headerTableSize: UInt32 = 4096
    /// Bytes of a request's header fields kept, counted as RFC 9113 section 6.5.2 does; the rest is dropped.
    public var fieldLimit = 16_384
    /// Bytes of a request's body kept; the rest is dropped.
    public var bodyLimit = 16_384
    /// Whether `head` events come when a header list is complete and a body is still to come.
    public var reportsHeads = false

    public init() {}
  }

  let state: UnsafeMutablePointer<ServerState>
  private let session: OpaquePointer?
  private let settings: Settings

  /// A new connection. SETTINGS come with the first call that appends to an `out`.
  public init(_ settings: Settings = Settings()) {
    self.settings = settings
    state = .allocate(capacity: 1)
    state.initialize(to: ServerState(settings))
    session = makeServerSession(state)
    super.init(pointer(state, to: \.table))
    guard session != nil else {
      state.pointee.breakDown(.internalError, "out of memory")
      return
    }
    var entries = [
      nghttp2_settings_entry(
        settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue), value: settings.streamWindow),
      nghttp2_settings_entry(
        settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue),
        value: UInt32(clamping: settings.fieldLimit)),
    ]
    if settings.headerTableSize != 4096 {
      entries.append(
        nghttp2_settings_entry(
          settings_id: Int32(NGHTTP2_SETTINGS_HEADER_TABLE_SIZE.rawValue), value: settings.headerTableSize))
    }
    announce(settings.maxConcurrentStreams, with: entries)
    nghttp2_session_set_local_window_size(session, 0, 0, Int32(clamping: settings.connectionWindow))
  }

  deinit {
    if session != nil { nghttp2_session_del(session) }
    state.pointee.table.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Requests whose stream is open.
  public var openStreams: Int { state.pointee.openStreams }

  /// The stream limit the client acknowledged last.
  public var limitInForce: Int { Int(state.pointee.limitInForce) }

  /// Nothing more will come and nothing is to be sent: close the connection.
  public var isFinished: Bool {
    guard let session else { return true }
    return nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
  }

  /// Whether `pump` would append something.
  public var wantsWrite: Bool { session != nil && nghttp2_session_want_write(session) != 0 }

  /// Announces another stream limit. Sent by the next `pump`, in force when the client acknowledges it.
  public func announce(maxConcurrentStreams: UInt32) { announce(maxConcurrentStreams, with: []) }

  /// nghttp2 refuses streams above a limit that is still underway to the client, and clients open streams before they
  /// read our SETTINGS. So nghttp2 is told the hard limit alone, `pump` writes the announced one into the frame, and
  /// we enforce that after the acknowledgement.
  private func announce(_ limit: UInt32, with more: [nghttp2_settings_entry]) {
    guard let session, !state.pointee.isBroken, state.pointee.limitsUnderway.count < 1000 else { return }
    let hard = nghttp2_settings_entry(
      settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue), value: settings.hardStreamLimit)
    let entries = [hard] + more
    guard nghttp2_submit_settings(session, 0, entries, entries.count) == 0 else { return }
    state.pointee.limitsUnderway.append(min(limit, settings.hardStreamLimit))
  }

  /// Answers a request: `head` begins with `:status`. The body's bytes are read during the call, and only what flow
  /// control holds back is copied. False when the stream is gone or was answered.
  @discardableResult
  public func respond(_ slot: Int32, _ head: FieldTemplate, body: Span<UInt8>, into out: inout [UInt8]) -> Bool {
    guard let pointer = self.slot(slot), pointer.pointee.isOpen, !pointer.pointee.isAnswered, !state.pointee.isBroken
    else { return false }
    return body.withUnsafeBufferPointer { body in
      pointer.pointee.pending = body.baseAddress
      pointer.pointee.pendingCount = body.count
      let (fields, count) = head.prepare(&state.pointee.indexedNames)
      let result = withUnsafePointer(to: serverBody(Int(slot))) {
        nghttp2_submit_response(session, pointer.pointee.stream, fields, count, body.isEmpty ? nil : $0)
      }
      guard result == 0 else { return false }
      pointer.pointee.isAnswered = true
      pump(into: &out)
      pointer.pointee.keepRest()
      return true
    }
  }

  /// Takes bytes from the client. Events are appended, and so is what must be answered at once.
  public func receive(_ bytes: Span<UInt8>, into out: inout [UInt8]) {
    if state.pointee.isBroken { return }
    state.pointee.nuisance.startRead()
    let taken = bytes.withUnsafeBufferPointer { nghttp2_session_mem_recv(session, $0.baseAddress, $0.count) }
    if taken == Int(NGHTTP2_ERR_BAD_CLIENT_MAGIC.rawValue) {
      state.pointee.breakDown(.protocolError, "the client does not speak HTTP/2: it did not send the preface")
    } else if taken < 0 {
      state.pointee.breakDown(.protocolError, "nghttp2: " + libraryWords(taken))
    } else if state.pointee.isFlooded {
      state.pointee.breakDown(.enhanceYourCalm, "the client floods the connection: " + state.pointee.floodWords)
      nghttp2_session_terminate_session(session, ErrorCode.enhanceYourCalm.rawValue)
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
      if frame[3] == 4, count >= 15, frame[4] == 0 { writeLimit(into: &out, count) }
      if let goAway = GoAwayFrame(frame), goAway.code != .noError, !isOurGoAway(goAway) {
        state.pointee.breakDown(goAway.code, goAway.text.isEmpty ? "the client broke the protocol" : goAway.text)
      }
    }
  }

  /// The SETTINGS frame just appended carries the hard limit first: 9 octets of frame head, 2 of the setting's
  /// number, 4 of its value. The announced limit goes there.
  private func writeLimit(into out: inout [UInt8], _ count: Int) {
    guard state.pointee.limitsWritten < state.pointee.limitsUnderway.count else { return }
    let limit = state.pointee.limitsUnderway[state.pointee.limitsWritten]
    state.pointee.limitsWritten += 1
    let at = out.count - count + 11
    for shift in 0..<4 { out[at + shift] = UInt8(truncatingIfNeeded: limit >> UInt32(24 - 8 * shift)) }
  }

  private var goAwaysByOwner = 0

  private func isOurGoAway(_ frame: GoAwayFrame) -> Bool {
    guard goAwaysByOwner > 0 else { return false }
    goAwaysByOwner -= 1
    return true
  }

  /// Sends GOAWAY by the next `pump`: streams above `lastStream` (nil: the last one that came) are dropped without a
  /// word, those at or below it are answered. The connection stays until the owner closes it.
  public func goAway(lastStream: Int32? = nil, _ code: ErrorCode = .noError, debug: Span<UInt8>) {
    guard let session, !state.pointee.isBroken else { return }
    let last = lastStream ?? nghttp2_session_get_last_proc_stream_id(session)
    let result = debug.withUnsafeBufferPointer {
      nghttp2_submit_goaway(session, 0, last, code.rawValue, $0.baseAddress, $0.count)
    }
    if result == 0, code != .noError { goAwaysByOwner += 1 }
  }

  /// Resets a stream. Sent by the next `pump`.
  public func reset(_ stream: Int32, _ code: ErrorCode) {
    guard let session, !state.pointee.isBroken else { return }
    nghttp2_submit_rst_stream(session, 0, stream, code.rawValue)
  }

  /// Asks for an echo; `tag` comes back with `pong`. Sent by the next `pump`.
  public func ping(_ tag: Int) {
    guard let session else { return }
    withUnsafeBytes(of: tag) { bytes in
      _ = nghttp2_submit_ping(session, 0, bytes.bindMemory(to: UInt8.self).baseAddress)
    }
  }

  /// The transport ended: every open stream is reset, and the session is over.
  public func transportEnded(_ words: String, code: ErrorCode = .cancel) { state.pointee.breakDown(code, words) }

  /// Hands the events since the last call over; `events` is emptied first and its memory reused.
  public func takeEvents(into events: inout [ServerEvent]) {
    events.removeAll(keepingCapacity: true)
    swap(&events, &state.pointee.events)
    state.pointee.notes.take()
  }

  /// The words that came with an event of the batch taken last; empty for none.
  public func note(_ event: ServerEvent) -> String { state.pointee.notes.text(event.note) }
}
