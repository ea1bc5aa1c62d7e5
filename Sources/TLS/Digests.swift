// Random bytes, SHA-256 and HMAC.
internal import COpenSSL

/// Bytes nobody can guess, from the operating system by way of OpenSSL. Empty only when the system has none to give.
public func randomBytes(_ count: Int) -> [UInt8] {
  startLibrary()
  return [UInt8](unsafeUninitializedCapacity: max(0, count)) { buffer, written in
    written = RAND_bytes(buffer.baseAddress, Int32(clamping: count)) == 1 ? max(0, count) : 0
  }
}

/// The SHA-256 digest (FIPS 180-4), 32 bytes.
public func sha256(_ bytes: Span<UInt8>) -> [UInt8] {
  startLibrary()
  return [UInt8](unsafeUninitializedCapacity: 32) { buffer, written in
    bytes.withUnsafeBufferPointer { _ = SHA256($0.baseAddress, $0.count, buffer.baseAddress) }
    written = 32
  }
}

/// HMAC-SHA-256 (RFC 2104), 32 bytes.
public func hmacSHA256(key: Span<UInt8>, _ bytes: Span<UInt8>) -> [UInt8] {
  startLibrary()
  return [UInt8](unsafeUninitializedCapacity: 32) { buffer, written in
    key.withUnsafeBufferPointer { key in
      bytes.withUnsafeBufferPointer {
        _ = HMAC(
          EVP_sha256(), key.baseAddress, Int32(clamping: key.count), $0.baseAddress, $0.count, buffer.baseAddress, nil)
      }
    }
    written = 32
  }
}
