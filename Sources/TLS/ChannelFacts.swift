// What a channel's handshake agreed on.
internal import COpenSSL

extension Channel {
  /// What ALPN agreed on; nil for nothing.
  public var negotiatedProtocol: String? {
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &name, &count)
    guard let name, count > 0 else { return nil }
    return String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
  }

  /// `TLSv1.3`.
  public var version: String { String(cString: SSL_get_version(ssl)) }

  /// `TLS_AES_128_GCM_SHA256`; empty before the handshake.
  public var cipher: String {
    SSL_CIPHER_get_name(SSL_get_current_cipher(ssl)).map { String(cString: $0) } ?? ""
  }

  /// The name the client asked for (SNI), on the server's side.
  public var requestedHost: String? {
    SSL_get_servername(ssl, Int32(TLSEXT_NAMETYPE_host_name)).map { String(cString: $0) }
  }

  /// The peer's certificate.
  public var peerCertificate: Certificate? {
    SSL_get1_peer_certificate(ssl).map { Certificate(owning: $0) }
  }

  /// The certificates the peer sent, its own first.
  public var peerChain: [Certificate] {
    guard let stack = SSL_get_peer_cert_chain(ssl) else { return [] }
    return (0..<OPENSSL_sk_num(stack)).compactMap { index in
      OPENSSL_sk_value(stack, index).map { Certificate(sharing: OpaquePointer($0)) }
    }
  }

  /// Why the peer's certificate would not do; nil when it does, and when there is none.
  public var refusal: Verification? { state.pointee.verification }
}
