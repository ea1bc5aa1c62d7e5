// Base64 in both alphabets (RFC 4648 §4 and §5): provider tokens, channel identifiers, pasted device tokens.

public enum Base64 {
  /// Appends the encoding of `bytes`. The URL alphabet goes without padding, as JSON Web Tokens want it (RFC 7515 §2).
  public static func encode(_ bytes: Span<UInt8>, urlSafe: Bool, into out: inout [UInt8]) {
    let alphabet = urlSafe ? urlAlphabet : standardAlphabet
    var index = 0
    while index < bytes.count {
      let have = min(3, bytes.count - index)
      let first = UInt32(bytes[index])
      let second = have > 1 ? UInt32(bytes[index + 1]) : 0
      let third = have > 2 ? UInt32(bytes[index + 2]) : 0
      let group = first << 16 | second << 8 | third
      out.append(alphabet[Int(group >> 18 & 63)])
      out.append(alphabet[Int(group >> 12 & 63)])
      if have > 1 { out.append(alphabet[Int(group >> 6 & 63)]) } else if !urlSafe { out.append(UInt8(ascii: "=")) }
      if have > 2 { out.append(alphabet[Int(group & 63)]) } else if !urlSafe { out.append(UInt8(ascii: "=")) }
      index += 3
    }
  }

  /// The bytes the text stands for: either alphabet, with or without padding. nil when it is no base64.
  public static func decode(_ text: Span<UInt8>) -> [UInt8]? {
    var end = text.count
    while end > 0, text.count - end < 2, text[end - 1] == UInt8(ascii: "=") { end -= 1 }
    guard end % 4 != 1, end == text.count || text.count % 4 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(end / 4 * 3 + 2)
    var group: UInt32 = 0
    var digits = 0
    for index in 0..<end {
      guard let value = value(text[index]) else { return nil }
      group = group << 6 | value
      digits += 1
      guard digits == 4 else { continue }
      bytes.append(UInt8(truncatingIfNeeded: group >> 16))
      bytes.append(UInt8(truncatingIfNeeded: group >> 8))
      bytes.append(UInt8(truncatingIfNeeded: group))
      group = 0
      digits = 0
    }
    // Bits beyond the last whole byte must be zero, or two texts would stand for the same bytes (§3.5).
    if digits == 2 {
      guard group & 0xF == 0 else { return nil }
      bytes.append(UInt8(truncatingIfNeeded: group >> 4))
    } else if digits == 3 {
      guard group & 0x3 == 0 else { return nil }
      bytes.append(UInt8(truncatingIfNeeded: group >> 10))
      bytes.append(UInt8(truncatingIfNeeded: group >> 2))
    }
    return bytes
  }

  private static let standardAlphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let urlAlphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private static func value(_ byte: UInt8) -> UInt32? {
    switch byte {
    case 0x41...0x5A: UInt32(byte - 0x41)
    case 0x61...0x7A: UInt32(byte - 0x61 + 26)
    case 0x30...0x39: UInt32(byte - 0x30 + 52)
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
