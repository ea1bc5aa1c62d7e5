// Looking for roots in a trust store: the way a handshake would find them, without a handshake.
internal import COpenSSL

/// The name of a root, part by part.
public struct RootName: Sendable, Equatable {
  public let commonName: String
  /// The subject's entries, short name and value.
  public let entries: [String]

  /// - Parameter entries: such as `C=GB`, in the order of the certificate, the common name last and without its `CN=`.
  public init(_ commonName: String, _ entries: [String]) { (self.commonName, self.entries) = (commonName, entries) }
}

extension ClientContext {
  /// Whether the context's trust store holds a certificate of that name: among those loaded (by common name), else in
  /// the hashed directory.
  public func trusts(_ root: RootName) -> Bool {
    defer { ERR_clear_error() }
    guard let store = SSL_CTX_get_cert_store(pointer) else { return false }
    let loaded = X509_STORE_get0_objects(store)
    for index in 0..<max(0, OPENSSL_sk_num(loaded)) {
      guard let object = OPENSSL_sk_value(loaded, index), let found = door_STORE_certificate(object) else { continue }
      if Certificate(sharing: found).commonName == root.commonName { return true }
    }
    guard let name = X509_NAME_new() else { return false }
    defer { X509_NAME_free(name) }
    for entry in root.entries + ["CN=\(root.commonName)"] {
      let parts = entry.split(separator: "=", maxSplits: 1).map { String($0) }
      guard parts.count == 2 else { return false }
      let value = Array(parts[1].utf8)
      X509_NAME_add_entry_by_txt(name, parts[0], MBSTRING_UTF8, value, Int32(clamping: value.count), -1, 0)
    }
    guard let search = X509_STORE_CTX_new() else { return false }
    defer { X509_STORE_CTX_free(search) }
    guard X509_STORE_CTX_init(search, store, nil, nil) == 1,
      let object = X509_STORE_CTX_get_obj_by_subject(search, X509_LU_X509, name)
    else { return false }
    X509_OBJECT_free(object)
    return true
  }
}

/// Where the system's trusted certificates are looked for: `SSL_CERT_FILE` and `SSL_CERT_DIR`, else OpenSSL's default.
public var systemTrustPlaces: [String] {
  startLibrary()
  let file = environment(X509_get_default_cert_file_env())
  let directory = environment(X509_get_default_cert_dir_env()) ?? String(cString: X509_get_default_cert_dir())
  return [file, directory].compactMap { $0 }
}
