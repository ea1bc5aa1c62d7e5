// A request to APNs written down as JSON: what rules about method, path, host and header lines look at.
//
//   {"method": "POST", "host": "api.push.apple.com", "path": "/3/device/<token>",
//    "headers": [["apns-topic", "com.example.app"], …], "payload": {…}}
//
// `headers` may be an object too, and a header `{"name": …, "value": …}`; `port`, `http` and `tls` are known keys, and
// `:path`, `:method` and `:authority` may stand among the headers. What is not there is unknown, but for `headers`.

import APNs
import JSON

struct Request: Sendable {
  /// What the path leads to (Apple: sending notification requests, broadcast requests, channel management).
  enum Target: Sendable { case device, broadcast, channels, allChannels, unknown, none }

  struct Header: Sendable {
    /// Lower case.
    let name: String
    let nameNode: Int
    let valueNode: Int
  }

  var target = Target.none
  var method = "POST"
  var methodNode: Int?
  var pathNode: Int?
  /// The part of the path behind what is fixed: device token or bundle identifier.
  var subject = ""
  /// A part of the path behind that.
  var surplus = ""
  var headers: [Header] = []
  /// What stands among the headers and is none.
  var oddHeaders: [Int] = []
  var hostNode: Int?
  var port: Int?
  var portNode: Int?
  var httpNode: Int?
  var tlsNode: Int?
  var payload: Int?

  /// The first header of this name.
  func header(_ name: String) -> Header? { headers.first { $0.name == name } }
}

extension Document {
  /// Whether the root's keys are those of a request: headers beside a path, a method or a host; headers of APNs; or one of
  /// Apple's paths. What has `aps` and none of these paths is a payload, whatever else it holds.
  var isRequest: Bool {
    if let path = find("path", in: 0), kind(path) == .string {
      let text = string(path)
      if ["/3/device/", "/4/broadcasts/", "/1/apps/"].contains(where: text.hasPrefix) { return true }
    }
    guard find("aps", in: 0) == nil, let headers = find("headers", in: 0),
      kind(headers) == .array || kind(headers) == .object
    else {
      return false
    }
    if find("path", in: 0) != nil || find("method", in: 0) != nil || find("host", in: 0) != nil { return true }
    var request = Request()
    takeHeaders(headers, &request)
    return request.pathNode != nil
      || request.headers.contains { $0.name.hasPrefix("apns-") || $0.name == "authorization" }
  }

  /// Takes a request apart.
  func request() -> Request {
    var request = Request()
    var key = 1
    while key < following(0) {
      let value = key + 1
      take(string(key), value, &request)
      key = following(value)
    }
    return request
  }

  /// The environment that a host belongs to, nil for hosts that are not Apple's.
  func environment(ofHost node: Int) -> ServiceEnvironment? {
    let name = hostName(self, node)
    return Endpoint.all.first { $0.host == name }?.environment
  }

  /// The value of a request's header that holds a provider token, nil when there is none after `bearer`.
  var providerToken: Int? {
    guard let node = request().header("authorization")?.valueNode, kind(node) == .string else { return nil }
    let text = string(node)
    return text.utf8.count > 7 && text.lowercased().hasPrefix("bearer ") ? node : nil
  }

  private func take(_ key: String, _ value: Int, _ request: inout Request) {
    switch key {
    case "method", ":method":
      request.methodNode = value
      request.method = string(value)
    case "path", ":path": takePath(value, &request)
    case "host", "authority", ":authority": request.hostNode = value
    case "port":
      request.port = integer(value)
      request.portNode = value
    case "http": request.httpNode = value
    case "tls": request.tlsNode = value
    case "payload", "body": request.payload = value
    case "headers": takeHeaders(value, &request)
    default: break
    }
  }

  private func takePath(_ node: Int, _ request: inout Request) {
    request.pathNode = node
    let parts = string(node).split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    request.target = .unknown
    guard parts.count >= 3, parts[0].isEmpty else { return }
    switch (parts[1], parts[2]) {
    case ("3", "device"):
      request.subject = parts.count > 3 ? parts[3] : ""
      if parts.count <= 4 { request.target = .device }
    case ("4", "broadcasts") where parts.count >= 5 && parts[3] == "apps":
      request.target = .broadcast
      request.subject = parts[4]
      request.surplus = parts.dropFirst(5).joined(separator: "/")
    case ("1", "apps") where parts.count >= 5:
      request.subject = parts[3]
      request.surplus = parts.dropFirst(5).joined(separator: "/")
      if parts[4] == "channels" { request.target = .channels }
      if parts[4] == "all-channels", parts.count == 5 { request.target = .allChannels }
    default: break
    }
  }

  private func takeHeaders(_ node: Int, _ request: inout Request) {
    guard kind(node) == .object || kind(node) == .array else { return request.oddHeaders.append(node) }
    let isObject = kind(node) == .object
    var child = node + 1
    while child < following(node) {
      if isObject {
        takeHeader(child, child + 1, &request)
        child = following(child + 1)
        continue
      }
      if kind(child) == .array, count(child) == 2, kind(child + 1) == .string {
        takeHeader(child + 1, following(child + 1), &request)
      } else if kind(child) == .object, let name = find("name", in: child), kind(name) == .string,
        let value = find("value", in: child)
      {
        takeHeader(name, value, &request)
      } else {
        request.oddHeaders.append(child)
      }
      child = following(child)
    }
  }

  private func takeHeader(_ name: Int, _ value: Int, _ request: inout Request) {
    let text = string(name).lowercased()
    if text.hasPrefix(":") { return take(text, value, &request) }
    request.headers.append(.init(name: text, nameNode: name, valueNode: value))
  }
}

extension Scene {
  /// Fills the scene from a request's headers, as `Notification.read` would from a record; what is wrong with a value is a
  /// problem of the same name.
  mutating func take(_ request: Request, _ document: Document, _ problems: inout [Problem]) {
    func text(_ name: String) -> (node: Int, text: String)? {
      request.header(name).map { ($0.valueNode, document.string($0.valueNode)) }
    }
    var record = Notification()
    givenType = nil
    priority = nil
    expiration = nil
    if let (node, word) = text("apns-push-type") {
      record.pushTypeNode = node
      givenType = PushType(rawValue: word)
      if givenType == nil {
        let isKnown = PushType(rawValue: word.lowercased()) != nil
        problems.append(
          Problem(
            isKnown ? "push-type-case" : "push-type-unknown", at: node,
            "\(document.shown(node)) is not a push type"))
      }
    }
    if let (node, word) = text("apns-priority") {
      record.priorityNode = node
      priority = wholeNumber(word).flatMap { $0 == word ? Int($0) : nil }
      if priority == nil {
        problems.append(
          Problem("priority-syntax", at: node, "apns-priority is \(document.shown(node)), not 10, 5 or 1"))
      } else if priority != 1, priority != 5, priority != 10 {
        problems.append(Problem("priority-value", at: node, "apns-priority is \(word); APNs knows 10, 5 and 1"))
      }
    }
    if let (node, word) = text("apns-expiration") {
      record.expirationNode = node
      expiration = Int(word).flatMap { $0 >= 0 && String($0) == word ? $0 : nil }
      if expiration == nil {
        problems.append(
          Problem("expiration-syntax", at: node, "apns-expiration is \(document.shown(node)), not UNIX seconds"))
      }
    }
    takeIdentifiers(request, document, &record, &problems)
    self.record = record
  }

  private mutating func takeIdentifiers(
    _ request: Request, _ document: Document, _ record: inout Notification, _ problems: inout [Problem]
  ) {
    if let header = request.header("apns-id") {
      record.id = header.valueNode
      if !Identifiers.isUUID(document.content(header.valueNode)) {
        problems.append(Problem("apns-id-syntax", at: header.valueNode, "apns-id is not a UUID in its canonical form"))
      }
    }
    if let header = request.header("apns-collapse-id") {
      record.collapseID = header.valueNode
      let count = document.decodedByteCount(header.valueNode)
      if count > Identifiers.collapseLimit {
        problems.append(
          Problem("collapse-id-too-long", at: header.valueNode, "apns-collapse-id has \(count) bytes; 64 are allowed"))
      }
    }
    if let header = request.header("apns-channel-id") {
      if request.target != .device { record.channelID = header.valueNode }
      if !Identifiers.isChannel(Array(document.string(header.valueNode).utf8).span) {
        problems.append(Problem("bc-channel-base64", at: header.valueNode, "a channel identifier is base64"))
      }
    }
    record.topic = request.header("apns-topic")?.valueNode
    if request.target == .device, let path = request.pathNode, !request.subject.isEmpty {
      record.token = path
      if let fault = DeviceToken.fault(in: Array(request.subject.utf8).span) {
        problems.append(Problem(fault.rule.description, at: path, fault.message))
      }
    }
  }
}
