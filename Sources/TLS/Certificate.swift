// A certificate, and what it says: names, times, topics.
internal import COpenSSL

/// One X.509 certificate. OpenSSL never changes it after reading: threads may share it.
public final class Certificate: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Takes over the reference.
  init(owning pointer: OpaquePointer) { self.pointer = pointer }

  /// Adds a reference.
  init(sharing pointer: OpaquePointer) {
    X509_up_ref(pointer)
    self.pointer = pointer
  }

  deinit { X509_free(pointer) }

  /// Reads one certificate, PEM or DER. Text around the block is skipped.
  public convenience init(_ bytes: Span<UInt8>) throws(Failure) {
    startLibrary()
    let pointer: OpaquePointer? = bytes.withUnsafeBufferPointer { bytes in
      if bytes.first == 0x30 {
        var cursor = bytes.baseAddress
        return d2i_X509(nil, &cursor, bytes.count)
      }
      return withBIO(bytes) { bio in withPassphrase(nil) { PEM_read_bio_X509(bio, nil, $0, $1) } }
    }
    guard let pointer else { throw .library(.certificate, "this is not a certificate") }
    self.init(owning: pointer)
  }

  /// The subject as one line, `CN=Apple Push Services: com.example.app,UID=com.example.app`.
  public var subject: String { nameText(X509_get_subject_name(pointer)) }
  /// The issuer as one line.
  public var issuer: String { nameText(X509_get_issuer_name(pointer)) }
  /// The subject's common name.
  public var commonName: String? { entry(NID_commonName) }
  /// The subject's UID: APNs' default topic (apns.md 5.3).
  public var userID: String? { entry(NID_userId) }
  /// The subject's organizational unit: Apple puts the team id there.
  public var organizationalUnit: String? { entry(NID_organizationalUnitName) }
  /// UNIX seconds from which the certificate is valid.
  public var notBefore: Int { unixSeconds(X509_get0_notBefore(pointer)) ?? .max }
  /// UNIX seconds until which the certificate is valid.
  public var notAfter: Int { unixSeconds(X509_get0_notAfter(pointer)) ?? .min }
  /// Signed with its own key, or at least bearing its own name as issuer.
  public var isSelfIssued: Bool { X509_NAME_cmp(X509_get_subject_name(pointer), X509_get_issuer_name(pointer)) == 0 }
  /// The serial number in hexadecimal.
  public var serial: String {
    let number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(pointer), nil)
    defer { BN_free(number) }
    guard let text = BN_bn2hex(number) else { return "" }
    defer { CRYPTO_free(text, nil, 0) }
    return String(cString: text)
  }
  /// The certificate in DER.
  public var der: [UInt8] { derBytes { i2d_X509(pointer, $0) } }
  /// The certificate in PEM.
  public var pem: [UInt8] { collect { PEM_write_bio_X509($0, pointer) == 1 } ?? [] }
  /// SHA-256 over the DER, what `openssl x509 -fingerprint -sha256` prints.
  public var fingerprint: [UInt8] { sha256(der.span) }

  /// What the certificate's key is: `P-256`, `RSA 2048`, …
  public var keyKind: String {
    guard let key = X509_get_pubkey(pointer) else { return "unreadable" }
    return Key(key).kindText
  }

  /// The subject's entry of a kind, as text.
  private func entry(_ kind: Int32) -> String? {
    guard let name = X509_get_subject_name(pointer) else { return nil }
    let index = X509_NAME_get_index_by_NID(name, kind, -1)
    guard index >= 0, let data = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index)) else { return nil }
    var utf8: UnsafeMutablePointer<UInt8>?
    let count = ASN1_STRING_to_UTF8(&utf8, data)
    guard count >= 0, let utf8 else { return nil }
    defer { CRYPTO_free(utf8, nil, 0) }
    return String(decoding: UnsafeBufferPointer(start: utf8, count: Int(count)), as: UTF8.self)
  }

  /// The DNS names of the subject alternative names.
  public var dnsNames: [String] { alternativeNames.dns }
  /// The IP addresses of the subject alternative names, as text.
  public var ipAddresses: [String] { alternativeNames.ip }

  private var alternativeNames: (dns: [String], ip: [String]) {
    guard let names = X509_get_ext_d2i(pointer, NID_subject_alt_name, nil, nil) else { return ([], []) }
    let stack = OpaquePointer(names)
    defer { GENERAL_NAMES_free(stack) }
    var result: (dns: [String], ip: [String]) = ([], [])
    for index in 0..<OPENSSL_sk_num(stack) {
      guard let raw = OPENSSL_sk_value(stack, index) else { continue }
      var kind: Int32 = 0
      let value = GENERAL_NAME_get0_value(raw.assumingMemoryBound(to: GENERAL_NAME.self), &kind)
      guard let value else { continue }
      let string = value.assumingMemoryBound(to: ASN1_STRING.self)
      let bytes = UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: Int(ASN1_STRING_length(string)))
      if kind == GEN_DNS { result.dns.append(String(decoding: bytes, as: UTF8.self)) }
      if kind == GEN_IPADD { result.ip.append(addressText(bytes)) }
    }
    return result
  }

  /// The contents of the extension with that object identifier; nil when the certificate has none.
  public func extensionValue(_ objectIdentifier: String) -> [UInt8]? {
    guard let object = OBJ_txt2obj(objectIdentifier, 1) else { return nil }
    defer { ASN1_OBJECT_free(object) }
    let index = X509_get_ext_by_OBJ(pointer, object, -1)
    guard index >= 0, let data = X509_EXTENSION_get_data(X509_get_ext(pointer, index)) else { return nil }
    return Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(data), count: Int(ASN1_STRING_length(data))))
  }
}

extension Certificate: Equatable {
  /// The same certificate, byte for byte.
  public static func == (left: Certificate, right: Certificate) -> Bool { X509_cmp(left.pointer, right.pointer) == 0 }
}

/// An address of 4 or 16 bytes as text: IPv6 in full groups, without leading zeros.
private func addressText(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
  if bytes.count == 4 { return bytes.map { String($0) }.joined(separator: ".") }
  guard bytes.count == 16 else { return "?" }
  let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
  if groups.dropLast().allSatisfy({ $0 == 0 }) { return "::" + String(groups[7], radix: 16) }
  return groups.map { String($0, radix: 16) }.joined(separator: ":")
}
