// A server's state behind nghttp2's callbacks: slots of streams, stream limits, events.
internal import CNGHTTP2

/// One request from its first header to `release`.
struct ServerSlot {
  var stream: Int32 = 0
  /// nghttp2 knows the stream.
  var isOpen = false
  /// The request is complete, or its head was reported: the owner knows the slot.
  var isReported = false
  /// The request's header list is complete: what follows are trailers.
  var headIsComplete = false
  var isComplete = false
  var isAnswered = false
  var bodyIsTruncated = false
  var fieldsAreTruncated = false
  var isInUse = false
  /// Header bytes decoded, kept or not.
  var fieldBytes = 0
  var nextFree = -1
  /// What is still to send of the answer's body: the caller's bytes during `respond`, `rest` later.
  var pending: UnsafePointer<UInt8>?
  var pendingCount = 0
  var rest = ByteStore()
  var fields = FieldStore()
  var body = ByteStore()
}

/// Everything the callbacks touch, behind a pointer for the same reason as `ClientState`.
struct ServerState {
  var slots: UnsafeMutablePointer<ServerSlot>
  var slotCapacity: Int
  var slotCount = 0
  var firstFree = -1
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
  private var cachedStream: Int32 = 0
  private var cachedSlot = -1

  init(_ settings: ServerSession.Settings) {
    slotCapacity = 4
    slots = .allocate(capacity: slotCapacity)
    (fieldLimit, bodyLimit) = (settings.fieldLimit, settings.bodyLimit)
    reportsHeads = settings.reportsHeads
  }

  func deallocate() {
    for index in 0..<slotCount {
      slots[index].rest.deallocate()
      slots[index].fields.deallocate()
      slots[index].body.deallocate()
    }
    slots.deinitialize(count: slotCount)
    slots.deallocate()
  }

  private mutating func takeSlot() -> Int {
    let index: Int
    if firstFree >= 0 {
      index = firstFree
      firstFree = slots[index].nextFree
    } else {
      if slotCount == slotCapacity {
        let bigger = UnsafeMutablePointer<ServerSlot>.allocate(capacity: slotCapacity * 2)
        bigger.moveInitialize(from: slots, count: slotCount)
        slots.deallocate()
        (slots, slotCapacity) = (bigger, slotCapacity * 2)
      }
      slots.advanced(by: slotCount).initialize(to: ServerSlot())
      index = slotCount
      slotCount += 1
    }
    let slot = slots.advanced(by: index)
    slot.pointee.isReported = false
    slot.pointee.headIsComplete = false
    slot.pointee.isComplete = false
    slot.pointee.isAnswered = false
    slot.pointee.bodyIsTruncated = false
    slot.pointee.fieldsAreTruncated = false
    slot.pointee.fieldBytes = 0
    slot.pointee.isInUse = true
    return index
  }

  /// Gives a slot back once its stream is closed and its owner has read it.
  mutating func freeSlot(_ index: Int) {
    let slot = slots.advanced(by: index)
    slot.pointee.fields.recycle()
    slot.pointee.body.recycle()
    slot.pointee.rest.recycle()
    (slot.pointee.pending, slot.pointee.pendingCount) = (nil, 0)
    slot.pointee.isInUse = false
    slot.pointee.nextFree = firstFree
    firstFree = index
  }

  @inline(__always)
  mutating func slot(_ session: OpaquePointer?, _ stream: Int32) -> Int {
    if stream == cachedStream { return cachedSlot }
    let index = slotIndex(nghttp2_session_get_stream_user_data(session, stream))
    (cachedStream, cachedSlot) = (stream, index)
    return index
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
    let index = takeSlot()
    slots[index].stream = stream
    slots[index].isOpen = true
    openStreams += 1
    nghttp2_session_set_stream_user_data(session, stream, slotPointer(index))
    (cachedStream, cachedSlot) = (stream, index)
    return true
  }

  @inline(__always)
  mutating func header(
    _ session: OpaquePointer?, _ stream: Int32, _ name: UnsafePointer<UInt8>, _ nameCount: Int,
    _ value: UnsafePointer<UInt8>, _ valueCount: Int
  ) {
    let index = slot(session, stream)
    guard index >= 0 else { return }
    let slot = slots.advanced(by: index)
    slot.pointee.fieldBytes += nameCount + valueCount + 32
    if slot.pointee.fieldBytes > Self.bombSize { flood("a header list decodes to more than a megabyte") }
    if slot.pointee.headIsComplete { return }
    if !slot.pointee.fields.append(name: name, nameCount, value: value, valueCount, limit: fieldLimit) {
      slot.pointee.fieldsAreTruncated = true
    }
  }

  mutating func data(_ session: OpaquePointer?, _ stream: Int32, _ bytes: UnsafePointer<UInt8>, _ count: Int) {
    let index = slot(session, stream)
    guard index >= 0 else { return }
    let slot = slots.advanced(by: index)
    let room = max(0, bodyLimit - slot.pointee.body.count)
    if count > room { slot.pointee.bodyIsTruncated = true }
    slot.pointee.body.append(bytes, min(count, room))
  }

  /// A header list is complete.
  mutating func headComplete(_ session: OpaquePointer?, _ stream: Int32) {
    let index = slot(session, stream)
    guard index >= 0, !slots[index].headIsComplete else { return }
    slots[index].headIsComplete = true
    if reportsHeads { report(.head, index) }
  }

  /// The client said all it has to say on this stream.
  mutating func requestComplete(_ session: OpaquePointer?, _ stream: Int32) {
    let index = slot(session, stream)
    guard index >= 0, !slots[index].isComplete else { return }
    slots[index].isComplete = true
    // Answered already, from its head: the owner wants to hear no more of it.
    if slots[index].isInUse { report(.request, index) }
  }

  private mutating func report(_ kind: ServerEvent.Kind, _ index: Int, _ code: ErrorCode = .noError) {
    slots[index].isReported = true
    var event = ServerEvent(kind)
    event.stream = slots[index].stream
    event.slot = Int32(truncatingIfNeeded: index)
    event.code = code
    events.append(event)
  }

  mutating func closed(_ session: OpaquePointer?, _ stream: Int32, _ code: UInt32) {
    let index = slot(session, stream)
    cachedStream = 0
    guard index >= 0, slots[index].isOpen else { return }
    close(index, ErrorCode(rawValue: code))
  }

  private mutating func close(_ index: Int, _ code: ErrorCode) {
    slots[index].isOpen = false
    openStreams -= 1
    let wasAnswered = slots[index].isAnswered && slots[index].pendingCount == 0
    if wasAnswered { resetsForgiven = min(Self.resetBudget, resetsForgiven + 1) }
    if !slots[index].isInUse || !slots[index].isReported {
      freeSlot(index)
    } else if !wasAnswered {
      report(.reset, index, code)
    }
  }

  /// The client reset a stream.
  mutating func resetByPeer(_ session: OpaquePointer?, _ stream: Int32) {
    let index = slot(session, stream)
    if index >= 0, slots[index].isAnswered {
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
    for index in 0..<slotCount where slots[index].isOpen { close(index, code) }
    var event = ServerEvent(.broken)
    event.code = code
    event.note = notes.add(words)
    events.append(event)
  }
}
