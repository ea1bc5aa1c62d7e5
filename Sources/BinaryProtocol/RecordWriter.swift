// Events as records: the lines that apns-decode, the gateway and the feedback service write.

import APNs
import JSON

/// Writes events as JSON, a line each. Keep one for a stream: it holds the JSON reader that looks at payloads.
public struct RecordWriter: Sendable {
  /// Which keys a record has.
  public enum Form: Sendable {
    /// Where it stood and everything that was there.
    case decoded
    /// What the other tools take: a notification record, a feedback record.
    case bare
  }

  public let form: Form
  /// The start of each line of the decoded form: `{"file":"…",` or `{`.
  private let opening: [UInt8]
  private var reader = Reader()

  /// - Parameter file: the name to say in each record, when there are several.
  public init(_ form: Form = .decoded, file: String? = nil) {
    self.form = form
    var opening: [UInt8] = [UInt8(ascii: "{")]
    if let file {
      opening.append(#""file":"#)
      opening.appendJSONString(file)
      opening.append(UInt8(ascii: ","))
    }
    self.opening = opening
  }

  /// Appends a feedback tuple's line.
  /// - Parameter bytes: the decoder's.
  @inline(__always)
  public func append(_ tuple: Tuple, _ bytes: Span<UInt8>, to out: inout [UInt8]) {
    let token = bytes.extracting(tuple.token)
    out.write(atMost: opening.count + 2 * token.count + 160) { pen in
      if form == .decoded {
        pen.put(opening.span)
        pen.put(#""kind":"feedback","offset":"#)
        pen.put(decimal: UInt64(tuple.offset))
        pen.put(#","length":"#)
        pen.put(decimal: UInt64(tuple.length))
        pen.put(#","token":""#)
      } else {
        pen.put(#"{"token":""#)
      }
      pen.put(hexadecimal: token)
      pen.put(#"","timestamp":"#)
      pen.put(decimal: UInt64(tuple.timestamp))
      pen.put(#","source":"service"}"#)
      pen.put("\n")
    }
  }

  /// Appends an error packet's line; the bare form has none.
  public func append(_ packet: ErrorPacket, to out: inout [UInt8]) {
    guard form == .decoded else { return }
    begin("error", packet.offset, ErrorPacket.size, &out)
    out.append(#","status":"#)
    out.append(decimal: Int(packet.status))
    if let status = ErrorStatus.of(packet.status) {
      out.append(#","reason":"#)
      out.appendJSONString(status.reason)
    }
    out.append(#","identifier":"#)
    out.append(decimal: Int(packet.identifier))
    out.append("}\n")
  }

  /// Appends the line that stands for damage; the bare form has none.
  public func append(_ damage: Damage, to out: inout [UInt8]) {
    guard form == .decoded else { return }
    begin("malformed", damage.offset, damage.length, &out)
    out.append(#","rule":"#)
    out.appendJSONString(damage.rule)
    out.append(#","expected":"#)
    out.appendJSONString(damage.expected)
    out.append(#","found":"#)
    out.appendJSONString(damage.found)
    out.append("}\n")
  }

  /// Appends a notification's line, and says what its payload is. The bare form has a line only for what can be sent:
  /// a token and a JSON object.
  /// - Parameter bytes: the decoder's.
  public mutating func append(_ frame: Frame, _ bytes: Span<UInt8>, to out: inout [UInt8]) -> PayloadForm {
    let payload = frame.payload.map { PayloadForm.of(bytes.extracting($0), &reader) } ?? .absent
    if form == .bare {
      guard let token = frame.token, 1...100 ~= token.count, payload.isObject else { return payload }
      out.append(#"{"token":""#)
    } else {
      begin("notification", frame.offset, frame.length, &out)
      out.append(#","command":"#)
      out.append(decimal: Int(frame.command))
      if let identifier = frame.identifier {
        out.append(#","identifier":"#)
        out.append(decimal: Int(identifier))
      }
      if frame.token != nil { out.append(#","token":""#) }
    }
    if let token = frame.token { out.append(hexadecimal: bytes.extracting(token), quoted: true) }
    if let priority = frame.priority {
      out.append(#","priority":"#)
      out.append(decimal: Int(priority))
    }
    if let expiration = frame.expiration {
      out.append(#","expiration":"#)
      out.append(decimal: Int(expiration))
    }
    if let place = frame.payload { append(payload: bytes.extracting(place), payload, &out) }
    if form == .decoded, frame.otherItemCount > 0 { append(otherItems: frame, bytes, &out) }
    out.append("}\n")
    return payload
  }

  private func begin(_ kind: StaticString, _ offset: Int, _ length: Int, _ out: inout [UInt8]) {
    out.append(opening.span)
    out.append(#""kind":""#)
    out.append(kind)
    out.append(#"","offset":"#)
    out.append(decimal: offset)
    out.append(#","length":"#)
    out.append(decimal: length)
  }

  private func append(payload: Span<UInt8>, _ form: PayloadForm, _ out: inout [UInt8]) {
    switch form {
    case .object:
      out.append(#","payload":"#)
      out.appendOnOneLine(payload)
    case .absent, .otherJSON, .text:
      out.append(#","payload_text":"#)
      out.appendJSONString(payload)
    case .binary:
      out.append(#","payload_base64":""#)
      Base64.encode(payload, urlSafe: false, into: &out)
      out.append(UInt8(ascii: "\""))
    }
  }

  private func append(otherItems frame: Frame, _ bytes: Span<UInt8>, _ out: inout [UInt8]) {
    out.append(#","unknown_items":["#)
    var isFirst = true
    frame.forEachOtherItem(bytes) { id, data, _ in
      if !isFirst { out.append(UInt8(ascii: ",")) }
      isFirst = false
      out.append(#"{"id":"#)
      out.append(decimal: Int(id))
      out.append(#","length":"#)
      out.append(decimal: data.count)
      out.append(#","hex":""#)
      out.append(hexadecimal: bytes.extracting(data), quoted: true)
      out.append(UInt8(ascii: "}"))
    }
    out.append(UInt8(ascii: "]"))
  }
}

extension [UInt8] {
  /// Appends bytes as hexadecimal digits, and the closing quote when there was an opening one.
  fileprivate mutating func append(hexadecimal bytes: Span<UInt8>, quoted: Bool) {
    write(atMost: 2 * bytes.count + 1) { pen in
      pen.put(hexadecimal: bytes)
      if quoted { pen.put("\"") }
    }
  }

  /// Appends JSON byte for byte; only its line ends, which can stand nowhere but between tokens, become spaces, because
  /// a record is a line.
  public mutating func appendOnOneLine(_ json: Span<UInt8>) {
    var start = 0
    var index = 0
    while index < json.count {
      let run = json.extracting(index..<Swift.min(index + 64, json.count))
      if run.holdsLineEnd {
        append(json.extracting(start..<index))
        for place in run.indices {
          append(run[place] == UInt8(ascii: "\n") || run[place] == UInt8(ascii: "\r") ? UInt8(ascii: " ") : run[place])
        }
        start = index + run.count
      }
      index += run.count
    }
    append(json.extracting(start..<json.count))
  }
}

extension Span<UInt8> {
  /// Whether a line feed or a carriage return is among the bytes. Without a branch, so that it becomes vector code.
  fileprivate var holdsLineEnd: Bool {
    var hits: UInt8 = 0
    for index in indices {
      let byte = unsafe self[unchecked: index]
      hits |= byte == 0x0A || byte == 0x0D ? 1 : 0
    }
    return hits != 0
  }
}
