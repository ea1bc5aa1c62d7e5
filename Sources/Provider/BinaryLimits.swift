// What the binary protocol can carry of a notification record, and how it looks on the wire.

import APNs
import BinaryProtocol
import JSON

enum BinaryLimits {
  /// What keeps a good record from being sent in a format. Topic, push type, collapse id and id have no place on this
  /// wire; the gateway knows the topic from the certificate. They are left out without a word.
  static func problems(of record: Notification, _ document: borrowing Document, _ format: BinaryFormat) -> [Problem] {
    var problems: [Problem] = []
    if let node = record.channelID {
      problems.append(
        Problem(
          "binary-no-channels", at: node, "the binary protocol knows no broadcast channels",
          help: "send it over HTTP/2"))
    }
    if let node = record.token {
      let size = (document.end(node) - document.start(node) - 2) / 2
      if !format.tokenSizes.contains(size) {
        let wanted = format == .frame ? "1 to 100" : "32"
        problems.append(
          Problem(
            "binary-token-size", at: node,
            "the device token has \(size) bytes; command \(format.rawValue) takes \(wanted)"))
      }
    }
    if let node = record.payload {
      let size = document.end(node) - document.start(node)
      if size > format.payloadLimit {
        problems.append(
          Problem(
            "binary-payload-size", at: node,
            "the payload has \(size) bytes; command \(format.rawValue) takes \(format.payloadLimit)",
            help: format == .frame ? nil : "--binary-format frame takes \(Frame.payloadLimit)"))
      }
    }
    if let node = record.priorityNode, let priority = record.priority, priority != 10, priority != 5 {
      problems.append(
        Problem(
          "binary-priority", at: node, "the binary protocol has no priority \(priority)", help: "5 is its lowest"))
    }
    return problems
  }

  /// Appends the bytes that hexadecimal digits stand for. What is no digit was refused before.
  static func decode(_ digits: Span<UInt8>, into out: inout [UInt8]) {
    var place = 0
    while place + 1 < digits.count {
      out.append(value(digits[place]) << 4 | value(digits[place + 1]))
      place += 2
    }
  }

  private static func value(_ digit: UInt8) -> UInt8 { digit <= 0x39 ? digit & 0x0F : (digit & 0x0F) &+ 9 }
}

extension Flight {
  /// Appends the notification. Times behind the year 2106 do not fit and become the last that does.
  func appendNotification(
    _ format: BinaryFormat, _ identifier: UInt32, _ token: [UInt8], to out: inout [UInt8]
  ) throws(EncodingError) {
    let token = token.span
    let payload = bytes.span.extracting(payload.range)
    let expiration = expiration < 0 ? nil : UInt32(clamping: expiration)
    switch format {
    case .simple: try out.appendSimple(token: token, payload: payload)
    case .enhanced:
      try out.appendEnhanced(
        identifier: identifier, expiration: expiration ?? BinarySettings.longestExpiration, token: token,
        payload: payload)
    case .frame:
      try out.appendFrame(
        token: token, payload: payload, identifier: identifier, expiration: expiration,
        priority: priority > 0 ? UInt8(truncatingIfNeeded: priority) : nil)
    }
  }
}
