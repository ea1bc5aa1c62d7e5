// Fixes for what `Notification.read` refuses.

import APNs
import JSON

/// The one right way to mend a problem of the record's own format, nil when there is none.
func mend(_ problem: Problem, _ document: Document, _ record: Notification, _ form: Form) -> Fix? {
  guard form == .record else { return form == .request ? wrapping(problem, document) : nil }
  let node = problem.node
  switch problem.rule {
  case "token-description-form":
    let text = document.string(node)
    guard !text.contains("{") else { return nil }
    let digits = text.lowercased().filter { $0 != "<" && $0 != ">" && $0 != " " }
    guard DeviceToken.isValid(Array(digits.utf8).span) else { return nil }
    return document.replace(node, by: "\"\(digits)\"")
  case "token-not-hex":
    let digits = document.string(node).lowercased().filter { !$0.isWhitespace && $0 != "-" }
    guard digits.utf8.count >= 64, DeviceToken.isValid(Array(digits.utf8).span) else { return nil }
    return document.replace(node, by: "\"\(digits)\"")
  case "push-type-case":
    return document.replace(node, by: "\"\(document.string(node).lowercased())\"")
  case "priority-syntax", "expiration-syntax":
    guard document.kind(node) == .string, let digits = wholeNumber(document.string(node)) ?? largeNumber(document, node)
    else { return nil }
    return document.replace(node, by: digits)
  case "record-unknown-key":
    let name = document.string(node)
    if APSKey(rawValue: name) != nil { return nil }
    if name == "aps" { return record.payload == nil ? wrapping(problem, document) : nil }
    let bare = name.lowercased().hasPrefix("apns-") ? String(name.dropFirst(5)) : name
    let keys = Notification.Key.allCases
    let near =
      keys.first { folded($0.rawValue) == folded(bare) }
      ?? nearest(bare, in: keys.map(\.rawValue)).flatMap(Notification.Key.init)
    guard let near, record.place(near) == nil else { return nil }
    return document.rename(node, to: near.rawValue)
  default: return nil
  }
}

/// `aps` at the level of the keys that belong around the payload.
private func wrapping(_ problem: Problem, _ document: Document) -> Fix? {
  guard problem.rule == "record-unknown-key", document.onlyAPS == problem.node else { return nil }
  return document.wrap(problem.node, as: "payload")
}

/// A UNIX time as text.
private func largeNumber(_ document: Document, _ node: Int) -> String? {
  let text = document.string(node)
  guard text.utf8.count <= 18, let value = Int(text), value >= 0, String(value) == text else { return nil }
  return text
}
