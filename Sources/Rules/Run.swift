// What only a whole run can tell: identifiers and tokens that come twice.

import JSON

/// Remembers identifiers and tokens of the records of a run. Its memory grows with them: it is for files, not for the
/// filter form.
public struct RunMemory: Sendable {
  private var ids: [String: String] = [:]
  private var tokens: [String: [Int: String]] = [:]

  public init() {}

  /// Something that was there before.
  public struct Repeat: Sendable {
    public let rule: String
    public let offset: Int
    public let length: Int
    public let pointer: String
    public let message: String
  }

  /// Takes a record in, and says what of it came before. `place` names it in words for later.
  public mutating func take(_ document: Document, place: String) -> [Repeat] {
    guard document.kind(0) == .object else { return [] }
    var repeats: [Repeat] = []
    if let id = document.find("id", in: 0), document.kind(id) == .string {
      let text = document.string(id).lowercased()
      if let before = ids[text] {
        repeats.append(note("apns-id-repeated", document, id, "this id was used at \(before) already"))
      } else {
        ids[text] = place
      }
    }
    if let token = document.find("token", in: 0), document.kind(token) == .string,
      let payload = document.find("payload", in: 0)
    {
      let text = document.string(token).lowercased()
      var hasher = Hasher()
      let bytes = document.raw(payload)
      for index in bytes.indices { hasher.combine(bytes[index]) }
      let hash = hasher.finalize()
      if let before = tokens[text]?[hash] {
        repeats.append(
          note("token-duplicate", document, token, "this device gets the same payload at \(before) already"))
      } else {
        tokens[text, default: [:]][hash] = place
      }
    }
    return repeats
  }

  private func note(_ rule: String, _ document: Document, _ node: Int, _ message: String) -> Repeat {
    Repeat(
      rule: rule, offset: document.start(node), length: document.end(node) - document.start(node),
      pointer: document.pointer(node), message: message)
  }
}
