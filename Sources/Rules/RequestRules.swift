// Rules for a request as a whole: method, path, host, header lines, channel management.

import APNs
import JSON

private let hello = #"{"aps":{"alert":"Hi"}}"#
private let live = #"{"aps":{"timestamp":1790000000,"event":"update","content-state":{"score":3}}}"#
private let alertHeaders = #"["apns-topic","com.example.app"],["apns-push-type","alert"]"#
private let device = "/3/device/\(Example.token)"
private let channelPath = "/1/apps/com.example.app/channels"
private let channelBody = #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#
private let broadcastHeaders = #"["apns-push-type","liveactivity"],["apns-expiration","0"],["apns-priority","5"]"#
private let channelHeader = #"["apns-channel-id","dHN0LXNyY2gtY2hubA=="]"#

/// A request of an alert.
private func request(
  _ headers: String = alertHeaders, method: String = "POST", path: String = device, more: String = "",
  payload: String = hello, _ options: String...
) -> Example {
  Example(
    .record,
    [.text(#"{"method":"\#(method)","path":"\#(path)"\#(more),"headers":[\#(headers)],"payload":\#(payload)}"#)],
    options)
}

private func broadcast(_ headers: String, path: String = "/4/broadcasts/apps/com.example.app") -> Example {
  request(headers, path: path, payload: live)
}

private func channels(_ method: String, _ headers: String, _ payload: String? = nil, path: String = channelPath)
  -> Example
{
  .record(
    #"{"method":"\#(method)","path":"\#(path)","headers":[\#(headers)]\#(payload.map { #","payload":\#($0)"# } ?? "")}"#
  )
}

let requestRules: [Rule] = [
  Rule(
    "header-duplicate", .error, "no header is sent twice",
    why: "APNs refuses the request.",
    passes: request(), fails: request(alertHeaders + #",["apns-topic","com.example.app"]"#),
    refusal: "DuplicateHeaders",
    at: .request
  ) { document, scene, node in
    guard let request = scene.request else { return }
    var seen: Set<String> = []
    for header in request.headers where !seen.insert(header.name).inserted {
      scene.report(header.nameNode, "the header \(document.shown(header.nameNode)) comes twice")
    }
  },
  Rule(
    "header-form", .warning, "a header is a pair of a name and a value",
    why: "Something else among the headers of a request that was written down cannot be looked at.",
    passes: request(), fails: request(alertHeaders + #","apns-priority: 10""#), at: .request
  ) { document, scene, node in
    for odd in scene.request?.oddHeaders ?? [] {
      // Not quoted: it may be a credential.
      scene.report(odd, "\(document.words(odd)) among the headers was not looked at", help: "write it as [name, value]")
    }
  },
  Rule(
    "header-misspelt", .warning, "headers of APNs are spelled as Apple spells them",
    why: "A header that is not known is ignored, and the default counts.",
    passes: request(), fails: request(#"["apns-topic","com.example.app"],["apns-pushtype","alert"]"#), at: .request
  ) { document, scene, node in
    guard let request = scene.request else { return }
    let known = RequestHeader.all.map(\.name).filter { $0.hasPrefix("apns-") }
    for header in request.headers where !known.contains(header.name) {
      let bare = known.first { $0.dropFirst(5) == header.name }
      guard header.name.hasPrefix("apns-") || bare != nil else { continue }
      let near = bare ?? nearest(header.name, in: known)
      scene.report(
        header.nameNode, "\(document.shown(header.nameNode)) is no header of APNs",
        help: near.map { "did you mean \"\($0)\"?" })
    }
  },
  Rule(
    "header-uppercase", .error, "header names are in lower case",
    why: "Capitals make an HTTP/2 request malformed (RFC 9113, section 8.2).",
    passes: request(), fails: request(#"["APNS-Topic","com.example.app"],["apns-push-type","alert"]"#), at: .request
  ) { document, scene, node in
    guard let request = scene.request else { return }
    for header in request.headers where document.string(header.nameNode) != header.name {
      scene.report(header.nameNode, "\(document.shown(header.nameNode)) has capitals")
    }
  },
  Rule(
    "header-connection-specific", .error, "no header concerns the connection",
    why: "HTTP/2 has none of them (RFC 9113, section 8.2.2).",
    passes: request(), fails: request(alertHeaders + #",["connection","keep-alive"]"#), at: .request
  ) { document, scene, node in
    guard let request = scene.request else { return }
    let names = ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]
    for header in request.headers where names.contains(header.name) {
      scene.report(header.nameNode, "\(document.shown(header.nameNode)) is not allowed in HTTP/2")
    }
  },
  Rule(
    "header-content-encoding", .error, "the body is not encoded",
    why: "APNs forbids compression.",
    passes: request(), fails: request(alertHeaders + #",["content-encoding","gzip"]"#), at: .request
  ) { document, scene, node in
    guard let header = scene.request?.header("content-encoding") else { return }
    scene.report(header.nameNode, "content-encoding says that the body is encoded")
  },
  Rule(
    "header-not-for-device", .warning, "apns-channel-id and apns-request-id belong to channels",
    why: "A push to a device ignores them.",
    passes: request(), fails: request(alertHeaders + "," + channelHeader), at: .request
  ) { document, scene, node in
    guard let request = scene.request, request.target == .device else { return }
    for name in ["apns-channel-id", "apns-request-id"] {
      guard let header = request.header(name) else { continue }
      scene.report(header.nameNode, "\(name) is ignored in a push to a device")
    }
  },
  Rule(
    "method-not-post", .error, "pushes are posted",
    why: "APNs refuses another method.",
    passes: request(), fails: request(method: "PUT"), refusal: "MethodNotAllowed", at: .request
  ) { document, scene, node in
    guard let request = scene.request, request.target == .device || request.target == .broadcast else { return }
    guard request.method != "POST" else { return }
    scene.report(request.methodNode ?? 0, "the method is \(request.method.prefix(20)), not POST")
  },
  Rule(
    "path-bad", .error, "the path is one of Apple's",
    why: "APNs refuses another version digit, a slash at the end, a query.",
    passes: request(), fails: request(path: "/2/device/\(Example.token)"), refusal: "BadPath", at: .request
  ) { document, scene, node in
    guard let request = scene.request, request.target == .unknown, let path = request.pathNode else { return }
    scene.report(path, "\(document.shown(path)) is no path of APNs", help: "a push goes to /3/device/<token>")
  },
  Rule(
    "path-no-token", .error, "the path ends in the device token",
    why: "APNs answers that the token is missing.",
    passes: request(), fails: request(path: "/3/device/"), refusal: "MissingDeviceToken", at: .request
  ) { document, scene, node in
    guard let request = scene.request, request.target == .device, request.subject.isEmpty else { return }
    scene.report(request.pathNode ?? 0, "the path has no device token")
  },
  Rule(
    "host-unknown", .warning, "the host is one of Apple's",
    why: "Others do not know the notification; a local test server is fine.",
    passes: request(more: #","host":"api.push.apple.com""#), fails: request(more: #","host":"api.pushes.apple.com""#),
    at: .request
  ) { document, scene, node in
    guard let host = scene.request?.hostNode else { return }
    let name = hostName(document, host)
    if knownHosts.contains(name) || ["localhost", "127.0.0.1", "[::1]", "::1"].contains(name) { return }
    scene.report(
      host, "\(document.shown(host)) is no host of APNs",
      help: nearest(name, in: Array(knownHosts).sorted()).map { "did you mean \($0)?" })
  },
  Rule(
    "host-legacy", .error, "the host is not one of the binary services",
    why: "They were switched off in March 2021.",
    passes: request(more: #","host":"api.push.apple.com""#), fails: request(more: #","host":"gateway.push.apple.com""#),
    at: .request
  ) { document, scene, node in
    guard let host = scene.request?.hostNode else { return }
    let name = hostName(document, host)
    let isLegacy = Endpoint.all.contains { $0.host == name && ($0.service == .gateway || $0.service == .feedback) }
    guard isLegacy else { return }
    scene.report(host, "\(document.shown(host)) was switched off in March 2021", help: "use api.push.apple.com")
  },
  Rule(
    "host-port", .error, "the port is one that serves the host",
    why: "Pushes: 443 or 2197; channel management: 2196 in production, 2195 in the sandbox.",
    passes: request(more: #","host":"api.push.apple.com","port":2197"#),
    fails: request(more: #","host":"api.push.apple.com","port":2195"#), at: .request
  ) { document, scene, node in
    guard let request = scene.request, let host = request.hostNode, let port = request.port else { return }
    let name = hostName(document, host)
    guard let row = Endpoint.all.first(where: { $0.host == name && ($0.service == .push || $0.service == .channels) })
    else { return }
    if port == row.port || row.service == .push && port == Endpoint.alternatePushPort { return }
    scene.report(request.portNode ?? host, "\(name) is not served at port \(port)", help: "use \(row.port)")
  },
  Rule(
    "http-version", .error, "APNs speaks HTTP/2",
    why: "It knows no HTTP/1.1.",
    passes: request(more: #","http":"2""#), fails: request(more: #","http":"1.1""#), at: .request
  ) { document, scene, node in
    guard let version = scene.request?.httpNode else { return }
    let text = document.kind(version) == .string ? document.string(version) : document.shown(version)
    if ["2", "2.0", "h2", "HTTP/2"].contains(text) { return }
    scene.report(version, "the request is sent by HTTP \(text.prefix(10).description.replacingControls())")
  },
  Rule(
    "tls-version", .error, "the connection has TLS 1.2 or later",
    why: "APNs takes no older one.",
    passes: request(more: #","tls":"1.2""#), fails: request(more: #","tls":"1.1""#), at: .request
  ) { document, scene, node in
    guard let version = scene.request?.tlsNode else { return }
    let text = document.kind(version) == .string ? document.string(version) : document.shown(version)
    if text.hasSuffix("1.2") || text.hasSuffix("1.3") { return }
    scene.report(version, "the connection has TLS \(text.prefix(10).description.replacingControls())")
  },
  Rule(
    "auth-missing", .error, "a request has a provider token when no certificate is used",
    why: "APNs refuses it.",
    passes: request(alertHeaders + #",["authorization","bearer \#(Example.jwt)"]"#, "--auth", "token"),
    fails: request(alertHeaders, "--auth", "token"), refusal: "MissingProviderToken", needs: .authentication,
    at: .request
  ) { document, scene, node in
    guard scene.settings.authentication == .token, let request = scene.request else { return }
    guard request.header("authorization") == nil else { return }
    scene.report(0, "the request has no authorization")
  },
  Rule(
    "auth-both", .warning, "a request with a certificate has no provider token",
    why: "On a connection with a certificate the token is ignored.",
    passes: request(alertHeaders, "--auth", "certificate"),
    fails: request(alertHeaders + #",["authorization","bearer \#(Example.jwt)"]"#, "--auth", "certificate"),
    needs: .authentication, at: .request
  ) { document, scene, node in
    guard scene.settings.authentication == .certificate else { return }
    guard let header = scene.request?.header("authorization") else { return }
    scene.report(header.nameNode, "authorization is ignored where a certificate is used")
  },
  Rule(
    "auth-scheme", .error, "authorization is bearer and a provider token",
    why: "APNs does not find the token otherwise.",
    passes: request(alertHeaders + #",["authorization","bearer \#(Example.jwt)"]"#),
    fails: request(alertHeaders + #",["authorization","\#(Example.jwt)"]"#), refusal: "MissingProviderToken",
    at: .request
  ) { document, scene, node in
    guard let header = scene.request?.header("authorization") else { return }
    let text = document.string(header.valueNode)
    if text.lowercased().hasPrefix("bearer "), text.utf8.count > 7 { return }
    scene.report(header.nameNode, "authorization does not begin with bearer and a token")
  },
  Rule(
    "request-id-syntax", .error, "apns-request-id is a UUID in its canonical form",
    why: "APNs refuses anything else.",
    passes: broadcast(
      broadcastHeaders + "," + channelHeader + #",["apns-request-id","12345678-1234-1234-1234-123456789abc"]"#),
    fails: broadcast(broadcastHeaders + "," + channelHeader + #",["apns-request-id","7"]"#), refusal: "BadMessageId",
    at: .request
  ) { document, scene, node in
    guard let header = scene.request?.header("apns-request-id") else { return }
    if Identifiers.isUUID(document.content(header.valueNode)) { return }
    scene.report(header.valueNode, "apns-request-id is \(document.shown(header.valueNode)), not a UUID")
  },
  Rule(
    "bc-channel-missing", .error, "a broadcast names its channel",
    why: "APNs refuses it otherwise.",
    passes: broadcast(broadcastHeaders + "," + channelHeader), fails: broadcast(broadcastHeaders),
    refusal: "MissingChannelId", at: .request
  ) { document, scene, node in
    guard let request = scene.request, request.target == .broadcast, request.header("apns-channel-id") == nil else {
      return
    }
    scene.report(0, "a broadcast without apns-channel-id")
  },
  Rule(
    "bc-topic-header", .warning, "a broadcast has no apns-topic",
    why: "The path names the app; the header is not used.",
    passes: broadcast(broadcastHeaders + "," + channelHeader),
    fails: broadcast(broadcastHeaders + "," + channelHeader + #",["apns-topic","com.example.app"]"#), at: .request
  ) { document, scene, node in
    guard let request = scene.request, request.target == .broadcast, let header = request.header("apns-topic") else {
      return
    }
    scene.report(header.nameNode, "apns-topic is not used in a broadcast")
  },
  Rule(
    "bc-channel-in-path", .error, "the channel stands in a header, not in the path",
    why: "APNs knows no such path.",
    passes: broadcast(broadcastHeaders + "," + channelHeader),
    fails: broadcast(
      broadcastHeaders + "," + channelHeader, path: "/4/broadcasts/apps/com.example.app/dHN0LXNyY2gtY2hubA=="),
    refusal: "BadPath", at: .request
  ) { document, scene, node in
    guard let request = scene.request, request.target == .broadcast || request.target == .channels else { return }
    guard !request.surplus.isEmpty else { return }
    scene.report(
      request.pathNode ?? 0, "the path goes on behind the app", help: "the channel goes into apns-channel-id")
  },
  Rule(
    "channel-method", .error, "channels are made by POST, read by GET and deleted by DELETE",
    why: "APNs refuses other methods; all-channels knows GET only.",
    passes: channels("POST", "", channelBody), fails: channels("PUT", "", channelBody), refusal: "MethodNotAllowed",
    at: .request
  ) { document, scene, node in
    guard let request = scene.request else { return }
    let allowed: [String]
    switch request.target {
    case .channels: allowed = ["POST", "GET", "DELETE"]
    case .allChannels: allowed = ["GET"]
    default: return
    }
    guard !allowed.contains(request.method) else { return }
    scene.report(
      request.methodNode ?? 0, "the method is \(request.method.prefix(20)); allowed: \(allowed.joined(separator: ", "))"
    )
  },
  Rule(
    "channel-policy", .error, "message-storage-policy is the number 0 or 1",
    why: "APNs refuses the channel otherwise.",
    passes: channels("POST", "", channelBody),
    fails: channels("POST", "", #"{"message-storage-policy":"1","push-type":"LiveActivity"}"#),
    refusal: "MissingChannelQueueSize", at: .request
  ) { document, scene, node in
    guard let payload = scene.request?.newChannel(document) else { return }
    let value = document.find("message-storage-policy", in: payload)
    if let value, let policy = document.integer(value), policy == 0 || policy == 1 { return }
    scene.report(
      value ?? payload, "\"message-storage-policy\" is \(value.map { document.shown($0) } ?? "missing"), not 0 or 1")
  },
  Rule(
    "channel-push-type", .error, "a channel's push-type is LiveActivity",
    why: "Here with capitals, unlike in the header.",
    passes: channels("POST", "", channelBody),
    fails: channels("POST", "", #"{"message-storage-policy":1,"push-type":"alert"}"#), refusal: "InvalidPushType",
    at: .request
  ) { document, scene, node in
    guard let payload = scene.request?.newChannel(document) else { return }
    let value = document.find("push-type", in: payload)
    if let value, document.equals(value, "LiveActivity") { return }
    // Nobody has said whether other capitals are taken.
    let isSpelledRight = value.map { document.string($0).lowercased() == "liveactivity" } ?? false
    scene.report(
      value ?? payload, "\"push-type\" is \(value.map { document.shown($0) } ?? "missing"), not \"LiveActivity\"",
      as: isSpelledRight ? .warning : nil)
  },
  Rule(
    "channel-unknown-attribute", .error, "a channel has a storage policy and a push type alone",
    why: "APNs refuses other attributes.",
    passes: channels("POST", "", channelBody),
    fails: channels("POST", "", #"{"message-storage-policy":1,"push-type":"LiveActivity","name":"final"}"#),
    refusal: "BadRequestParams", at: .request
  ) { document, scene, node in
    guard let payload = scene.request?.newChannel(document) else { return }
    var key = payload + 1
    while key < document.following(payload) {
      if !document.equals(key, "message-storage-policy"), !document.equals(key, "push-type") {
        scene.report(key, "\"\(document.name(key))\" is no attribute of a channel")
      }
      key = document.following(key + 1)
    }
  },
  Rule(
    "channel-id-missing", .error, "reading or deleting a channel names it",
    why: "APNs refuses it otherwise.",
    passes: channels("DELETE", channelHeader), fails: channels("DELETE", ""), refusal: "MissingChannelId", at: .request
  ) { document, scene, node in
    guard let request = scene.request, request.target == .channels else { return }
    guard request.method == "GET" || request.method == "DELETE", request.header("apns-channel-id") == nil else {
      return
    }
    scene.report(0, "\(request.method) of a channel without apns-channel-id")
  },
  Rule(
    "channel-body-on-get", .warning, "reading or deleting channels has no body",
    why: "It is not looked at.",
    passes: channels("GET", "", path: "/1/apps/com.example.app/all-channels"),
    fails: channels("GET", "", "{}", path: "/1/apps/com.example.app/all-channels"), at: .request
  ) { document, scene, node in
    guard let request = scene.request, request.target == .channels || request.target == .allChannels else { return }
    guard request.method != "POST", let payload = request.payload else { return }
    scene.report(payload, "a body with the method \(request.method.prefix(20))")
  },
]

extension Request {
  /// The body that makes a channel, nil for every other request.
  fileprivate func newChannel(_ document: Document) -> Int? {
    guard target == .channels, method == "POST", let payload, document.kind(payload) == .object else { return nil }
    return payload
  }
}

/// Apple's hosts: those of the table, the older name of the sandbox, and the names that samples of broadcasts have.
private let knownHosts = Set(
  Endpoint.all.map(\.host) + [
    "api.development.push.apple.com", "api-broadcast.push.apple.com", "api-broadcast.sandbox.push.apple.com",
  ])

/// The host without scheme and port.
func hostName(_ document: Document, _ node: Int) -> String {
  var name = document.string(node).lowercased()
  if name.hasPrefix("https://") { name = String(name.dropFirst(8)) }
  if let colon = name.lastIndex(of: ":"), Int(name[name.index(after: colon)...]) != nil, !name.hasPrefix("[") {
    name = String(name[..<colon])
  }
  return name
}
