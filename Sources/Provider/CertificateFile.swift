// From the bytes of what should be a certificate with its key to an identity, or words that say what is missing.

import TLS

/// A certificate with its private key, and how they came.
struct CertificateFile {
  let identity: Identity
  /// Such as "certificate and RSA 2048 private key, PEM".
  let content: String
  let damage: [KeyDamage]

  /// Reads PEM or PKCS#12 as it stands, else what can be mended of it.
  /// - Parameter key: the private key's own file.
  init(_ bytes: [UInt8], _ place: String, _ key: CredentialFile?, passphrase: [UInt8]?) throws(CredentialProblem) {
    let keyBytes = try key.map { (file) throws(CredentialProblem) in try Self.keyBytes(file, passphrase) }
    let first: Failure
    do throws(Failure) {
      identity = try Identity(bytes.span, key: keyBytes, passphrase: passphrase)
      content = Self.content(bytes, identity)
      damage = []
      return
    } catch { first = error }
    let mended = KeyText(mending: bytes)
    guard [.certificate, .key].contains(first.kind), mended.bytes != bytes, !mended.damage.isEmpty,
      let second = try? Identity(mended.bytes.span, key: keyBytes, passphrase: passphrase)
    else { throw Self.problem(first, bytes, place, passphrase) }
    identity = second
    content = Self.content(mended.bytes, second)
    damage = mended.damage
  }

  private static func content(_ bytes: [UInt8], _ identity: Identity) -> String {
    let kind = "certificate and \(identity.keyKind) private key"
    guard bytes.first == 0x30 else { return "\(kind), PEM" }
    return (try? Certificate(bytes.span)) == nil ? "\(kind), PKCS#12" : "\(kind), DER"
  }

  /// The key's bytes, mended when they cannot be read as they are.
  private static func keyBytes(_ file: CredentialFile, _ passphrase: [UInt8]?) throws(CredentialProblem) -> [UInt8] {
    let bytes = try file.bytes()
    if privateKeyKind(bytes.span, passphrase: passphrase) != nil { return bytes }
    if let stranger = FileKind.stranger(bytes) {
      throw CredentialProblem(
        stranger.id, "the key in \(file.place) cannot be used: \(stranger.message)",
        help: "give the private key the certificate was requested with")
    }
    let mended = KeyText(mending: bytes).bytes
    return privateKeyKind(mended.span, passphrase: passphrase) == nil ? bytes : mended
  }

  private static func problem(_ failure: Failure, _ bytes: [UInt8], _ place: String, _ passphrase: [UInt8]?)
    -> CredentialProblem
  {
    let what = "the certificate in \(place) cannot be used: "
    let labels = PEMScanner(KeyText(mending: bytes).bytes).blocks().map(\.label)
    switch failure.kind {
    case .passphrase:
      return CredentialProblem(
        passphrase == nil ? "passphrase-missing" : "passphrase-wrong", what + failure.message,
        help: "check the source given with --passphrase (APNS_PASSPHRASE)")
    case .mismatch:
      return CredentialProblem(
        "certificate-key-mismatch", what + failure.message,
        help: "give the key that the certificate's request was made with (--cert-key)")
    case .key where failure.message.contains("without its private key"):
      return CredentialProblem(
        "certificate-without-key", what + "it comes without its private key",
        help: "export certificate and key together, or give the key with --cert-key")
    case .library where failure.message.contains("legacy"):
      return CredentialProblem(
        "legacy-provider-missing", what + failure.message,
        help: "install it, or write the archive anew: openssl pkcs12 -legacy -in OLD -nodes | openssl pkcs12 -export")
    default: break
    }
    if !labels.contains(where: { $0.hasSuffix("CERTIFICATE") }) {
      if labels.contains(where: { $0.hasSuffix("PRIVATE KEY") }) {
        return CredentialProblem(
          "certificate-is-key", what + "it is a private key without a certificate",
          help: "give a .p8 key with --key; a certificate's key with --cert-key")
      }
      if labels.contains(where: { $0.hasSuffix("CERTIFICATE REQUEST") }) {
        return CredentialProblem(
          "certificate-is-request", what + "it is a certificate signing request (CSR)",
          help: "download the certificate that Apple made from it")
      }
      if labels.isEmpty, let stranger = FileKind.stranger(bytes) {
        let words = stranger.message.split(separator: ",").first.map { String($0) } ?? stranger.message
        return CredentialProblem(
          stranger.id.replacing("key-", "certificate-"), what + words, help: "give a PEM or PKCS#12 (.p12) file")
      }
    }
    return CredentialProblem(
      "certificate-unreadable", what + failure.message, help: "give a PEM or PKCS#12 (.p12) file")
  }
}

extension String {
  /// The text with a prefix exchanged.
  fileprivate func replacing(_ prefix: String, _ other: String) -> String {
    hasPrefix(prefix) ? other + dropFirst(prefix.count) : self
  }
}
