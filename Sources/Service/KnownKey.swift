// The keys whose provider tokens are believed, and what each token came to.

import APNs
import JSON
import TLS

/// A key that signs provider tokens, as Apple's portal would know it (apns.md 5.2).
public struct KnownKey: Sendable {
  public var id: String
  public var teamID: String
  public var key: PublicKey
  /// The only environment it may be used with; nil for both.
  public var environment: ServiceEnvironment?
  /// The bundle identifiers it is restricted to; empty for all.
  public var topics: [String] = []

  public init(id: String, teamID: String, key: PublicKey) { (self.id, self.teamID, self.key) = (id, teamID, key) }
}

/// One distinct provider token and what judging it came to; its age is judged anew each time.
final class JudgedToken {
  let bytes: [UInt8]
  /// Why it will not do, whatever the time; nil for a good one.
  fileprivate(set) var refusal: Verdict?
  /// The key that signed it; nil when any key is believed.
  fileprivate(set) var key: KnownKey?
  fileprivate(set) var teamID = ""
  fileprivate(set) var keyID = ""
  /// UNIX seconds.
  fileprivate(set) var issuedAt = 0
  /// Deviations that are let pass, for the log.
  fileprivate(set) var notes: [String] = []

  fileprivate init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// Judges provider tokens; each distinct one once, by its bytes: a signature costs more than everything else together.
final class TokenBook {
  private let keys: [KnownKey]
  private let takesAnyKey: Bool
  private var byBytes: [[UInt8]: JudgedToken] = [:]
  /// Tokens remembered at most; a client that makes one for each request must not fill the memory.
  static let limit = 4096

  init(keys: [KnownKey], takesAnyKey: Bool) { (self.keys, self.takesAnyKey) = (keys, takesAnyKey) }

  /// What judging the token comes to, and whether it was met for the first time.
  func judged(_ token: Span<UInt8>) -> (token: JudgedToken, isNew: Bool) {
    let bytes = token.array
    if let known = byBytes[bytes] { return (known, false) }
    if byBytes.count >= Self.limit { byBytes.removeAll() }
    let judged = JudgedToken(bytes)
    judge(judged, token)
    byBytes[bytes] = judged
    return (judged, true)
  }

  private func judge(_ judged: JudgedToken, _ token: Span<UInt8>) {
    func refuse(_ because: StaticString) { judged.refusal = Verdict(.invalidProviderToken, because) }
    guard let parts = ProviderToken.parse(token) else {
      return refuse("it is not a JSON Web Token: three parts of base64url, the first two JSON objects")
    }
    guard parts.algorithm == "ES256" else { return refuse("its header's alg is not ES256") }
    guard let keyID = parts.keyID else { return refuse("its header has no kid") }
    guard let teamID = parts.teamID else { return refuse("its claims have no iss") }
    (judged.keyID, judged.teamID) = (keyID, teamID)
    if let issuedAt = parts.issuedAt {
      judged.issuedAt = issuedAt
    } else if let issuedAt = Self.numberInText(parts.claims) {
      judged.issuedAt = issuedAt
      judged.notes.append("iat is a string, where Apple wants a number")
    } else {
      return refuse("its claims have no iat, or one that is no number")
    }
    if parts.signature.count != 64 { judged.notes.append("the signature is in DER, where RFC 7518 wants r and s") }
    if takesAnyKey { return }
    guard let key = keys.first(where: { $0.id == keyID }) else { return refuse("no known key has its kid") }
    guard key.teamID == teamID else { return refuse("its iss is not the team of its key") }
    guard key.key.verify(parts.signature.span, parts.signingInput.span) else {
      return refuse("its signature is not made by the key of its kid")
    }
    judged.key = key
  }

  /// `iat` as a string of digits, as one client library writes it.
  private static func numberInText(_ claims: [UInt8]) -> Int? {
    var reader = Reader(depthLimit: 8)
    guard (try? reader.read(claims.span)) != nil else { return nil }
    let document = Document(claims.span, reader.tokens.span)
    guard let node = document.find("iat", in: 0), document.kind(node) == .string else { return nil }
    let text = document.string(node)
    guard text.utf8.count <= 20, let value = Double(text), value.magnitude < 1e15 else { return nil }
    return Int(value)
  }
}
