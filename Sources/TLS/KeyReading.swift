// Reading key files, and saying what a file is when it is not the key that is wanted.
internal import COpenSSL

/// Owns an EVP_PKEY. OpenSSL counts its references with atomics and never changes a finished key: threads may share it.
final class Key: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Takes over the reference.
  init(_ pointer: OpaquePointer) { self.pointer = pointer }

  deinit { EVP_PKEY_free(pointer) }

  /// `P-256`, `RSA 2048`, `Ed25519`, …
  var kindText: String {
    if isP256 { return "P-256" }
    var name = [CChar](repeating: 0, count: 64)
    if EVP_PKEY_get_group_name(pointer, &name, name.count, nil) == 1 {
      let group = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      let known = ["secp384r1": "P-384", "secp521r1": "P-521", "secp224r1": "P-224"]
      return known[group] ?? group
    }
    let type = EVP_PKEY_get0_type_name(pointer).map { String(cString: $0) } ?? "unknown"
    return type.hasPrefix("RSA") ? "\(type) \(EVP_PKEY_get_bits(pointer))" : type
  }

  /// On the curve that ES256 is defined for (RFC 7518 section 3.4).
  var isP256: Bool {
    var name = [CChar](repeating: 0, count: 64)
    guard EVP_PKEY_get_group_name(pointer, &name, name.count, nil) == 1 else { return false }
    let group = name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
    return group == Array("prime256v1".utf8) || group == Array("P-256".utf8)
  }
}

/// The labels of PEM blocks in a text, in order (`PRIVATE KEY`, `CERTIFICATE`, …).
func pemLabels(_ bytes: UnsafeBufferPointer<UInt8>) -> [String] {
  let begin = Array("-----BEGIN ".utf8)
  var labels: [String] = []
  var at = 0
  while at + begin.count < bytes.count, labels.count < 64 {
    guard bytes[at] == 0x2D, bytes[at..<at + begin.count].elementsEqual(begin) else {
      at += 1
      continue
    }
    let start = at + begin.count
    let label = bytes[start...].prefix(40).prefix { $0 != 0x2D && $0 != 0x0A }
    labels.append(String(decoding: label, as: UTF8.self))
    at = start
  }
  return labels
}

/// Reads a private key: PEM (PKCS#8, encrypted PKCS#8, SEC1, PKCS#1; text around the block is skipped) or DER.
func readPrivateKey(_ bytes: UnsafeBufferPointer<UInt8>, passphrase: [UInt8]?) throws(Failure) -> Key {
  startLibrary()
  ERR_clear_error()
  if bytes.isEmpty { throw Failure(.key, "the key is empty") }
  let labels = pemLabels(bytes)
  let pointer: OpaquePointer?
  if labels.isEmpty {
    var cursor = bytes.baseAddress
    var plain = d2i_AutoPrivateKey(nil, &cursor, bytes.count)
    if plain == nil, let passphrase {
      ERR_clear_error()
      plain = withBIO(bytes) { bio in withPassphrase(passphrase) { d2i_PKCS8PrivateKey_bio(bio, nil, $0, $1) } }
    }
    pointer = plain
  } else {
    pointer = withBIO(bytes) { bio in withPassphrase(passphrase) { PEM_read_bio_PrivateKey(bio, nil, $0, $1) } }
  }
  if let pointer {
    ERR_clear_error()
    return Key(pointer)
  }
  if let passphrase, labels.contains("ENCRYPTED PRIVATE KEY"), let key = readOldKey(bytes, passphrase) { return key }
  throw whatItIs(bytes, labels, passphrase)
}

/// A key under a cipher of the 1990s (DES, RC2), as OpenSSL 1.0 wrote by default: OpenSSL 3 keeps those in its legacy
/// provider, which is loaded for this file alone.
private func readOldKey(_ bytes: UnsafeBufferPointer<UInt8>, _ passphrase: [UInt8]) -> Key? {
  guard let context = OSSL_LIB_CTX_new() else { return nil }
  defer {
    OSSL_LIB_CTX_free(context)
    ERR_clear_error()
  }
  let providers = [OSSL_PROVIDER_load(context, "default"), OSSL_PROVIDER_load(context, "legacy")].compactMap { $0 }
  defer { for provider in providers { OSSL_PROVIDER_unload(provider) } }
  let pointer = withBIO(bytes) { bio in
    withPassphrase(passphrase) { PEM_read_bio_PrivateKey_ex(bio, nil, $0, $1, context, nil) }
  }
  guard let pointer else { return nil }
  defer { EVP_PKEY_free(pointer) }
  return try? copy(key: pointer)
}

/// Every private key of a PEM text, or the one of a DER file. Fails when none can be read, with the first one's reason.
func readPrivateKeys(_ bytes: UnsafeBufferPointer<UInt8>, passphrase: [UInt8]?) throws(Failure) -> [Key] {
  var keys: [Key] = []
  let count = pemLabels(bytes).count { $0.hasSuffix("PRIVATE KEY") }
  if count > 1 {
    let found: [Key]? = withBIO(bytes) { bio in
      // A block that cannot be opened is behind the reader all the same: the next call goes on after it.
      (0..<count).compactMap { _ in
        withPassphrase(passphrase) { PEM_read_bio_PrivateKey(bio, nil, $0, $1) }.map { Key($0) }
      }
    }
    ERR_clear_error()
    keys = found ?? []
  }
  return keys.isEmpty ? [try readPrivateKey(bytes, passphrase: passphrase)] : keys
}

/// What kind of private key the bytes hold: `P-256`, `P-384`, `RSA 2048`, …; nil when none can be read.
public func privateKeyKind(_ bytes: Span<UInt8>, passphrase: [UInt8]? = nil) -> String? {
  bytes.withUnsafeBufferPointer { try? readPrivateKey($0, passphrase: passphrase).kindText }
}

/// Why a file is not a usable private key.
private func whatItIs(_ bytes: UnsafeBufferPointer<UInt8>, _ labels: [String], _ passphrase: [UInt8]?) -> Failure {
  let reason = LibraryErrors.drain().text
  func failure(_ message: String, _ kind: Failure.Kind = .key) -> Failure { Failure(kind, message, reason: reason) }
  let keyLabel = labels.first { $0.hasSuffix("PRIVATE KEY") }
  if let keyLabel {
    let isLocked = keyLabel.hasPrefix("ENCRYPTED") || contains(bytes, "Proc-Type: 4,ENCRYPTED")
    if isLocked {
      return passphrase == nil
        ? failure("the key is encrypted: a passphrase is needed", .passphrase)
        : failure("the passphrase does not open the key", .passphrase)
    }
    if keyLabel.hasPrefix("OPENSSH") { return failure("this is an OpenSSH key, not the PKCS#8 key APNs gives out") }
    return failure("the block '\(keyLabel)' does not hold a readable key: it is damaged or cut short")
  }
  if let label = labels.first {
    if label.hasSuffix("PUBLIC KEY") { return failure("this is a public key: the private one is needed") }
    if label.hasSuffix("CERTIFICATE REQUEST") { return failure("this is a certificate request, not a private key") }
    if label.hasSuffix("CERTIFICATE") { return failure("this is a certificate, not a private key") }
    return failure("this is '\(label)', not a private key")
  }
  if bytes[0] == 0x30 { return failure(derWords(bytes)) }
  let first = bytes.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
  if first == UInt8(ascii: "{") { return failure("this is JSON, not a private key") }
  if first == UInt8(ascii: "<") { return failure("this is HTML or XML, not a private key") }
  return failure("this is not a private key: neither PEM nor DER")
}

/// What DER that is no private key may be.
private func derWords(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
  defer { ERR_clear_error() }
  var cursor = bytes.baseAddress
  if let certificate = d2i_X509(nil, &cursor, bytes.count) {
    X509_free(certificate)
    return "this is a certificate, not a private key"
  }
  cursor = bytes.baseAddress
  if let key = d2i_PUBKEY(nil, &cursor, bytes.count) {
    EVP_PKEY_free(key)
    return "this is a public key: the private one is needed"
  }
  cursor = bytes.baseAddress
  if let archive = d2i_PKCS12(nil, &cursor, bytes.count) {
    PKCS12_free(archive)
    return "this is a PKCS#12 archive, not a bare private key"
  }
  cursor = bytes.baseAddress
  if let locked = d2i_X509_SIG(nil, &cursor, bytes.count) {
    X509_SIG_free(locked)
    return "this is an encrypted key: it needs a passphrase, or another one"
  }
  return "this is DER, but not a private key, or it is damaged"
}

/// Whether a text occurs in bytes.
func contains(_ bytes: UnsafeBufferPointer<UInt8>, _ text: StaticString) -> Bool {
  let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
  guard bytes.count >= wanted.count else { return false }
  return (0...bytes.count - wanted.count).contains {
    bytes[$0] == wanted[0] && bytes[$0..<$0 + wanted.count].elementsEqual(wanted)
  }
}
