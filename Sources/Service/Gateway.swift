// The binary gateway and the feedback service: the same sockets and TLS, another language on them.

import APNs
import BinaryProtocol
import POSIX
import TLS

/// What is spoken at a listener.
enum Role: Sendable {
  case push, gateway, feedback
}

/// The old protocol's side of one connection.
final class BinaryStream {
  let role: Role
  var decoder = Decoder(.commands)
  /// A notification was refused and its packet waits for its time: everything behind it is discarded.
  var condemned: Condemned?
  /// The identifier of the last notification that was accepted, 0 for none.
  var lastIdentifier: UInt32 = 0
  /// What the certificate is for, which no notification names.
  let topic: [UInt8]

  /// An error packet that is put off.
  struct Condemned {
    var packet: [UInt8]
    var deed: Deed
  }

  init(_ role: Role, topic: [UInt8]) {
    self.role = role
    self.topic = topic
  }
}

extension Server {
  /// The handshake of a client of the old protocol is done.
  func openedBinary(_ connection: Connection) {
    let channel = connection.channel
    var topic: [UInt8] = []
    var refusal: Verdict?
    if let certificate = channel.peerCertificate {
      let rights = CertificateRights(
        certificate, isTrusted: settings.takesAnyCertificate || channel.refusal == nil, connection.checks.environment)
      (topic, refusal) = (rights.impliedTopic ?? rights.defaultTopic, rights.refusal)
      connection.authority.certificate = rights
    }
    let stream = BinaryStream(connection.role, topic: topic)
    connection.stream = stream
    touch(connection)
    observer.event("handshake", connection: connection.number) {
      $0.key("tls")
      $0.string(channel.version)
      $0.key("cipher")
      $0.string(channel.cipher)
      $0.key("service")
      $0.string(stream.role == .gateway ? "gateway" : "feedback")
      if let certificate = connection.authority.certificate {
        $0.key("certificate")
        $0.string(certificate.subject)
      }
    }
    if let refusal, !settings.takesAnyCertificate {
      observer.trouble(
        "certificate", connection: connection.number, "\(refusal.reply.reason): the connection is closed")
      connection.ending = .orderly
      return
    }
    var isCutShort = false
    if script.hasConnectRules, let rule = script.rule(forConnection: connection.number, connection.checks.environment) {
      isCutShort = rule.deed.close == .midFrame && stream.role == .feedback
      prepareBinary(rule.deed, connection)
      if !isCutShort { finishBinary(rule.deed, connection) }
    }
    if stream.role == .feedback, connection.ending == .none { serveFeedback(connection, isCutShort: isCutShort) }
  }

  /// Plaintext from a client of the old protocol.
  func deliverBinary(_ connection: Connection, _ plain: [UInt8]) {
    guard let stream = connection.stream else { return }
    touch(connection)
    // Clients of the feedback service have nothing to say; what they say is not heard.
    guard stream.role == .gateway, stream.condemned == nil, !connection.isMute else { return }
    stream.decoder.append(plain.span)
    while connection.ending == .none, stream.condemned == nil, !connection.isMute, let event = stream.decoder.next() {
      switch event {
      case .notification(let frame): receive(frame, connection, stream)
      case .malformed(let damage): refuse(connection, stream, damage)
      default: break
      }
    }
    // Where the next record may begin is nobody's concern here: the first bad byte ends the conversation.
    if connection.ending == .none, stream.condemned == nil, let damage = stream.decoder.damage {
      refuse(connection, stream, damage)
    }
  }

  private func refuse(_ connection: Connection, _ stream: BinaryStream, _ damage: Damage) {
    observer.trouble(
      "gateway", connection: connection.number,
      "byte \(damage.offset): expected \(damage.expected), found \(damage.found)")
    refuse(connection, stream, ErrorPacket(status: ErrorStatus.protocolError.code, identifier: 0), Deed())
  }

  // MARK: Notifications

  private func receive(_ frame: Frame, _ connection: Connection, _ stream: BinaryStream) {
    connection.requests += 1
    let bytes = stream.decoder.bytes
    let scene = GatewayJudge.Scene(
      topic: stream.topic, environment: connection.checks.environment, connection: connection.number, seconds: seconds)
    let fate = judge.fate(of: frame, bytes.span, scene)
    if output != nil { judge.record(frame, bytes.span, connection: connection.number, fate, to: &records) }
    observer.count(fate.counted)
    if let expected = settings.expected, observer.notifications >= expected { isExpectationMet = true }
    perform(fate, frame, connection, stream)
  }
}
