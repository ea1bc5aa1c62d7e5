// What a text is, told by its keys; and which rule a text breaks that cannot be read.

import APNs
import JSON

extension Document {
  /// Whether the root is a record, a bare payload or a simulator's file; nil when its keys do not tell.
  var recognisedForm: Form? {
    guard what(0) == .object else { return nil }
    var hasAPS = false
    var payload: Int?
    // Keys that only a record has, and those that it shares with what apps send.
    var own = 0
    var shared = 0
    var key = 1
    let end = following(0)
    while key < end {
      let token = token(key)
      // Names of up to eight letters are one word, compared as a number; longer ones by their beginning first.
      let start = word(token.start &+ 1)
      switch token.end &- token.start &- 2 {
      case 2: if start & 0xFFFF == Self.id { shared += 1 }
      case 3:
        if start & 0xFF_FFFF == Self.aps { hasAPS = true }
        if start & 0xFF_FFFF == Self.mdm { return .payload }
      case 4:
        if start & 0xFFFF_FFFF == Self.meta { shared += 1 }
        if start & 0xFFFF_FFFF == Self.path, isRequest { return .request }
      case 5:
        if start & 0xFF_FFFF_FFFF == Self.tokenName { own += 1 }
        if start & 0xFF_FFFF_FFFF == Self.topic { shared += 1 }
      case 7:
        if start & 0xFF_FFFF_FFFF_FFFF == Self.payloadName { payload = key &+ 1 }
        if start & 0xFF_FFFF_FFFF_FFFF == Self.headers, isRequest { return .request }
      case 8: if start == Self.priority { shared += 1 }
      case 9: if equals(key, "push_type") { own += 1 }
      case 10:
        if equals(key, "channel_id") { own += 1 }
        if equals(key, "expiration") || equals(key, "credential") { shared += 1 }
      case 11: if equals(key, "collapse_id") || equals(key, "environment") { shared += 1 }
      case 20: if equals(key, "container-identifier") { return .payload }
      case 23: if equals(key, "Simulator Target Bundle"), payload == nil { return .apns }
      default: if token.hasEscapes, equals(key, "aps") { hasAPS = true }
      }
      key = following(key &+ 1)
    }
    if let payload {
      if hasAPS, kind(payload) != .object || own + shared > 0 && !isRecordAroundAPS { return .payload }
      return own + shared > 0 ? .record : hasAPS || kind(payload) == .object ? .payload : nil
    }
    if hasAPS { return own + shared > 0 && isRecordAroundAPS ? .record : .payload }
    return own >= 2 || own == 1 && shared >= 2 ? .record : nil
  }
}

extension Document {
  // Names as words, the first letter lowest.
  private static var id: UInt64 { 0x6469 }
  private static var aps: UInt64 { 0x737061 }
  private static var mdm: UInt64 { 0x6D646D }
  private static var meta: UInt64 { 0x6174_656D }
  private static var path: UInt64 { 0x6874_6170 }
  private static var tokenName: UInt64 { 0x6E_656B_6F74 }
  private static var topic: UInt64 { 0x63_6970_6F74 }
  private static var payloadName: UInt64 { 0x64_616F_6C79_6170 }
  private static var headers: UInt64 { 0x73_7265_6461_6568 }
  private static var priority: UInt64 { 0x7974_6972_6F69_7270 }
}

extension SyntaxError {
  /// The rule that a text with this mistake breaks, and what to do about it.
  func rule(in bytes: Span<UInt8>) -> (rule: String, help: String?) {
    if bytes.count >= 2 {
      let start = (bytes[0], bytes[1])
      if start == (0x1F, 0x8B) || start == (0x78, 0x9C) {
        return ("payload-compressed", "send the JSON itself")
      }
      if start == (0xFE, 0xFF) || start == (0xFF, 0xFE) || bytes[0] == 0 || bytes[1] == 0 {
        return ("json-not-utf8", "this looks like UTF-16; convert it to UTF-8")
      }
    }
    switch kind {
    case .emptyInput: return ("payload-empty", "the smallest payload is {}")
    case .trailingData: return ("json-trailing-data", "put each document on lines of its own")
    case .notUTF8: return ("json-not-utf8", "convert the text to UTF-8")
    case .loneSurrogate: return ("json-lone-surrogate", "write the character itself")
    case .bigUEscape: return ("json-big-u-escape", "write the character itself")
    case .nan, .plusSign, .prefixedNumber: return ("json-nan", nil)
    case .byteOrderMark: return ("json-bom", "remove the first three bytes")
    case .trailingComma: return ("json-invalid", "remove the comma")
    case .singleQuote: return ("json-invalid", "JSON has double quotes only")
    case .comment: return ("json-invalid", "JSON has no comments")
    case .badWord: return ("json-invalid", Self.helpForWord(bytes, offset))
    case .controlCharacter: return ("json-invalid", #"write \n for a line feed, \t for a tab"#)
    case .unquotedKey:
      return ("json-invalid", isPropertyList(bytes) ? Self.propertyList : "keys stand in double quotes")
    case .unexpectedByte: return ("json-invalid", helpForStray(bytes))
    default: return ("json-invalid", nil)
    }
  }

  private static let propertyList = "this is the printed description of a dictionary, not JSON"

  /// `key = value;`, as NSLog prints it.
  private func isPropertyList(_ bytes: Span<UInt8>) -> Bool {
    var index = offset
    while index < bytes.count, bytes[index] != 0x0A, bytes[index] != UInt8(ascii: ":") {
      if bytes[index] == UInt8(ascii: "=") { return true }
      index += 1
    }
    return false
  }

  /// Words of programming languages for what JSON calls true, false and null.
  private static func helpForWord(_ bytes: Span<UInt8>, _ offset: Int) -> String? {
    var word: [UInt8] = []
    for index in offset..<min(offset + 10, bytes.count) where bytes[index] | 0x20 >= 0x61 && bytes[index] | 0x20 <= 0x7A
    {
      word.append(bytes[index] | 0x20)
    }
    let words = ["true", "false", "none", "undefined", "nil", "null", "yes", "no"]
    guard words.contains(String(decoding: word, as: UTF8.self)) else { return nil }
    return "JSON knows the words true, false and null"
  }

  private func helpForStray(_ bytes: Span<UInt8>) -> String? {
    guard offset < bytes.count else { return nil }
    switch bytes[offset] {
    case UInt8(ascii: ";"), UInt8(ascii: "="): return Self.propertyList
    case 0xE2 where offset + 2 < bytes.count && bytes[offset + 1] == 0x80 && (0x98...0x9F).contains(bytes[offset + 2]):
      return "these are typographic quotes; JSON has straight ones"
    default: return nil
    }
  }
}
