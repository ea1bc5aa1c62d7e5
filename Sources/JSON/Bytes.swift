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
