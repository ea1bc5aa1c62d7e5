// Device tokens as people paste them, brought into the form APNs wants.

import APNs
import JSON

/// What could not be read as a token, and why.
public struct TokenError: Error, Equatable, Sendable {
  public let fault: DeviceToken.Fault
  public var message: String { fault.message }
}

public enum TokenForms {
  /// The token's digits in lower case, from digits with spaces or `<…>` around them, or from base64 in either alphabet.
  public static func normalised(_ text: Span<UInt8>) throws(TokenError) -> [UInt8] {
    var digits: [UInt8] = []
    if digits.appendToken(text) { return digits }
    let bare = stripped(text)
    digits.removeAll(keepingCapacity: true)
    if digits.appendToken(bare.span) { return digits }
    let fault = DeviceToken.fault(in: bare.span) ?? .empty
    switch fault {
    case .base64:
      guard let bytes = Base64.decode(bare.span) else { throw TokenError(fault: fault) }
      digits.removeAll(keepingCapacity: true)
      for byte in bytes { digits.append(hexadecimal: byte) }
      // Base64 of the digits themselves: encoded once too often, and still plain what was meant.
      var inner: [UInt8] = []
      if bytes.count == 64 || bytes.count == 160, inner.appendToken(bytes.span) { return inner }
      return digits
    default:
      throw TokenError(fault: DeviceToken.fault(in: text) ?? fault)
    }
  }

  /// Without `<` and `>`, `0x`, blanks and the dashes or colons some tools put between bytes.
  private static func stripped(_ text: Span<UInt8>) -> [UInt8] {
    var bare: [UInt8] = []
    for index in text.indices {
      switch text[index] {
      case 0x20, 0x09, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""): continue
      default: bare.append(text[index])
      }
    }
    return bare
  }
}
