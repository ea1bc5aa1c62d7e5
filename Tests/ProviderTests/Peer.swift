// A service in the test's own thread: one listener, connections that take HTTP/2 or fall silent. The test gives it its
// turns between those of the sender.
import HTTP2
import POSIX
import TLS

@testable import Provider

final class Peer {
  /// One connection of the sender's.
  final class Line {
    let socket: Descriptor
    let channel: Channel
    let session = ServerSession()
    /// The notifications it was sent.
    var requests = 0
    var pings = 0
    /// Hears nothing and says nothing, as if the wire were cut.
    var isDead = false

    init(_ socket: Descriptor, _ channel: Channel) {
      (self.socket, self.channel) = (socket, channel)
    }
  }

  let port: Int
  let authority: CertificateAuthority
  private(set) var lines: [Line] = []
  private let listener: Descriptor
  private let context: ServerContext
  private let head = FieldTemplate()
  private var events: [ServerEvent] = []

  init() throws {
    let now = Clock.system.unixSeconds
    authority = try CertificateAuthority(now: now)
    var leaf = LeafRequest("localhost", .server, now: now)
    leaf.hosts = ["localhost"]
    context = try ServerContext(identity: try authority.issue(leaf), protocols: ["h2"])
    listener = try Socket.listen(at: try Socket.resolve("127.0.0.1", port: 0)[0])
    port = Socket.localPort(listener)
    head.add(":status", "200")
  }

  /// A service and its certificate, for a sender.
  func service() throws -> Service {
    Service(
      environment: .sandbox, host: "localhost", port: port,
      context: try ClientContext(trust: .pem(authority.certificate.pem), protocols: ["h2"]), credential: .certificate)
  }

  /// Does what there is to do, without waiting.
  func turn() throws {
    while let socket = try Socket.accept(listener) { lines.append(Line(socket, try Channel(context))) }
    for line in lines where !line.isDead { try serve(line) }
  }

  private func serve(_ line: Line) throws {
    var (cipher, plain): ([UInt8], [UInt8]) = ([], [])
    while case .bytes = try line.socket.read(into: &cipher, limit: 65_536) {}
    try line.channel.receive(cipher.span, into: &plain)
    if line.channel.phase == .open { try answer(line, plain) }
    var out: [UInt8] = []
    line.channel.takeOutput(into: &out)
    if !out.isEmpty { try line.socket.writeAll(out.span) }
  }

  private func answer(_ line: Line, _ plain: [UInt8]) throws {
    var out: [UInt8] = []
    line.pings += Self.pings(plain)
    line.session.receive(plain.span, into: &out)
    line.session.takeEvents(into: &events)
    for event in events where event.kind == .request {
      line.requests += 1
      line.session.respond(event.slot, head, body: [UInt8]().span, into: &out)
      line.session.release(event.slot)
    }
    line.session.pump(into: &out)
    try line.channel.write(out.span)
  }

  /// PING frames among whole frames; the sender writes no halves when it has little to say.
  private static func pings(_ bytes: [UInt8]) -> Int {
    var (count, start) = (0, bytes.starts(with: Array("PRI".utf8)) ? 24 : 0)
    while start + 9 <= bytes.count {
      if bytes[start + 3] == 6 { count += 1 }
      start += 9 + Int(bytes[start]) << 16 + Int(bytes[start + 1]) << 8 + Int(bytes[start + 2])
    }
    return count
  }
}
