// A client for the tests: sockets that wait, TLS, HTTP/2 frames or requests.
import APNs
import Foundation
import HTTP2
import JSON
import POSIX
import TLS

/// A TLS connection whose bytes the test chooses.
final class Wire {
  let socket: Descriptor
  let channel: Channel
  var plain: [UInt8] = []
  var isEnded = false
  var failure: String?

  static func connect(_ port: Int) throws -> Descriptor {
    let address = try Socket.resolve("127.0.0.1", port: port)[0]
    let socket = try Socket.connect(to: address)
    _ = socket.waitUntil(writable: true, milliseconds: 5000)
    if let error = Socket.pendingError(socket) { throw error }
    return socket
  }

  init(_ server: Running, port: Int? = nil, identity: Identity? = nil, protocols: [String] = ["h2"]) throws {
    socket = try Self.connect(port ?? server.port)
    let context = try ClientContext(
      trust: .pem(try server.bytes("ca_file")), protocols: protocols, identity: identity)
    channel = try Channel(context, host: "127.0.0.1")
    flush()
    while channel.phase == .handshaking, !isEnded { _ = pull(5000) }
    if channel.phase != .open { throw Trouble("no handshake: \(failure ?? "ended")") }
  }

  func write(_ bytes: [UInt8]) {
    if bytes.isEmpty { return }
    do { try channel.write(bytes.span) } catch { failure = error.message }
    flush()
  }

  func flush() {
    while channel.outputCount > 0 {
      do {
        let channel = self.channel
        switch try socket.write(channel.output) {
        case .bytes(let count): channel.consumeOutput(count)
        default: if !socket.waitUntil(writable: true, milliseconds: 2000) { return }
        }
      } catch {
        isEnded = true
        failure = error.message
        return
      }
    }
  }

  /// Waits for bytes; false when none came in time or the connection ended.
  func pull(_ milliseconds: Int32) -> Bool {
    guard !isEnded, socket.waitUntil(milliseconds: milliseconds) else { return false }
    var bytes: [UInt8] = []
    do {
      switch try socket.read(into: &bytes, limit: 65_536) {
      case .bytes: try channel.receive(bytes.span, into: &plain)
      case .end: isEnded = true
      case .wouldBlock: break
      }
    } catch {
      isEnded = true
      failure = "\(error)"
    }
    flush()
    return !isEnded
  }

  /// Waits until the server closes; false when it does not.
  func waitForEnd(_ milliseconds: Int = 5000) -> Bool {
    let end = Date().addingTimeInterval(Double(milliseconds) / 1000)
    while !isEnded, Date() < end { _ = pull(100) }
    return isEnded
  }
}

/// A request in the words of APNs.
struct Push {
  var method = "POST"
  var path = "/3/device/" + String(repeating: "ab", count: 32)
  var fields: [(String, String)] = [("apns-topic", "com.example.app")]
  var body = Array(#"{"aps":{"alert":"Hi"}}"#.utf8)

  static func device(_ token: String, _ fields: [(String, String)] = []) -> Push {
    var push = Push().with(fields)
    push.path = "/3/device/" + token
    return push
  }

  /// With these fields in place of those of the same name; an empty text leaves the field out.
  func with(_ more: [(String, String)]) -> Push {
    var copy = self
    copy.fields.removeAll { field in more.contains { $0.0 == field.0 } }
    copy.fields += more.filter { !$0.1.isEmpty }
    return copy
  }
}

struct Answer: Equatable {
  var status = 0
  var fields: [String: String] = [:]
  var body = ""
  /// Why there is no answer.
  var failure: String?

  var reason: String? {
    (try? JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])?["reason"] as? String
  }
}

/// An HTTP/2 client.
final class Caller {
  let wire: Wire
  let session: ClientSession
  private(set) var answers: [Int: Answer] = [:]
  private(set) var goAway: (last: Int32, code: ErrorCode, debug: String)?
  private(set) var limits: [Int] = []
  private var nextTag = 0

  init(_ server: Running, port: Int? = nil, identity: Identity? = nil, protocols: [String] = ["h2"]) throws {
    wire = try Wire(server, port: port, identity: identity, protocols: protocols)
    var settings = ClientSession.Settings()
    settings.assumedStreams = 100
    session = ClientSession(settings)
    var out: [UInt8] = []
    session.pump(into: &out)
    wire.write(out)
  }

  /// Sends without waiting; the number is for `answer`.
  func send(_ push: Push, authorization: String? = nil) -> Int {
    nextTag += 1
    let head = FieldTemplate()
    head.add(":method", push.method)
    head.add(":scheme", "https")
    head.add(":path", push.path)
    head.add(":authority", "127.0.0.1")
    if let authorization { head.add("authorization", authorization, .never) }
    for (name, value) in push.fields { head.add(name, value, .never) }
    var out: [UInt8] = []
    switch session.submit(head, body: push.body.span, tag: nextTag, into: &out) {
    case .sent: break
    case let other: answers[nextTag] = Answer(failure: "\(other)")
    }
    wire.write(out)
    return nextTag
  }

  /// Waits for an answer.
  func answer(_ tag: Int, milliseconds: Int = 5000) -> Answer {
    let end = Date().addingTimeInterval(Double(milliseconds) / 1000)
    while answers[tag] == nil, Date() < end { step(50) }
    return answers[tag] ?? Answer(failure: "no answer")
  }

  func call(_ push: Push, authorization: String? = nil) -> Answer { answer(send(push, authorization: authorization)) }

  /// Takes what comes.
  func step(_ milliseconds: Int32) {
    var out: [UInt8] = []
    let isEnded = !wire.pull(milliseconds) && wire.isEnded
    if !wire.plain.isEmpty {
      let plain = wire.plain
      wire.plain = []
      session.receive(plain.span, into: &out)
    }
    if isEnded { session.transportEnded(wire.failure ?? "ended") }
    var events: [ClientEvent] = []
    session.takeEvents(into: &events)
    for event in events { take(event) }
    session.pump(into: &out)
    wire.write(out)
  }

  private func take(_ event: ClientEvent) {
    switch event.kind {
    case .done:
      let session = self.session
      var answer = Answer(status: session.status(event.slot), body: text(session.body(event.slot)))
      for index in 0..<session.fieldCount(event.slot) {
        answer.fields[text(session.fieldName(event.slot, index))] = text(session.fieldValue(event.slot, index))
      }
      answers[event.tag] = answer
      session.release(event.slot)
    case .failed:
      answers[event.tag] = Answer(failure: "\(event.code) unprocessed=\(event.isUnprocessed)")
      session.release(event.slot)
    case .goAway: goAway = (event.stream, event.code, session.note(event))
    case .settings: limits.append(session.maxConcurrentStreams)
    case .pong, .broken: break
    }
  }
}

func text(_ span: Span<UInt8>) -> String { String(utf8: span) }

/// Provider tokens made to measure.
struct Minter {
  let key: SigningKey
  let keyID: String
  let teamID: String

  init(_ key: SigningKey, _ keyID: String, _ teamID: String) {
    (self.key, self.keyID, self.teamID) = (key, keyID, teamID)
  }

  /// With the throw-away key of a server.
  init(_ server: Running) throws {
    let bytes = try server.bytes("key_file")
    self.init(try SigningKey(bytes.span), server.text("key_id"), server.text("team_id"))
  }

  static var now: Int { Int(Date().timeIntervalSince1970) }

  /// `bearer …` issued so many seconds from now.
  func token(_ offset: Int = 0) throws -> String {
    let input = ProviderToken.signingInput(keyID: keyID, teamID: teamID, issuedAt: Self.now + offset)
    return "bearer "
      + String(decoding: ProviderToken.compose(signingInput: input, signature: try key.sign(input.span)), as: UTF8.self)
  }

  /// With header and claims as given, signed in DER when asked.
  func token(header: String, claims: String, der: Bool = false) throws -> String {
    var input: [UInt8] = []
    Base64.encode(Array(header.utf8).span, urlSafe: true, into: &input)
    input.append(UInt8(ascii: "."))
    Base64.encode(Array(claims.utf8).span, urlSafe: true, into: &input)
    let signature = der ? try key.signDER(input.span) : try key.sign(input.span)
    return "bearer " + String(decoding: ProviderToken.compose(signingInput: input, signature: signature), as: UTF8.self)
  }
}
