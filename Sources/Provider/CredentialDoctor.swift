// The doctor: what is known about each credential without asking anybody, one record each. Nothing private in it.

import APNs
import JSON
import TLS

/// The roots under which APNs' own certificates stand (Apple, "Setting up a remote notification server"; since January
/// 2025 for the sandbox and February 2025 for production).
public struct TrustReport: Sendable {
  /// Where the roots were looked for.
  public let places: [String]
  public let hasUSERTrust: Bool
  public let hasAAA: Bool
  /// Why the store cannot be used at all.
  public let failure: String?

  static let userTrust = RootName(
    "USERTrust RSA Certification Authority",
    ["C=US", "ST=New Jersey", "L=Jersey City", "O=The USERTRUST Network"])
  static let aaa = RootName(
    "AAA Certificate Services", ["C=GB", "ST=Greater Manchester", "L=Salford", "O=Comodo CA Limited"])

  /// - Parameter file: the path of `--ca-file`, with what it holds in `settings.trust`.
  public init(_ settings: CredentialSettings, file: String?) {
    places = file.map { [$0] } ?? systemTrustPlaces
    do throws(Failure) {
      let context = try ClientContext(trust: settings.trustSource)
      (hasUSERTrust, hasAAA, failure) = (context.trusts(Self.userTrust), context.trusts(Self.aaa), nil)
    } catch { (hasUSERTrust, hasAAA, failure) = (false, false, error.message) }
  }

  /// What that means for connections to Apple.
  /// - Parameter isApple: the run connects to Apple, and not to a server of one's own.
  func problem(isApple: Bool) -> CredentialProblem? {
    if let failure { return CredentialProblem("trust-unreadable", failure) }
    guard isApple else { return nil }
    let place = places.joined(separator: ", ")
    let names = "\(Self.userTrust.commonName) and \(Self.aaa.commonName)"
    if !hasUSERTrust {
      return CredentialProblem(
        "trust-root-missing", "the trusted certificates (\(place)) lack \(Self.userTrust.commonName)",
        help: "APNs' certificates stand under it: bring ca-certificates up to date; Apple asks for \(names)")
    }
    return hasAAA
      ? nil
      : CredentialProblem(
        "trust-root-old", "the trusted certificates (\(place)) lack \(Self.aaa.commonName)",
        help: "nothing is wrong while APNs' certificates stand under \(Self.userTrust.commonName)", severity: .note)
  }
}

/// Writes what examinations found.
public struct CredentialDoctor {
  public private(set) var output = Writer()
  /// Whether a credential, or the trust store, has something above a note.
  public private(set) var needsAttention = false
  private let trust: TrustReport
  private let isApple: Bool

  public init(trust: TrustReport, isApple: Bool) {
    self.trust = trust
    self.isApple = isApple
  }

  /// Appends one record.
  public mutating func report(_ found: CredentialExamination) {
    var problems = found.problems
    if let problem = trust.problem(isApple: isApple) { problems.append(problem) }
    if problems.contains(where: { $0.severity > .note }) { needsAttention = true }
    output.beginObject()
    if !found.name.isEmpty { member("name", found.name) }
    member("kind", found.kind.rawValue)
    member("file", found.file)
    member("key_file", found.keyFile)
    member("content", found.content)
    member("damage", found.damage.map(\.rawValue))
    member("key_id", found.keyID)
    member("team_id", found.teamID)
    if found.kind == .key {
      output.key("looks_swapped")
      output.bool(found.looksSwapped)
    }
    if let key = found.signingKey { member("public_key_sha256", hexadecimal(sha256(key.publicKey.der.span))) }
    member("topics", found.topics)
    if !found.defaultTopic.isEmpty { member("default_topic", found.defaultTopic) }
    // Nothing in a key's file tells whether it is for one environment alone.
    if found.content != nil, found.kind == .certificate || found.environments.count == 1 {
      member("environment", found.environments.count == 1 ? found.environments[0].rawValue : "both")
    }
    certificate(found)
    trustStore()
    write(problems)
    output.key("ok")
    output.bool(!problems.contains { $0.severity == .error })
    output.endObject()
    output.newline()
  }

  private mutating func member(_ key: StaticString, _ value: String?) {
    guard let value else { return }
    output.key(key)
    output.string(value)
  }

  private mutating func member(_ key: StaticString, _ values: [String]) {
    guard !values.isEmpty else { return }
    output.key(key)
    output.beginArray()
    for value in values { output.string(value) }
    output.endArray()
  }

  private mutating func certificate(_ found: CredentialExamination) {
    guard let certificate = found.certificate else { return }
    member("subject", certificate.subject)
    member("issuer", certificate.issuer)
    member("serial", certificate.serial)
    member("certificate_sha256", hexadecimal(certificate.fingerprint))
    member("chain", found.chain.map(\.subject))
    output.key("not_before")
    output.integer(certificate.notBefore)
    output.key("not_after")
    output.integer(certificate.notAfter)
    if let days = found.daysLeft {
      output.key("days_left")
      output.integer(days)
    }
  }

  private mutating func trustStore() {
    output.key("trust")
    output.beginObject()
    member("store", trust.places)
    output.key("usertrust_rsa")
    output.bool(trust.hasUSERTrust)
    output.key("aaa_certificate_services")
    output.bool(trust.hasAAA)
    output.endObject()
  }

  private mutating func write(_ problems: [CredentialProblem]) {
    output.key("problems")
    output.beginArray()
    for problem in problems.sorted(by: { $0.severity > $1.severity }) {
      output.beginObject()
      member("id", problem.id)
      member("severity", problem.severity.rawValue)
      member("message", problem.message)
      member("help", problem.help)
      output.endObject()
    }
    output.endArray()
  }

  private func hexadecimal(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for byte in bytes { text.append(hexadecimal: byte) }
    return String(decoding: text, as: UTF8.self)
  }
}
