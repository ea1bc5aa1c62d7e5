// PKCS#12 archives, modern ones and those of the 2000s.
internal import COpenSSL

/// Reads an archive. Keychain and OpenSSL 1 encrypted with RC2-40, which OpenSSL 3 keeps in its legacy provider: that
/// one is loaded into a library context that lives for this file alone.
func readArchive(_ bytes: UnsafeBufferPointer<UInt8>, _ passphrase: [UInt8]?) throws(Failure) -> Parts {
  do throws(Failure) {
    return try parse(bytes, passphrase, nil)
  } catch  where error.kind == .library {
    // Unsupported: the modern providers lack a cipher.
  }
  guard let context = OSSL_LIB_CTX_new() else { throw .library(.library, "out of memory") }
  defer {
    OSSL_LIB_CTX_free(context)
    ERR_clear_error()
  }
  let modern = OSSL_PROVIDER_load(context, "default")
  let legacy = OSSL_PROVIDER_load(context, "legacy")
  defer {
    if let legacy { OSSL_PROVIDER_unload(legacy) }
    if let modern { OSSL_PROVIDER_unload(modern) }
  }
  guard legacy != nil else {
    throw Failure(
      .library, "the archive is encrypted in an old way (RC2-40), and OpenSSL's legacy provider is not installed")
  }
  return try parse(bytes, passphrase, context)
}

private func parse(_ bytes: UnsafeBufferPointer<UInt8>, _ passphrase: [UInt8]?, _ context: OpaquePointer?)
  throws(Failure) -> Parts
{
  ERR_clear_error()
  var archive: OpaquePointer? = PKCS12_init_ex(NID_pkcs7_data, context, nil)
  defer { PKCS12_free(archive) }
  var cursor = bytes.baseAddress
  guard d2i_PKCS12(&archive, &cursor, bytes.count) != nil else {
    ERR_clear_error()
    throw Failure(.certificate, "the file is DER, but neither a certificate nor a readable PKCS#12 archive")
  }
  let phrase = try rightPassphrase(archive, passphrase)
  var key: OpaquePointer?
  var certificate: OpaquePointer?
  var chain: OpaquePointer?
  let result = withCString(phrase) { PKCS12_parse(archive, $0, &key, &certificate, &chain) }
  defer {
    if let key { EVP_PKEY_free(key) }
    if let certificate { X509_free(certificate) }
    if let chain { freeCertificates(chain) }
  }
  guard result == 1 else { throw .library(.library, "the archive cannot be read") }
  guard let key else { throw Failure(.key, "the archive holds no private key") }
  guard let certificate else { throw Failure(.certificate, "the archive holds no certificate for its private key") }
  return (try copy(certificate: certificate), try copy(key: key), try copies(chain))
}

/// The passphrase that fits the archive's MAC. Absent and empty are two things in PKCS#12, and people have either.
private func rightPassphrase(_ archive: OpaquePointer?, _ passphrase: [UInt8]?) throws(Failure) -> [UInt8]? {
  guard PKCS12_mac_present(archive) == 1 else { return passphrase }
  var candidates: [[UInt8]?] = [passphrase]
  if passphrase == nil { candidates = [nil, []] }
  if passphrase == [] { candidates = [[], nil] }
  for candidate in candidates {
    let fits = withCString(candidate) { PKCS12_verify_mac(archive, $0, $0 == nil ? 0 : -1) }
    if fits == 1 { return candidate }
  }
  ERR_clear_error()
  throw passphrase == nil
    ? Failure(.passphrase, "the archive needs a passphrase")
    : Failure(.passphrase, "the passphrase does not open the archive")
}

private func withCString<R>(_ bytes: [UInt8]?, _ body: (UnsafePointer<CChar>?) -> R) -> R {
  guard let bytes else { return body(nil) }
  return (bytes + [0]).withUnsafeBufferPointer {
    $0.withMemoryRebound(to: CChar.self) { body($0.baseAddress) }
  }
}

/// Objects read under a context of their own die with it: what is kept is made anew from its DER.
private func copy(certificate: OpaquePointer) throws(Failure) -> Certificate {
  try Certificate(derBytes { i2d_X509(certificate, $0) }.span)
}

private func copy(key: OpaquePointer) throws(Failure) -> Key {
  guard let plain = EVP_PKEY2PKCS8(key) else { throw .library(.key, "the archive's private key cannot be read") }
  defer { PKCS8_PRIV_KEY_INFO_free(plain) }
  var der = derBytes { i2d_PKCS8_PRIV_KEY_INFO(plain, $0) }
  defer { der.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }
  let pointer: OpaquePointer? = der.withUnsafeBufferPointer {
    var cursor = $0.baseAddress
    return d2i_AutoPrivateKey(nil, &cursor, $0.count)
  }
  guard let pointer else { throw .library(.key, "the archive's private key cannot be read") }
  return Key(pointer)
}

private func copies(_ stack: OpaquePointer?) throws(Failure) -> [Certificate] {
  guard let stack else { return [] }
  var list: [Certificate] = []
  for index in 0..<OPENSSL_sk_num(stack) {
    guard let raw = OPENSSL_sk_value(stack, index) else { continue }
    list.append(try copy(certificate: OpaquePointer(raw)))
  }
  return list
}

private func freeCertificates(_ stack: OpaquePointer) {
  for index in 0..<OPENSSL_sk_num(stack) {
    if let raw = OPENSSL_sk_value(stack, index) { X509_free(OpaquePointer(raw)) }
  }
  OPENSSL_sk_free(stack)
}
