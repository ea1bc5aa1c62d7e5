// Looking for bytes with the C library's vector code.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Span where Element == UInt8 {
  /// The place of the first such byte at or behind `start`, nil when there is none.
  public func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
    withUnsafeBytes { raw in
      guard start >= 0, start < raw.count, let base = raw.baseAddress else { return nil }
      guard let found = memchr(base + start, Int32(byte), raw.count - start) else { return nil }
      return UnsafeRawPointer(found) - base
    }
  }

  /// The place of the last such byte before `end`, nil when there is none.
  public func lastIndex(of byte: UInt8, before end: Int) -> Int? {
    var index = Swift.min(end, count)
    while index > 0 {
      index -= 1
      if self[index] == byte { return index }
    }
    return nil
  }

  /// How many such bytes there are.
  public func occurrences(of byte: UInt8) -> Int {
    var total = 0
    withUnsafeBytes { raw in
      let pattern = SIMD16<UInt8>(repeating: byte)
      let one = SIMD16<UInt8>(repeating: 1)
      var offset = 0
      // Each lane counts for itself, and is emptied before it could be full.
      while offset + 16 <= raw.count {
        var hits = SIMD16<UInt8>(repeating: 0)
        let end = offset + Swift.min((raw.count - offset) & ~15, 255 * 16)
        while offset < end {
          let block = raw.loadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
          hits &+= one.replacing(with: 0, where: block .!= pattern)
          offset += 16
        }
        total += Int(SIMD16<UInt16>(truncatingIfNeeded: hits).wrappedSum())
      }
      while offset < raw.count {
        if raw[offset] == byte { total += 1 }
        offset += 1
      }
    }
    return total
  }
}
