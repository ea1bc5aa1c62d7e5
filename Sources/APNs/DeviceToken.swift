// Device tokens: what makes one, and what people paste instead of one.

/// Rules for device tokens as text. Apple gives no size ("APNs device tokens are of variable length. Don't hard-code
/// their size"); the retired binary guide's 100 bytes is the only bound ever published.
public enum DeviceToken {
  /// Most hexadecimal digits of a token: 100 bytes.
  public static let digitLimit = 200

  /// Why a text is no token.
  public enum Fault: Equatable, Sendable {
    case empty
    /// The first character that is no hexadecimal digit, as a byte offset into the text.
    case notHexadecimal(offset: Int)
    case oddLength
    case tooLong
    /// `<a1b2c3d4 …>`, the description of an NSData.
    case dataDescription
    /// `{length = 32, bytes = 0xa1b2… }`: the middle is lost.
    case elidedDescription
    /// Base64 that decodes to the size of a token.
    case base64
    /// A registration token of Firebase or Expo.
    case otherService

    /// What is wrong and what to do.
    public var message: String {
      switch self {
      case .empty: "the device token is empty"
      case .notHexadecimal: "the device token holds a character that is no hexadecimal digit"
      case .oddLength: "the device token has an odd number of hexadecimal digits: one is missing or one too many"
      case .tooLong: "the device token has more than 200 hexadecimal digits (100 bytes)"
      case .dataDescription: "this is the description of an NSData: remove the angle brackets and the spaces"
      case .elidedDescription:
        "this is the description of a Data with its middle bytes left out: the token cannot be recovered"
      case .base64: "this is base64: APNs wants the bytes as hexadecimal digits"
      case .otherService: "this is a registration token of another push service, not a device token of APNs"
      }
    }

    /// The validator's rule for this fault.
    public var rule: StaticString {
      switch self {
      case .empty: "token-empty"
      case .notHexadecimal: "token-not-hex"
      case .oddLength: "token-odd-length"
      case .tooLong: "token-too-long"
      case .dataDescription, .elidedDescription: "token-description-form"
      case .base64: "token-base64"
      case .otherService: "token-fcm"
      }
    }
  }

  /// Whether the bytes are a usable token: an even number of hexadecimal digits, 2 to 200. The fast question.
  public static func isValid(_ text: Span<UInt8>) -> Bool {
    guard text.count >= 2, text.count <= digitLimit, text.count & 1 == 0 else { return false }
    return isHexadecimal(text, 0..<text.count)
  }

  /// Whether a stretch of the text is hexadecimal digits of either case. No branch in the loop: the compiler turns it
  /// into vector code, and every line of a run comes through here.
  static func isHexadecimal(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
    precondition(range.upperBound <= text.count)
    var strangers: UInt8 = 0
    for index in range {
      let byte = unsafe text[unchecked: index]
      let beyondDigit = min(max(byte &- UInt8(ascii: "0"), 9) &- 9, 1)
      let beyondLetter = min(max((byte | 0x20) &- UInt8(ascii: "a"), 5) &- 5, 1)
      strangers |= beyondDigit & beyondLetter
    }
    return strangers == 0
  }

  /// What is wrong with the text, nil when it is a usable token.
  public static func fault(in text: Span<UInt8>) -> Fault? {
    if isValid(text) { return nil }
    if text.isEmpty { return .empty }
    var first = 0
    while first < text.count, isHexadecimal(text[first]) { first += 1 }
    if first == text.count { return text.count & 1 == 1 ? .oddLength : .tooLong }
    return looks(text) ?? .notHexadecimal(offset: first)
  }

  /// What else the text may be, judged from the whole of it.
  private static func looks(_ text: Span<UInt8>) -> Fault? {
    var colon = false
    var spaces = false
    var base64 = true
    // Base64 of any length has letters of both cases; a token with a stray letter has not.
    var capitals = false
    var smallLetters = false
    for index in text.indices {
      switch text[index] {
      case 0x41...0x5a: capitals = true
      case 0x61...0x7a: smallLetters = true
      case UInt8(ascii: ":"): colon = true
      case UInt8(ascii: " "): spaces = true
      default: break
      }
      if !isBase64(text[index]) { base64 = false }
    }
    if text[0] == UInt8(ascii: "{"), starts(text, with: "{length") || starts(text, with: "{ length") {
      return .elidedDescription
    }
    if starts(text, with: "ExponentPushToken[") || starts(text, with: "ExpoPushToken[") { return .otherService }
    if text[0] == UInt8(ascii: "<") { return .dataDescription }
    if spaces, hexadecimalAndSpaces(text) { return .dataDescription }
    if colon, text.count > 20 || contains(text, "APA91") { return .otherService }
    if contains(text, "APA91") { return .otherService }
    if base64, capitals, smallLetters, let size = base64Size(text), size >= 32, size <= 100 { return .base64 }
    return nil
  }

  private static func hexadecimalAndSpaces(_ text: Span<UInt8>) -> Bool {
    for index in text.indices where !isHexadecimal(text[index]) && text[index] != UInt8(ascii: " ") { return false }
    return true
  }

  /// The number of bytes that base64 (with or without padding) of this length stands for, nil when it is none.
  private static func base64Size(_ text: Span<UInt8>) -> Int? {
    var digits = text.count
    while digits > 0, text[digits - 1] == UInt8(ascii: "=") { digits -= 1 }
    guard text.count - digits <= 2, digits % 4 != 1 else { return nil }
    if text.count != digits, text.count % 4 != 0 { return nil }
    return digits * 3 / 4
  }

  private static func starts(_ text: Span<UInt8>, with prefix: StaticString) -> Bool {
    contains(text, prefix, at: 0)
  }

  private static func contains(_ text: Span<UInt8>, _ word: StaticString) -> Bool {
    for start in text.indices where contains(text, word, at: start) { return true }
    return false
  }

  private static func contains(_ text: Span<UInt8>, _ word: StaticString, at start: Int) -> Bool {
    var index = start
    for byte in word.description.utf8 {
      guard index < text.count, text[index] == byte else { return false }
      index += 1
    }
    return true
  }

  @inline(__always)
  public static func isHexadecimal(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
    default: false
    }
  }

  private static func isBase64(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
    case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "="): true
    default: false
    }
  }
}
