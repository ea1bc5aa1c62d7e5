// Device tokens as people paste them, brought into the form APNs wants.

import APNs
import JSON

/// What could not be read as a token, and why.
public struct TokenError: Error, Equatable, Sendable {
  public let fault: DeviceToken.Fault
  /// Where the fault is and what stands there, when there is such a place.
  public var place = ""
  public var message: String { fault.message + place }

  init(fault: DeviceToken.Fault) { self.fault = fault }

  /// The fault of a text, with the character at which it shows.
  init(_ text: Span<UInt8>, _ fault: DeviceToken.Fault) {
    self.fault = fault
    guard case .notHexadecimal(let offset) = fault, offset < text.count else { return }
    let before = String(utf8: text.extracting(0..<offset)).unicodeScalars.count
    let behind = String(utf8: text.extracting(offset..<min(text.count, offset + 4)))
    guard let scalar = behind.unicodeScalars.first else { return }
    let isShown = scalar.value > 0x20 && scalar.value != 0x7F && scalar != "\u{FFFD}"
    let digits = String(scalar.value, radix: 16, uppercase: true)
    let name = isShown ? "'\(scalar)'" : "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    place = ": \(name) at character \(before + 1)"
  }
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
      guard isMostlyOther(bare), let bytes = Base64.decode(bare.span) else {
        throw TokenError(text, .notHexadecimal(offset: firstStranger(text)))
      }
      digits.removeAll(keepingCapacity: true)
      for byte in bytes { digits.append(hexadecimal: byte) }
      // Base64 of the digits themselves: encoded once too often, and still plain what was meant.
      var inner: [UInt8] = []
      if bytes.count == 64 || bytes.count == 160, inner.appendToken(bytes.span) { return inner }
      return digits
    default:
      throw TokenError(text, DeviceToken.fault(in: text) ?? fault)
    }
  }

  /// Two of three characters of base64 are no hexadecimal digits; of a mistyped token they are few. Taking one for the
  /// other would send to a device nobody has.
  private static func isMostlyOther(_ text: [UInt8]) -> Bool {
    text.filter { !DeviceToken.isHexadecimal($0) }.count * 4 >= text.count
  }

  private static func firstStranger(_ text: Span<UInt8>) -> Int {
    var index = 0
    while index < text.count, DeviceToken.isHexadecimal(text[index]) { index += 1 }
    return index
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
