// Text going out at the speed of memory: the one place of this target that writes without asking for room each time.

import JSON

/// Writes into room that was made before, for records that are short and many.
@safe struct Pen {
  private let room: UnsafeMutableBufferPointer<UInt8>
  private(set) var count = 0

  fileprivate init(_ room: UnsafeMutableBufferPointer<UInt8>) {
    unsafe self.room = room
  }

  /// Writes a literal.
  @inline(__always)
  mutating func put(_ text: StaticString) {
    let length = text.utf8CodeUnitCount
    precondition(unsafe count &+ length <= room.count)
    unsafe UnsafeMutableRawPointer(room.baseAddress.unsafelyUnwrapped + count)
      .copyMemory(from: text.utf8Start, byteCount: length)
    count &+= length
  }

  /// Writes bytes as they are.
  @inline(__always)
  mutating func put(_ bytes: Span<UInt8>) {
    precondition(unsafe count &+ bytes.count <= room.count)
    unsafe bytes.withUnsafeBytes { source in
      if let base = source.baseAddress {
        unsafe UnsafeMutableRawPointer(room.baseAddress.unsafelyUnwrapped + count)
          .copyMemory(from: base, byteCount: source.count)
      }
    }
    count &+= bytes.count
  }

  /// Writes a number in decimal notation.
  @inline(__always)
  mutating func put(decimal value: UInt64) {
    var digits = 1
    var bound: UInt64 = 10
    while value >= bound, digits < 19 {
      digits &+= 1
      bound &*= 10
    }
    if digits == 19, value >= bound { digits = 20 }
    precondition(unsafe count &+ digits <= room.count)
    var rest = value
    var place = count &+ digits
    // Two digits a step: half the divisions.
    while rest >= 100 {
      let pair = Int(rest % 100)
      rest /= 100
      place &-= 2
      unsafe room[place] = UInt8(truncatingIfNeeded: pair / 10) &+ 48
      unsafe room[place &+ 1] = UInt8(truncatingIfNeeded: pair % 10) &+ 48
    }
    if rest >= 10 {
      unsafe room[place &- 2] = UInt8(truncatingIfNeeded: rest / 10) &+ 48
      unsafe room[place &- 1] = UInt8(truncatingIfNeeded: rest % 10) &+ 48
    } else {
      unsafe room[place &- 1] = UInt8(truncatingIfNeeded: rest) &+ 48
    }
    count &+= digits
  }

  /// Writes bytes as lower-case hexadecimal digits, four bytes a step.
  @inline(__always)
  mutating func put(hexadecimal bytes: Span<UInt8>) {
    precondition(unsafe count &+ 2 &* bytes.count <= room.count)
    let target = unsafe UnsafeMutableRawPointer(room.baseAddress.unsafelyUnwrapped)
    var index = 0
    while index &+ 4 <= bytes.count {
      let four = unsafe bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt32.self)
      unsafe target.storeBytes(of: Self.digits(four), toByteOffset: count, as: UInt64.self)
      count &+= 8
      index &+= 4
    }
    while index < bytes.count {
      let byte = unsafe bytes[unchecked: index]
      unsafe room[count] = Self.digit(byte &>> 4)
      unsafe room[count &+ 1] = Self.digit(byte & 15)
      count &+= 2
      index &+= 1
    }
  }

  /// The eight digits of four bytes, all at once within one word: each byte is spread over two, each half put into its
  /// own, and ten to fifteen are moved up from behind the digits to the letters.
  @inline(__always)
  private static func digits(_ four: UInt32) -> UInt64 {
    var spread = UInt64(UInt32(littleEndian: four))
    spread = (spread | spread &<< 16) & 0x0000_FFFF_0000_FFFF
    spread = (spread | spread &<< 8) & 0x00FF_00FF_00FF_00FF
    let halves = (spread &>> 4 | spread &<< 8) & 0x0F0F_0F0F_0F0F_0F0F
    let letters = (halves &+ 0x0606_0606_0606_0606) &>> 4 & 0x0101_0101_0101_0101
    return (halves &+ 0x3030_3030_3030_3030 &+ letters &* 39).littleEndian
  }

  @inline(__always)
  private static func digit(_ half: UInt8) -> UInt8 { half &+ (half < 10 ? 48 : 87) }
}

extension [UInt8] {
  /// Appends what the body writes, which is at most `room` bytes.
  @inline(__always)
  mutating func write(atMost room: Int, _ body: (inout Pen) -> Void) {
    // Room asked for exactly would be asked for again with every record.
    if capacity &- count < room { reserveCapacity(Swift.max(2 &* capacity, count + room)) }
    append(addingCapacity: room) { free in
      unsafe free.withUnsafeMutableBufferPointer { buffer, initialized in
        var pen = unsafe Pen(buffer)
        body(&pen)
        initialized = pen.count
      }
    }
  }
}
