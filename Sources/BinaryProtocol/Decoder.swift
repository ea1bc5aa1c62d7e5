// The decoder: a stream in pieces of any size, records out, and what lies between records named.

import JSON

/// Reads one stream. However it is cut into pieces, the events are the same.
///
/// Memory is bounded by the largest record (`frameLimit`) and the largest piece: a length field says how long to wait,
/// never how much to allocate. Behind damage it goes on at the next place where a record stands beyond doubt.
///
///     decoder.append(piece)
///     while let event = decoder.next() { … }
///     // and at the end of the stream
///     decoder.finish()
///     while let event = decoder.next() { … }
public struct Decoder: Sendable {
  /// Most bytes behind the length field of a frame. Two items of the largest size fit in; who claims more is lying.
  public static let frameLimit = 262_144
  /// Most items of a frame. Five are known, each may come once.
  public static let itemLimit = 64

  public let framing: Framing
  /// What has come and is not yet forgotten; events' ranges are places in it.
  public private(set) var bytes: [UInt8] = []
  /// The offset of the first of `bytes` in the stream.
  private var base: Int
  /// Everything before this place is decided.
  private var place = 0
  /// With fewer bytes than this there is nothing new to see.
  private var wanted = 0
  private var isFinished = false
  /// What is being passed over.
  private var open: Damage?
  /// How many bytes are passed over without a look: they belong to a record of another protocol.
  private var blind = 0
  /// Such a record ends at this place, and another one may start.
  private var isBehindTLS = false

  /// - Parameter offset: the offset of the stream's first byte, when something lay before it.
  public init(_ framing: Framing, offset: Int = 0) {
    self.framing = framing
    base = offset
  }

  /// Takes the next piece. Events' ranges of before are void.
  public mutating func append(_ piece: Span<UInt8>) {
    if place > 0 {
      bytes.removeSubrange(0..<place)
      base += place
      wanted = max(0, wanted - place)
      place = 0
    }
    bytes.append(piece)
  }

  /// Says that no more pieces come: what is left is a record cut short.
  public mutating func finish() { isFinished = true }

  /// What is being passed over: bytes that are no record, whose end is not found yet. For those who will not wait for it.
  public var damage: Damage? { open }

  /// The next event; nil when more bytes are needed, or, behind `finish`, when all has been said.
  public mutating func next() -> Event? {
    if open != nil { return nextBehindDamage() }
    guard place < bytes.count, bytes.count >= wanted || isFinished else { return nil }
    switch view.look(framing, at: place) {
    case .fits(let length):
      let event = view.event(framing, at: place, length: length, offset: base + place)
      place += length
      return event
    case .wait(let count):
      wanted = place + count
      return nil
    case .broken(let cause, let length):
      let damage = view.damage(framing, cause, at: place, offset: base + place)
      if let length {
        place += length
        return .malformed(damage.ending(at: base + place))
      }
      open = damage
      // The first byte is part of the damage whatever stands behind it.
      let tlsLength = view.tlsLength(at: place)
      isBehindTLS = tlsLength != nil
      blind = tlsLength ?? 1
      return nextBehindDamage()
    }
  }

  /// Looks for the end of what is being passed over.
  private mutating func nextBehindDamage() -> Event? {
    guard let damage = open else { return nil }
    while true {
      let skipped = min(blind, bytes.count - place)
      place += skipped
      blind -= skipped
      if place == bytes.count {
        if !isFinished { return nil }
        break
      }
      guard bytes.count >= wanted || isFinished else { return nil }
      if isBehindTLS {
        // The head of a record has five bytes.
        if bytes.count - place < 5, !isFinished { return nil }
        let length = view.tlsLength(at: place)
        isBehindTLS = length != nil
        blind = length ?? 0
        if blind > 0 { continue }
      }
      let found = view.search(framing, from: place)
      place = found.place
      guard let count = found.wait else { break }
      wanted = place + count
      return nil
    }
    open = nil
    return .malformed(damage.ending(at: base + place))
  }

  private var view: View {
    @_lifetime(borrow self) get { View(bytes: bytes.span, isFinal: isFinished) }
  }
}

extension Damage {
  fileprivate func ending(at end: Int) -> Damage {
    var whole = self
    whole.length = end - offset
    return whole
  }
}

/// What stands at a place.
enum Look: Equatable {
  /// A record of so many bytes.
  case fits(Int)
  /// It takes so many bytes from here on to tell.
  case wait(Int)
  /// No record. With a length, this many bytes are known to be the whole of the damage.
  case broken(Damage.Cause, length: Int?)
}

/// The bytes a decoder has, as they are looked at.
struct View: ~Escapable {
  let bytes: Span<UInt8>
  /// Nothing comes behind these bytes.
  let isFinal: Bool

  @_lifetime(copy bytes)
  init(bytes: Span<UInt8>, isFinal: Bool) {
    self.bytes = bytes
    self.isFinal = isFinal
  }

  /// What stands at an ordinary place: behind a record, or at the start.
  @inline(__always)
  func look(_ framing: Framing, at place: Int) -> Look {
    let look =
      switch framing {
      case .feedback: lookTuple(at: place)
      case .commands: lookFrame(at: place)
      case .responses: lookPacket(at: place)
      }
    guard case .broken(let cause, let length) = look else { return look }
    return looksElse(cause, length: length, at: place)
  }

  /// The record of which `look` has said that it fits.
  @inline(__always)
  func event(_ framing: Framing, at place: Int, length: Int, offset: Int) -> Event {
    switch framing {
    case .feedback:
      return .feedback(
        Tuple(
          offset: offset, timestamp: bytes.bigEndian32(place), token: (place + Tuple.headSize)..<(place + length)))
    case .commands: return .notification(frame(at: place, length: length, offset: offset))
    case .responses:
      return .error(
        ErrorPacket(offset: offset, status: bytes[place + 1], identifier: bytes.bigEndian32(place + 2)))
    }
  }

  func damage(_ framing: Framing, _ cause: Damage.Cause, at place: Int, offset: Int) -> Damage {
    let count = min(8, bytes.count - place)
    var head: UInt64 = 0
    for index in 0..<count { head |= UInt64(bytes[place + index]) << UInt64(8 * (7 - index)) }
    return Damage(framing: framing, cause: cause, offset: offset, length: 0, head: head, headCount: count)
  }

  /// A place where the record's own framing fails: other protocols are recognised, and enough bytes awaited to show.
  private func looksElse(_ cause: Damage.Cause, length: Int?, at place: Int) -> Look {
    let left = bytes.count - place
    if left < 8, !isFinal { return .wait(8) }
    if tlsLength(at: place) != nil { return .broken(.tls(type: bytes[place], version: bytes[place + 2]), length: nil) }
    for start in ["GET ", "POST ", "HTTP/", "PRI "] as [StaticString] where startsWith(start, at: place) {
      return .broken(.http, length: nil)
    }
    return .broken(cause, length: length)
  }

  private func startsWith(_ text: StaticString, at place: Int) -> Bool {
    var index = place
    for byte in text.description.utf8 {
      guard index < bytes.count, bytes[index] == byte else { return false }
      index += 1
    }
    return true
  }

  /// The length of the TLS record that starts here (RFC 8446 section 5.1: type, 0x03, version, length), nil for none.
  func tlsLength(at place: Int) -> Int? {
    guard bytes.count - place >= 5, 20...23 ~= bytes[place], bytes[place + 1] == 3, bytes[place + 2] <= 4 else {
      return nil
    }
    let length = Int(bytes.bigEndian16(place + 3))
    // 2^14 bytes, and what encryption may add.
    return 1...16_640 ~= length ? 5 + length : nil
  }

  /// The first place from here on where a record stands beyond doubt; and, when more bytes are needed to tell, how many
  /// from that place on.
  func search(_ framing: Framing, from start: Int) -> (place: Int, wait: Int?) {
    var place = start
    while place < bytes.count {
      let look =
        switch framing {
        case .feedback: sureTuple(at: place)
        case .commands: sureFrame(at: place)
        case .responses: surePacket(at: place)
        }
      switch look {
      case .fits: return (place, nil)
      case .wait(let count): return (place, count)
      case .broken: place += 1
      }
    }
    return (place, isFinal ? nil : 1)
  }
}
