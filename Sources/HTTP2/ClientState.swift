// A client's state behind nghttp2's callbacks: slots of streams, events.
internal import CNGHTTP2

/// One stream from `submit` to `release`.
struct ClientSlot {
  var stream: Int32 = 0
  var status: UInt16 = 0
  /// nghttp2 knows the stream.
  var isOpen = false
  /// The owner was told how it ended.
  var isReported = false
  /// The block being read is a 1xx answer or trailers: its fields are not kept.
  var skipsBlock = false
  var isReset = false
  var neverWritten = false
  var bodyIsTruncated = false
  var fieldsAreTruncated = false
  var isInUse = false
  var tag = 0
  var nextFree = -1
  /// What is still to send of the request's body: the caller's bytes during `submit`, `rest` later.
  var pending: UnsafePointer<UInt8>?
  var pendingCount = 0
  var rest = ByteStore()
  var fields = FieldStore()
  var body = ByteStore()
}

/// Everything the callbacks touch. It lives behind a pointer: a callback is a cast and a call, without reference
/// counting or exclusivity checks, some forty of which would be paid for each request.
struct ClientState {
  var slots: UnsafeMutablePointer<ClientSlot>
  var slotCapacity: Int
  var slotCount = 0
  var firstFree = -1
  var openStreams = 0
  var events: [ClientEvent] = []
  var notes = Notes()
  var nuisance = Nuisance()
  var isBroken = false
  /// Names sent once that `Indexing.firstTime` keeps out of the table from then on.
  var indexedNames: UInt64 = 0
  var isFlooded = false
  var announcedStreams: UInt32
  var lastStreamID: Int32 = .max
  var goAwayReceived = false
  var idsAreUsedUp = false
  let fieldLimit: Int
  let bodyLimit: Int
  /// The stream looked up last: a header block asks for the same one many times.
  private var cachedStream: Int32 = 0
  private var cachedSlot = -1

  init(fieldLimit: Int, bodyLimit: Int, announcedStreams: UInt32) {
    slotCapacity = 64
    slots = .allocate(capacity: slotCapacity)
    (self.fieldLimit, self.bodyLimit, self.announcedStreams) = (fieldLimit, bodyLimit, announcedStreams)
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

  /// A slot nobody uses, its buffers warm when it served before.
  mutating func takeSlot() -> Int {
    if firstFree >= 0 {
      let index = firstFree
      firstFree = slots[index].nextFree
      slots[index].isInUse = true
      return index
    }
    if slotCount == slotCapacity {
      let bigger = UnsafeMutablePointer<ClientSlot>.allocate(capacity: slotCapacity * 2)
      bigger.moveInitialize(from: slots, count: slotCount)
      slots.deallocate()
      (slots, slotCapacity) = (bigger, slotCapacity * 2)
    }
    slots.advanced(by: slotCount).initialize(to: ClientSlot())
    slots[slotCount].isInUse = true
    slotCount += 1
    return slotCount - 1
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

  mutating func beginHeaders(_ session: OpaquePointer?, _ stream: Int32) {
    let index = slot(session, stream)
    guard index >= 0 else { return }
    slots[index].skipsBlock = slots[index].status != 0
  }

  @inline(__always)
  mutating func header(
    _ session: OpaquePointer?, _ stream: Int32, _ name: UnsafePointer<UInt8>, _ nameCount: Int,
    _ value: UnsafePointer<UInt8>, _ valueCount: Int
  ) {
    let index = slot(session, stream)
    guard index >= 0 else { return }
    let slot = slots.advanced(by: index)
    if slot.pointee.skipsBlock { return }
    if name[0] == UInt8(ascii: ":") {
      // nghttp2 lets `:status` through alone, once, first and as three digits.
      guard valueCount == 3 else { return }
      let status = (UInt16(value[0]) &- 48) &* 100 &+ (UInt16(value[1]) &- 48) &* 10 &+ (UInt16(value[2]) &- 48)
      if status < 200 {
        slot.pointee.skipsBlock = true
        if nuisance.add() { isFlooded = true }
      } else {
        slot.pointee.status = status
      }
    } else if !slot.pointee.fields.append(name: name, nameCount, value: value, valueCount, limit: fieldLimit) {
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

  /// The peer said all it has to say on this stream.
  mutating func answered(_ session: OpaquePointer?, _ stream: Int32) {
    let index = slot(session, stream)
    guard index >= 0, !slots[index].isReported else { return }
    slots[index].isReported = true
    var event = ClientEvent(.done)
    event.stream = stream
    event.slot = Int32(truncatingIfNeeded: index)
    event.status = slots[index].status
    event.tag = slots[index].tag
    events.append(event)
  }

  /// The stream is gone: it failed, unless its answer was complete before.
  mutating func closed(_ session: OpaquePointer?, _ stream: Int32, _ code: UInt32) {
    let index = slot(session, stream)
    cachedStream = 0
    guard index >= 0, slots[index].isOpen else { return }
    slots[index].isOpen = false
    openStreams -= 1
    if slots[index].isReported {
      if !slots[index].isInUse { freeSlot(index) }
      return
    }
    fail(index, ErrorCode(rawValue: code))
  }

  /// Tells the owner that a stream failed.
  mutating func fail(_ index: Int, _ code: ErrorCode, isOurs: Bool = false, note: Int32 = -1) {
    let slot = slots.advanced(by: index)
    slot.pointee.isReported = true
    var event = ClientEvent(.failed)
    event.stream = slot.pointee.stream
    event.slot = Int32(truncatingIfNeeded: index)
    event.status = slot.pointee.status
    event.tag = slot.pointee.tag
    event.code = code
    event.isOurs = isOurs || slot.pointee.isReset || slot.pointee.neverWritten
    // REFUSED_STREAM by the peer, and what nghttp2 closes above a GOAWAY's last stream, which gets the same code.
    // A request whose body's end was never sent is none that anybody could have acted on (RFC 9113 §8.1).
    event.isUnprocessed =
      slot.pointee.neverWritten || slot.pointee.pendingCount > 0 || (code == .refusedStream && !slot.pointee.isReset)
    event.note = note
    events.append(event)
  }

  /// The connection is beyond repair: says so after failing every stream that is still open.
  mutating func breakDown(_ code: ErrorCode, _ words: String) {
    if isBroken { return }
    isBroken = true
    for index in 0..<slotCount where slots[index].isOpen {
      slots[index].isOpen = false
      openStreams -= 1
      if !slots[index].isReported {
        fail(index, code, isOurs: true)
      } else if !slots[index].isInUse {
        freeSlot(index)
      }
    }
    var event = ClientEvent(.broken)
    event.code = code
    event.note = notes.add(words)
    events.append(event)
  }
}
