// A provider token taken apart, and what APNs would say of it (RFC 7515, RFC 7519; Apple, "Establishing a token-based
// connection to APNs").

import APNs
import BinaryProtocol
import JSON

struct TokenReport {
  /// Most bytes of an input with tokens.
  static let inputLimit = 1_048_576

  /// The name for remarks and records, nil when there is but one input.
  let file: String?
  /// UNIX seconds; nil for no clock.
  let now: Int?

  /// Whether a text begins with a provider token: what JSON objects are in base64url, and two dots.
  static func looksLikeToken(_ text: Span<UInt8>) -> Bool {
    let line = firstLine(text, from: 0)
    let token = trimmed(text, line.start..<line.end)
    guard token.count >= 8, token.count < 8192 else { return false }
    var dots = 0
    for index in token {
      switch text[index] {
      case UInt8(ascii: "."): dots += 1
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "="): break
      default: return false
      }
    }
    // `ey` is what `{"` becomes.
    return dots == 2 && text[token.lowerBound] == UInt8(ascii: "e") && text[token.lowerBound + 1] == UInt8(ascii: "y")
  }

  /// Appends a record for each line of the text.
  func append(_ text: Span<UInt8>, to out: inout [UInt8], _ words: inout Words) {
    var start = 0
    var number = 0
    while start < text.count {
      let line = Self.firstLine(text, from: start)
      number += 1
      let token = Self.trimmed(text, line.start..<line.end)
      if !token.isEmpty { append(token: text.extracting(token), offset: token.lowerBound, number, &out, &words) }
      start = line.next
    }
  }

  private static func firstLine(_ text: Span<UInt8>, from start: Int) -> (start: Int, end: Int, next: Int) {
    var end = start
    while end < text.count, text[end] != UInt8(ascii: "\n") { end += 1 }
    return (start, end, end + 1)
  }

  /// The token within a line: no blanks, quotes, header name and scheme.
  private static func trimmed(_ text: Span<UInt8>, _ line: Range<Int>) -> Range<Int> {
    var start = line.lowerBound
    var end = line.upperBound
    func isEdge(_ byte: UInt8) -> Bool {
      byte <= 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte >= 0x80
    }
    while start < end, isEdge(text[start]) { start += 1 }
    while end > start, isEdge(text[end - 1]) { end -= 1 }
    for word in ["authorization:", "bearer "] {
      let letters = Array(word.utf8)
      guard end - start > letters.count, letters.indices.allSatisfy({ text[start + $0] | 0x20 == letters[$0] | 0x20 })
      else { continue }
      start += letters.count
      while start < end, isEdge(text[start]) { start += 1 }
    }
    return start..<end
  }

  // MARK: One token

  struct Finding {
    var rule: String
    var severity: String
    var message: String
    var refusal: String?
  }

  private func append(
    token: Span<UInt8>, offset: Int, _ line: Int, _ out: inout [UInt8], _ words: inout Words
  ) {
    var writer = Writer()
    writer.beginObject()
    if let file {
      writer.key("file")
      writer.string(file)
    }
    writer.key("kind")
    let parts = ProviderToken.parse(token)
    writer.string(parts == nil ? "malformed" : "jwt")
    writer.key("offset")
    writer.integer(offset)
    writer.key("length")
    writer.integer(token.count)
    let findings = parts.map { judge($0, token) } ?? [malformed(token)]
    if let parts { describe(parts, &writer) }
    conclude(findings, &writer)
    writer.endObject()
    writer.newline()
    out.append(writer.bytes.span)
    for finding in findings where finding.severity != "note" {
      words.say(
        file, "line \(line)", "\(finding.severity): \(finding.message)", rule: finding.rule,
        isFault: finding.severity == "error")
    }
  }

  /// What APNs would say, and why.
  private func conclude(_ findings: [Finding], _ writer: inout Writer) {
    let errors = findings.filter { $0.severity == "error" }
    writer.key("verdict")
    writer.string(errors.isEmpty ? "acceptable" : "refused")
    if let refusal = errors.lazy.compactMap(\.refusal).first {
      writer.key("refusal")
      writer.string(refusal)
    }
    writer.key("findings")
    writer.beginArray()
    for finding in findings {
      writer.beginObject()
      writer.key("rule")
      writer.string(finding.rule)
      writer.key("severity")
      writer.string(finding.severity)
      writer.key("message")
      writer.string(finding.message)
      writer.endObject()
    }
    writer.endArray()
  }

  private func describe(_ parts: ProviderToken.Parts, _ writer: inout Writer) {
    var json: [UInt8] = []
    writer.key("header")
    json.appendOnOneLine(parts.header.span)
    writer.raw(json.span)
    writer.key("claims")
    json.removeAll()
    json.appendOnOneLine(parts.claims.span)
    writer.raw(json.span)
    if let now, let issued = parts.issuedAt, !isMilliseconds(issued) {
      writer.key("age")
      writer.integer(now - issued)
    }
    writer.key("signature")
    writer.string(
      parts.signature.count == 64 ? "raw" : Self.isDER(parts.signature.span) ? "der" : "unusable")
    writer.key("signature_length")
    writer.integer(parts.signature.count)
  }

  /// Why a text is no token at all.
  private func malformed(_ token: Span<UInt8>) -> Finding {
    var dots = 0
    var stranger: UInt8?
    for index in token.indices {
      if token[index] == UInt8(ascii: ".") {
        dots += 1
      } else if !Self.isURLSafe(token[index]) {
        stranger = stranger ?? token[index]
      }
    }
    let message =
      if dots != 2 {
        "a provider token has three parts with dots between them; this has \(dots + 1)"
      } else if let stranger {
        "a provider token is base64url; this has \(0x21...0x7E ~= stranger ? "'\(Character(UnicodeScalar(stranger)))'" : "the byte \(stranger)")"
      } else if token.count > 8192 {
        "this is longer than any provider token"
      } else {
        "header and claims of a provider token are JSON objects in base64url; these are not"
      }
    return Finding(rule: "jwt-malformed", severity: "error", message: message, refusal: "InvalidProviderToken")
  }

  static func isURLSafe(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: false
    }
  }

  /// Whether the bytes are a SEQUENCE of two INTEGERs, each of at most 33 bytes (SEC 1 section C.5, X.690).
  static func isDER(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count >= 8, bytes.count <= 72, bytes[0] == 0x30, Int(bytes[1]) == bytes.count - 2 else { return false }
    var place = 2
    for _ in 0..<2 {
      guard place + 2 < bytes.count, bytes[place] == 0x02, 1...33 ~= bytes[place + 1] else { return false }
      place += 2 + Int(bytes[place + 1])
    }
    return place == bytes.count
  }
}
