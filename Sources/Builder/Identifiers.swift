// UUIDs for `apns-id`: random ones, and ones that are the same whenever the record is the same.

import JSON

enum UUIDText {
  /// The namespace of this suite for UUIDs of version 5: itself the version 5 UUID of "apns-build" in the namespace of
  /// the nil UUID, and never to change: a run must find the ids of an earlier one.
  static let namespace: [UInt8] = {
    var sha = SHA1()
    sha.update([UInt8](repeating: 0, count: 16).span)
    sha.update(Array("apns-build".utf8).span)
    return stamped(sha.finish(), version: 5)
  }()

  /// A random UUID (version 4, RFC 9562 section 5.4).
  static func random(_ generator: inout SystemRandomNumberGenerator) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16)
    for _ in 0..<2 {
      let word = generator.next()
      for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
    }
    return stamped(bytes, version: 4)
  }

  /// Version and variant into the first sixteen bytes.
  static func stamped(_ bytes: [UInt8], version: UInt8) -> [UInt8] {
    var bytes = Array(bytes.prefix(16))
    bytes[6] = bytes[6] & 0x0F | version << 4
    bytes[8] = bytes[8] & 0x3F | 0x80
    return bytes
  }

  /// The canonical form in lower case: 8-4-4-4-12 (RFC 9562 section 4).
  static func text(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(36)
    for (index, byte) in bytes.prefix(16).enumerated() {
      if index == 4 || index == 6 || index == 8 || index == 10 { text.append(UInt8(ascii: "-")) }
      text.append(hexadecimal: byte)
    }
    return text
  }
}
