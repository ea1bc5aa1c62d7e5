// Two ends in one process: bytes are shuttled until neither moves.
import HTTP2
import Testing

extension [UInt8] {
  /// Bytes from hexadecimal digits; white space is skipped.
  init(hex: String) {
    var digits: [UInt8] = []
    for character in hex where !character.isWhitespace { digits.append(UInt8(character.hexDigitValue!)) }
    self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  var hex: String { map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }

  var text: String { String(decoding: self, as: UTF8.self) }
}

/// Bytes of a text.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

func copy(_ span: Span<UInt8>) -> [UInt8] { span.withUnsafeBufferPointer { Array($0) } }

/// One frame as it stands in a byte stream.
struct Frame: CustomStringConvertible {
  var type: UInt8
  var flags: UInt8
  var stream: Int
  var payload: [UInt8]

  static func read(_ bytes: [UInt8]) -> [Frame] {
    var frames: [Frame] = []
    var at = 0
    while at + 9 <= bytes.count {
      let count = Int(bytes[at]) << 16 | Int(bytes[at + 1]) << 8 | Int(bytes[at + 2])
      let stream = (5..<9).reduce(0) { $0 << 8 | Int(bytes[at + $1]) } & 0x7FFF_FFFF
      frames.append(
        Frame(
          type: bytes[at + 3], flags: bytes[at + 4], stream: stream,
          payload: Array(bytes[(at + 9)..<min(bytes.count, at + 9 + count)])))
      at += 9 + count
    }
    return frames
  }

  static func write(_ type: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8] = []) -> [UInt8] {
    let count = payload.count
    let head = [UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255), type, flags]
    return head + word(stream) + payload
  }

  static func word(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }

  static func goAway(_ last: UInt32, _ code: ErrorCode, _ debug: [UInt8] = []) -> [UInt8] {
    write(7, 0, 0, word(last) + word(code.rawValue) + debug)
  }

  static func settings(_ pairs: (UInt16, UInt32)...) -> [UInt8] {
    write(4, 0, 0, pairs.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 255)] + word($0.1) })
  }

  var description: String { "\(type)/\(flags)@\(stream): \(payload.hex)" }
}

/// A client under test, whose peer is written by hand.
final class LoneClient {
  let session: ClientSession
  var out: [UInt8] = []
  var events: [ClientEvent] = []
  let head = FieldTemplate()
  let path: Int
  let id: Int

  init(streams: UInt32 = 100, isGreeted: Bool = true, _ change: (inout ClientSession.Settings) -> Void = { _ in }) {
    var settings = ClientSession.Settings()
    settings.assumedStreams = streams
    change(&settings)
    session = ClientSession(settings)
    head.add(":method", "POST")
    head.add(":scheme", "https")
    head.add(":authority", "localhost")
    path = head.addHole(":path", .never)
    head.add("apns-topic", "com.example.app")
    id = head.addHole("apns-id", .firstTime)
    head.set(path, "/3/device/00")
    session.pump(into: &out)
    if isGreeted {
      receive(Frame.settings((3, streams)))
      out.removeAll()
    }
  }

  func submit(_ body: [UInt8] = bytes("{}"), tag: Int = 0) -> ClientSession.Submission {
    session.submit(head, body: body.span, tag: tag, into: &out)
  }

  @discardableResult
  func receive(_ bytes: [UInt8]) -> [ClientEvent] {
    session.receive(bytes.span, into: &out)
    return take()
  }

  @discardableResult
  func take() -> [ClientEvent] {
    session.takeEvents(into: &events)
    return events
  }

  func body(_ slot: Int32) -> [UInt8] {
    let session = session
    return copy(session.body(slot))
  }

  /// The frames sent since the last call.
  func sent() -> [Frame] {
    session.pump(into: &out)
    defer { out.removeAll() }
    let preface = bytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
    return Frame.read(out.starts(with: preface) ? Array(out.dropFirst(preface.count)) : out)
  }
}

/// A server under test, whose peer is written by hand.
final class LoneServer {
  let session: ServerSession
  var out: [UInt8] = []
  var events: [ServerEvent] = []
  static let preface = bytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") + Frame.settings()
  /// `:method POST`, `:scheme https`, `:path /`, `:authority a` without a table.
  static let request = [UInt8](hex: "83 87 84 41 01 61")

  init(_ change: (inout ServerSession.Settings) -> Void = { _ in }) {
    var settings = ServerSession.Settings()
    change(&settings)
    session = ServerSession(settings)
    session.pump(into: &out)
  }

  @discardableResult
  func receive(_ bytes: [UInt8]) -> [ServerEvent] {
    session.receive(bytes.span, into: &out)
    session.takeEvents(into: &events)
    return events
  }

  func sent() -> [Frame] {
    session.pump(into: &out)
    defer { out.removeAll() }
    return Frame.read(out)
  }
}

/// A client and a server that answers each request with a function of its header and body.
final class Pair {
  let client: ClientSession
  let server: ServerSession
  var toServer: [UInt8] = []
  var toClient: [UInt8] = []
  var clientEvents: [ClientEvent] = []
  var serverEvents: [ServerEvent] = []
  let answer = FieldTemplate()
  let status: Int
  let id: Int

  init(client: ClientSession.Settings = .init(), server: ServerSession.Settings = .init()) {
    self.client = ClientSession(client)
    self.server = ServerSession(server)
    status = answer.addHole(":status")
    id = answer.addHole("apns-id", .never)
  }

  /// One exchange: what the client has said reaches the server, and the other way round. True when something moved.
  func exchange(_ onRequest: (Pair, ServerEvent) -> Void, _ onAnswer: (Pair, ClientEvent) -> Void) -> Bool {
    client.pump(into: &toServer)
    server.pump(into: &toClient)
    let moved = !toServer.isEmpty || !toClient.isEmpty
    let (up, down) = (toServer, toClient)
    toServer.removeAll(keepingCapacity: true)
    toClient.removeAll(keepingCapacity: true)
    server.receive(up.span, into: &toClient)
    server.takeEvents(into: &serverEvents)
    for event in serverEvents { onRequest(self, event) }
    client.receive(down.span, into: &toServer)
    client.takeEvents(into: &clientEvents)
    for event in clientEvents { onAnswer(self, event) }
    return moved
  }

  /// Answers 200 with the request's own apns-id.
  func accept(_ event: ServerEvent) {
    guard event.kind == .request else { return }
    answer.set(status, "200")
    let server = self.server
    if let own = server.field(event.slot, "apns-id") { answer.set(id, own) } else { answer.clear(id) }
    server.respond(event.slot, answer, body: [UInt8]().span, into: &toClient)
    server.release(event.slot)
  }
}
