// A credential that can be used: its TLS settings, its token, the services it may go to.

import APNs
import POSIX
import TLS

/// What all credentials of a run share.
public struct CredentialSettings {
  /// PEM certificates to trust in place of the system's.
  public var trust: [UInt8]?
  /// Where processes share provider tokens; nil for no cache.
  public var tokenFolder: String?
  /// What ALPN offers; empty to offer nothing, as the binary services never heard of it.
  public var protocols = ["h2"]
  public var clock = Clock.system

  public init(trust: [UInt8]? = nil, tokenFolder: String? = nil) {
    self.trust = trust
    self.tokenFolder = tokenFolder
  }

  var trustSource: Trust { trust.map { .pem($0) } ?? .system }
}

/// A credential ready for connections.
public struct LoadedCredential {
  public let name: String
  /// Its topics; empty for a key that is for all of its team.
  public let topics: [String]
  /// The topic of records without one, for a certificate with a single topic; empty for none.
  public let defaultTopic: String
  /// Where it may be used; never empty.
  public let environments: [ServiceEnvironment]
  /// What should be said before the run: damage that was mended, days left, identifiers that look swapped.
  public let warnings: [CredentialProblem]
  let context: ClientContext
  let credential: Credential

  /// Keys have no part in the TLS settings: one context serves all of them.
  private init(_ found: CredentialExamination, _ context: ClientContext, _ credential: Credential) {
    name = found.name
    topics = found.topics
    defaultTopic = found.defaultTopic
    environments = found.environments
    warnings = found.problems.filter { $0.severity > .note || $0.id == "key-mangled" }
    self.context = context
    self.credential = credential
  }

  /// Examines the sources and makes what the run needs of them. Reads no file, opens no connection.
  /// - Throws: the first thing that keeps a credential from being used.
  public static func load(_ sources: [CredentialSource], _ settings: CredentialSettings) throws(CredentialProblem)
    -> [LoadedCredential]
  {
    var shared: ClientContext?
    var loaded: [LoadedCredential] = []
    for source in sources {
      let found = CredentialExamination(source, now: settings.clock.unixSeconds)
      if let problem = found.problems.first(where: { $0.severity == .error }) {
        throw source.name.isEmpty
          ? problem
          : CredentialProblem(problem.id, "credential \"\(source.name)\": \(problem.message)", help: problem.help)
      }
      do throws(Failure) {
        if let identity = found.identity {
          let context = try ClientContext(
            trust: settings.trustSource, protocols: settings.protocols, identity: identity)
          loaded.append(LoadedCredential(found, context, .certificate))
        } else if let key = found.signingKey, let keyID = found.keyID, let teamID = found.teamID {
          let context: ClientContext
          if let shared { context = shared } else { context = try ClientContext(trust: settings.trustSource) }
          shared = context
          let cache = settings.tokenFolder.map {
            TokenCache(folder: $0, keyID: keyID, teamID: teamID, publicKey: key.publicKey)
          }
          let tokens = TokenSource(key: key, keyID: keyID, teamID: teamID, clock: settings.clock, cache: cache)
          loaded.append(LoadedCredential(found, context, .token(tokens)))
        }
      } catch { throw CredentialProblem("tls-settings", error.message) }
    }
    return loaded
  }

  /// Nobody: for servers of one's own that ask for no certificate.
  public static func anonymous(_ settings: CredentialSettings) throws(CredentialProblem) -> LoadedCredential {
    do throws(Failure) {
      let context = try ClientContext(trust: settings.trustSource, protocols: settings.protocols)
      return LoadedCredential(context)
    } catch { throw CredentialProblem("tls-settings", error.message) }
  }

  private init(_ context: ClientContext) {
    (name, topics, defaultTopic, environments, warnings) = ("", [], "", ServiceEnvironment.allCases, [])
    self.context = context
    credential = .certificate
  }

  /// A service for it.
  /// - Parameter isAlone: there is no other credential: every line goes to it, whatever its topic.
  public func service(environment: ServiceEnvironment, host: String, port: Int, isAlone: Bool) -> Service {
    Service(
      name: name, environment: environment, host: host, port: port, context: context, credential: credential,
      topics: isAlone ? [] : topics)
  }
}
