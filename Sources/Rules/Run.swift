// What only a whole run can tell: identifiers and tokens that come twice.

import APNs
import JSON

/// Remembers identifiers and tokens of the records of a run, of some ten thousand: what comes behind them is compared with
/// those alone, so that memory has a bound. It is for files, not for the filter form.
public struct RunMemory: Sendable {
  private var ids: [String: String] = [:]
  private var tokens: [String: [Int: String]] = [:]
  /// The newest provider token of each key and team: its hash, when it was made, where it was.
  private var providers: [String: (hash: Int, issued: Int, place: String)] = [:]

  /// Bytes that may still be remembered.
  private var room: Int

  /// - Parameter room: about how many bytes may be remembered.
  public init(room: Int = 8 << 20) { self.room = room }

  /// Whether there is room for one more entry, which is taken then.
  private mutating func hasRoom(_ text: String, _ place: String) -> Bool {
    // What a table needs for an entry besides the texts.
    let size = text.utf8.count + place.utf8.count + 160
    guard size <= room else { return false }
    room -= size
    return true
  }

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
      } else if hasRoom(text, place) {
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
      } else if hasRoom(text, place) {
        tokens[text, default: [:]][hash] = place
      }
    }
    return repeats
  }

  /// Takes the provider token of a request in, and says when one made shortly before would still have done.
  public mutating func takeToken(_ document: Document, place: String) -> Repeat? {
    guard document.kind(0) == .object, let header = document.request().header("authorization") else { return nil }
    let text = document.string(header.valueNode)
    guard let blank = text.utf8.firstIndex(of: 0x20) else { return nil }
    let token = Array(text.utf8[text.utf8.index(after: blank)...])
    guard let parts = ProviderToken.parse(token.span), let issued = parts.issuedAt, let key = parts.keyID else {
      return nil
    }
    let name = "\(key) \(parts.teamID ?? "")"
    var hasher = Hasher()
    hasher.combine(token)
    let hash = hasher.finalize()
    let before = providers[name]
    if before != nil || hasRoom(name, place) { providers[name] = (hash, issued, place) }
    guard let last = before, last.hash != hash else { return nil }
    let (age, overflow) = issued.subtractingReportingOverflow(last.issued)
    guard !overflow, age.magnitude < 1200 else { return nil }
    return note(
      "jwt-refresh-too-often", document, header.valueNode,
      "this provider token was made \(duration(Int(age.magnitude))) after the one at \(last.place)")
  }

  private func note(_ rule: String, _ document: Document, _ node: Int, _ message: String) -> Repeat {
    Repeat(
      rule: rule, offset: document.start(node), length: document.end(node) - document.start(node),
      pointer: document.pointer(node), message: message)
  }
}
