// The record of one received notification: what it was, how it came, what it got.

import APNs
import JSON

/// What became of a request, for its record.
struct Fate {
  /// The answer; nil when there was none.
  var reply: Reply?
  var because: StaticString = ""
  /// The rule or magic token that decided; empty for the checks.
  var by = ""
  /// What was done beside or in place of an answer.
  var action = ""
  /// The answer bears an identifier that the server made, and one for the sandbox's delivery log.
  var hasMadeID = false
  var hasUniqueID = false
}

/// Writes records of received notifications.
struct ReceivedWriter {
  /// The identifiers the answer in hand bears, where the fate says so.
  var madeID: [UInt8] = []
  var uniqueID: [UInt8] = []

  /// Appends one line to `out`.
  func append(
    _ request: Request, _ checks: Checks, connection: Int, _ fate: Fate, to out: inout [UInt8]
  ) {
    out.append("{")
    appendSubject(request, &out)
    appendText("topic", request, request.topic, &out)
    appendText("push_type", request, request.pushType, &out)
    appendNumber("priority", request, request.priority, &out)
    appendNumber("expiration", request, request.expiration, &out)
    appendText("collapse_id", request, request.collapseID, &out)
    appendText("id", request, request.id >= 0 ? request.id : request.requestID, &out)
    out.append(checks.environment == .sandbox ? #""environment":"sandbox","# : #""environment":"production","#)
    appendBody(request, checks, &out)
    out.append("\"connection\":")
    out.append(decimal: connection)
    out.append(",\"stream\":")
    out.append(decimal: Int(request.stream))
    appendHeaders(request, &out)
    appendVerdict(fate, &out)
    out.append("}\n")
  }

  private func appendSubject(_ request: Request, _ out: inout [UInt8]) {
    switch request.target {
    case .device:
      out.append("\"token\":")
      out.appendJSONString(request.subjectText)
      out.append(",")
    case .broadcast:
      if request.topic < 0 {
        out.append("\"topic\":")
        out.appendJSONString(request.subjectText)
        out.append(",")
      }
      appendText("channel_id", request, request.channelID, &out)
    default: break
    }
  }

  @inline(__always)
  private func appendText(_ key: StaticString, _ request: Request, _ place: Int, _ out: inout [UInt8]) {
    guard place >= 0 else { return }
    out.append("\"")
    out.append(key)
    out.append("\":")
    out.appendJSONString(request.value(place))
    out.append(",")
  }

  private func appendNumber(_ key: StaticString, _ request: Request, _ place: Int, _ out: inout [UInt8]) {
    guard place >= 0 else { return }
    guard let number = request.value(place).decimal else { return appendText(key, request, place, &out) }
    out.append("\"")
    out.append(key)
    out.append("\":")
    out.append(decimal: number)
    out.append(",")
  }

  /// JSON goes in as it came, but for line ends between its tokens; other text as a string; other bytes in base64.
  private func appendBody(_ request: Request, _ checks: Checks, _ out: inout [UInt8]) {
    let body = request.body
    if body.isEmpty { return }
    let isJSON = !request.isTruncated && (checks.bodyIsJSON ?? ((try? checks.reader.read(body)) != nil))
    if isJSON {
      out.append("\"payload\":")
      let start = out.count
      out.append(body)
      // Inside strings JSON has no bare line ends: those that are here are white space.
      for index in start..<out.count where out[index] == 0x0A || out[index] == 0x0D { out[index] = 0x20 }
    } else if (try? UTF8Span(validating: body)) != nil {
      out.append("\"payload_text\":")
      out.appendJSONString(body)
    } else {
      out.append("\"payload_base64\":\"")
      Base64.encode(body, urlSafe: false, into: &out)
      out.append("\"")
    }
    out.append(",")
  }

  /// The fields in order, each a pair. A provider token goes without its signature: a log must not hold a credential.
  private func appendHeaders(_ request: Request, _ out: inout [UInt8]) {
    out.append(",\"headers\":[")
    for index in 0..<request.session.fieldCount(request.slot) {
      out.append(index == 0 ? "[" : ",[")
      out.appendJSONString(request.session.fieldName(request.slot, index))
      out.append(",")
      let value = request.session.fieldValue(request.slot, index)
      let name = request.session.fieldName(request.slot, index)
      if name.equals("authorization") || name.equals("proxy-authorization") {
        let shown = value.lastIndex(of: UInt8(ascii: "."), before: value.count).map { $0 + 1 } ?? 0
        out.appendJSONString(value.extracting(first: shown))
        out.removeLast()
        out.append("…\"")
      } else {
        out.appendJSONString(value)
      }
      out.append("]")
    }
    out.append("]")
  }

  private func appendVerdict(_ fate: Fate, _ out: inout [UInt8]) {
    out.append(",\"verdict\":{")
    let start = out.count
    if let reply = fate.reply {
      out.append("\"status\":")
      out.append(decimal: reply.status)
      if !reply.reason.isEmpty {
        out.append(",\"reason\":")
        out.appendJSONString(reply.reason)
      }
      if let timestamp = reply.timestamp {
        out.append(",\"timestamp\":")
        out.append(decimal: timestamp)
      }
      if fate.hasMadeID {
        out.append(",\"id\":")
        out.appendJSONString(madeID.span)
      }
      if fate.hasUniqueID {
        out.append(",\"unique_id\":")
        out.appendJSONString(uniqueID.span)
      }
    }
    func more(_ key: StaticString, _ text: String) {
      if text.isEmpty { return }
      out.append(out.count == start ? "\"" : ",\"")
      out.append(key)
      out.append("\":")
      out.appendJSONString(text)
    }
    if fate.because.utf8CodeUnitCount > 0 { more("because", fate.because.description) }
    more("by", fate.by)
    more("action", fate.action)
    out.append("}")
  }
}
