// ES256: the private key that signs provider tokens, and the public key that checks them.
internal import COpenSSL

/// A P-256 private key. It signs; it never shows its bytes but through `privatePEM`, which writes them to a file.
public final class SigningKey: Sendable {
  let key: Key

  private init(_ key: Key) throws(Failure) {
    guard key.isP256 else {
      throw Failure(.key, "this is a private key of kind \(key.kindText): ES256 needs P-256")
    }
    self.key = key
  }

  /// Reads a key from PEM (PKCS#8 as in Apple's .p8, or SEC1) or DER. The failure says what the bytes are instead.
  public convenience init(_ bytes: Span<UInt8>, passphrase: [UInt8]? = nil) throws(Failure) {
    var key: Result<Key, Failure> = .failure(Failure(.key, "the key is empty"))
    bytes.withUnsafeBufferPointer { bytes in
      do throws(Failure) { key = .success(try readPrivateKey(bytes, passphrase: passphrase)) } catch {
        key = .failure(error)
      }
    }
    try self.init(try key.get())
  }

  /// Makes a new key.
  public static func generate() throws(Failure) -> SigningKey {
    startLibrary()
    guard let pointer = door_P256_generate() else { throw .library(.key, "a key could not be made") }
    return try SigningKey(Key(pointer))
  }

  /// Signs with ECDSA over SHA-256; the signature in DER, some 70 to 72 bytes. 24 µs.
  public func signDER(_ message: Span<UInt8>) throws(Failure) -> [UInt8] {
    guard let context = EVP_MD_CTX_new() else { throw .library(.library, "out of memory") }
    defer { EVP_MD_CTX_free(context) }
    guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key.pointer) == 1 else {
      throw .library(.key, "the key cannot sign")
    }
    var count = 80
    var signature = [UInt8](repeating: 0, count: count)
    let result = message.withUnsafeBufferPointer {
      EVP_DigestSign(context, &signature, &count, $0.baseAddress, $0.count)
    }
    guard result == 1 else { throw .library(.key, "the key cannot sign") }
    signature.removeLast(signature.count - count)
    return signature
  }

  /// Signs as ES256 (RFC 7518 section 3.4): r and s, 32 bytes each.
  public func sign(_ message: Span<UInt8>) throws(Failure) -> [UInt8] {
    let der = try signDER(message)
    guard let raw = rawSignature(der.span) else { throw Failure(.library, "OpenSSL made an unreadable signature") }
    return raw
  }

  /// The key that checks the signatures.
  public var publicKey: PublicKey {
    EVP_PKEY_up_ref(key.pointer)
    return PublicKey(Key(key.pointer))
  }

  /// The key as PKCS#8 PEM, the form of Apple's .p8 files. For writing throw-away credentials; never print it.
  public var privatePEM: [UInt8] {
    collect { door_PEM_write_key($0, key.pointer) == 1 } ?? []
  }
}

/// A P-256 public key.
public final class PublicKey: Sendable {
  let key: Key

  init(_ key: Key) { self.key = key }

  /// Reads a public key: PEM (`PUBLIC KEY`) or DER (SubjectPublicKeyInfo).
  public init(_ bytes: Span<UInt8>) throws(Failure) {
    startLibrary()
    let pointer: OpaquePointer? = bytes.withUnsafeBufferPointer { bytes in
      if bytes.first == 0x30 {
        var cursor = bytes.baseAddress
        return d2i_PUBKEY(nil, &cursor, bytes.count)
      }
      return withBIO(bytes) { bio in withPassphrase(nil) { PEM_read_bio_PUBKEY(bio, nil, $0, $1) } }
    }
    guard let pointer else { throw .library(.key, "this is not a public key") }
    let key = Key(pointer)
    guard key.isP256 else { throw Failure(.key, "this is a public key of kind \(key.kindText): ES256 needs P-256") }
    self.key = key
  }

  /// Checks an ES256 signature: 64 bytes are r and s, anything else is read as DER, which APNs takes as well.
  public func verify(_ signature: Span<UInt8>, _ message: Span<UInt8>) -> Bool {
    let der = signature.count == 64 ? derSignature(signature) : signature.withUnsafeBufferPointer { Array($0) }
    guard let context = EVP_MD_CTX_new() else { return false }
    defer {
      EVP_MD_CTX_free(context)
      ERR_clear_error()
    }
    guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key.pointer) == 1 else { return false }
    return message.withUnsafeBufferPointer {
      EVP_DigestVerify(context, der, der.count, $0.baseAddress, $0.count) == 1
    }
  }

  /// The key as SubjectPublicKeyInfo in DER.
  public var der: [UInt8] { derBytes { i2d_PUBKEY(key.pointer, $0) } }

  /// The key as PEM.
  public var pem: [UInt8] { collect { PEM_write_bio_PUBKEY($0, key.pointer) == 1 } ?? [] }
}

extension PublicKey: Equatable {
  /// The same key.
  public static func == (left: PublicKey, right: PublicKey) -> Bool {
    EVP_PKEY_eq(left.key.pointer, right.key.pointer) == 1
  }
}
