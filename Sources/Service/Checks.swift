// What APNs checks of a push to a device, one thing after the other. The order is documented in apns-server(1).

import APNs
import JSON

/// The checks of one environment. One thread uses it.
final class Checks {
  let settings: Settings
  let environment: ServiceEnvironment
  let book: TokenBook
  let channels: ChannelBook
  /// Deviations of provider tokens that were let pass, for the log; the owner empties it.
  var tokenNotes: [String] = []
  var reader = Reader(depthLimit: 512)
  private let topics: [[UInt8]]
  /// The push type of the request checked last; -1 for none. The place in `PushTypeBytes.all`.
  private(set) var typePlace = -1
  /// Whether the body of the request checked last is known to be JSON: nil when nobody looked.
  private(set) var bodyIsJSON: Bool?

  init(_ settings: Settings, _ environment: ServiceEnvironment, _ book: TokenBook, _ channels: ChannelBook) {
    (self.settings, self.environment, self.book, self.channels) = (settings, environment, book, channels)
    topics = settings.topics.map { Array($0.utf8) }
  }

  /// Another request's body is next.
  func forgetBody() { bodyIsJSON = nil }

  /// Checks a request.
  /// - Parameter now: UNIX seconds.
  func verdict(_ request: Request, _ authority: inout Authority, now: Int) -> Verdict {
    typePlace = -1
    bodyIsJSON = nil
    let method = request.value(request.method)
    switch request.target {
    case .unknown: return Verdict(.badPath)
    case .device:
      return method.equals("POST") ? device(request, &authority, now) : Verdict(.methodNotAllowed)
    case .broadcast:
      return method.equals("POST") ? broadcast(request, &authority, now) : Verdict(.methodNotAllowed)
    case .channels, .allChannels: return Verdict(.badPath)
    }
  }

  private func device(_ request: Request, _ authority: inout Authority, _ now: Int) -> Verdict {
    let token = request.subjectText
    if token.isEmpty { return Verdict(.missingDeviceToken) }
    if !DeviceToken.isValid(token) {
      return Verdict(.badDeviceToken, "a device token is an even number of hexadecimal digits, 200 at most")
    }
    if let refusal = authority.judge(request, self, now: now) { return refusal }
    if let refusal = topic(request, authority) { return refusal }
    if let refusal = identifiers(request) { return refusal }
    if request.hasDuplicates { return Verdict(.duplicateHeaders) }
    let limit = typePlace >= 0 ? PushTypeBytes.all[typePlace].limit : PushType.ordinaryPayloadLimit
    return payload(request, limit: limit)
  }

  /// The topic: the request's, else the certificate's.
  private func topic(_ request: Request, _ authority: Authority) -> Verdict? {
    if request.topic >= 0 {
      let topic = request.value(request.topic)
      if let certificate = authority.certificate, !certificate.covers(topic) {
        return Verdict(.topicDisallowed, "the certificate does not list the topic")
      }
      return pushType(request, topic, authority)
    }
    guard let certificate = authority.certificate else { return Verdict(.missingTopic) }
    guard let implied = certificate.impliedTopic else {
      return Verdict(.missingTopic, "the certificate lists several topics: name one")
    }
    return pushType(request, implied.span, authority)
  }

  /// Topic and push type, which hang together.
  private func pushType(_ request: Request, _ topic: Span<UInt8>, _ authority: Authority) -> Verdict? {
    if topic.isEmpty { return Verdict(.missingTopic) }
    if !Self.isTopic(topic) { return Verdict(.badTopic) }
    let bySuffix = PushTypeBytes.place(bySuffixOf: topic)
    if authority.certificate == nil {
      let bundle = bySuffix < 0 ? topic : topic.extracting(droppingLast: PushTypeBytes.all[bySuffix].suffix.count)
      if !covers(bundle) || !authority.keyCovers(bundle) { return Verdict(.topicDisallowed) }
    }
    guard request.pushType >= 0 else {
      // APNs guesses from the topic; without a suffix it takes the push for an alert.
      typePlace = bySuffix
      return nil
    }
    let type = PushTypeBytes.place(named: request.value(request.pushType))
    if type < 0 { return Verdict(.invalidPushType, "it is none of the eleven push types") }
    typePlace = type
    let row = PushTypeBytes.all[type]
    if row.needsCertificate && authority.certificate == nil {
      return Verdict(.topicDisallowed, "pushes of type mdm need the certificate that their topic belongs to")
    }
    if row.suffix.isEmpty ? bySuffix >= 0 : !topic.ends(with: row.suffix) {
      return Verdict(.invalidPushType, "the push type does not go with the topic's suffix")
    }
    return nil
  }

  /// Whether the server's settings allow pushes to the app.
  func covers(_ bundle: Span<UInt8>) -> Bool {
    if topics.isEmpty { return true }
    for topic in topics where bundle.equals(topic) { return true }
    return false
  }

  /// The characters of a bundle identifier (and of `pass.…`, `web.…`).
  static func isTopic(_ topic: Span<UInt8>) -> Bool {
    guard !topic.isEmpty, topic.count <= 255 else { return false }
    for index in topic.indices {
      switch topic[index] {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): break
      default: return false
      }
    }
    return true
  }

  /// Priority, expiration, id, collapse id.
  private func identifiers(_ request: Request) -> Verdict? {
    if request.priority >= 0 {
      let text = request.value(request.priority)
      let priority: UInt16 = text.equals("10") ? 10 : text.equals("5") ? 5 : text.equals("1") ? 1 : 0
      if priority == 0 { return Verdict(.badPriority, "the priority is none of 10, 5 and 1") }
      if typePlace >= 0, PushTypeBytes.all[typePlace].priorities & 1 << priority == 0 {
        return Verdict(.badPriority, "the push type does not allow this priority")
      }
    }
    if request.expiration >= 0, request.value(request.expiration).decimal == nil {
      return Verdict(.badExpirationDate, "the expiration is not a whole number of UNIX seconds")
    }
    if request.id >= 0, !Identifiers.isUUID(request.value(request.id)) { return Verdict(.badMessageID) }
    if request.value(request.collapseID).count > Identifiers.collapseLimit { return Verdict(.badCollapseID) }
    return nil
  }

  /// Size, then whether there is anything, then what it is.
  func payload(_ request: Request, limit: Int) -> Verdict {
    let body = request.body
    if body.count > limit || request.isTruncated { return Verdict(.payloadTooLarge) }
    if body.isEmpty { return Verdict(.payloadEmpty) }
    bodyIsJSON = (try? reader.read(body)) != nil
    guard settings.checksDocument else { return .accepted }
    if bodyIsJSON == false { return Verdict(.payloadEmpty, "the payload is not JSON") }
    if reader.tokens[0].kind != .object { return Verdict(.payloadEmpty, "the payload is no JSON object") }
    return .accepted
  }
}
