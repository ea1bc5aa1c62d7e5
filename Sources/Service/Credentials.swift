// The throw-away credentials of one run: an authority, the server's certificate, a signing key, a client certificate.

import APNs
import JSON
import POSIX
import TLS

/// What clients need to be believed by the server, and to believe it.
public struct Credentials: Sendable {
  public let authority: CertificateAuthority
  public let server: Identity
  /// A client certificate with Apple's topic extensions, for both environments.
  public let client: Identity
  /// The bundle identifier the client certificate is made out to.
  public let clientTopic: String
  /// The key that signs provider tokens; nil when a public key was given.
  public let signingKey: SigningKey?
  public let keyID: String
  public let teamID: String

  /// Makes an authority, certificates and, unless one is given, a key.
  /// - Parameters:
  ///   - hosts: names and addresses for the server's certificate, beside the three of the loopback.
  ///   - makesKey: whether to make a signing key when none is given.
  ///   - now: UNIX seconds.
  public static func make(
    hosts: [String], clientTopic: String, signingKey: SigningKey?, makesKey: Bool,
    keyID: String?, teamID: String?, now: Int
  ) throws(TLS.Failure) -> Credentials {
    let authority = try CertificateAuthority(commonName: "apns-server throw-away authority", now: now)
    var request = LeafRequest("localhost", .server, now: now)
    request.hosts =
      ["localhost", "127.0.0.1", "::1"] + hosts.filter { !["localhost", "127.0.0.1", "::1"].contains($0) }
    let team = teamID ?? randomIdentifier()
    var client = LeafRequest("Apple Push Services: \(clientTopic)", .client, now: now)
    client.userID = clientTopic
    client.organizationalUnit = team
    (client.isForSandbox, client.isForProduction) = (true, true)
    client.topics = [
      CertificateTopic(clientTopic, ["app"]), CertificateTopic(clientTopic + ".voip", ["voip"]),
      CertificateTopic(clientTopic + ".complication", ["complication"]),
    ]
    var key = signingKey
    if makesKey, key == nil { key = try .generate() }
    return Credentials(
      authority: authority, server: try authority.issue(request), client: try authority.issue(client),
      clientTopic: clientTopic, signingKey: key, keyID: keyID ?? randomIdentifier(),
      teamID: team)
  }

  /// Ten upper-case letters and digits, as Apple's portal makes them.
  static func randomIdentifier() -> String {
    let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789".utf8)
    return String(decoding: randomBytes(ProviderToken.identifierLength).map { alphabet[Int($0 & 31)] }, as: UTF8.self)
  }
}

/// The files that hold credentials for clients.
public struct CredentialFiles: Sendable {
  public let folder: String
  public var caFile: String { folder + "/ca.pem" }
  public let keyFile: String?
  /// The client certificate with its private key.
  public var certificateFile: String { folder + "/client.pem" }
  public var archiveFile: String { folder + "/client.p12" }
  public let hasArchive: Bool
  /// The name of the key's file when the key was made for this run.
  private let madeKey: String?
  private let isTemporary: Bool
  private let lock: Descriptor?

  /// Takes a folder for one server alone, and makes it when it is missing; nil when another one has it.
  public static func hold(_ folder: String) throws(SystemError) -> Descriptor? {
    try File.makeDirectory(folder, mode: 0o700)
    let descriptor = try File.open(folder)
    return try descriptor.lock(wait: false) ? descriptor : nil
  }

  /// Writes the files. The folder is made when it is missing; private keys get the mode 0600.
  /// - Parameters:
  ///   - folder: nil for a temporary one, mode 0700, that `remove` takes away. The key that an earlier run made there is
  ///     removed: nothing believes it any more.
  ///   - ownsKey: whether the signing key was made for this run.
  ///   - lock: what `hold` gave; it is kept as long as this value is.
  public init(
    _ credentials: Credentials, in folder: String?, ownsKey: Bool = true, lock: Descriptor? = nil
  ) throws(SystemError) {
    self.lock = lock
    isTemporary = folder == nil
    hasArchive = !isTemporary
    if let folder {
      try File.makeDirectory(folder, mode: 0o700)
      self.folder = folder
    } else {
      self.folder = try File.makeTemporaryDirectory(prefix: "apns-server")
    }
    let keyName = credentials.signingKey == nil ? nil : "AuthKey_\(credentials.keyID).p8"
    keyFile = keyName.map { [folder = self.folder] in folder + "/" + $0 }
    madeKey = ownsKey ? keyName : nil
    if hasArchive { removeEarlierKey() }
    try write(caFile, credentials.authority.certificate.pem, mode: 0o644)
    if let keyFile, let key = credentials.signingKey { try write(keyFile, key.privatePEM, mode: 0o600) }
    try write(certificateFile, credentials.client.certificatePEM + credentials.client.privatePEM, mode: 0o600)
    guard hasArchive else { return }
    // Many readers take no archive without a passphrase, so this one has the word every example uses.
    let archive = try? credentials.client.pkcs12(passphrase: Self.archivePassphrase, name: credentials.clientTopic)
    if let archive { try write(archiveFile, archive, mode: 0o600) }
    try write(self.folder + "/credentials.json", list(credentials), mode: 0o644)
    try describe { _ in }
  }

  /// Where the server tells of itself.
  private var serverFile: String { folder + "/server.json" }

  /// Writes `server.json`: what the server tells of itself, and which key it made. Nothing is written to a temporary folder.
  /// - Parameter body: adds members.
  public func describe(_ body: (inout Writer) -> Void) throws(SystemError) {
    guard hasArchive else { return }
    var writer = Writer()
    writer.beginObject()
    body(&writer)
    if let madeKey {
      writer.key("made_key")
      writer.string(madeKey)
    }
    writer.endObject()
    writer.newline()
    try write(serverFile, writer.bytes, mode: 0o644)
  }

  /// Takes away the key that an earlier `server.json` says was made: no other file, and no key that somebody brought.
  private func removeEarlierKey() {
    var reader = Reader()
    guard let bytes = try? File.read(serverFile, limit: 65_536), (try? reader.read(bytes.span)) != nil else { return }
    let tokens = reader.tokens
    let document = Document(bytes.span, tokens.span)
    guard let node = document.find("made_key", in: 0), document.kind(node) == .string else { return }
    let name = document.string(node)
    guard name.hasPrefix("AuthKey_"), name.hasSuffix(".p8"),
      ProviderToken.isIdentifier(String(name.dropFirst(8).dropLast(3)))
    else { return }
    File.remove(folder + "/" + name)
  }

  /// The passphrase of the PKCS#12 archive: a throw-away one for a throw-away key.
  public static let archivePassphrase = "apns"

  private func write(_ path: String, _ bytes: [UInt8], mode: UInt32) throws(SystemError) {
    // What is there may belong to somebody with a wider mode: the new file must not inherit it.
    File.remove(path)
    try File.create(path, exclusive: true, mode: mode).writeAll(bytes.span)
  }

  /// The credential as `apns-push --credentials` reads it; paths are taken from the folder of the list.
  private func list(_ credentials: Credentials) -> [UInt8] {
    var writer = Writer()
    writer.beginObject()
    writer.key("local")
    writer.beginObject()
    if credentials.signingKey != nil {
      let members = [
        ("key", "AuthKey_\(credentials.keyID).p8"), ("key_id", credentials.keyID), ("team_id", credentials.teamID),
      ]
      for (key, value) in members {
        writer.key(key)
        writer.string(value)
      }
    } else {
      writer.key("cert")
      writer.string("client.pem")
    }
    writer.endObject()
    writer.endObject()
    writer.newline()
    return writer.bytes
  }

  /// Members that name the files and identifiers, for the ready line and `server.json`.
  public func append(_ credentials: Credentials, to writer: inout Writer) {
    writer.key("ca_file")
    writer.string(caFile)
    if let keyFile {
      writer.key("key_file")
      writer.string(keyFile)
    }
    writer.key("key_id")
    writer.string(credentials.keyID)
    writer.key("team_id")
    writer.string(credentials.teamID)
    writer.key("cert_file")
    writer.string(certificateFile)
    writer.key("cert_topic")
    writer.string(credentials.clientTopic)
    guard hasArchive else { return }
    writer.key("p12_file")
    writer.string(archiveFile)
    writer.key("p12_passphrase")
    writer.string(Self.archivePassphrase)
  }

  /// Takes a temporary folder away.
  public func remove() {
    guard isTemporary else { return }
    File.remove(caFile)
    if let keyFile { File.remove(keyFile) }
    File.remove(certificateFile)
    File.removeDirectory(folder)
  }
}
