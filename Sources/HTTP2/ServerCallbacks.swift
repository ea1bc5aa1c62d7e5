// The C side of a server session: callbacks that cast and forward, and the options it runs under.
internal import CNGHTTP2

@inline(__always)
private func state(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<ServerState> {
  pointer.unsafelyUnwrapped.assumingMemoryBound(to: ServerState.self)
}

/// Reads what is pending of an answer's body.
private let readBody: nghttp2_data_source_read_callback = { _, _, buffer, length, flags, source, user in
  guard let buffer, let flags, let source else { return 0 }
  return state(user).pointee.table[slotIndex(source.pointee.ptr)].pointee.feed(buffer, length, flags)
}

/// The data provider for a slot's answer.
func serverBody(_ slot: Int) -> nghttp2_data_provider {
  nghttp2_data_provider(source: nghttp2_data_source(ptr: slotPointer(slot)), read_callback: readBody)
}

extension ServerState {
  /// Takes note of a received frame; called for whole and valid ones.
  fileprivate mutating func received(_ session: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>) {
    let head = head(frame)
    let endsStream = head.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
    let isAck = head.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0
    switch UInt32(head.type) {
    case NGHTTP2_HEADERS.rawValue:
      if !endsStream { return headComplete(session, head.stream_id) }
      let index = table.place(session, head.stream_id)
      if index >= 0 { table[index].pointee.headIsComplete = true }
      requestComplete(session, head.stream_id)
    case NGHTTP2_DATA.rawValue:
      if endsStream { return requestComplete(session, head.stream_id) }
      if head.length == 0 { nuisance("it sends empty DATA frames") }
    case NGHTTP2_SETTINGS.rawValue:
      if isAck { return acknowledged() }
      nuisance("it sends SETTINGS without end")
      events.append(ServerEvent(.settings))
    case NGHTTP2_PING.rawValue:
      if !isAck { return nuisance("it sends PING without end") }
      var event = ServerEvent(.pong)
      withUnsafeBytes(of: frame.pointee.ping.opaque_data) { event.tag = $0.load(as: Int.self) }
      events.append(event)
    case NGHTTP2_GOAWAY.rawValue:
      nuisance("it sends GOAWAY without end")
      let goAway = frame.pointee.goaway
      var event = ServerEvent(.goAway)
      event.stream = goAway.last_stream_id
      event.code = ErrorCode(rawValue: goAway.error_code)
      event.note = notes.add(peerText(goAway.opaque_data, goAway.opaque_data_len))
      events.append(event)
    case NGHTTP2_RST_STREAM.rawValue:
      resetByPeer(session, head.stream_id)
    case NGHTTP2_PRIORITY.rawValue, NGHTTP2_WINDOW_UPDATE.rawValue:
      // Both are cheap, and honest clients send many: WINDOW_UPDATE after each answer.
      break
    default:
      break
    }
  }

  private mutating func nuisance(_ words: String) {
    if nuisance.add() { flood(words) }
  }

  /// Limits come into force in the order they were announced.
  private mutating func acknowledged() {
    guard !limitsUnderway.isEmpty else { return }
    limitInForce = limitsUnderway.removeFirst()
    limitsWritten -= 1
    var event = ServerEvent(.acknowledged)
    event.value = limitInForce
    events.append(event)
  }
}

private func makeCallbacks() -> OpaquePointer? {
  var callbacks: OpaquePointer?
  guard nghttp2_session_callbacks_new(&callbacks) == 0 else { return nil }
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { session, frame, user in
    guard let frame else { return 0 }
    let isRequest = frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST
    if state(user).pointee.beginHeaders(session, head(frame).stream_id, isRequest: isRequest) { return 0 }
    nghttp2_submit_rst_stream(session, 0, head(frame).stream_id, ErrorCode.refusedStream.rawValue)
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
  }
  nghttp2_session_callbacks_set_on_header_callback(callbacks) { session, frame, name, count, value, length, _, user in
    guard let frame, let name, let value else { return 0 }
    state(user).pointee.header(session, head(frame).stream_id, name, count, value, length)
    return 0
  }
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { session, _, stream, bytes, count, user in
    guard let bytes else { return 0 }
    state(user).pointee.data(session, stream, bytes, count)
    return 0
  }
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { session, frame, user in
    guard let frame else { return 0 }
    state(user).pointee.received(session, frame)
    return 0
  }
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { session, stream, code, user in
    state(user).pointee.closed(session, stream, code)
    return 0
  }
  return callbacks
}

/// Made once: nghttp2 copies them into each session. Never changed, so threads may share them.
nonisolated(unsafe) private let callbacks = makeCallbacks()

/// A server session of nghttp2; nil when memory is out.
func makeServerSession(_ state: UnsafeMutablePointer<ServerState>) -> OpaquePointer? {
  var option: OpaquePointer?
  guard nghttp2_option_new(&option) == 0 else { return nil }
  defer { nghttp2_option_del(option) }
  nghttp2_option_set_no_closed_streams(option, 1)
  nghttp2_option_set_max_send_header_block_length(option, 65_536)
  // Its guard counts resets of answered streams too, which careless clients send by the thousand; ours does not.
  nghttp2_option_set_stream_reset_rate_limit(option, 1 << 32, 1 << 32)
  var session: OpaquePointer?
  guard nghttp2_session_server_new2(&session, callbacks, state, option) == 0 else { return nil }
  return session
}
