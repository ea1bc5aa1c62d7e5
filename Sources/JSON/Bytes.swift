// Reads from a span without a second bounds check: the one place where this target is unsafe about its input.

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

  /// The four bytes from `index` on, the first in the lowest place; the caller has made sure that there are so many.
  @inlinable @inline(__always)
  func word(_ index: Int) -> UInt32 {
    assert(index >= 0 && index &+ 4 <= count)
    return unsafe UInt32(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt32.self))
  }
}
