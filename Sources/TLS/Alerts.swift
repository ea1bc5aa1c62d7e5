// TLS alerts by name, and words for handshakes that fail for another reason than a certificate.
internal import COpenSSL

/// The names of RFC 8446 section 6, and of older alerts still seen. OpenSSL 3.0's own list lacks the newest.
func alertName(_ alert: UInt8) -> String {
  let names: [UInt8: String] = [
    0: "close notify", 10: "unexpected message", 20: "bad record mac", 21: "decryption failed", 22: "record overflow",
    30: "decompression failure", 40: "handshake failure", 42: "bad certificate", 43: "unsupported certificate",
    44: "certificate revoked", 45: "certificate expired", 46: "certificate unknown", 47: "illegal parameter",
    48: "unknown CA", 49: "access denied", 50: "decode error", 51: "decrypt error", 70: "protocol version",
    71: "insufficient security", 80: "internal error", 86: "inappropriate fallback", 90: "user canceled",
    100: "no renegotiation", 109: "missing extension", 110: "unsupported extension", 112: "unrecognized name",
    113: "bad certificate status response", 115: "unknown PSK identity", 116: "certificate required",
    120: "no application protocol",
  ]
  return names[alert] ?? "unknown"
}

/// Words for a handshake or record failure that is not about certificates.
func protocolFailure(_ errors: LibraryErrors, isServer: Bool) -> Failure {
  let peer = isServer ? "client" : "server"
  func handshake(_ message: String) -> Failure { Failure(.handshake, message, reason: errors.text) }
  guard errors.library == Int(ERR_LIB_SSL) else {
    return handshake("TLS with the \(peer) failed: \(errors.text.isEmpty ? "no reason given" : errors.text)")
  }
  // Reasons from 1000 on are alerts that came from the peer (SSL_AD_REASON_OFFSET).
  if errors.reason >= 1000, errors.reason < 1256 {
    let alert = UInt8(truncatingIfNeeded: errors.reason - 1000)
    var failure = Failure(
      .alert, "the \(peer) ended the TLS connection: \(alertName(alert)) (alert \(alert))", reason: errors.text)
    failure.alert = alert
    return failure
  }
  switch Int32(errors.reason) {
  case SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST:
    return handshake("the \(peer) speaks plain HTTP, not TLS")
  case SSL_R_WRONG_VERSION_NUMBER, SSL_R_PACKET_LENGTH_TOO_LONG, SSL_R_RECORD_TOO_SMALL:
    return handshake("the \(peer) does not speak TLS")
  case SSL_R_UNSUPPORTED_PROTOCOL:
    return handshake("the \(peer) speaks no TLS version from 1.2 on")
  case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
    return handshake("the client sent no certificate")
  case SSL_R_NO_SHARED_CIPHER:
    return handshake("the client and this end share no cipher suite")
  default:
    return handshake("TLS with the \(peer) failed: \(errors.text)")
  }
}
