// Comparing bytes with words: the few questions that are asked of every header of every request.

extension Span where Element == UInt8 {
  /// Whether these bytes are the word's.
  @inline(__always)
  func equals(_ word: StaticString) -> Bool {
    guard count == word.utf8CodeUnitCount else { return false }
    let start = unsafe word.utf8Start
    for index in 0..<count where unsafe self[unchecked: index] != start[index] { return false }
    return true
  }

  /// Whether these bytes begin with the word's.
  @inline(__always)
  func begins(with word: StaticString) -> Bool {
    count >= word.utf8CodeUnitCount && extracting(first: word.utf8CodeUnitCount).equals(word)
  }

  /// Whether these bytes end with those.
  func ends(with other: [UInt8]) -> Bool {
    count >= other.count && extracting(last: other.count).equals(other.span)
  }

  /// Whether both hold the same bytes, eight at a time: provider tokens are long and compared for every request.
  func equals(_ other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    var index = 0
    while index &+ 8 <= count {
      let left = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
      let right = unsafe other.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
      if left != right { return false }
      index &+= 8
    }
    while index < count {
      if self[index] != other[index] { return false }
      index &+= 1
    }
    return true
  }

  /// Whether these bytes are the array's.
  @inline(__always)
  func equals(_ other: [UInt8]) -> Bool { equals(other.span) }

  /// Whether both hold the same hexadecimal digits, whatever their case.
  func equalsIgnoringCase(_ other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in indices where self[index] | 0x20 != other[index] | 0x20 { return false }
    return true
  }

  func equalsIgnoringCase(_ other: [UInt8]) -> Bool { equalsIgnoringCase(other.span) }

  /// The bytes as an array.
  var array: [UInt8] {
    var copy: [UInt8] = []
    copy.append(self)
    return copy
  }

  /// The number these decimal digits are; nil for anything but digits, and for a number beyond 64 bits.
  var decimal: Int? {
    guard !isEmpty, count <= 20 else { return nil }
    var value = 0
    for index in indices {
      let digit = self[index]
      guard digit >= 0x30, digit <= 0x39 else { return nil }
      let (tens, over) = value.multipliedReportingOverflow(by: 10)
      let (next, beyond) = tens.addingReportingOverflow(Int(digit &- 0x30))
      if over || beyond { return nil }
      value = next
    }
    return value
  }
}
