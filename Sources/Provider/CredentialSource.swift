// From the bytes of keys and certificates to a credential that can be used, or words that say why not.

import APNs
import POSIX
import TLS

/// What a user gave to say who they are. Bytes and names only; `load` finds out what they are worth.
public struct CredentialSource {
  private let key: [UInt8]?
  private let keyName: String?
  private let keyID: String?
  private let teamID: String?
  private let certificate: [UInt8]?
  private let certificateKey: [UInt8]?
  private let passphrase: [UInt8]?
  private let trust: [UInt8]?

  /// - Parameter keyName: the key file's path, for the key id in `AuthKey_<id>.p8`.
  /// - Parameter trust: PEM certificates to trust in place of the system's.
  public init(
    key: [UInt8]?, keyName: String?, keyID: String?, teamID: String?, certificate: [UInt8]?, certificateKey: [UInt8]?,
    passphrase: [UInt8]?, trust: [UInt8]?
  ) {
    self.key = key
    self.keyName = keyName
    self.keyID = keyID
    self.teamID = teamID
    self.certificate = certificate
    self.certificateKey = certificateKey
    self.passphrase = passphrase
    self.trust = trust
  }

  /// What keeps the credential from being used, and what to do.
  public struct Fault: Error, Sendable, CustomStringConvertible {
    public let message: String
    public var description: String { message }
  }

  /// A credential that can be used, and the TLS settings that go with it.
  public struct Loaded {
    let context: ClientContext
    let credential: Credential

    /// A service for it.
    public func service(name: String = "", environment: ServiceEnvironment, host: String, port: Int) -> Service {
      Service(
        name: name, environment: environment, host: host, port: port, context: context, credential: credential)
    }
  }

  public func load() throws(Fault) -> Loaded {
    if let key { return try loadKey(key) }
    guard let certificate else {
      throw Fault(
        message: "no credentials: give --key with --team-id (APNS_KEY_FILE, APNS_TEAM_ID), or --cert (APNS_CERT_FILE)")
    }
    do throws(Failure) {
      let identity = try Identity(certificate.span, key: certificateKey, passphrase: passphrase)
      return Loaded(context: try context(identity), credential: .certificate)
    } catch {
      throw Fault(message: "the certificate cannot be used: \(error.message)")
    }
  }

  private func loadKey(_ bytes: [UInt8]) throws(Fault) -> Loaded {
    let signingKey: SigningKey
    do throws(Failure) { signingKey = try SigningKey(bytes.span, passphrase: passphrase) } catch {
      throw Fault(message: "the key \(keyName.map { "in \($0) " } ?? "")cannot be used: \(error.message)")
    }
    let keyID = try identifier(keyID ?? Self.keyID(inName: keyName), "key id", "--key-id (APNS_KEY_ID)")
    let teamID = try identifier(teamID, "team id", "--team-id (APNS_TEAM_ID)")
    do throws(Failure) {
      return Loaded(
        context: try context(nil), credential: .token(TokenSource(key: signingKey, keyID: keyID, teamID: teamID)))
    } catch {
      throw Fault(message: error.message)
    }
  }

  private func context(_ identity: Identity?) throws(Failure) -> ClientContext {
    try ClientContext(trust: trust.map { .pem($0) } ?? .system, identity: identity)
  }

  private func identifier(_ text: String?, _ what: String, _ option: String) throws(Fault) -> String {
    guard let text, !text.isEmpty else { throw Fault(message: "the \(what) is missing: give \(option)") }
    guard ProviderToken.isIdentifier(text) else {
      throw Fault(message: "the \(what) '\(text.prefix(40))' is not ten capital letters and digits; see \(option)")
    }
    return text
  }

  /// The key id in a file name of Apple's form, `AuthKey_ABCDE12345.p8`.
  static func keyID(inName name: String?) -> String? {
    guard let file = name?.split(separator: "/").last, file.hasPrefix("AuthKey_"), file.hasSuffix(".p8") else {
      return nil
    }
    let id = String(file.dropFirst(8).dropLast(3))
    return ProviderToken.isIdentifier(id) ? id : nil
  }
}

/// `host`, `host:port`, `address`, `[address]:port`.
public struct HostPort: Equatable, Sendable {
  public let host: String
  public let port: Int?

  public init?(_ text: String) {
    var host = text
    var port: String?
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      host = String(text[text.index(after: text.startIndex)..<end])
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
      port = rest.isEmpty ? nil : String(rest.dropFirst())
    } else if text.filter({ $0 == ":" }).count == 1, let colon = text.firstIndex(of: ":") {
      host = String(text[..<colon])
      port = String(text[text.index(after: colon)...])
    }
    guard !host.isEmpty, !host.contains(where: { $0 == "/" || $0 == " " || $0 == "@" }) else { return nil }
    self.host = host
    guard let port else {
      self.port = nil
      return
    }
    guard let number = Int(port), (1...65535).contains(number) else { return nil }
    self.port = number
  }
}
