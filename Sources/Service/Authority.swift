// On whose behalf a connection speaks: its client certificate, or its provider tokens one after the other.

import APNs
import TLS

/// What a client certificate allows (apns.md 5.3).
struct CertificateRights {
  /// Why the certificate will not do; nil for a good one.
  var refusal: Verdict?
  /// The subject's UID.
  var defaultTopic: [UInt8] = []
  /// The topics of its extensions; empty for a certificate without a list, which has its default topic alone.
  var topics: [[UInt8]] = []
  var subject = ""
  /// The topic of a push that names none; nil when there are several to choose from.
  var impliedTopic: [UInt8]?

  /// Reads a certificate's rights in an environment.
  init(_ certificate: Certificate, isTrusted: Bool, _ environment: ServiceEnvironment) {
    subject = certificate.subject
    defaultTopic = Array((certificate.userID ?? "").utf8)
    topics = certificate.topics.map { Array($0.name.utf8) }
    impliedTopic = topics.count > 1 ? nil : topics.first ?? defaultTopic
    if !isTrusted {
      refusal = Verdict(.badCertificate, "the certificate is not one of a trusted authority, or it has expired")
    } else if defaultTopic.isEmpty && topics.isEmpty {
      refusal = Verdict(.badCertificate, "the certificate has neither a UID in its subject nor a list of topics")
    } else {
      let marked = certificate.isForSandbox || certificate.isForProduction
      let fits = environment == .sandbox ? certificate.isForSandbox : certificate.isForProduction
      if marked && !fits { refusal = Verdict(.badCertificateEnvironment) }
    }
  }

  /// Whether pushes to the topic are allowed.
  func covers(_ topic: Span<UInt8>) -> Bool {
    if topic.equals(defaultTopic) { return true }
    for listed in topics where topic.equals(listed) { return true }
    return false
  }
}

/// The state of one connection that decides about its credential.
struct Authority {
  var certificate: CertificateRights?
  /// The answer to everything from now on: a connection whose token expired stays unusable (apns.md section 3).
  var wedged: Verdict?
  /// A request was authenticated: the stream limit is lifted.
  private(set) var isAuthenticated = false
  /// The provider token in use.
  private(set) var token: JudgedToken?
  /// The one before it: several threads of a client may still hold it.
  private var previous: JudgedToken?
  /// UNIX seconds at which the token in use was first seen here.
  private var acceptedAt = 0

  /// Judges the credential of a request.
  /// - Parameter now: UNIX seconds.
  /// - Returns: nil when it is good; `token` is the one it came with, nil under a certificate.
  mutating func judge(_ request: Request, _ checks: Checks, now: Int) -> Verdict? {
    if let wedged { return wedged }
    if let certificate {
      if let refusal = certificate.refusal { return refusal }
      isAuthenticated = true
      return nil
    }
    let field = request.value(request.authorization)
    if field.isEmpty { return Verdict(.missingProviderToken) }
    guard field.count > 7, field.extracting(first: 7).equalsIgnoringCase(Self.scheme) else {
      return Verdict(.invalidProviderToken, "the authorization field is not 'bearer' and a token")
    }
    let given = field.extracting(droppingFirst: 7)
    if let token, given.equals(token.bytes) { return admit(token, now, checks) }
    if let previous, given.equals(previous.bytes) { return admit(previous, now, checks) }
    let (judged, isNew) = checks.book.judged(given)
    if isNew { checks.tokenNotes.append(contentsOf: judged.notes) }
    return takeOver(judged, now, checks)
  }

  private static let scheme = Array("bearer ".utf8)

  /// The token's age: an hour at most. In the other direction too, for a clock that is ahead.
  private mutating func admit(_ token: JudgedToken, _ now: Int, _ checks: Checks) -> Verdict? {
    if token.issuedAt > now + ProviderToken.lifetime {
      return Verdict(
        checks.settings.futureTokenIsExpired ? .expiredProviderToken : .invalidProviderToken,
        "its iat is more than an hour ahead of the server's clock")
    }
    guard now - token.issuedAt > ProviderToken.lifetime else {
      isAuthenticated = true
      return nil
    }
    wedged = Verdict(.expiredProviderToken, "a provider token expired on this connection: open a new one")
    return Verdict(.expiredProviderToken, "its iat is more than an hour ago")
  }

  /// Another token than the last one: is it good, of the same team and key, and not too soon?
  private mutating func takeOver(_ judged: JudgedToken, _ now: Int, _ checks: Checks) -> Verdict? {
    if let refusal = judged.refusal { return refusal }
    if let only = judged.key?.environment, only != checks.environment {
      return Verdict(
        checks.settings.usesDocumentedReasons ? .badEnvironmentKeyID : .badEnvironmentKey,
        "its key is restricted to the other environment")
    }
    guard let token else {
      if let refusal = admit(judged, now, checks) { return refusal }
      (self.token, acceptedAt) = (judged, now)
      return nil
    }
    if token.teamID != judged.teamID {
      return Verdict(.invalidProviderToken, "the connection was first used by another team")
    }
    if token.keyID != judged.keyID { return Verdict(.unrelatedKeyID) }
    let spacing = checks.settings.tokenSpacing
    if judged.issuedAt - token.issuedAt < spacing, now - acceptedAt < spacing {
      return Verdict(.tooManyTokenUpdates, "a provider token may be replaced every 20 minutes, not sooner")
    }
    if let refusal = admit(judged, now, checks) { return refusal }
    (previous, self.token, acceptedAt) = (token, judged, now)
    return nil
  }

  /// Whether the key of the last token covers an app's topics.
  func keyCovers(_ bundle: Span<UInt8>) -> Bool {
    guard let topics = token?.key?.topics, !topics.isEmpty else { return true }
    return topics.contains { bundle.equals(Array($0.utf8)) }
  }
}
