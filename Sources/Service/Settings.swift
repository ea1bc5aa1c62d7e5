// What the server is told before it starts.

import APNs
import TLS

/// Everything that can be chosen about a server.
public struct Settings: Sendable {
  /// A port for each environment that is served; 0 lets the system choose.
  public var ports: [(environment: ServiceEnvironment, port: Int)] = [(.sandbox, 0)]
  /// The ports of the binary gateway and of the feedback service; 0 lets the system choose, nil is none of them.
  public var gatewayPort: Int?
  public var feedbackPort: Int?
  /// What the feedback service tells who asks first.
  public var feedback = FeedbackList()
  /// Numeric addresses to listen at.
  public var addresses = ["127.0.0.1", "::1"]
  /// Names and addresses the server's certificate is made out to, beside localhost, 127.0.0.1 and ::1.
  public var hosts: [String] = []

  /// Streams a connection may have open once a request of it was authenticated.
  public var maxStreams = 1000
  /// Streams before that, under provider tokens.
  public var firstStreams = 1
  /// Streams after a rejected push, until one is accepted; nil leaves the limit as it is.
  public var streamsAfterRejection: Int?
  /// Whether a stream beyond the limit costs the connection (GOAWAY) and not the stream alone (REFUSED_STREAM).
  public var excessEndsConnection = false
  /// Rejected pushes (410 not counted) after which a connection is ended; nil for any number.
  public var rejectionLimit: Int?
  /// Seconds without a request after which a connection gets GOAWAY with IdleTimeout; nil for never.
  public var idleSeconds: Int?
  /// Connections at a time; further ones wait to be accepted.
  public var connectionLimit = 10_000
  /// Seconds a TLS handshake may take.
  public var handshakeSeconds = 10

  /// The keys whose provider tokens are believed.
  public var keys: [KnownKey] = []
  /// Believes any well-formed provider token: neither key nor signature is looked at.
  public var takesAnyToken = false
  /// Seconds that must lie between two provider tokens on a connection.
  public var tokenSpacing = 1200
  /// A token from the future is expired, not invalid.
  public var futureTokenIsExpired = false
  /// BadEnvironmentKeyIdInToken as Apple's table has it, not the spelling the service was seen to use.
  public var usesDocumentedReasons = false
  /// Bundle identifiers the credentials cover; empty for all.
  public var topics: [String] = []
  /// PEM of authorities whose client certificates are believed, beside the server's own.
  public var clientAuthorities: [UInt8] = []
  /// Believes any client certificate.
  public var takesAnyCertificate = false

  /// Whether a payload that is no JSON object is refused; APNs' own answer is not documented.
  public var checksDocument = true
  /// Broadcast channels an app may have.
  public var channelLimit = 10_000
  /// Channels that exist from the start.
  public var channels: [(bundle: String, id: String, storesMessages: Bool)] = []

  public var script = Script()
  /// The timestamp of 410 answers, milliseconds since 1970.
  public var goneSince = 0
  /// Answers bear a `date` field: APNs' are not known to, and a clock that is wrong on purpose should be seen.
  public var sendsDate = false
  /// Makes the shares of a script and the identifiers the server gives repeatable; nil for fresh ones each time.
  public var seed: UInt64?
  /// Notifications after which the server ends; nil for never.
  public var expected: Int?
  /// Seconds after which it ends whatever came; nil for never.
  public var timeoutSeconds: Int?

  public init() {}
}
