// Slots: what either end keeps of a stream, from its first frame until the owner releases it.
internal import CNGHTTP2

/// One stream. Its buffers stay with the slot and serve the next stream.
struct Slot {
  var stream: Int32 = 0
  /// nghttp2 knows the stream.
  var isOpen = false
  /// The owner was told of it: a client how it ended, a server that it came.
  var isReported = false
  /// The owner has not released it.
  var isInUse = false
  var bodyIsTruncated = false
  var fieldsAreTruncated = false
  var nextFree = -1
  /// What is still to send of our body: the caller's bytes during the call that gave them, `rest` later.
  var pending: UnsafePointer<UInt8>?
  var pendingCount = 0
  var rest = ByteStore()
  /// What the peer said.
  var fields = FieldStore()
  var body = ByteStore()

  // A client's.
  var tag = 0
  var status: UInt16 = 0
  /// The block being read is a 1xx answer or trailers: its fields are not kept.
  var skipsBlock = false
  var isReset = false
  var neverWritten = false

  // A server's.
  /// The request's header list is complete: what follows are trailers.
  var headIsComplete = false
  var isComplete = false
  var isAnswered = false
  /// Header bytes decoded, kept or not.
  var fieldBytes = 0

  /// As for a new stream; the buffers were emptied when the slot was given back.
  mutating func renew() {
    (isReported, isInUse, bodyIsTruncated, fieldsAreTruncated) = (false, true, false, false)
    (status, skipsBlock, isReset, neverWritten) = (0, false, false, false)
    (headIsComplete, isComplete, isAnswered, fieldBytes) = (false, false, false, 0)
  }

  /// Gives nghttp2 the next part of our body; it asks for as much as flow control and the frame size allow.
  mutating func feed(_ buffer: UnsafeMutablePointer<UInt8>, _ length: Int, _ flags: UnsafeMutablePointer<UInt32>) -> Int
  {
    let count = min(length, pendingCount)
    if count > 0, let bytes = pending {
      buffer.update(from: bytes, count: count)
      pending = bytes.advanced(by: count)
      pendingCount -= count
    }
    if pendingCount == 0 { flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
    return count
  }

  /// The caller's bytes end with the call: what flow control held back is copied.
  mutating func keepRest() {
    guard pendingCount > 0, let bytes = pending else { return }
    rest.removeAll()
    rest.append(bytes, pendingCount)
    pending = UnsafePointer(rest.base)
  }

  /// Keeps the peer's bytes up to the bound.
  mutating func keep(_ bytes: UnsafePointer<UInt8>, _ count: Int, limit: Int) {
    let room = max(0, limit - body.count)
    if count > room { bodyIsTruncated = true }
    body.append(bytes, min(count, room))
  }
}

/// The slots of one end.
struct SlotTable {
  private var slots: UnsafeMutablePointer<Slot>
  private var capacity: Int
  private(set) var count = 0
  private var firstFree = -1
  /// The stream looked up last: a header block asks for the same one many times.
  private var cachedStream: Int32 = 0
  private var cachedSlot = -1

  init(capacity: Int) {
    self.capacity = capacity
    slots = .allocate(capacity: capacity)
  }

  func deallocate() {
    for index in 0..<count {
      slots[index].rest.deallocate()
      slots[index].fields.deallocate()
      slots[index].body.deallocate()
    }
    slots.deinitialize(count: count)
    slots.deallocate()
  }

  /// The slot in that place, which exists.
  @inline(__always)
  subscript(_ index: Int) -> UnsafeMutablePointer<Slot> { slots.advanced(by: index) }

  /// A slot nobody uses, its buffers warm when it served before.
  mutating func take() -> Int {
    let index: Int
    if firstFree >= 0 {
      index = firstFree
      firstFree = slots[index].nextFree
    } else {
      if count == capacity { grow() }
      slots.advanced(by: count).initialize(to: Slot())
      index = count
      count += 1
    }
    slots[index].renew()
    return index
  }

  private mutating func grow() {
    let bigger = UnsafeMutablePointer<Slot>.allocate(capacity: capacity * 2)
    bigger.moveInitialize(from: slots, count: count)
    slots.deallocate()
    (slots, capacity) = (bigger, capacity * 2)
  }

  /// Gives a slot back once its stream is closed and its owner has read it.
  mutating func free(_ index: Int) {
    let slot = slots.advanced(by: index)
    slot.pointee.fields.recycle()
    slot.pointee.body.recycle()
    slot.pointee.rest.recycle()
    (slot.pointee.pending, slot.pointee.pendingCount) = (nil, 0)
    slot.pointee.isInUse = false
    slot.pointee.nextFree = firstFree
    firstFree = index
  }

  /// The place of a stream's slot, -1 for none.
  @inline(__always)
  mutating func place(_ session: OpaquePointer?, _ stream: Int32) -> Int {
    if stream == cachedStream { return cachedSlot }
    let index = slotIndex(nghttp2_session_get_stream_user_data(session, stream))
    remember(stream, index)
    return index
  }

  mutating func remember(_ stream: Int32, _ index: Int) { (cachedStream, cachedSlot) = (stream, index) }

  /// The stream looked up last has ended.
  mutating func forget() { cachedStream = 0 }
}
