// Broadcasts and the management of their channels (apns.md 1.2, 2.3, 4.3).

import APNs
import HTTP2
import JSON
import TLS

extension Checks {
  /// A push to a channel.
  func broadcast(_ request: Request, _ authority: inout Authority, _ now: Int) -> Verdict {
    if let refusal = authority.judge(request, self, now: now) { return refusal }
    if let refusal = bundle(request, authority) { return refusal }
    guard let entry = channel(request) else { return channelRefusal(request) }
    if request.pushType < 0 { return Verdict(.missingPushType) }
    if !Self.isLiveActivity(request.value(request.pushType)) {
      return Verdict(.invalidPushType, "a broadcast has the push type liveactivity")
    }
    let priority = request.value(request.priority)
    if !priority.equals("10"), !priority.equals("5"), !priority.equals("1") { return Verdict(.badPriority) }
    guard let expiration = request.value(request.expiration).decimal else { return Verdict(.badExpirationDate) }
    if expiration != 0, !entry.storesMessages {
      return Verdict(.badExpirationDate, "the channel stores no messages: only the expiration 0 goes with it")
    }
    if let refusal = requestID(request) { return refusal }
    if request.hasDuplicates { return Verdict(.duplicateHeaders) }
    return payload(request, limit: PushType.broadcastPayloadLimit)
  }

  /// The bundle identifier of the path: bare, and covered by the credential.
  func bundle(_ request: Request, _ authority: Authority) -> Verdict? {
    let bundle = request.subjectText
    if !Self.isTopic(bundle) { return Verdict(.badPath, "the path names no bundle identifier") }
    if PushTypeBytes.place(bySuffixOf: bundle) >= 0 {
      return Verdict(.topicDisallowed, "the path takes the bare bundle identifier, without a suffix")
    }
    let covered = authority.certificate.map { $0.covers(bundle) } ?? authority.keyCovers(bundle)
    return covered && covers(bundle) ? nil : Verdict(.topicMismatch)
  }

  /// The channel that the header names.
  func channel(_ request: Request) -> ChannelBook.Entry? {
    let id = request.value(request.channelID)
    guard Identifiers.isChannel(id) else { return nil }
    return channels.entry(String(utf8: request.subjectText), String(utf8: id))
  }

  /// Why there is none.
  func channelRefusal(_ request: Request) -> Verdict {
    let id = request.value(request.channelID)
    if id.isEmpty { return Verdict(.missingChannelID) }
    return Identifiers.isChannel(id) ? Verdict(.channelNotRegistered) : Verdict(.badChannelID)
  }

  func requestID(_ request: Request) -> Verdict? {
    for place in [request.requestID, request.id] where place >= 0 {
      if !Identifiers.isUUID(request.value(place)) { return Verdict(.badMessageID) }
    }
    return nil
  }

  /// Apple spells it `liveactivity` in headers and `LiveActivity` in JSON; whether case matters is not known.
  static func isLiveActivity(_ text: Span<UInt8>) -> Bool {
    text.count == 12 && text.equalsIgnoringCase(liveActivity)
  }

  private static let liveActivity = Array("liveactivity".utf8)

  /// A request to create, read, list or delete channels: its answer.
  func management(_ request: Request, _ authority: inout Authority, now: Int) -> Verdict {
    let method = request.value(request.method)
    let isCreation = request.target == .channels && method.equals("POST")
    let isDeletion = request.target == .channels && method.equals("DELETE")
    guard method.equals("GET") || isCreation || isDeletion else { return Verdict(.methodNotAllowed) }
    if let refusal = authority.judge(request, self, now: now) { return refusal }
    if let refusal = bundle(request, authority) { return refusal }
    if let refusal = requestID(request) { return refusal }
    if request.hasDuplicates { return Verdict(.duplicateHeaders) }
    let bundle = String(utf8: request.subjectText)
    if request.target == .allChannels { return Verdict(list(bundle)) }
    if isCreation { return create(bundle, request) }
    guard let entry = channel(request) else { return channelRefusal(request) }
    if !isDeletion { return Verdict(Reply(status: 200, body: Self.description(entry))) }
    _ = channels.remove(bundle, entry.id)
    return Verdict(Reply(status: 204, body: []))
  }

  private func list(_ bundle: String) -> Reply {
    var writer = Writer()
    writer.beginObject()
    writer.key("channels")
    writer.beginArray()
    for entry in channels.list(bundle) { writer.string(entry.id) }
    writer.endArray()
    writer.endObject()
    return Reply(status: 200, body: writer.bytes)
  }

  private static func description(_ entry: ChannelBook.Entry) -> [UInt8] {
    var writer = Writer()
    writer.beginObject()
    writer.key("message-storage-policy")
    writer.integer(entry.storesMessages ? 1 : 0)
    writer.key("push-type")
    writer.string("LiveActivity")
    writer.endObject()
    return writer.bytes
  }

  private func create(_ bundle: String, _ request: Request) -> Verdict {
    let body = request.body
    if body.isEmpty { return Verdict(.payloadEmpty) }
    if body.count > PushType.broadcastPayloadLimit || request.isTruncated { return Verdict(.payloadTooLarge) }
    guard (try? reader.read(body)) != nil else { return Verdict(.badRequestPayload, "the body is not JSON") }
    let tokens = reader.tokens
    let document = Document(body, tokens.span)
    guard document.kind(0) == .object else { return Verdict(.badRequestPayload, "the body is no JSON object") }
    var member = 1
    while member < document.next(0) {
      if !document.equals(member, "message-storage-policy"), !document.equals(member, "push-type") {
        return Verdict(.badRequestParams, "the body has an attribute that channels do not have")
      }
      member = document.next(member + 1)
    }
    guard let policyNode = document.find("message-storage-policy", in: 0),
      let policy = document.integer(policyNode), policy == 0 || policy == 1
    else { return Verdict(.missingChannelPolicy, "message-storage-policy is missing, or neither 0 nor 1") }
    guard let typeNode = document.find("push-type", in: 0) else { return Verdict(.missingPushType) }
    guard document.kind(typeNode) == .string, Self.isLiveActivity(document.content(typeNode)) else {
      return Verdict(.invalidPushType, "push-type is not LiveActivity")
    }
    var id: [UInt8] = []
    Base64.encode(randomBytes(16).span, urlSafe: false, into: &id)
    let entry = ChannelBook.Entry(id: String(utf8: id.span), storesMessages: policy == 1)
    guard channels.add(bundle, entry) else { return Verdict(.cannotCreateChannel) }
    return Verdict(Reply(status: 201, body: [], channelID: entry.id))
  }
}

extension Server {
  /// Answers a request of channel management. It is no notification: the log has it, standard output does not.
  func manage(_ connection: Connection, _ session: ServerSession, _ request: Request, into out: inout [UInt8]) {
    let verdict = connection.checks.management(request, &connection.authority, now: seconds)
    let isGiven = request.requestID >= 0
    if !isGiven { random.writeUUID(into: &received.madeID) }
    let made = received.madeID
    let id = isGiven ? request.value(request.requestID) : made.span
    let body = verdict.reply.body
    let head = heads.any(verdict.reply, id: id, isDevice: false, uniqueID: nil)
    session.respond(request.slot, head, body: body.span, into: &out)
    observer.event("channel", connection: connection.number) {
      $0.key("method")
      $0.string(utf8: request.value(request.method))
      $0.key("path")
      $0.string(utf8: request.value(request.path))
      $0.key("status")
      $0.integer(verdict.reply.status)
      if !verdict.reply.reason.isEmpty {
        $0.key("reason")
        $0.string(verdict.reply.reason)
      }
    }
    session.release(request.slot)
  }
}
