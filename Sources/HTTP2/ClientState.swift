// A client's state behind nghttp2's callbacks: slots of streams, events.
internal import CNGHTTP2

/// Everything the callbacks touch. It lives behind a pointer: a callback is a cast and a call, without reference
/// counting or exclusivity checks, some forty of which would be paid for each request.
struct ClientState {
  var table: SlotTable
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

  init(fieldLimit: Int, bodyLimit: Int, announcedStreams: UInt32) {
    table = SlotTable(capacity: 64)
    (self.fieldLimit, self.bodyLimit, self.announcedStreams) = (fieldLimit, bodyLimit, announcedStreams)
  }

  mutating func beginHeaders(_ session: OpaquePointer?, _ stream: Int32) {
    let index = table.place(session, stream)
    guard index >= 0 else { return }
    table[index].pointee.skipsBlock = table[index].pointee.status != 0
  }

  @inline(__always)
  mutating func header(
    _ session: OpaquePointer?, _ stream: Int32, _ name: UnsafePointer<UInt8>, _ nameCount: Int,
    _ value: UnsafePointer<UInt8>, _ valueCount: Int
  ) {
    let index = table.place(session, stream)
    guard index >= 0 else { return }
    let slot = table[index]
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
    let index = table.place(session, stream)
    guard index >= 0 else { return }
    table[index].pointee.keep(bytes, count, limit: bodyLimit)
  }

  /// The peer said all it has to say on this stream.
  mutating func answered(_ session: OpaquePointer?, _ stream: Int32) {
    let index = table.place(session, stream)
    guard index >= 0, !table[index].pointee.isReported else { return }
    table[index].pointee.isReported = true
    var event = ClientEvent(.done)
    event.stream = stream
    event.slot = Int32(truncatingIfNeeded: index)
    event.status = table[index].pointee.status
    event.tag = table[index].pointee.tag
    events.append(event)
  }

  /// The stream is gone: it failed, unless its answer was complete before.
  mutating func closed(_ session: OpaquePointer?, _ stream: Int32, _ code: UInt32) {
    let index = table.place(session, stream)
    table.forget()
    guard index >= 0, table[index].pointee.isOpen else { return }
    table[index].pointee.isOpen = false
    openStreams -= 1
    if table[index].pointee.isReported {
      if !table[index].pointee.isInUse { table.free(index) }
      return
    }
    fail(index, ErrorCode(rawValue: code))
  }

  /// Tells the owner that a stream failed.
  mutating func fail(_ index: Int, _ code: ErrorCode, isOurs: Bool = false, note: Int32 = -1) {
    let slot = table[index]
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
    for index in 0..<table.count where table[index].pointee.isOpen {
      table[index].pointee.isOpen = false
      openStreams -= 1
      if !table[index].pointee.isReported {
        fail(index, code, isOurs: true)
      } else if !table[index].pointee.isInUse {
        table.free(index)
      }
    }
    var event = ClientEvent(.broken)
    event.code = code
    event.note = notes.add(words)
    events.append(event)
  }
}
