// A place to connect to, as it is typed.

/// `host`, `host:port`, `address`, `[address]:port`.
public struct HostPort: Equatable, Sendable {
  public let host: String
  public let port: Int?

  public init?(_ text: String) {
    var host = text
    var port: String?
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      host = String(text[text.index(after: text.startIndex)..<end])
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
      port = rest.isEmpty ? nil : String(rest.dropFirst())
    } else if text.filter({ $0 == ":" }).count == 1, let colon = text.firstIndex(of: ":") {
      host = String(text[..<colon])
      port = String(text[text.index(after: colon)...])
    }
    let isStrange = host.unicodeScalars.contains {
      $0.value <= 0x20 || $0.value == 0x7f || "/@[]".unicodeScalars.contains($0)
    }
    guard !host.isEmpty, !isStrange else { return nil }
    self.host = host
    guard let port else {
      self.port = nil
      return
    }
    guard let number = Int(port), (1...65535).contains(number) else { return nil }
    self.port = number
  }
}
