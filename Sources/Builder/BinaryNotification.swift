// A record as a notification of the retired binary protocol.

import APNs
import BinaryProtocol
import JSON

enum BinaryNotification {
  /// Most bytes of a payload there (Apple's retired "Binary Provider API", since iOS 8).
  static let payloadLimit = 2048

  /// Appends the bytes of one notification.
  /// - Parameter identifier: what an error packet would name it by.
  static func append(
    _ document: borrowing Document, _ form: BinaryForm, identifier: UInt32, to out: inout [UInt8]
  ) throws(LineFault) {
    guard let tokenNode = document.find("token", in: 0), let payload = document.find("payload", in: 0) else {
      throw LineFault("the binary protocol knows devices only: there is no \"token\"")
    }
    let token = try bytes(ofHexadecimal: document.content(tokenNode))
    let body = document.raw(payload)
    guard body.count <= payloadLimit else {
      throw LineFault("the payload has \(body.count) bytes; the binary protocol takes \(payloadLimit)")
    }
    guard form == .frame || token.count == 32 else {
      throw LineFault("the token has \(token.count) bytes; --format \(form.rawValue) takes 32, use --format frame")
    }
    let expiration = try number(document, "expiration")
    let priority = try number(document, "priority")
    do throws(EncodingError) {
      switch form {
      case .simple: try out.appendSimple(token: token.span, payload: body)
      case .enhanced:
        try out.appendEnhanced(
          identifier: identifier, expiration: expiration ?? 0, token: token.span, payload: body)
      case .frame:
        try out.appendFrame(
          token: token.span, payload: body, identifier: identifier, expiration: expiration,
          priority: priority.map { UInt8(truncatingIfNeeded: $0) })
      }
    } catch {
      throw LineFault(error.message)
    }
  }

  private static func number(_ document: borrowing Document, _ key: String) throws(LineFault) -> UInt32? {
    guard let node = document.find(key, in: 0) else { return nil }
    guard let value = document.integer(node), let number = UInt32(exactly: value) else {
      throw LineFault("\"\(key)\" does not fit the binary protocol")
    }
    return number
  }

  private static func bytes(ofHexadecimal text: Span<UInt8>) throws(LineFault) -> [UInt8] {
    guard DeviceToken.isValid(text) else { throw LineFault("the token is not made of hexadecimal digits") }
    var bytes: [UInt8] = []
    var high: UInt8 = 0
    for index in text.indices {
      let byte = text[index]
      let digit = byte <= 0x39 ? byte & 0x0F : (byte & 0x0F) + 9
      if index & 1 == 0 { high = digit << 4 } else { bytes.append(high | digit) }
    }
    return bytes
  }
}
