// A certificate with its private key and the chain above it: what one end shows to the other.
internal import COpenSSL

/// A certificate, its private key and the certificates that lead to its root. Threads may share it.
public final class Identity: Sendable {
  public let certificate: Certificate
  /// The certificates above, from its issuer upwards, as far as the file holds them.
  public let chain: [Certificate]
  let key: Key

  init(_ certificate: Certificate, _ key: Key, _ chain: [Certificate]) throws(Failure) {
    guard X509_check_private_key(certificate.pointer, key.pointer) == 1 else {
      ERR_clear_error()
      throw Failure(.mismatch, "the private key does not belong to the certificate '\(certificate.subject)'")
    }
    (self.certificate, self.key, self.chain) = (certificate, key, chain)
  }

  /// Reads an identity: PKCS#12, or PEM with the certificate, its chain and the key in any order (text and bag
  /// attributes between blocks are skipped). `key` holds the private key when it is in a file of its own.
  /// Failures name what is missing or wrong, and never the passphrase.
  public convenience init(_ bytes: Span<UInt8>, key: [UInt8]? = nil, passphrase: [UInt8]? = nil) throws(Failure) {
    startLibrary()
    var result: Result<Parts, Failure> = .failure(Failure(.certificate, "the file is empty"))
    bytes.withUnsafeBufferPointer { bytes in
      do throws(Failure) { result = .success(try readIdentity(bytes, key, passphrase)) } catch {
        result = .failure(error)
      }
    }
    let parts = try result.get()
    try self.init(parts.certificate, parts.key, parts.chain)
  }

  /// The certificate and its chain as PEM.
  public var certificatePEM: [UInt8] { ([certificate] + chain).flatMap(\.pem) }

  /// The private key as PKCS#8 PEM. For writing throw-away credentials to a file; never print it.
  public var privatePEM: [UInt8] { collect { door_PEM_write_key($0, key.pointer) == 1 } ?? [] }

  /// Whether the private key is one ES256 can use, and so might be taken for a provider token's.
  public var keyKind: String { key.kindText }

  /// Writes a PKCS#12 archive, AES-256 under PBKDF2.
  public func pkcs12(passphrase: String, name: String = "") throws(Failure) -> [UInt8] {
    let stack = OPENSSL_sk_new_null()
    defer { OPENSSL_sk_free(stack) }
    for above in chain { OPENSSL_sk_push(stack, UnsafeRawPointer(above.pointer)) }
    guard
      let archive = PKCS12_create(passphrase, name, key.pointer, certificate.pointer, stack, 0, 0, 0, 0, 0)
    else { throw .library(.library, "the archive could not be made") }
    defer { PKCS12_free(archive) }
    return derBytes { i2d_PKCS12(archive, $0) }
  }
}

/// What a credential file held.
typealias Parts = (certificate: Certificate, key: Key, chain: [Certificate])

private func readIdentity(_ bytes: UnsafeBufferPointer<UInt8>, _ key: [UInt8]?, _ passphrase: [UInt8]?)
  throws(Failure) -> Parts
{
  ERR_clear_error()
  if bytes.isEmpty { throw Failure(.certificate, "the certificate file is empty") }
  if bytes[0] == 0x30 {
    var cursor = bytes.baseAddress
    if let certificate = d2i_X509(nil, &cursor, bytes.count) {
      return try join([Certificate(owning: certificate)], key, bytes, passphrase)
    }
    ERR_clear_error()
    return try readArchive(bytes, passphrase)
  }
  let certificates = pemCertificates(bytes)
  if certificates.isEmpty { throw Failure(.certificate, noCertificateWords(bytes)) }
  return try join(certificates, key, bytes, passphrase)
}

/// Joins the certificates of a file with the key of another, or with the keys beside them.
private func join(
  _ certificates: [Certificate], _ keyBytes: [UInt8]?, _ bytes: UnsafeBufferPointer<UInt8>, _ passphrase: [UInt8]?
) throws(Failure) -> Parts {
  if let keyBytes {
    var result: Result<[Key], Failure> = .failure(Failure(.key, "the key is empty"))
    keyBytes.withUnsafeBufferPointer { bytes in
      do throws(Failure) { result = .success(try readPrivateKeys(bytes, passphrase: passphrase)) } catch {
        result = .failure(error)
      }
    }
    return try pair(certificates, try result.get())
  }
  guard pemLabels(bytes).contains(where: { $0.hasSuffix("PRIVATE KEY") }) else {
    throw Failure(.key, "the certificate comes without its private key: give the key as well")
  }
  return try pair(certificates, try readPrivateKeys(bytes, passphrase: passphrase))
}

/// Finds the certificate and the key that belong together: files put them in any order, and Keychain exports several
/// pairs at a time. Of those, the one made for push comes first, then the one that lasts longest.
func pair(_ certificates: [Certificate], _ keys: [Key]) throws(Failure) -> Parts {
  var best: (certificate: Certificate, key: Key)?
  for certificate in certificates {
    guard let key = keys.first(where: { X509_check_private_key(certificate.pointer, $0.pointer) == 1 }) else {
      continue
    }
    if let best, !certificate.isBetter(than: best.certificate) { continue }
    best = (certificate, key)
  }
  ERR_clear_error()
  guard let best else {
    let name = certificates.first.map { " '\($0.subject)'" } ?? ""
    throw Failure(.mismatch, "the private key does not belong to the certificate\(name)")
  }
  return (best.certificate, best.key, path(above: best.certificate, among: certificates))
}

extension Certificate {
  fileprivate var isForPush: Bool { isForSandbox || isForProduction || !topics.isEmpty }

  fileprivate func isBetter(than other: Certificate) -> Bool {
    isForPush == other.isForPush ? notAfter > other.notAfter : isForPush
  }
}

/// The certificates from the one above the leaf upwards, as TLS wants them (RFC 8446 section 4.4.2).
private func path(above leaf: Certificate, among certificates: [Certificate]) -> [Certificate] {
  var path: [Certificate] = []
  var top = leaf
  while !top.isSelfIssued, path.count < certificates.count {
    let issuer = X509_get_issuer_name(top.pointer)
    let next = certificates.first { certificate in
      X509_NAME_cmp(X509_get_subject_name(certificate.pointer), issuer) == 0 && certificate != leaf
        && !path.contains(certificate)
    }
    guard let next else { break }
    path.append(next)
    top = next
  }
  return path
}

/// Every certificate of a PEM text.
func pemCertificates(_ bytes: UnsafeBufferPointer<UInt8>) -> [Certificate] {
  let found: [Certificate]? = withBIO(bytes) { bio in
    var list: [Certificate] = []
    while list.count < 64, let next = withPassphrase(nil, { PEM_read_bio_X509(bio, nil, $0, $1) }) {
      list.append(Certificate(owning: next))
    }
    return list
  }
  ERR_clear_error()
  return found ?? []
}

private func noCertificateWords(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
  let labels = pemLabels(bytes)
  if labels.contains(where: { $0.hasSuffix("CERTIFICATE") }) { return "the certificate is damaged or cut short" }
  if labels.contains(where: { $0.hasSuffix("PRIVATE KEY") }) {
    return "the file holds a private key and no certificate"
  }
  return labels.isEmpty
    ? "the file is neither PEM nor PKCS#12" : "the file holds '\(labels[0])' and no certificate"
}
