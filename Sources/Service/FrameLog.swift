// The frames that pass on a connection, read off its bytes for the log.

/// One HTTP/2 frame's head (RFC 9113 section 4.1).
struct FrameHead {
  var length: Int
  var type: UInt8
  var flags: UInt8
  var stream: Int

  private static let names = [
    "DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING", "GOAWAY", "WINDOW_UPDATE",
    "CONTINUATION",
  ]

  var name: String { Int(type) < Self.names.count ? Self.names[Int(type)] : "type \(type)" }
}

/// Finds the frames of one direction, whatever pieces their bytes come in.
struct FrameScanner {
  private var head: [UInt8] = []
  /// Bytes still to be passed over: a payload, or the preface.
  private var skipping: Int

  /// - Parameter prefaceLength: 24 for a client's bytes, 0 for a server's.
  init(prefaceLength: Int) { skipping = prefaceLength }

  mutating func scan(_ bytes: Span<UInt8>, _ body: (FrameHead) -> Void) {
    var index = 0
    while index < bytes.count {
      if skipping > 0 {
        let step = min(skipping, bytes.count - index)
        skipping -= step
        index += step
        continue
      }
      head.append(bytes[index])
      index += 1
      guard head.count == 9 else { continue }
      let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
      let stream = Int(head[5] & 0x7F) << 24 | Int(head[6]) << 16 | Int(head[7]) << 8 | Int(head[8])
      body(FrameHead(length: length, type: head[3], flags: head[4], stream: stream))
      skipping = length
      head.removeAll(keepingCapacity: true)
    }
  }
}

/// Both directions of a connection.
struct FrameLog {
  var incoming = FrameScanner(prefaceLength: 24)
  var outgoing = FrameScanner(prefaceLength: 0)
}
