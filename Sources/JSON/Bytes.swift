// Bytes in and tokens out without a second bounds check: the one place where the reader is unsafe.

extension Span<UInt8> {
  /// The byte at `index`, which the caller has compared with `count`.
  @inlinable @inline(__always)
  func byte(_ index: Int) -> UInt8 {
    assert(index >= 0 && index < count)
    return unsafe self[unchecked: index]
  }

  /// The byte at `index`, or 0 behind the end: NUL is white space nowhere and starts nothing, so it ends every scan.
  @inlinable @inline(__always)
  func peek(_ index: Int) -> UInt8 {
    index < count ? byte(index) : 0
  }

  /// The sixteen bytes from `index` on; the caller has made sure that there are so many.
  @inlinable @inline(__always)
  func vector(_ index: Int) -> SIMD16<UInt8> {
    assert(index >= 0 && index &+ 16 <= count)
    return unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: SIMD16<UInt8>.self)
  }

  /// The two bytes from `index` on, the first in the lower half; the caller has made sure that there are so many.
  @inlinable @inline(__always)
  func pair(_ index: Int) -> UInt16 {
    assert(index >= 0 && index &+ 2 <= count)
    return unsafe UInt16(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt16.self))
  }

  /// The four bytes from `index` on, the first in the lowest place; the caller has made sure that there are so many.
  @inlinable @inline(__always)
  func word(_ index: Int) -> UInt32 {
    assert(index >= 0 && index &+ 4 <= count)
    return unsafe UInt32(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt32.self))
  }

  /// The eight bytes from `index` on, in the machine's order; the caller has made sure that there are so many.
  @inlinable @inline(__always)
  func doubleWord(_ index: Int) -> UInt64 {
    assert(index >= 0 && index &+ 8 <= count)
    return unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
  }

  /// Whether a byte stands twice in a row in a part of the text.
  public func hasPair(of byte: UInt8, in range: Range<Int>) -> Bool {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    guard holds(byte, in: range) else { return false }
    var index = range.lowerBound
    while index &+ 1 < range.upperBound {
      if self.byte(index) == byte, self.byte(index &+ 1) == byte { return true }
      index &+= 1
    }
    return false
  }

  /// Whether a byte stands in a part of the text, sixteen places at a time; the last sixteen may be seen twice.
  @inline(__always)
  private func holds(_ byte: UInt8, in range: Range<Int>) -> Bool {
    let end = range.upperBound
    guard range.count >= 16 else { return range.contains { self.byte($0) == byte } }
    let pattern = SIMD16<UInt8>(repeating: byte)
    var found = equal(vector(end &- 16), pattern)
    var index = range.lowerBound
    while index &+ 16 <= end {
      found |= equal(vector(index), pattern)
      index &+= 16
    }
    let halves = unsafe unsafeBitCast(found, to: SIMD2<UInt64>.self)
    return halves.x | halves.y != 0
  }

  @inline(__always)
  private func equal(_ one: SIMD16<UInt8>, _ other: SIMD16<UInt8>) -> SIMD16<UInt8> {
    unsafe unsafeBitCast(one .== other, to: SIMD16<UInt8>.self)
  }

  /// The bytes from `index`, which is inside the text, on: sixteen of them, or those that are left and zeros.
  func partialVector(_ index: Int) -> SIMD16<UInt8> {
    let left = count &- index
    if left >= 16 { return vector(index) }
    var low: UInt64 = 0
    var high: UInt64 = 0
    for place in 0..<min(left, 8) { low |= UInt64(byte(index &+ place)) &<< UInt64(place &* 8) }
    for place in 8..<max(left, 8) { high |= UInt64(byte(index &+ place)) &<< UInt64(place &* 8 &- 64) }
    return unsafe unsafeBitCast(SIMD2<UInt64>(low.littleEndian, high.littleEndian), to: SIMD16<UInt8>.self)
  }
}

/// Bytes going out, written to room that was asked for once: an array's `append` checks each time whether it is alone.
@safe @usableFromInline
struct Room: ~Copyable {
  @usableFromInline let bytes: UnsafeMutableBufferPointer<UInt8>
  @usableFromInline var count = 0

  @inlinable @inline(__always)
  init(_ bytes: UnsafeMutableBufferPointer<UInt8>) {
    unsafe self.bytes = bytes
  }

  /// Writes a byte; there is room.
  @inlinable @inline(__always)
  mutating func put(_ byte: UInt8) {
    assert(unsafe count < bytes.count)
    unsafe bytes[count] = byte
    count &+= 1
  }

  /// Writes bytes; there is room.
  @inlinable @inline(__always)
  mutating func put(_ span: Span<UInt8>) {
    assert(unsafe span.count <= bytes.count &- count)
    unsafe span.withUnsafeBufferPointer { source in
      if let from = source.baseAddress, let to = unsafe bytes.baseAddress {
        unsafe (to + count).update(from: from, count: source.count)
      }
    }
    count &+= span.count
  }
}

extension [UInt8] {
  /// Appends what `fill` puts into the room for `most` bytes.
  @inlinable @inline(__always)
  mutating func append(most: Int, _ fill: (inout Room) -> Void) {
    append(addingCapacity: most) { free in
      unsafe free.withUnsafeMutableBufferPointer { buffer, initialized in
        var room = unsafe Room(buffer)
        fill(&room)
        initialized = room.count
      }
    }
  }
}

extension StaticString {
  /// The literal's UTF-8, which lives as long as the program.
  @inlinable
  var utf8Bytes: Span<UInt8> {
    @_lifetime(immortal)
    get {
      // A literal of a single scalar may be kept as that scalar; no argument of this target's functions is.
      let buffer = unsafe UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
      return unsafe _overrideLifetime(Span(_unsafeElements: buffer), copying: ())
    }
  }
}

/// Where the parser puts its tokens: the free room of the reader's array.
@safe struct Tape {
  private let room: UnsafeMutableBufferPointer<Token>
  private(set) var count = 0

  /// - Parameter room: memory that outlives the tape, not yet initialized.
  init(room: UnsafeMutableBufferPointer<Token>) {
    unsafe self.room = room
  }

  /// Whether there is room for a value and for a key behind it.
  @inline(__always)
  var hasRoom: Bool { unsafe count &+ 2 <= room.count }

  /// Appends a token; the parser has asked for room.
  @inline(__always)
  mutating func put(_ token: Token) {
    unsafe room.initializeElement(at: count, to: token)
    count &+= 1
  }

  /// Appends the token of a value that holds no other.
  @inline(__always)
  mutating func put(_ bits: UInt32, from start: Int, to end: Int) {
    put(Token(bits: bits, start: start, end: end, next: count &+ 1))
  }

  /// A token that was put before.
  @inline(__always)
  subscript(index: Int) -> Token {
    get {
      assert(index < count)
      return unsafe room[index]
    }
    nonmutating set {
      assert(index < count)
      unsafe room[index] = newValue
    }
  }
}
