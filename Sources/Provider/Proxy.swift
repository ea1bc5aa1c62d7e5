// Through an HTTP proxy: CONNECT, then TLS as if nothing stood between (RFC 9110 §9.3.6).

import APNs
import JSON

/// An HTTP proxy, from `http://user:password@host:port` or `host:port`.
public struct Proxy: Sendable, Equatable {
  public let host: String
  public let port: Int
  /// `user:password`; nil when the proxy asks for none. Never printed.
  let userInfo: String?

  /// nil when the text is no proxy. A scheme other than `http` is none that can be spoken here.
  public init?(_ text: String) {
    var rest = text[...]
    if let end = rest.range(of: "://") {
      guard rest[..<end.lowerBound].lowercased() == "http" else { return nil }
      rest = rest[end.upperBound...]
    }
    if let slash = rest.firstIndex(of: "/") { rest = rest[..<slash] }
    if let at = rest.lastIndex(of: "@") {
      userInfo = Self.percentDecoded(rest[..<at])
      rest = rest[rest.index(after: at)...]
    } else {
      userInfo = nil
    }
    guard let place = HostPort(String(rest)) else { return nil }
    host = place.host
    port = place.port ?? 8080
  }

  /// Whether `NO_PROXY` excludes the host: `*`, names with their subdomains, addresses; separated by commas.
  public static func isExcluded(_ host: String, by list: String) -> Bool {
    for entry in list.split(separator: ",") {
      var name = entry.filter { $0 != " " }.lowercased()
      if name == "*" { return true }
      if let place = HostPort(name) { name = place.host }
      if name.hasPrefix(".") { name.removeFirst() }
      let target = host.lowercased()
      if !name.isEmpty, target == name || target.hasSuffix("." + name) { return true }
    }
    return false
  }

  /// The request for a tunnel.
  func request(to authority: String) -> [UInt8] {
    var text = "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n"
    if let userInfo {
      var encoded: [UInt8] = []
      Base64.encode(Array(userInfo.utf8).span, urlSafe: false, into: &encoded)
      text += "Proxy-Authorization: Basic \(String(decoding: encoded, as: UTF8.self))\r\n"
    }
    return Array((text + "\r\n").utf8)
  }

  /// What the proxy's answer means, nil while its head is not complete.
  enum Answer: Equatable {
    /// The tunnel stands; so many bytes were the answer.
    case open(Int)
    case refused(String)
  }

  /// Reads the head of the answer. Whatever is longer than 8 KiB is none.
  static func read(_ bytes: [UInt8]) -> Answer? {
    guard let end = headEnd(bytes) else {
      return bytes.count > 8192 ? .refused("its answer is no HTTP answer") : nil
    }
    let line = String(decoding: bytes.prefix { $0 != 0x0d && $0 != 0x0a }.prefix(200), as: UTF8.self)
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
      return .refused("its answer is no HTTP answer")
    }
    if (200...299).contains(status) { return .open(end) }
    let phrase = words.count > 2 ? " " + words[2].filter { $0 >= " " } : ""
    return .refused(status == 407 ? "it wants a user and a password (407)" : "it answers \(status)\(phrase)")
  }

  private static func headEnd(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 4 else { return nil }
    for index in 0...(bytes.count - 4)
    where bytes[index] == 13 && bytes[index + 1] == 10 && bytes[index + 2] == 13 && bytes[index + 3] == 10 {
      return index + 4
    }
    return nil
  }

  private static func percentDecoded(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      if byte == UInt8(ascii: "%"), digits.utf8.count == 2, digits.utf8.allSatisfy(DeviceToken.isHexadecimal),
        let value = UInt8(digits, radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Substring {
  /// The first place where the word stands.
  fileprivate func range(of word: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(word) { return start..<index(start, offsetBy: word.count) }
      start = index(after: start)
    }
    return nil
  }
}
