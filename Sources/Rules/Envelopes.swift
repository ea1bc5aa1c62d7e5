// Requests of other push services, as they are mistaken for payloads.

import JSON

/// What another service's request looks like, told by its keys.
struct ForeignService {
  let name: String
  let node: Int
  let help: String
}

/// The service whose request this object is, nil when it is none that we know.
func foreignService(_ document: Document, _ root: Int) -> ForeignService? {
  func has(_ key: StaticString, in object: Int) -> Bool { document.find(key, in: object) != nil }
  func isObject(_ node: Int?) -> Bool { node.map { document.kind($0) == .object } ?? false }
  func isString(_ node: Int?) -> Bool { node.map { document.kind($0) == .string } ?? false }

  if let message = document.find("message", in: root), document.kind(message) == .object {
    let keys: [StaticString] = [
      "notification", "apns", "android", "webpush", "fcm_options", "topic", "token", "condition",
    ]
    if keys.contains(where: { has($0, in: message) }) {
      let payload = document.find("apns", in: message).flatMap { document.find("payload", in: $0) }
      return ForeignService(
        name: "a request to Firebase Cloud Messaging (HTTP v1)", node: message,
        help: payload != nil
          ? "the payload for APNs is what stands under /message/apns/payload" : "FCM makes the payload for APNs from it"
      )
    }
  }
  for key in ["APNS", "APNS_SANDBOX", "APNS_VOIP", "APNS_VOIP_SANDBOX"] {
    if let node = document.find(key, in: root) {
      return ForeignService(
        name: "a message to Amazon SNS", node: node, help: "the payload for APNs is the text under \"\(key)\", decoded")
    }
  }
  if let version = document.find("web_push", in: root) {
    return ForeignService(
      name: "a declarative web push message", node: version, help: "it is sent encrypted by the Web Push protocol")
  }
  if let app = document.find("app_id", in: root) {
    let keys: [StaticString] = [
      "contents", "headings", "include_player_ids", "included_segments", "include_external_user_ids", "include_aliases",
      "include_subscription_ids", "template_id", "filters",
    ]
    if keys.contains(where: { has($0, in: root) }) {
      return ForeignService(name: "a request to OneSignal", node: app, help: "OneSignal makes the payload from it")
    }
  }
  if has("activity_id", in: root), has("content_state", in: root) {
    return ForeignService(
      name: "a request to Braze for a Live Activity", node: root, help: "Braze makes the payload for APNs from it")
  }
  if let to = document.find("to", in: root), isString(to) {
    if document.string(to).hasPrefix("Expo") {
      return ForeignService(name: "a message to Expo", node: to, help: "Expo makes the payload for APNs from it")
    }
    if isObject(document.find("notification", in: root)) || isObject(document.find("data", in: root)) {
      return ForeignService(
        name: "a request to Firebase Cloud Messaging (legacy HTTP)", node: to,
        help: "FCM makes the payload for APNs from it")
    }
  }
  return otherService(document, root)
}

private func otherService(_ document: Document, _ root: Int) -> ForeignService? {
  func isObject(_ key: StaticString) -> Bool {
    document.find(key, in: root).map { document.kind($0) == .object } ?? false
  }

  if document.find("registration_ids", in: root) != nil {
    return ForeignService(
      name: "a request to Firebase Cloud Messaging (legacy HTTP)", node: root, help: "FCM makes the payload from it")
  }
  if document.find("audience", in: root) != nil, isObject("notification") {
    return ForeignService(name: "a request to Airship", node: root, help: "Airship makes the payload from it")
  }
  if document.find("interests", in: root) != nil || document.find("users", in: root) != nil, isObject("apns") {
    return ForeignService(
      name: "a request to Pusher Beams", node: root, help: "the payload for APNs is what stands under \"apns\"")
  }
  if let text = document.find("notification", in: root), document.kind(text) == .object,
    document.find("title", in: text) != nil || document.find("body", in: text) != nil
  {
    return ForeignService(
      name: "a notification in the manner of Firebase Cloud Messaging", node: text,
      help: "for APNs the text goes under aps.alert")
  }
  if let data = document.find("data", in: root), isObject("data"), document.find("push", in: data) != nil,
    document.find("message", in: root) != nil
  {
    return ForeignService(
      name: "a call of Home Assistant's notify service", node: root, help: "the app's server makes the payload from it")
  }
  return nil
}
