// The C side of a client session: callbacks that cast and forward, and the options it runs under.
internal import CNGHTTP2

@inline(__always)
private func state(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<ClientState> {
  pointer.unsafelyUnwrapped.assumingMemoryBound(to: ClientState.self)
}

/// Reads what is pending of a request's body.
private let readBody: nghttp2_data_source_read_callback = { _, _, buffer, length, flags, source, user in
  guard let buffer, let flags, let source else { return 0 }
  return state(user).pointee.table[slotIndex(source.pointee.ptr)].pointee.feed(buffer, length, flags)
}

/// The data provider for a slot's body.
func clientBody(_ slot: Int) -> nghttp2_data_provider {
  nghttp2_data_provider(source: nghttp2_data_source(ptr: slotPointer(slot)), read_callback: readBody)
}

extension ClientState {
  /// Takes note of a received frame; called for whole and valid ones.
  fileprivate mutating func received(_ session: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>) {
    let head = head(frame)
    switch UInt32(head.type) {
    case NGHTTP2_HEADERS.rawValue:
      if head.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 { answered(session, head.stream_id) }
    case NGHTTP2_DATA.rawValue:
      if head.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 {
        answered(session, head.stream_id)
      } else if head.length == 0 {
        flooded(nuisance.add())
      }
    case NGHTTP2_SETTINGS.rawValue where head.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0:
      flooded(nuisance.add())
      announcedStreams = nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
      var event = ClientEvent(.settings)
      event.value = announcedStreams
      events.append(event)
    case NGHTTP2_PING.rawValue:
      if head.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 { return flooded(nuisance.add()) }
      var event = ClientEvent(.pong)
      withUnsafeBytes(of: frame.pointee.ping.opaque_data) { event.tag = $0.load(as: Int.self) }
      events.append(event)
    case NGHTTP2_GOAWAY.rawValue:
      flooded(nuisance.add())
      let goAway = frame.pointee.goaway
      goAwayReceived = true
      lastStreamID = min(lastStreamID, goAway.last_stream_id)
      var event = ClientEvent(.goAway)
      event.stream = goAway.last_stream_id
      event.code = ErrorCode(rawValue: goAway.error_code)
      event.note = notes.add(peerText(goAway.opaque_data, goAway.opaque_data_len))
      events.append(event)
    default:
      break
    }
  }

  private mutating func flooded(_ isTooMuch: Bool) {
    if isTooMuch { isFlooded = true }
  }
}

private func makeCallbacks() -> OpaquePointer? {
  var callbacks: OpaquePointer?
  guard nghttp2_session_callbacks_new(&callbacks) == 0 else { return nil }
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { session, frame, user in
    guard let frame else { return 0 }
    state(user).pointee.beginHeaders(session, head(frame).stream_id)
    return 0
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
  nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) { session, frame, _, user in
    guard let frame, UInt32(head(frame).type) == NGHTTP2_HEADERS.rawValue else { return 0 }
    let index = state(user).pointee.table.place(session, head(frame).stream_id)
    if index >= 0 { state(user).pointee.table[index].pointee.neverWritten = true }
    return 0
  }
  return callbacks
}

/// Made once: nghttp2 copies them into each session. Never changed, so threads may share them.
nonisolated(unsafe) private let callbacks = makeCallbacks()

/// A client session of nghttp2 with its settings submitted; nil when memory is out.
func makeClientSession(_ settings: ClientSession.Settings, _ state: UnsafeMutablePointer<ClientState>) -> OpaquePointer?
{
  var option: OpaquePointer?
  guard nghttp2_option_new(&option) == 0 else { return nil }
  defer { nghttp2_option_del(option) }
  // Closed streams are kept for RFC 7540's priority tree only, which nobody uses; they cost memory and time.
  nghttp2_option_set_no_closed_streams(option, 1)
  nghttp2_option_set_peer_max_concurrent_streams(option, settings.assumedStreams)
  nghttp2_option_set_max_send_header_block_length(option, 65_536)
  // What a flood is, `Nuisance` says: a read takes in thousands of PINGs at once, and nghttp2's own limit is 1000.
  nghttp2_option_set_max_outbound_ack(option, Nuisance.limit + 1)
  nghttp2_option_set_max_deflate_dynamic_table_size(option, 4096)
  var session: OpaquePointer?
  guard nghttp2_session_client_new2(&session, callbacks, state, option) == 0 else { return nil }
  let entries = [
    nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_HEADER_TABLE_SIZE.rawValue), value: 4096),
    nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0),
    nghttp2_settings_entry(
      settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue), value: settings.streamWindow),
    nghttp2_settings_entry(
      settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue), value: UInt32(clamping: settings.fieldLimit)),
  ]
  guard nghttp2_submit_settings(session, 0, entries, entries.count) == 0 else { return nil }
  nghttp2_session_set_local_window_size(session, 0, 0, Int32(clamping: settings.connectionWindow))
  return session
}
