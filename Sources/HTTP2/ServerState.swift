// A server's state behind nghttp2's callbacks: slots of streams, stream limits, events.
internal import CNGHTTP2

/// Everything the callbacks touch, behind a pointer for the same reason as `ClientState`.
struct ServerState {
  var table: SlotTable
  var openStreams = 0
  var events: [ServerEvent] = []
  var notes = Notes()
  var nuisance = Nuisance()
  var isBroken = false
  /// Names sent once that `Indexing.firstTime` keeps out of the table from then on.
  var indexedNames: UInt64 = 0
  var isFlooded = false
  /// Why it is a flood.
  var floodWords = ""
  /// Resets of unanswered requests that are still forgiven (the rapid-reset attack, CVE-2023-44487).
  var resetsForgiven = ServerState.resetBudget
  static let resetBudget = 1000
  /// The limit in force: what the client acknowledged. None before that: RFC 9113 section 6.5.3.
  var limitInForce: UInt32 = .max
  /// Limits announced and not acknowledged yet, oldest first, as the SETTINGS frames that carry them.
  var limitsUnderway: [UInt32] = []
  /// How many of them were written already.
  var limitsWritten = 0
  let fieldLimit: Int
  let bodyLimit: Int
  let reportsHeads: Bool
  /// Header bytes of one request at which the client is hostile: small tables decode into megabytes.
  static let bombSize = 1 << 20

  init(_ settings: ServerSession.Settings) {
    table = SlotTable(capacity: 4)
    (fieldLimit, bodyLimit) = (settings.fieldLimit, settings.bodyLimit)
    reportsHeads = settings.reportsHeads
  }

  /// A header block begins. False refuses the stream.
  mutating func beginHeaders(_ session: OpaquePointer?, _ stream: Int32, isRequest: Bool) -> Bool {
    guard isRequest else { return true }
    if openStreams >= Int(limitInForce) {
      var event = ServerEvent(.refused)
      event.stream = stream
      event.code = .refusedStream
      events.append(event)
      if nuisance.add() { flood("it opens streams beyond the limit again and again") }
      return false
    }
    let index = table.take()
    table[index].pointee.stream = stream
    table[index].pointee.isOpen = true
    openStreams += 1
    nghttp2_session_set_stream_user_data(session, stream, slotPointer(index))
    table.remember(stream, index)
    return true
  }

  @inline(__always)
  mutating func header(
    _ session: OpaquePointer?, _ stream: Int32, _ name: UnsafePointer<UInt8>, _ nameCount: Int,
    _ value: UnsafePointer<UInt8>, _ valueCount: Int
  ) {
    let index = table.place(session, stream)
    guard index >= 0 else { return }
    let slot = table[index]
    slot.pointee.fieldBytes += nameCount + valueCount + 32
    if slot.pointee.fieldBytes > Self.bombSize { flood("a header list decodes to more than a megabyte") }
    if slot.pointee.headIsComplete { return }
    if !slot.pointee.fields.append(name: name, nameCount, value: value, valueCount, limit: fieldLimit) {
      slot.pointee.fieldsAreTruncated = true
    }
  }

  mutating func data(_ session: OpaquePointer?, _ stream: Int32, _ bytes: UnsafePointer<UInt8>, _ count: Int) {
    let index = table.place(session, stream)
    guard index >= 0 else { return }
    table[index].pointee.keep(bytes, count, limit: bodyLimit)
  }

  /// A header list is complete.
  mutating func headComplete(_ session: OpaquePointer?, _ stream: Int32) {
    let index = table.place(session, stream)
    guard index >= 0, !table[index].pointee.headIsComplete else { return }
    table[index].pointee.headIsComplete = true
    if reportsHeads { report(.head, index) }
  }

  /// The client said all it has to say on this stream.
  mutating func requestComplete(_ session: OpaquePointer?, _ stream: Int32) {
    let index = table.place(session, stream)
    guard index >= 0, !table[index].pointee.isComplete else { return }
    table[index].pointee.isComplete = true
    // Answered already, from its head: the owner wants to hear no more of it.
    if table[index].pointee.isInUse { report(.request, index) }
  }

  private mutating func report(_ kind: ServerEvent.Kind, _ index: Int, _ code: ErrorCode = .noError) {
    table[index].pointee.isReported = true
    var event = ServerEvent(kind)
    event.stream = table[index].pointee.stream
    event.slot = Int32(truncatingIfNeeded: index)
    event.code = code
    events.append(event)
  }

  mutating func closed(_ session: OpaquePointer?, _ stream: Int32, _ code: UInt32) {
    let index = table.place(session, stream)
    table.forget()
    guard index >= 0, table[index].pointee.isOpen else { return }
    close(index, ErrorCode(rawValue: code))
  }

  private mutating func close(_ index: Int, _ code: ErrorCode) {
    table[index].pointee.isOpen = false
    openStreams -= 1
    let wasAnswered = table[index].pointee.isAnswered && table[index].pointee.pendingCount == 0
    if wasAnswered { resetsForgiven = min(Self.resetBudget, resetsForgiven + 1) }
    if !table[index].pointee.isInUse || !table[index].pointee.isReported {
      table.free(index)
    } else if !wasAnswered {
      report(.reset, index, code)
    }
  }

  /// The client reset a stream.
  mutating func resetByPeer(_ session: OpaquePointer?, _ stream: Int32) {
    let index = table.place(session, stream)
    if index >= 0, table[index].pointee.isAnswered {
      if nuisance.add() { flood("it resets stream after stream") }
      return
    }
    resetsForgiven -= 1
    if resetsForgiven < 0 { flood("it resets stream after stream") }
  }

  mutating func flood(_ words: String) {
    if !isFlooded { (isFlooded, floodWords) = (true, words) }
  }

  /// The connection is beyond repair.
  mutating func breakDown(_ code: ErrorCode, _ words: String) {
    if isBroken { return }
    isBroken = true
    for index in 0..<table.count where table[index].pointee.isOpen { close(index, code) }
    var event = ServerEvent(.broken)
    event.code = code
    event.note = notes.add(words)
    events.append(event)
  }
}
