// What can be told from a topic by its looks: the family, the suffix, and what is odd about it.

import APNs

/// A topic taken apart. Kept between lines: most lines of a run have the same one.
struct Topic: Sendable {
  enum Family: Sendable {
    case app
    /// A pass type identifier of Wallet.
    case pass
    /// A website push identifier of Safari.
    case web
    /// The subject of an MDM certificate.
    case management
  }

  let text: [UInt8]
  let family: Family
  /// The push type whose suffix it bears.
  let suffix: PushType?
  /// Whether a rule about its spelling would have something to say.
  let isOdd: Bool
  let isWildcard: Bool
  let hasBadCharacters: Bool
  let hasTeamPrefix: Bool
  let isDoubled: Bool
  /// What the end of the topic was probably meant to be.
  let nearSuffix: PushType?

  init(_ bytes: [UInt8]) {
    text = bytes
    let string = String(decoding: bytes, as: UTF8.self)
    if string.hasPrefix("pass.") {
      family = .pass
    } else if string.hasPrefix("web.") {
      family = .web
    } else if string.hasPrefix("com.apple.mgmt.") {
      family = .management
    } else {
      family = .app
    }
    let found = PushType.bySuffix(of: string)
    suffix = found
    isWildcard = bytes.contains(UInt8(ascii: "*"))
    hasBadCharacters = Self.hasBadCharacters(bytes)
    hasTeamPrefix = Self.hasTeamPrefix(bytes)
    if let found {
      let rest = string.dropLast(found.row.topicSuffix.count)
      isDoubled = PushType.bySuffix(of: String(rest)) != nil
    } else {
      isDoubled = false
    }
    nearSuffix = found == nil && family == .app ? Self.nearSuffix(string) : nil
    isOdd = isWildcard || hasBadCharacters || hasTeamPrefix || isDoubled || nearSuffix != nil
  }

  var string: String { String(decoding: text, as: UTF8.self) }

  /// Letters, digits, hyphens and dots; no empty label. (The grammar of bundle identifiers. An asterisk has its own rule.)
  private static func hasBadCharacters(_ bytes: [UInt8]) -> Bool {
    var labelLength = 0
    for byte in bytes {
      switch byte {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "-"), UInt8(ascii: "*"):
        labelLength += 1
      case UInt8(ascii: "."):
        if labelLength == 0 { return true }
        labelLength = 0
      default: return true
      }
    }
    return labelLength == 0
  }

  /// Ten capitals and digits with at least one of each, then a dot: the look of an application identifier.
  private static func hasTeamPrefix(_ bytes: [UInt8]) -> Bool {
    guard bytes.count > 11, bytes[10] == UInt8(ascii: ".") else { return false }
    var digits = 0
    for byte in bytes.prefix(10) {
      switch byte {
      case 0x30...0x39: digits += 1
      case 0x41...0x5a: break
      default: return false
      }
    }
    return digits > 0
  }

  /// Ends that were surely meant as a suffix. Only whole labels count: `com.example.voipapp` is a name.
  private static func nearSuffix(_ topic: String) -> PushType? {
    let lower = topic.lowercased()
    for type in PushType.allCases where !type.row.topicSuffix.isEmpty {
      let suffix = type.row.topicSuffix
      if lower.hasSuffix(suffix) { return type }
      let last = String(suffix.split(separator: ".").last ?? "")
      let plain = letters(lower)
      if suffix.hasPrefix(".push-type."), plain.hasSuffix("pushtype" + last) { return type }
    }
    let misspelt: [(String, PushType)] = [
      (".voip-push", .voip), (".voippush", .voip), (".voip_push", .voip), ("-voip", .voip), (".location", .location),
      (".locationquery", .location), (".location_query", .location), (".complications", .complication),
      (".fileprovider", .fileprovider), (".file-provider", .fileprovider), (".voipptt", .pushtotalk),
      (".voip_ptt", .pushtotalk), (".ptt", .pushtotalk), (".pushtotalk", .pushtotalk),
      (".liveactivity", .liveactivity), (".live-activity", .liveactivity), (".liveactivities", .liveactivity),
      (".push-type.live-activities", .liveactivity), (".push-type.liveactivities", .liveactivity),
      (".push-type.widget", .widgets), (".push-type.control", .controls),
    ]
    for (end, type) in misspelt where lower.hasSuffix(end) { return type }
    return nil
  }

  private static func letters(_ text: String) -> String {
    String(decoding: text.utf8.filter { (0x61...0x7a).contains($0) }, as: UTF8.self)
  }
}
