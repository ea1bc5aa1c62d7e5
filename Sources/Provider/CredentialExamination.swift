// What a credential is worth: read, compared with itself, and every problem named before any connection is made.

import APNs
import TLS

/// What looking at one credential came to. It holds nothing private but the key and the identity themselves, which
/// cannot be printed.
public struct CredentialExamination {
  public enum Kind: String, Sendable {
    case key, certificate, none
  }

  public let name: String
  public private(set) var kind = Kind.none
  /// The path of key or certificate, or the variable that held it.
  public private(set) var file: String?
  /// The path of a certificate's key in a file of its own.
  public private(set) var keyFile: String?
  /// What the file is, such as "EC P-256 private key, PKCS#8 PEM".
  public private(set) var content: String?
  public private(set) var damage: [KeyDamage] = []
  public private(set) var keyID: String?
  public private(set) var teamID: String?
  /// The file's name says that the team id is the key id.
  public private(set) var looksSwapped = false
  /// The topics it may send to, where that is known; empty for a key of the whole team.
  public private(set) var topics: [String] = []
  /// The topic of a certificate that has one only; empty for none.
  public private(set) var defaultTopic = ""
  /// Where it may be used.
  public private(set) var environments = ServiceEnvironment.allCases
  public private(set) var certificate: Certificate?
  public private(set) var chain: [Certificate] = []
  /// Whole days until the certificate ends; below 0 when it has ended.
  public private(set) var daysLeft: Int?
  /// Most serious first within the order they were found in.
  public private(set) var problems: [CredentialProblem] = []

  private(set) var signingKey: SigningKey?
  private(set) var identity: Identity?

  /// Fewer days than this before a certificate ends are a warning.
  public static let warningDays = 30

  /// Whether it can be used now.
  public var isUsable: Bool { !problems.contains { $0.severity == .error } }

  /// - Parameter now: UNIX seconds.
  public init(_ source: CredentialSource, now: Int) {
    name = source.name
    if let problem = source.passphraseProblem { problems.append(problem) }
    do throws(CredentialProblem) {
      if let key = source.key {
        kind = .key
        try examineKey(key, source)
      } else if let certificate = source.certificate {
        kind = .certificate
        try examineCertificate(certificate, source, now)
      } else {
        throw CredentialProblem(
          "credential-missing", "no credentials",
          help: "give --key with --team-id (APNS_KEY_FILE, APNS_TEAM_ID), or --cert (APNS_CERT_FILE)")
      }
    } catch { problems.append(error) }
  }

  private mutating func note(
    _ id: String, _ message: String, help: String? = nil, _ severity: CredentialProblem.Severity
  ) {
    problems.append(CredentialProblem(id, message, help: help, severity: severity))
  }

  // MARK: Keys

  private mutating func examineKey(_ file: CredentialFile, _ source: CredentialSource) throws(CredentialProblem) {
    self.file = file.place
    // A file that is not there is the first thing to be told.
    let bytes = try file.bytes()
    takeIdentifiers(file, source)
    if !source.topics.isEmpty { topics = source.topics }
    if let environment = source.environment { environments = [environment] }
    let read: KeyFile
    do throws(CredentialProblem) { read = try KeyFile(bytes, passphrase: source.passphrase) } catch {
      throw CredentialProblem(
        error.id, "the key in \(file.place) cannot be used: \(error.message)", help: error.help)
    }
    signingKey = read.key
    content = "EC P-256 private key, \(read.form)"
    take(read.damage, of: "the key in \(file.place)")
    if read.form.hasPrefix("SEC1") {
      note(
        "key-sec1",
        "the key is in SEC1 form, which is not the form of Apple's files: apns-push signs with it, others want PKCS#8",
        help: "openssl pkcs8 -topk8 -nocrypt -in \(file.place)", .warning)
    }
  }

  private mutating func take(_ damage: [KeyDamage], of what: String) {
    guard !damage.isEmpty else { return }
    self.damage += damage
    note(
      "key-mangled", KeyDamage.sentence(damage, of: what), help: "write the file anew, as it was downloaded", .note)
  }

  private mutating func takeIdentifiers(_ file: CredentialFile, _ source: CredentialSource) {
    let named = file.isFile ? CredentialSource.keyID(inName: file.place) : nil
    keyID = identifier(source.keyID ?? named, "key-id", "key id", "give --key-id (APNS_KEY_ID, \"key_id\")")
    teamID = identifier(source.teamID, "team-id", "team id", "give --team-id (APNS_TEAM_ID, \"team_id\")")
    guard let named else {
      if let keyID, keyID == teamID {
        note(
          "identifiers-equal", "key id and team id are the same",
          help: "the key id is in the name AuthKey_<key id>.p8, the team id under Membership in the account", .warning)
      }
      return
    }
    if teamID == named, keyID != named {
      looksSwapped = true
      note(
        "identifiers-swapped", "key id and team id look swapped: the file's name says that \(named) is the key id",
        help: "exchange the two", .warning)
    } else if teamID == named {
      note(
        "team-id-is-key-id", "the team id is the key id in the file's name",
        help: "the team id is shown under Membership in the developer account", .warning)
    } else if let keyID, keyID != named {
      note(
        "key-id-differs", "the key id \(keyID) is not the one in the file's name, \(named)",
        help: "leave --key-id out, or give the other file", .warning)
    }
  }

  private mutating func identifier(_ text: String?, _ id: String, _ what: String, _ help: String) -> String? {
    guard let text, !text.isEmpty else {
      note("\(id)-missing", "the \(what) is missing", help: help, .error)
      return nil
    }
    guard ProviderToken.isIdentifier(text) else {
      note(
        "\(id)-malformed", "the \(what) '\(text.prefix(40))' is not ten capital letters and digits", help: help, .error)
      return nil
    }
    return text
  }

  // MARK: Certificates

  private mutating func examineCertificate(_ file: CredentialFile, _ source: CredentialSource, _ now: Int)
    throws(CredentialProblem)
  {
    self.file = file.place
    keyFile = source.certificateKey?.place
    let read = try CertificateFile(try file.bytes(), file.place, source.certificateKey, passphrase: source.passphrase)
    identity = read.identity
    content = read.content
    take(read.damage, of: "the certificate in \(file.place)")
    takeFacts(read.identity.certificate, source)
    chain = read.identity.chain
    checkDates(read.identity.certificate, now)
    if let wanted = source.wantedEnvironment { checkEnvironment(wanted) }
  }

  private mutating func takeFacts(_ certificate: Certificate, _ source: CredentialSource) {
    self.certificate = certificate
    teamID = certificate.organizationalUnit.flatMap { ProviderToken.isIdentifier($0) ? $0 : nil }
    let listed = certificate.topics.map(\.name)
    topics = listed
    if listed.isEmpty, let userID = certificate.userID { topics = [userID] }
    // Apple: without a topic, a certificate with a single one sends to the UID of its subject.
    if topics.count == 1 { defaultTopic = certificate.userID ?? topics[0] }
    if topics.isEmpty {
      note(
        "certificate-without-topics",
        "the certificate names no topic, neither in its subject (UID) nor in Apple's lists",
        help: "it may not be a push certificate: those are called 'Apple Push Services: <bundle id>'", .warning)
    }
    let foreign = source.topics.filter { !topics.contains($0) }
    if !topics.isEmpty, !foreign.isEmpty {
      note(
        "topic-not-listed", "the certificate is not for the topic \(foreign.joined(separator: ", "))",
        help: "it is for \(topics.joined(separator: ", "))", .warning)
    }
    if !source.topics.isEmpty { topics = source.topics }
    let marked = [
      certificate.isForProduction ? ServiceEnvironment.production : nil, certificate.isForSandbox ? .sandbox : nil,
    ].compactMap { $0 }
    // Other kinds (MDM, passes) carry neither marker.
    if !marked.isEmpty { environments = marked }
    if let environment = source.environment {
      checkEnvironment(environment)
      environments = environments.filter { $0 == environment }
    }
  }

  private mutating func checkDates(_ certificate: Certificate, _ now: Int) {
    let (left, overflow) = certificate.notAfter.subtractingReportingOverflow(now)
    guard !overflow else { return note("certificate-dates", "the certificate's dates cannot be read", .error) }
    let days = Int((Double(left) / 86_400).rounded(.down))
    daysLeft = days
    let date = calendarDay(certificate.notAfter)
    let again = "make a new one in the developer account"
    if left < 0 {
      let ago = days >= -1 ? "less than a day" : "\(-days - 1) \(days == -2 ? "day" : "days")"
      note("certificate-expired", "the certificate expired on \(date), \(ago) ago", help: again, .error)
    } else if certificate.notBefore > now {
      note(
        "certificate-not-yet-valid", "the certificate is not valid before \(calendarDay(certificate.notBefore))",
        help: "check the clock of this machine", .error)
    } else if days < Self.warningDays {
      note(
        "certificate-expires", "the certificate expires on \(date), in \(days) \(days == 1 ? "day" : "days")",
        help: again, .warning)
    }
  }

  private mutating func checkEnvironment(_ wanted: ServiceEnvironment) {
    guard let only = environments.first, environments.count == 1, only != wanted else { return }
    note(
      "certificate-environment",
      "the certificate in \(file ?? "") is for \(only.rawValue) only, and \(wanted.rawValue) is asked for",
      help: "use --environment \(only.rawValue), or a certificate for \(wanted.rawValue)", .error)
  }
}

/// A UNIX time's day, `2026-12-01`.
func calendarDay(_ seconds: Int) -> String {
  // Days are counted from 0000-03-01, so that the leap day is the last of its year.
  let days = Int((Double(seconds) / 86_400).rounded(.down)) + 719_468
  let era = Int((Double(days) / 146_097).rounded(.down))
  let dayOfEra = days - era * 146_097
  let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
  let shifted = (5 * dayOfYear + 2) / 153
  let day = dayOfYear - (153 * shifted + 2) / 5 + 1
  let month = shifted < 10 ? shifted + 3 : shifted - 9
  func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
  return "\(year + era * 400 + (month <= 2 ? 1 : 0))-\(two(month))-\(two(day))"
}
