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
  let contents = Contents()
  defer { contents.free() }
  let isRead = withCString(phrase) { contents.take(archive, $0, context) }
  guard isRead else { throw .library(.library, "the archive cannot be read") }
  guard !contents.keys.isEmpty else { throw Failure(.key, "the archive holds no private key") }
  guard !contents.certificates.isEmpty else {
    throw Failure(.certificate, "the archive holds no certificate for its private key")
  }
  var keys: [Key] = []
  for key in contents.keys { keys.append(try copy(key: key)) }
  var certificates: [Certificate] = []
  for certificate in contents.certificates { certificates.append(try copy(certificate: certificate)) }
  return try pair(certificates, keys)
}

/// What the bags of an archive hold. `PKCS12_parse` stops at the first key, and Keychain exports several.
private final class Contents {
  var keys: [OpaquePointer] = []
  var certificates: [OpaquePointer] = []

  func free() {
    for key in keys { EVP_PKEY_free(key) }
    for certificate in certificates { X509_free(certificate) }
  }

  /// Opens every part; false when one cannot be opened.
  func take(_ archive: OpaquePointer?, _ phrase: UnsafePointer<CChar>?, _ context: OpaquePointer?) -> Bool {
    guard let parts = PKCS12_unpack_authsafes(archive) else { return false }
    defer { door_free_parts(parts) }
    for index in 0..<OPENSSL_sk_num(parts) {
      guard let part = OPENSSL_sk_value(parts, index) else { continue }
      guard let bags = door_PKCS12_open(part, phrase) else { return false }
      defer { door_free_bags(bags) }
      guard takeBags(bags, phrase, context, depth: 0) else { return false }
    }
    return true
  }

  private func takeBags(
    _ bags: OpaquePointer, _ phrase: UnsafePointer<CChar>?, _ context: OpaquePointer?, depth: Int
  ) -> Bool {
    for index in 0..<OPENSSL_sk_num(bags) {
      // Nobody nests deeper or stores more; a file that does wants to cost time.
      guard depth < 8, keys.count < 64, certificates.count < 64 else { return false }
      guard let raw = OPENSSL_sk_value(bags, index) else { continue }
      let bag = OpaquePointer(raw)
      switch PKCS12_SAFEBAG_get_nid(bag) {
      case NID_keyBag:
        guard let key = EVP_PKCS82PKEY(PKCS12_SAFEBAG_get0_p8inf(bag)) else { return false }
        keys.append(key)
      case NID_pkcs8ShroudedKeyBag:
        guard let plain = PKCS12_decrypt_skey_ex(bag, phrase, -1, context, nil) else { return false }
        defer { PKCS8_PRIV_KEY_INFO_free(plain) }
        guard let key = EVP_PKCS82PKEY_ex(plain, context, nil) else { return false }
        keys.append(key)
      case NID_certBag:
        if let certificate = PKCS12_SAFEBAG_get1_cert(bag) { certificates.append(certificate) }
      case NID_safeContentsBag:
        guard let inner = PKCS12_SAFEBAG_get0_safes(bag) else { continue }
        guard takeBags(inner, phrase, context, depth: depth + 1) else { return false }
      default: continue
      }
    }
    return true
  }
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

func copy(key: OpaquePointer) throws(Failure) -> Key {
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
