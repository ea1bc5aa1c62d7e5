// What the binary gateway answers: nothing, or an error packet and the end of the connection.

import APNs
import BinaryProtocol
import POSIX

/// What becomes of a binary notification.
struct BinaryFate {
  /// Why it is refused; nil when it is accepted, which is done in silence.
  var status: ErrorStatus?
  /// The identifier to name in place of the notification's own.
  var identifier: UInt32?
  /// It is swallowed: nobody will say what became of it.
  var isSilent = false
  var because = ""
  /// The rule or magic token that decided.
  var by = ""
  var action = ""
  var deed = Deed()

  /// Takes over what a script's rule or a magic token says.
  mutating func take(_ deed: Deed, by: String, action: String, _ frame: Frame) {
    (self.deed, self.by, self.action) = (deed, by, action)
    isSilent = deed.isSilent
    if let error = deed.error {
      status = ErrorStatus.of(error.status) ?? .unknown
      identifier = error.identifier
    } else if let order = deed.goAway {
      // The one named is the last that counts: this one, or one before it.
      status = .shutdown
      identifier = (frame.identifier ?? 0) &+ UInt32(truncatingIfNeeded: order.offset)
    } else if let reply = deed.reply, !reply.isSuccess {
      status = ErrorStatus.of(reason: reply.reason, status: reply.status)
    } else if deed.reset != nil {
      status = .processingError
    } else if deed.close != nil {
      isSilent = true
    }
  }

  /// The packet that tells it; nil where none does. Command 0 has no identifier to be refused by: the connection is
  /// closed, and that is all (apns.md 8.1).
  func packet(for frame: Frame) -> ErrorPacket? {
    guard !isSilent, let status, frame.command > 0 || deed.error != nil else { return nil }
    return ErrorPacket(status: deed.error?.status ?? status.code, identifier: identifier ?? frame.identifier ?? 0)
  }

  /// As the summary counts it; nil for one that got no answer.
  var counted: Reply? {
    if isSilent { return nil }
    guard let status, status != .shutdown else { return .accepted }
    return Reply(status: 400, reason: status.reason)
  }
}

/// The `error` of a script: an error packet.
struct ErrorOrder: Sendable {
  var status: UInt8
  /// nil for the notification's own.
  var identifier: UInt32?
}

extension ErrorStatus {
  /// The status that comes nearest to a reason of HTTP/2.
  static func of(reason: String, status: Int) -> ErrorStatus {
    switch reason {
    case "MissingDeviceToken": .missingToken
    case "MissingTopic": .missingTopic
    case "PayloadEmpty": .missingPayload
    case "BadTopic": .invalidTopicSize
    case "PayloadTooLarge": .invalidPayloadSize
    case "BadDeviceToken", "DeviceTokenNotForTopic", "TopicDisallowed", "Unregistered", "ExpiredToken": .invalidToken
    case "Shutdown": .shutdown
    case "InternalServerError", "ServiceUnavailable", "TooManyRequests": .processingError
    case "BadPriority", "BadExpirationDate", "BadMessageId": .protocolError
    default: status >= 500 ? .processingError : .unknown
    }
  }
}

extension Server {
  /// Does what was decided about a notification.
  func perform(_ fate: BinaryFate, _ frame: Frame, _ connection: Connection, _ stream: BinaryStream) {
    let deed = fate.deed
    prepareBinary(deed, connection)
    guard fate.status != nil else {
      if !fate.isSilent { stream.lastIdentifier = frame.identifier ?? 0 }
      return finishBinary(deed, connection)
    }
    if fate.by.hasPrefix("dead41"), let token = frame.token {
      // APNs tells of devices that are gone through the feedback service as well.
      let bytes = stream.decoder.bytes
      feedback.add(bytes.span.extracting(token), at: UInt32(clamping: settings.goneSince / 1000))
    }
    if fate.isSilent { return finishBinary(deed, connection) }
    refuse(connection, stream, fate.packet(for: frame), deed)
  }

  /// Sends an error packet, in one write, and closes in order behind it. What the client sends on is not looked at.
  /// - Parameter packet: nil to close without one.
  func refuse(_ connection: Connection, _ stream: BinaryStream, _ packet: ErrorPacket?, _ deed: Deed) {
    var bytes: [UInt8] = []
    if let packet {
      bytes.appendErrorPacket(status: packet.status, identifier: packet.identifier)
      if deed.close == .midFrame { bytes.removeLast(3) }
      observer.event("error_packet", connection: connection.number) {
        $0.key("status")
        $0.integer(Int(packet.status))
        $0.key("identifier")
        $0.integer(Int(packet.identifier))
      }
    }
    guard deed.delay > 0 else { return end(connection, with: bytes, deed) }
    stream.condemned = BinaryStream.Condemned(packet: bytes, deed: deed)
    timers.add(
      Timer(
        due: now &+ UInt64(deed.delay) &* 1_000_000, place: connection.place, number: connection.number,
        kind: .refuse))
  }

  /// A packet's time has come.
  func refuseLate(_ connection: Connection) {
    guard connection.ending == .none, let condemned = connection.stream?.condemned else { return }
    end(connection, with: condemned.packet, condemned.deed)
    if connections[connection.place] === connection { flush(connection) }
  }

  private func end(_ connection: Connection, with packet: [UInt8], _ deed: Deed) {
    if connection.dribble != nil {
      // A record for each byte: the client reads them one by one.
      for byte in packet { send(connection, [byte]) }
    } else {
      send(connection, packet)
    }
    connection.ending = .orderly
    if deed.close == .abort { finishBinary(deed, connection) }
  }

  /// What must be so before anything is sent.
  func prepareBinary(_ deed: Deed, _ connection: Connection) {
    failTLS += deed.failTLS
    refuse += deed.refuse
    if deed.refuseMilliseconds > 0 { refuseConnections(milliseconds: deed.refuseMilliseconds) }
    if let pause = deed.dribble { connection.dribble = pause }
    if deed.wedge != nil || deed.wedgeIsSilent { connection.isMute = true }
  }

  /// What is done to the connection where there is no packet.
  func finishBinary(_ deed: Deed, _ connection: Connection) {
    if let pause = deed.stopReading {
      connection.isDeaf = true
      if pause > 0 {
        timers.add(
          Timer(
            due: now &+ UInt64(pause) &* 1_000_000, place: connection.place, number: connection.number, kind: .hear))
      }
    }
    switch deed.close {
    case nil: break
    case .now, .midFrame: connection.ending = .orderly
    case .abort:
      Socket.resetOnClose(connection.socket)
      connection.ending = .cut
    }
  }

  /// The end of the server, or of its patience: the last notification that counts is named.
  func sendOffBinary(_ connection: Connection, _ stream: BinaryStream) {
    connection.dribble = nil
    if stream.role == .gateway, stream.lastIdentifier > 0 {
      refuse(
        connection, stream, ErrorPacket(status: ErrorStatus.shutdown.code, identifier: stream.lastIdentifier), Deed())
    } else {
      connection.ending = .orderly
    }
    if connections[connection.place] === connection { flush(connection) }
  }
}
