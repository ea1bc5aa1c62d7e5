// The small grammars of request headers: UUIDs, collapse identifiers, channel identifiers.

public enum Identifiers {
  /// Most bytes (not characters) of `apns-collapse-id`.
  public static let collapseLimit = 64

  /// Most characters of a channel identifier. Apple says not to assume its length; this only bounds nonsense.
  public static let channelLimit = 128

  /// Whether the text is a UUID in its canonical form, 8-4-4-4-12 hexadecimal digits of either case (RFC 9562 §4).
  public static func isUUID(_ text: Span<UInt8>) -> Bool {
    let hyphen = UInt8(ascii: "-")
    guard text.count == 36, text[8] == hyphen, text[13] == hyphen, text[18] == hyphen, text[23] == hyphen else {
      return false
    }
    return DeviceToken.isHexadecimal(text, 0..<8) && DeviceToken.isHexadecimal(text, 9..<13)
      && DeviceToken.isHexadecimal(text, 14..<18) && DeviceToken.isHexadecimal(text, 19..<23)
      && DeviceToken.isHexadecimal(text, 24..<36)
  }

  /// Whether the text is base64 (RFC 4648 §4, padded) of at least one byte and not longer than a channel id may be.
  public static func isChannel(_ text: Span<UInt8>) -> Bool {
    guard !text.isEmpty, text.count <= channelLimit, text.count % 4 == 0 else { return false }
    var padding = 0
    for index in text.indices {
      switch text[index] {
      case UInt8(ascii: "="): padding += 1
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "+"), UInt8(ascii: "/"):
        if padding > 0 { return false }
      default: return false
      }
    }
    return padding <= 2
  }
}
