// The three notification formats of the retired binary protocol, written out.

import APNs
import JSON

enum BinaryNotification {
  /// Most bytes of a payload there (Apple's retired "Binary Provider API", since iOS 8).
  static let payloadLimit = 2048

  /// Appends the bytes of one notification; all numbers are big-endian.
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
    switch form {
    case .simple:
      out.append(0)
      append(sized: token.span, &out)
      append(sized: body, &out)
    case .enhanced:
      out.append(1)
      append(identifier, 4, &out)
      append(expiration ?? 0, 4, &out)
      append(sized: token.span, &out)
      append(sized: body, &out)
    case .frame:
      let priority = try number(document, "priority")
      let length = 3 + token.count + 3 + body.count + 7 + (expiration == nil ? 0 : 7) + (priority == nil ? 0 : 4)
      out.append(2)
      append(UInt32(truncatingIfNeeded: length), 4, &out)
      out.append(1)
      append(sized: token.span, &out)
      out.append(2)
      append(sized: body, &out)
      item(3, identifier, 4, &out)
      if let expiration { item(4, expiration, 4, &out) }
      if let priority { item(5, priority, 1, &out) }
    }
  }

  private static func number(_ document: borrowing Document, _ key: String) throws(LineFault) -> UInt32? {
    guard let node = document.find(key, in: 0) else { return nil }
    guard let value = document.integer(node), let number = UInt32(exactly: value) else {
      throw LineFault("\"\(key)\" does not fit the binary protocol")
    }
    return number
  }

  private static func item(_ id: UInt8, _ value: UInt32, _ size: Int, _ out: inout [UInt8]) {
    out.append(id)
    append(UInt32(size), 2, &out)
    append(value, size, &out)
  }

  private static func append(sized bytes: Span<UInt8>, _ out: inout [UInt8]) {
    append(UInt32(truncatingIfNeeded: bytes.count), 2, &out)
    out.append(bytes)
  }

  private static func append(_ value: UInt32, _ size: Int, _ out: inout [UInt8]) {
    for place in (0..<size).reversed() { out.append(UInt8(truncatingIfNeeded: value >> UInt32(place * 8))) }
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
