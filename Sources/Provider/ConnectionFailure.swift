// What connections of every kind share with their owners.

import TLS

/// Why a connection ended or never began, in words that name the host.
struct ConnectionFailure {
  var message: String
  /// Trying again cannot help: the certificate is refused, the protocol is not spoken.
  var isFinal: Bool
}

extension Transport {
  /// Whether the peer leaves because it was shown no certificate: `certificate_required`, or before TLS 1.3 what else
  /// there is (RFC 5246 section 7.4.6). Over HTTP/2 provider tokens take its place.
  func lacksCertificate(_ error: Failure) -> Bool {
    if context.hasIdentity || !context.isWithoutHTTP2 { return false }
    return isRefused || phase == .handshaking && error.alert == 40
  }
}

/// Buffers for reading, shared by all connections of a loop.
struct ReadBuffers {
  var cipher = [UInt8](repeating: 0, count: 131_072)
}
