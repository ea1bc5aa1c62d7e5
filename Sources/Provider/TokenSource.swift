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
  private var text: [UInt8] = []
  private var issuedAt = Int.min
  /// Grows with each new token: a connection sees by it that its header is old.
  public private(set) var generation = 0

  public init(key: SigningKey, keyID: String, teamID: String, clock: Clock = .system) {
    self.key = key
    self.keyID = keyID
    self.teamID = teamID
    self.clock = clock
  }

  /// The token to use now.
  public func current() throws(Failure) -> [UInt8] {
    let now = clock.unixSeconds
    // A clock set back makes the age negative: such a token lies in the future and is no better than an old one.
    let age = text.isEmpty ? Int.max : now - issuedAt
    if age < 0 || age >= Self.renewalAge { try mint(now) }
    return text
  }

  /// APNs called the token expired: a new one, unless the present one is so young that the clock must be wrong.
  public func renew() throws(Failure) -> Bool {
    let now = clock.unixSeconds
    if !text.isEmpty, now - issuedAt < ProviderToken.shortestRenewal { return false }
    try mint(now)
    return true
  }

  private func mint(_ now: Int) throws(Failure) {
    let input = ProviderToken.signingInput(keyID: keyID, teamID: teamID, issuedAt: now)
    text = ProviderToken.compose(signingInput: input, signature: try key.sign(input.span))
    issuedAt = now
    generation += 1
  }
}
