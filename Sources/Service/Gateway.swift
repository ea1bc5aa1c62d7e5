// The binary gateway and the feedback service: the same sockets and TLS, another language on them.

import APNs
import BinaryProtocol
import JSON
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
  var reader = Reader()
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
    var fate = BinaryFate()
    decide(frame, connection, stream, &fate)
    if output != nil { record(frame, connection, stream, fate) }
    observer.count(fate.counted)
    if let expected = settings.expected, observer.notifications >= expected { isExpectationMet = true }
    perform(fate, frame, connection, stream)
  }

  /// The verdict: a rule before the checks, the checks, a rule behind them, a magic token.
  private func decide(_ frame: Frame, _ connection: Connection, _ stream: BinaryStream, _ fate: inout BinaryFate) {
    let whole = stream.decoder.bytes
    let bytes = whole.span
    if script.hasRulesBeforeChecks, let rule = rule(frame, bytes, connection, stream, behindChecks: false) {
      return fate.take(rule.deed, by: rule.name, action: words(for: rule.deed), frame)
    }
    let form = frame.payload.map { PayloadForm.of(bytes.extracting($0), &stream.reader) } ?? .absent
    if !frame.isUsual(form) {
      if frame.token?.isEmpty == true {
        // The known bad notification with which some clients end: they want this status.
        fate.status = .missingToken
      } else {
        let faults = frame.faults(bytes, form, Times(now: seconds))
        if let fault = faults.first(where: { $0.status != nil }) {
          (fate.status, fate.because) = (fault.status, fault.message)
        }
      }
      if fate.status != nil { return }
    }
    if script.hasRulesBehindChecks, let rule = rule(frame, bytes, connection, stream, behindChecks: true) {
      return fate.take(rule.deed, by: rule.name, action: words(for: rule.deed), frame)
    }
    // The digits of a magic token begin with dead.
    if let token = frame.token, token.count >= 4, bytes[token.lowerBound] == 0xDE {
      let digits = Self.digits(bytes.extracting(token))
      if let row = magic.row(digits.span) { fate.take(row.deed, by: row.digits, action: words(for: row.deed), frame) }
    }
  }

  private func rule(
    _ frame: Frame, _ bytes: Span<UInt8>, _ connection: Connection, _ stream: BinaryStream, behindChecks: Bool
  ) -> ScriptRule? {
    let digits = frame.token.map { Self.digits(bytes.extracting($0)) } ?? []
    let nothing: [UInt8] = []
    let topic = stream.topic
    return script.rule(
      for: ScriptSubject(
        token: digits.span, topic: topic.span, pushType: nothing.span, channelID: nothing.span,
        environment: connection.checks.environment, connection: connection.number), behindChecks: behindChecks)
  }

  static func digits(_ token: Span<UInt8>) -> [UInt8] {
    var digits: [UInt8] = []
    digits.reserveCapacity(2 * token.count)
    for index in token.indices { digits.append(hexadecimal: token[index]) }
    return digits
  }

  /// One line: the decoded notification, the connection, the verdict.
  private func record(_ frame: Frame, _ connection: Connection, _ stream: BinaryStream, _ fate: BinaryFate) {
    let bytes = stream.decoder.bytes
    _ = binaryWriter.append(frame, bytes.span, to: &records)
    // The closing brace and the line end are written again behind what is added.
    records.removeLast(2)
    records.append(",\"connection\":")
    records.append(decimal: connection.number)
    records.append(",\"verdict\":{")
    var parts = ""
    func more(_ key: String, _ json: String) { parts += (parts.isEmpty ? "" : ",") + "\"\(key)\":" + json }
    func text(_ key: String, _ text: String) {
      if text.isEmpty { return }
      var bytes: [UInt8] = []
      bytes.appendJSONString(text)
      more(key, String(decoding: bytes, as: UTF8.self))
    }
    if !fate.isSilent {
      more("status", String(fate.status?.code ?? 0))
      if let status = fate.status { text("reason", status.reason) }
    }
    text("because", fate.because)
    text("by", fate.by)
    text("action", fate.action)
    records.append(parts)
    records.append("}}\n")
  }
}
