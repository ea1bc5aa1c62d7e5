// What a client brings to its handshakes: whom it trusts, what it speaks, who it is.
internal import COpenSSL

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Which certificate authorities are believed.
public enum Trust: Sendable {
  /// The system's hashed directory, read on demand: a bundle costs 20 to 40 ms to load. `SSL_CERT_DIR` and
  /// `SSL_CERT_FILE` in the environment take its place, as with every OpenSSL program.
  case system
  /// A directory of certificates under their subject's hash.
  case directory(String)
  /// The certificates in this PEM text, and no others.
  case pem([UInt8])
  /// Anybody: for doctors that look at a server's certificate. The verification's result is still on the channel.
  case anyone
}

/// The protocol versions an end takes part in. TLS 1.2 is the floor (apns.md 1.3).
public enum Versions: Sendable {
  case from12
  case only12
  case only13
  /// TLS 1.0 to 1.2: for a test double whose clients are as old as their protocol.
  case upTo12
}

/// A client's settings, shared by all its channels and by threads.
public final class ClientContext: @unchecked Sendable {
  let pointer: OpaquePointer
  let acceptsAnyone: Bool
  /// Whether something else than HTTP/2 is spoken, as the old binary protocol.
  public let isWithoutHTTP2: Bool
  /// Whether it has a certificate to show.
  public let hasIdentity: Bool

  /// - Parameters:
  ///   - protocols: what ALPN offers, best first; empty offers nothing.
  ///   - identity: the client certificate, for certificate-based connections.
  /// - Throws: `.configuration` when the trust store is unreadable, `.certificate` when the identity is refused.
  public init(
    trust: Trust = .system, protocols: [String] = ["h2"], identity: Identity? = nil, versions: Versions = .from12
  ) throws(Failure) {
    pointer = try makeContext(TLS_client_method(), versions, identity, isForHTTP2: protocols.contains("h2"))
    if case .anyone = trust { acceptsAnyone = true } else { acceptsAnyone = false }
    isWithoutHTTP2 = !protocols.contains("h2")
    hasIdentity = identity != nil
    try trustIn(pointer, trust)
    // The callback notes which certificate was refused and why; OpenSSL itself keeps a number alone.
    SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, noteVerification)
    if protocols.isEmpty { return }
    let wire = try wireForm(protocols)
    guard SSL_CTX_set_alpn_protos(pointer, wire, UInt32(wire.count)) == 0 else {
      throw .library(.configuration, "the protocol list is refused")
    }
  }

  deinit { SSL_CTX_free(pointer) }
}

/// A context as both ends have it.
func makeContext(
  _ method: OpaquePointer?, _ versions: Versions, _ identity: Identity?, isForHTTP2: Bool
) throws(Failure) -> OpaquePointer {
  startLibrary()
  ERR_clear_error()
  guard let context = SSL_CTX_new(method) else { throw .library(.library, "OpenSSL gives no context") }
  var isDone = false
  defer { if !isDone { SSL_CTX_free(context) } }
  door_SSL_CTX_set_min_version(
    context, versions == .upTo12 ? TLS1_VERSION : versions == .only13 ? TLS1_3_VERSION : TLS1_2_VERSION)
  if versions == .only12 || versions == .upTo12 { door_SSL_CTX_set_max_version(context, TLS1_2_VERSION) }
  // What HTTP/2 allows under TLS 1.2 (RFC 9113 appendix A bans the others), and the cheapest first under 1.3. Whoever
  // speaks the old protocol may know none of these; and TLS 1.0 signs with SHA-1, which only level 0 lets pass.
  let older = isForHTTP2 ? "" : ":HIGH"
  SSL_CTX_set_cipher_list(
    context, "ECDHE+AESGCM:ECDHE+CHACHA20\(older):!aNULL" + (versions == .upTo12 ? ":@SECLEVEL=0" : ""))
  SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256")
  SSL_CTX_set_options(context, door_SSL_options())
  door_SSL_CTX_set_mode(context, Int(SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER))
  door_SSL_CTX_set_cache_mode(context, Int(SSL_SESS_CACHE_OFF))
  if let identity {
    guard SSL_CTX_use_certificate(context, identity.certificate.pointer) == 1,
      SSL_CTX_use_PrivateKey(context, identity.key.pointer) == 1
    else {
      throw .library(.certificate, "the certificate '\(identity.certificate.subject)' cannot be used")
    }
    for above in identity.chain { door_SSL_CTX_add_chain(context, above.pointer) }
  }
  isDone = true
  return context
}

/// Fills the trust store of a context.
func trustIn(_ context: OpaquePointer, _ trust: Trust) throws(Failure) {
  // An intermediate or a leaf that is trusted by name needs no root above it, as with curl's --cacert.
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), UInt(X509_V_FLAG_PARTIAL_CHAIN))
  switch trust {
  case .anyone:
    return
  case .directory(let path):
    guard SSL_CTX_load_verify_dir(context, path) == 1 else {
      throw .library(.configuration, "the directory of certificates '\(path)' cannot be used")
    }
  case .system:
    try trustInSystem(context)
  case .pem(let bytes):
    let certificates = bytes.withUnsafeBufferPointer { pemCertificates($0) }
    guard !certificates.isEmpty, let store = SSL_CTX_get_cert_store(context) else {
      throw Failure(.configuration, "the certificates to trust (--ca-file, APNS_CA_FILE) are not in PEM form")
    }
    for certificate in certificates { X509_STORE_add_cert(store, certificate.pointer) }
    ERR_clear_error()
  }
}

private func trustInSystem(_ context: OpaquePointer) throws(Failure) {
  let file = environment(X509_get_default_cert_file_env())
  if let file, SSL_CTX_load_verify_file(context, file) != 1 {
    throw .library(.configuration, "SSL_CERT_FILE '\(file)' cannot be read")
  }
  let chosen = environment(X509_get_default_cert_dir_env())
  let directory = chosen ?? String(cString: X509_get_default_cert_dir())
  guard SSL_CTX_load_verify_dir(context, directory) == 1 else {
    throw .library(.configuration, "the directory of certificates '\(directory)' cannot be used")
  }
  // Systems that keep a bundle alone (not Debian): better slow than without trust. Who names a directory means it.
  if file == nil, chosen == nil, !holdsHashes(directory) {
    SSL_CTX_load_verify_file(context, X509_get_default_cert_file())
  }
  ERR_clear_error()
}

/// Whether a directory holds a certificate under its hash, `a94d09e5.0`.
private func holdsHashes(_ path: String) -> Bool {
  guard let directory = opendir(path) else { return false }
  defer { closedir(directory) }
  while let entry = readdir(directory) {
    let isHash = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { name in strlen(name) == 10 && name[8] == 0x2E }
    }
    if isHash { return true }
  }
  return false
}

func environment(_ name: UnsafePointer<CChar>?) -> String? {
  guard let name, let value = getenv(name), value.pointee != 0 else { return nil }
  return String(cString: value)
}

/// ALPN's wire form: each name behind its length (RFC 7301 section 3.1).
func wireForm(_ protocols: [String]) throws(Failure) -> [UInt8] {
  var wire: [UInt8] = []
  for name in protocols {
    let count = name.utf8.count
    guard count > 0, count < 256 else { throw Failure(.configuration, "'\(name)' is not a protocol name") }
    wire.append(UInt8(count))
    wire.append(contentsOf: name.utf8)
  }
  return wire
}
