// The provider token of one key: minted when it is needed, and again before it grows too old.

import APNs
import POSIX
import TLS

/// Mints the token for all connections that use the key. One thread uses it.
public final class TokenSource {
  /// Renewed at this age, in seconds: well inside Apple's window of 20 to 60 minutes.
  public static let renewalAge = 3000

  public let keyID: String
  public let teamID: String
  private let key: SigningKey
  private let clock: Clock
  private let cache: TokenCache?
  private var present = MintedToken(text: [], issuedAt: Int.min)
  /// Grows with each new token: a connection sees by it that its header is old.
  public private(set) var generation = 0
  /// How many tokens this process has signed; those found in the cache do not count.
  public private(set) var mints = 0

  private var told = 0
  private var toldMints = 0

  /// How a token came that was not asked about yet.
  public enum News {
    /// This process signed it.
    case minted
    /// Another process had.
    case shared
  }

  /// Tells of each token once.
  public func takeNews() -> News? {
    guard generation != told else { return nil }
    defer { (told, toldMints) = (generation, mints) }
    return mints != toldMints ? .minted : .shared
  }

  /// - Parameter cache: where processes share the token; nil keeps it within this one.
  public init(key: SigningKey, keyID: String, teamID: String, clock: Clock = .system, cache: TokenCache? = nil) {
    self.key = key
    self.keyID = keyID
    self.teamID = teamID
    self.clock = clock
    self.cache = cache
  }

  /// UNIX seconds at which the present token was issued; nil before the first.
  public var issuedAt: Int? { present.text.isEmpty ? nil : present.issuedAt }

  /// What kept the token cache from being used, if anything did.
  public var cacheTrouble: String? { cache?.trouble }

  /// The token to use now.
  public func current() throws(Failure) -> [UInt8] {
    let now = clock.unixSeconds
    // A clock set back makes the age negative: such a token lies in the future and is no better than an old one.
    let age = present.text.isEmpty ? Int.max : now - present.issuedAt
    if age < 0 || age >= Self.renewalAge {
      if let cached = cache?.token(now: now), cached != present {
        take(cached)
      } else {
        try renew(now, after: nil)
      }
    }
    return present.text
  }

  /// APNs called the token expired: a new one, unless the present one is so young that the clock must be wrong. Another
  /// process may have renewed it already.
  public func renew() throws(Failure) -> Bool {
    let now = clock.unixSeconds
    if !present.text.isEmpty, now - present.issuedAt < ProviderToken.shortestRenewal { return false }
    try renew(now, after: issuedAt)
    return true
  }

  private func renew(_ now: Int, after: Int?) throws(Failure) {
    guard let cache else { return take(try mint(now)) }
    take(try cache.token(now: now, after: after) { () throws(Failure) in try mint(now) })
  }

  private func take(_ token: MintedToken) {
    present = token
    generation += 1
  }

  private func mint(_ now: Int) throws(Failure) -> MintedToken {
    let input = ProviderToken.signingInput(keyID: keyID, teamID: teamID, issuedAt: now)
    let text = ProviderToken.compose(signingInput: input, signature: try key.sign(input.span))
    mints += 1
    return MintedToken(text: text, issuedAt: now)
  }
}
