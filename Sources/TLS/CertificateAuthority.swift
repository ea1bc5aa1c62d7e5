// A throw-away certificate authority: for the test server, its clients and the tests.
internal import COpenSSL

/// What a leaf certificate is for.
public struct LeafRequest: Sendable {
  public enum Usage: Sendable {
    case server
    case client
  }

  /// Goes into the subject as CN.
  public var commonName: String
  public var usage: Usage
  /// DNS names and IP addresses it is made out to.
  public var hosts: [String] = []
  /// Goes into the subject as UID: APNs' default topic.
  public var userID: String?
  /// Goes into the subject as OU: Apple's team id.
  public var organizationalUnit: String?
  /// Apple's marker extensions (apns.md 5.3).
  public var isForSandbox = false
  public var isForProduction = false
  /// Apple's topic list; empty leaves the extension out.
  public var topics: [CertificateTopic] = []
  /// Apple's topic list for VoIP services.
  public var voipTopics: [CertificateTopic] = []
  /// UNIX seconds.
  public var notBefore: Int
  public var notAfter: Int

  /// A certificate valid from an hour before `now` for a year.
  public init(_ commonName: String, _ usage: Usage, now: Int) {
    (self.commonName, self.usage) = (commonName, usage)
    (notBefore, notAfter) = (now - 3600, now + 365 * 86_400)
  }
}

/// A certificate authority with a P-256 key made for the occasion. Nothing it signs is worth anything elsewhere.
public final class CertificateAuthority: Sendable {
  private let key: Key
  /// The root: what clients must trust.
  public let certificate: Certificate

  /// Makes a root, valid from a day before `now` (UNIX seconds) for ten years.
  public init(commonName: String = "Throw-away test authority", now: Int) throws(Failure) {
    startLibrary()
    key = try newKey()
    let builder = try CertificateBuilder(notBefore: now - 86_400, notAfter: now + 3650 * 86_400)
    builder.add("CN", commonName)
    try builder.setKey(key, issuer: nil)
    try builder.add(NID_basic_constraints, "critical,CA:TRUE", issuer: nil)
    try builder.add(NID_key_usage, "critical,keyCertSign,cRLSign", issuer: nil)
    try builder.add(NID_subject_key_identifier, "hash", issuer: nil)
    certificate = try builder.sign(key)
  }

  private init(_ key: Key, _ certificate: Certificate) { (self.key, self.certificate) = (key, certificate) }

  /// Makes a leaf with a key of its own.
  public func issue(_ request: LeafRequest) throws(Failure) -> Identity {
    let leafKey = try newKey()
    let builder = try CertificateBuilder(notBefore: request.notBefore, notAfter: request.notAfter)
    if let userID = request.userID { builder.add("UID", userID) }
    builder.add("CN", request.commonName)
    if let unit = request.organizationalUnit { builder.add("OU", unit) }
    try builder.setKey(leafKey, issuer: certificate)
    try builder.add(NID_basic_constraints, "critical,CA:FALSE", issuer: certificate)
    try builder.add(NID_key_usage, "critical,digitalSignature", issuer: certificate)
    let usage = request.usage == .server ? "serverAuth" : "clientAuth"
    try builder.add(NID_ext_key_usage, usage, issuer: certificate)
    try builder.add(NID_subject_key_identifier, "hash", issuer: certificate)
    try builder.add(NID_authority_key_identifier, "keyid", issuer: certificate)
    if !request.hosts.isEmpty {
      let names = try request.hosts.map(alternativeName)
      try builder.add(NID_subject_alt_name, names.joined(separator: ","), issuer: certificate)
    }
    if request.isForSandbox { try builder.add(AppleExtension.sandbox, [0x05, 0x00]) }
    if request.isForProduction { try builder.add(AppleExtension.production, [0x05, 0x00]) }
    if !request.voipTopics.isEmpty { try builder.add(AppleExtension.voipTopics, encodeTopics(request.voipTopics)) }
    if !request.topics.isEmpty { try builder.add(AppleExtension.topics, encodeTopics(request.topics)) }
    return try Identity(try builder.sign(key), leafKey, [])
  }

  /// Makes an authority below this one; what it issues must be sent with its certificate as chain.
  public func issueIntermediate(_ commonName: String, now: Int) throws(Failure) -> CertificateAuthority {
    let newKey = try newKey()
    let builder = try CertificateBuilder(notBefore: now - 86_400, notAfter: now + 3650 * 86_400)
    builder.add("CN", commonName)
    try builder.setKey(newKey, issuer: certificate)
    try builder.add(NID_basic_constraints, "critical,CA:TRUE", issuer: certificate)
    try builder.add(NID_key_usage, "critical,keyCertSign", issuer: certificate)
    try builder.add(NID_subject_key_identifier, "hash", issuer: certificate)
    try builder.add(NID_authority_key_identifier, "keyid", issuer: certificate)
    return CertificateAuthority(newKey, try builder.sign(key))
  }
}

private func newKey() throws(Failure) -> Key {
  guard let pointer = door_P256_generate() else { throw .library(.key, "a key could not be made") }
  return Key(pointer)
}

/// A subject alternative name as OpenSSL's extension text. Its commas and colons are syntax: a name with them is none.
private func alternativeName(_ host: String) throws(Failure) -> String {
  if let address = a2i_IPADDRESS(host) {
    ASN1_STRING_free(address)
    return "IP:\(host)"
  }
  ERR_clear_error()
  let isName = host.utf8.allSatisfy { byte in
    (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || [0x2D, 0x2E, 0x2A, 0x5F].contains(byte)
  }
  guard isName, !host.isEmpty else { throw Failure(.configuration, "'\(host)' is not a host name") }
  return "DNS:\(host)"
}

/// One certificate in the making.
private final class CertificateBuilder {
  private let pointer: OpaquePointer

  init(notBefore: Int, notAfter: Int) throws(Failure) {
    guard let pointer = X509_new() else { throw .library(.library, "out of memory") }
    self.pointer = pointer
    X509_set_version(pointer, 2)
    var serial = randomBytes(16)
    if serial.isEmpty { serial = [1] }
    // Positive, and never shorter for a leading zero.
    serial[0] = serial[0] & 0x7F | 0x40
    if let number = BN_bin2bn(serial, Int32(serial.count), nil) {
      BN_to_ASN1_INTEGER(number, X509_get_serialNumber(pointer))
      BN_free(number)
    }
    // ASN1_TIME_set picks UTCTime or GeneralizedTime as RFC 5280 section 4.1.2.5 wants it.
    ASN1_TIME_set(X509_getm_notBefore(pointer), time_t(notBefore))
    ASN1_TIME_set(X509_getm_notAfter(pointer), time_t(notAfter))
  }

  deinit { X509_free(pointer) }

  func add(_ entry: String, _ value: String) {
    let bytes = Array(value.utf8)
    let name = X509_get_subject_name(pointer)
    X509_NAME_add_entry_by_txt(name, entry, MBSTRING_UTF8, bytes, Int32(clamping: bytes.count), -1, 0)
  }

  func setKey(_ key: Key, issuer: Certificate?) throws(Failure) {
    let issuerName = X509_get_subject_name(issuer?.pointer ?? pointer)
    guard X509_set_pubkey(pointer, key.pointer) == 1, X509_set_issuer_name(pointer, issuerName) == 1 else {
      throw .library(.certificate, "the certificate cannot be made")
    }
  }

  func add(_ kind: Int32, _ value: String, issuer: Certificate?) throws(Failure) {
    var context = X509V3_CTX()
    X509V3_set_ctx(&context, issuer?.pointer ?? pointer, pointer, nil, nil, 0)
    guard let item = X509V3_EXT_conf_nid(nil, &context, kind, value) else {
      throw .library(.certificate, "the extension '\(value)' cannot be made")
    }
    X509_add_ext(pointer, item, -1)
    X509_EXTENSION_free(item)
  }

  func add(_ objectIdentifier: String, _ der: [UInt8]) throws(Failure) {
    guard let object = OBJ_txt2obj(objectIdentifier, 1), let data = ASN1_STRING_type_new(V_ASN1_OCTET_STRING) else {
      throw .library(.certificate, "the extension \(objectIdentifier) cannot be made")
    }
    ASN1_STRING_set(data, der, Int32(clamping: der.count))
    let item = X509_EXTENSION_create_by_OBJ(nil, object, 0, data)
    X509_add_ext(pointer, item, -1)
    X509_EXTENSION_free(item)
    ASN1_STRING_free(data)
    ASN1_OBJECT_free(object)
  }

  func sign(_ key: Key) throws(Failure) -> Certificate {
    guard X509_sign(pointer, key.pointer, EVP_sha256()) > 0 else {
      throw .library(.certificate, "the certificate cannot be signed")
    }
    return Certificate(sharing: pointer)
  }
}
