// The provider token: a JSON Web Token signed with ES256 that says which key of which team speaks.
//
// RFC 7515, RFC 7519; Apple, "Establishing a token-based connection to APNs".

import JSON

public enum ProviderToken {
  /// Characters of a key identifier and of a team identifier.
  public static let identifierLength = 10
  /// A token older than this many seconds is refused with ExpiredProviderToken.
  public static let lifetime = 3600
  /// A new token sooner than this many seconds after the last is refused with TooManyProviderTokenUpdates.
  public static let shortestRenewal = 1200

  /// Whether the text has the form of a key or team identifier: ten upper-case letters or digits.
  public static func isIdentifier(_ text: String) -> Bool {
    text.utf8.count == identifierLength
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
  }

  /// `base64url(header).base64url(claims)`: what the signature is made over.
  /// - Parameter issuedAt: UNIX seconds.
  public static func signingInput(keyID: String, teamID: String, issuedAt: Int) -> [UInt8] {
    var header = Writer()
    header.beginObject()
    header.key("alg")
    header.string("ES256")
    header.key("kid")
    header.string(keyID)
    header.endObject()
    var claims = Writer()
    claims.beginObject()
    claims.key("iss")
    claims.string(teamID)
    claims.key("iat")
    claims.integer(issuedAt)
    claims.endObject()
    var text: [UInt8] = []
    Base64.encode(header.bytes.span, urlSafe: true, into: &text)
    text.append(UInt8(ascii: "."))
    Base64.encode(claims.bytes.span, urlSafe: true, into: &text)
    return text
  }

  /// The whole token.
  /// - Parameter signature: r and s, 32 bytes each (RFC 7518 §3.4).
  public static func compose(signingInput: [UInt8], signature: [UInt8]) -> [UInt8] {
    var text = signingInput
    text.append(UInt8(ascii: "."))
    Base64.encode(signature.span, urlSafe: true, into: &text)
    return text
  }

  /// A token taken apart. What is missing or of another type is nil.
  public struct Parts: Sendable, Equatable {
    public var algorithm: String?
    public var keyID: String?
    public var teamID: String?
    /// `iat` in seconds; a fraction is cut off.
    public var issuedAt: Int?
    /// `iat` is there but no number.
    public var issuedAtIsNotNumber = false
    /// The key identifier stands among the claims, where APNs does not look.
    public var keyIDInClaims = false
    /// Names of claims beside `iss` and `iat`.
    public var otherClaims: [String] = []
    /// The bytes the signature is made over.
    public var signingInput: [UInt8] = []
    /// Raw (64 bytes) or DER; APNs takes both.
    public var signature: [UInt8] = []
    /// The header and the claims as JSON.
    public var header: [UInt8] = []
    public var claims: [UInt8] = []
  }

  /// Takes a token apart without judging it. nil when it does not have three parts of base64url, the first two JSON
  /// objects. Texts of more than 8 KiB are not looked at.
  public static func parse(_ text: Span<UInt8>) -> Parts? {
    guard text.count <= 8192, let (first, second) = dots(text) else { return nil }
    var parts = Parts()
    guard let header = Base64.decode(text.extracting(0..<first)),
      let claims = Base64.decode(text.extracting((first + 1)..<second)),
      let signature = Base64.decode(text.extracting((second + 1)..<text.count))
    else { return nil }
    parts.header = header
    parts.claims = claims
    parts.signature = signature
    let signed = text.extracting(0..<second)
    parts.signingInput.append(signed)
    var reader = Reader(depthLimit: 8)
    guard (try? reader.read(header.span)) != nil, reader.tokens[0].kind == .object else { return nil }
    parts.takeHeader(Document(header.span, reader.tokens.span))
    guard (try? reader.read(claims.span)) != nil, reader.tokens[0].kind == .object else { return nil }
    parts.takeClaims(Document(claims.span, reader.tokens.span))
    return parts
  }

  private static func dots(_ text: Span<UInt8>) -> (Int, Int)? {
    var places: [Int] = []
    for index in text.indices where text[index] == UInt8(ascii: ".") { places.append(index) }
    return places.count == 2 ? (places[0], places[1]) : nil
  }
}

extension ProviderToken.Parts {
  fileprivate mutating func takeHeader(_ document: borrowing Document) {
    algorithm = Self.text("alg", document)
    keyID = Self.text("kid", document)
  }

  fileprivate mutating func takeClaims(_ document: borrowing Document) {
    teamID = Self.text("iss", document)
    keyIDInClaims = document.find("kid", in: 0) != nil
    if let node = document.find("iat", in: 0) {
      if let value = document.number(node), document.kind(node) == .number, value.magnitude < 1e15 {
        issuedAt = Int(value)
      } else {
        issuedAtIsNotNumber = true
      }
    }
    var member = 1
    while member < document.next(0) {
      let name = document.string(member)
      if name != "iss" && name != "iat" { otherClaims.append(name) }
      member = document.next(member + 1)
    }
  }

  private static func text(_ key: String, _ document: borrowing Document) -> String? {
    guard let node = document.find(key, in: 0), document.kind(node) == .string else { return nil }
    return document.string(node)
  }
}
