// One notification under way: its line, the places of its parts, and how far it has come.

import APNs
import JSON

/// A stretch of a flight's bytes; absent when it starts at the end of the world.
struct Piece {
  var start: UInt32 = .max
  var end: UInt32 = 0

  var isPresent: Bool { start != .max }
  var range: Range<Int> { Int(start)..<Int(end) }

  static let absent = Piece()

  init() {}

  init(_ range: Range<Int>) {
    start = UInt32(truncatingIfNeeded: range.lowerBound)
    end = UInt32(truncatingIfNeeded: range.upperBound)
  }
}

/// A notification between its line and its result. The structs live in one array and are used again, their bytes too.
struct Flight {
  enum Stage: UInt8 {
    case free
    /// In the queue of its route.
    case ready
    /// On a connection, without an answer yet.
    case sent
    /// Waits for its time to be sent again.
    case delayed
  }

  /// The line as it came, and behind it the decoded text of values that were written with escapes.
  var bytes: [UInt8] = []
  var lineLength = 0
  /// The number of the line, from 1.
  var number = 0
  var stage = Stage.free

  var token = Piece()
  var channel = Piece()
  var topic = Piece()
  var collapse = Piece()
  var id = Piece()
  var payload = Piece()
  var meta = Piece()
  var credential = Piece()
  var pushType: PushType?
  var priority = 0
  /// UNIX seconds; below 0 when the record has none.
  var expiration = -1
  var environment: ServiceEnvironment?

  var route = 0
  /// The connection and the stream it was last sent on.
  var connection = -1
  var stream: Int32 = 0
  /// Where it begins in the connection's stream of bytes.
  var position: UInt64 = 0
  /// How many bytes it had on the wire of the binary protocol.
  var frameSize = 0
  var attempts = 0
  /// Sendings that were allowed as retries.
  var retried = 0
  /// Attempts that were proven not to have been acted on.
  var refusals = 0
  /// Those of them that a GOAWAY explains.
  var goAways = 0
  /// What APNs said the last time it said "not now"; 0 and nil while it has not.
  var lastStatus = 0
  var lastReason: String?
  /// The journal knows that it is about to be sent.
  var isJournaled = false
  /// The other environment was asked about its token.
  var triedOtherEnvironment = false
  /// When it was given the turn of its device token that it waits for or may take; 0 for none.
  var claimedAt: UInt64 = 0
  /// A hash of its device token, for the turns of tokens.
  var tokenHash: UInt64 = 0
  /// Monotonic nanoseconds: when it was first handed in, and last sent.
  var started: UInt64 = 0
  var sent: UInt64 = 0

  /// Longer buffers are given back: one giant line must not stay in memory for ever.
  private static let keptCapacity = 16_384

  /// Takes over a good record.
  mutating func load(_ record: Notification, _ document: borrowing Document, number: Int) {
    let count = document.bytes.count
    if bytes.capacity < count || bytes.capacity > Self.keptCapacity && count <= Self.keptCapacity {
      // An array that grows by itself doubles; lines differ by a few bytes.
      bytes = []
      bytes.reserveCapacity(count + 16)
    }
    bytes.removeAll(keepingCapacity: true)
    bytes.append(document.bytes)
    lineLength = bytes.count
    self.number = number
    token = text(record.token, document)
    channel = text(record.channelID, document)
    topic = text(record.topic, document)
    collapse = text(record.collapseID, document)
    id = text(record.id, document)
    credential = text(record.credential, document)
    payload = whole(record.payload, document)
    meta = whole(record.meta, document)
    pushType = record.pushType
    priority = record.priority ?? 0
    expiration = record.expiration ?? -1
    environment = record.environment
    attempts = 0
    retried = 0
    refusals = 0
    goAways = 0
    connection = -1
    isJournaled = false
    lastStatus = 0
    lastReason = nil
    triedOtherEnvironment = false
    claimedAt = 0
  }

  /// Gives it an identifier of its own, so that sent again it is still the same.
  mutating func makeID(seed: UInt64) {
    guard !id.isPresent else { return }
    let high = fingerprint(bytes.span.extracting(first: lineLength), seed: seed ^ UInt64(truncatingIfNeeded: number))
    let low = fingerprint(bytes.span.extracting(first: lineLength), seed: ~seed &+ UInt64(truncatingIfNeeded: number))
    let start = bytes.count
    for (index, byte) in uuidBytes(high, low).enumerated() {
      if [4, 6, 8, 10].contains(index) { bytes.append(UInt8(ascii: "-")) }
      bytes.append(hexadecimal: byte)
    }
    id = Piece(start..<bytes.count)
  }

  /// A UUID of version 8: its bits are our own affair (RFC 9562 §5.8).
  private func uuidBytes(_ high: UInt64, _ low: UInt64) -> [UInt8] {
    var bytes = [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - $0 * 8)) } }
    bytes[6] = bytes[6] & 0x0f | 0x80
    bytes[8] = bytes[8] & 0x3f | 0x80
    return bytes
  }

  private func whole(_ node: Int?, _ document: borrowing Document) -> Piece {
    guard let node else { return .absent }
    return Piece(document.start(node)..<document.end(node))
  }

  private mutating func text(_ node: Int?, _ document: borrowing Document) -> Piece {
    guard let node else { return .absent }
    guard document.tokens[node].hasEscapes else { return Piece((document.start(node) + 1)..<(document.end(node) - 1)) }
    let start = bytes.count
    document.appendDecoded(node, to: &bytes)
    return Piece(start..<bytes.count)
  }
}

/// The flights of a run: a table that grows to what was once under way, and the list of free places.
struct FlightTable {
  private(set) var flights: ContiguousArray<Flight> = []
  private var free: [Int32] = []
  /// Flights under way.
  private(set) var count = 0
  /// Bytes of their lines: what really bounds memory when lines are long.
  var byteCount: Int { charged }
  private var charged = 0

  subscript(_ index: Int) -> Flight {
    _read { yield flights[index] }
    _modify { yield &flights[index] }
  }

  var indices: Range<Int> { flights.indices }

  /// Takes the room for so many at once; what is not used stays untouched.
  mutating func reserve(_ count: Int) { flights.reserveCapacity(count) }

  mutating func take(_ record: Notification, _ document: borrowing Document, number: Int) -> Int {
    let index: Int
    if let last = free.popLast() {
      index = Int(last)
    } else {
      index = flights.count
      flights.append(Flight())
    }
    flights[index].load(record, document, number: number)
    count += 1
    flights[index].tokenHash = 0
    charged += flights[index].lineLength
    return index
  }

  mutating func release(_ index: Int) {
    flights[index].stage = .free
    count -= 1
    charged -= flights[index].lineLength
    free.append(Int32(truncatingIfNeeded: index))
  }
}

/// A queue of flights: a ring that grows.
struct FlightQueue {
  private var ring = [Int32](repeating: 0, count: 64)
  private var head = 0
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  mutating func append(_ index: Int) {
    if count == ring.count { grow() }
    ring[(head + count) & (ring.count - 1)] = Int32(truncatingIfNeeded: index)
    count += 1
  }

  /// Puts it before all others: it has waited once already.
  mutating func prepend(_ index: Int) {
    if count == ring.count { grow() }
    head = (head + ring.count - 1) & (ring.count - 1)
    ring[head] = Int32(truncatingIfNeeded: index)
    count += 1
  }

  /// The flight at a place of the queue, 0 being the next to go.
  subscript(_ place: Int) -> Int { Int(ring[(head + place) & (ring.count - 1)]) }

  mutating func popFirst() -> Int? {
    if count == 0 { return nil }
    let index = ring[head]
    head = (head + 1) & (ring.count - 1)
    count -= 1
    return Int(index)
  }

  private mutating func grow() {
    var larger = [Int32](repeating: 0, count: ring.count * 2)
    for place in 0..<count { larger[place] = ring[(head + place) & (ring.count - 1)] }
    ring = larger
    head = 0
  }
}
