// Whether keys that records and payloads share are a record's, told by their values.

import APNs
import JSON
import Spelling

extension Document {
  /// Whether the keys beside `aps` are a record's: a device token; or two keys with values as records have them, one of
  /// which says where the push goes. Apps name keys of their own `id`, `token`, `topic` or `priority` as well.
  var isRecordAroundAPS: Bool {
    var count = 0
    var hasAddress = false
    var key = 1
    while key < following(0) {
      let value = key + 1
      switch string(key) {
      case "token":
        if isDeviceToken(value) { return true }
        if kind(value) == .string { count += 1 }
      case "channel_id":
        guard kind(value) == .string else { break }
        count += 1
        hasAddress = true
      case "topic":
        guard isBundleIdentifier(value) else { break }
        count += 1
        hasAddress = true
      case "push_type":
        if kind(value) == .string, PushType(rawValue: string(value).lowercased()) != nil { count += 1 }
      case "priority":
        if let priority = integer(value), [1, 5, 10].contains(priority) { count += 1 }
      case "expiration", "payload":
        if kind(value) == .number || kind(value) == .object { count += 1 }
      case "collapse_id", "credential":
        if isText(value) { count += 1 }
      case "environment":
        if kind(value) == .string, ServiceEnvironment(rawValue: string(value)) != nil { count += 1 }
      default: break
      }
      key = following(value)
    }
    return hasAddress && count >= 2
  }

  /// Whether the root is an object with keys of which none is a record's, or nearly one, or holds a device token; or it is
  /// another service's request.
  var isNoRecord: Bool {
    guard kind(0) == .object, !isEmpty(0) else { return false }
    if find("token", in: 0) == nil, foreignService(self, 0) != nil { return true }
    let keys = Notification.Key.allCases.map(\.rawValue)
    var key = 1
    // A record has few keys; what has many more is none.
    for _ in 0..<64 where key < following(0) {
      let name = string(key)
      if name.utf8.count <= 40 {
        let bare = name.lowercased().hasPrefix("apns-") ? String(name.dropFirst(5)) : name
        if keys.contains(where: { folded($0) == folded(bare) }) || closest(to: bare, among: keys) != nil {
          return false
        }
      }
      if isDeviceToken(key + 1) { return false }
      key = following(key + 1)
    }
    return true
  }

  /// The key `aps` of the root, nil when there is none or more than one.
  var onlyAPS: Int? {
    var found: Int?
    var key = 1
    while key < following(0) {
      if equals(key, "aps") {
        guard found == nil else { return nil }
        found = key
      }
      key = following(key + 1)
    }
    return found
  }

  /// A member put into a new object under another name, where it stands.
  func wrap(_ key: Int, as name: String) -> Fix {
    Fix(
      "moved \"\(self.name(key))\" into \"\(name)\"",
      [Edit(start(key)..<start(key), "\"\(name)\":{"), Edit(end(key + 1)..<end(key + 1), "}")])
  }

  private func isDeviceToken(_ node: Int) -> Bool {
    guard kind(node) == .string else { return false }
    let text = content(node)
    return text.count >= 64 && DeviceToken.isValid(text)
  }

  private func isBundleIdentifier(_ node: Int) -> Bool {
    guard kind(node) == .string else { return false }
    let text = content(node)
    return text.count >= 3 && text.indices.contains { text[$0] == UInt8(ascii: ".") }
  }
}

extension Document {
  /// What the text says of the device token: a record's value, or the end of a request's path. Escapes stay as written.
  @_lifetime(copy self)
  func deviceToken(_ node: Int, _ form: Form) -> Span<UInt8> {
    let text = content(node)
    guard form == .request else { return text }
    var start = text.count
    while start > 0, text[start - 1] != UInt8(ascii: "/") { start -= 1 }
    return text.extracting(start..<text.count)
  }
}
