// Where the bytes of a payload go.

import APNs
import JSON
import Rules

/// The bytes of one payload, by key.
struct SizeReport {
  private struct Row {
    let pointer: String
    let bytes: Int
  }

  private let size: Int
  private let minified: Int
  private let limit: Int
  private let owner: String
  private let escaped: Int
  private var rows: [Row] = []

  init(_ document: Document, _ form: Form, _ settings: Settings) {
    var payload = 0
    var type = settings.pushType
    var isBroadcast = settings.isBroadcast
    if form == .record {
      var problems: [Problem] = []
      let record = Notification.read(document, problems: &problems)
      payload = record.payload ?? 0
      type = record.pushType ?? type
      isBroadcast = record.channelID != nil
    } else if form == .request {
      payload = document.find("payload", in: 0) ?? 0
    }
    size = document.end(payload) - document.start(payload)
    minified = document.minifiedSize(payload)
    escaped = document.escapedBytes(payload)
    if isBroadcast {
      limit = PushType.broadcastPayloadLimit
      owner = "a broadcast"
    } else {
      limit = type?.row.payloadLimit ?? PushType.ordinaryPayloadLimit
      owner = type.map { "push type \($0)" } ?? "a push"
    }
    add(document, payload, "", depth: 0)
    rows.sort { ($1.bytes, $0.pointer) < ($0.bytes, $1.pointer) }
  }

  /// A member's bytes are its key's, its value's and those of the signs between.
  private mutating func add(_ document: Document, _ node: Int, _ path: String, depth: Int) {
    guard document.kind(node) == .object, depth < 3 else { return }
    var key = node + 1
    while key < document.next(node) {
      let value = key + 1
      let name = path + "/" + document.string(key).replacing("~", with: "~0").replacing("/", with: "~1")
      // Apple's own keys are taken apart; an app's stay whole.
      let opens = document.kind(value) == .object && !document.isEmpty(value) && (name == "/aps" || path == "/aps")
      if opens {
        add(document, value, name, depth: depth + 1)
      } else {
        rows.append(Row(pointer: name, bytes: document.end(value) - document.start(key)))
      }
      key = document.next(value)
    }
  }

  func append(file: String, line: Int, asJSON: Bool, to out: inout [UInt8]) {
    if asJSON { return json(file, line, &out) }
    var text = "\(file):\(line): \(size) of \(limit) bytes for \(owner), "
    text += size <= limit ? "\(limit - size) left\n" : "\(size - limit) too many\n"
    for row in rows { text += entry(row.bytes, row.pointer) }
    let rest = size - rows.reduce(0) { $0 + $1.bytes }
    text += entry(rest, "(braces, commas, keys of what was taken apart\(minified < size ? ", white space" : ""))")
    if minified < size { text += "  \(size - minified) bytes are white space\n" }
    if escaped > 0 {
      text += "  \(escaped) bytes could be saved by writing characters as themselves, not as \\u escapes\n"
    }
    out.append(contentsOf: text.utf8)
  }

  private func entry(_ bytes: Int, _ what: String) -> String {
    let tenths = size == 0 ? 0 : (bytes * 1000 + size / 2) / size
    return "\(padded(String(bytes), 8))  \(padded("\(tenths / 10).\(tenths % 10)", 5)) %  \(what.replacingControls())\n"
  }

  private func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.utf8.count)) + text
  }

  private func json(_ file: String, _ line: Int, _ out: inout [UInt8]) {
    var writer = Writer(out)
    writer.beginObject()
    writer.key("file")
    writer.string(file)
    for (key, value) in [
      ("line", line), ("bytes", size), ("limit", limit), ("left", limit - size), ("white_space", size - minified),
      ("escapes", escaped),
    ] {
      writer.key(key)
      writer.integer(value)
    }
    writer.key("keys")
    writer.beginObject()
    for row in rows {
      writer.key(row.pointer)
      writer.integer(row.bytes)
    }
    writer.endObject()
    writer.endObject()
    writer.newline()
    out = writer.bytes
  }
}
