// What a server brings to its handshakes.
internal import COpenSSL

/// A server's settings, shared by all its channels and by threads.
public final class ServerContext: @unchecked Sendable {
  /// Whether a client certificate is asked for.
  public enum ClientCertificates: Sendable {
    case ignored
    /// Asked for; any one is taken, also none: what verifying it against the authority came to is on the channel.
    case requested(Trust)
    /// Asked for, and the handshake fails without a good one.
    case required(Trust)
  }

  let pointer: OpaquePointer
  let acceptsAnyone: Bool
  private let protocols: UnsafeMutableBufferPointer<UInt8>

  /// - Parameters:
  ///   - protocols: what ALPN may choose, best first. A client that offers none goes on without; one whose offers all
  ///     differ gets the alert `no_application_protocol`. Empty: ALPN is not answered.
  ///   - sessionTickets: TLS 1.3 tickets make a socket readable, which old binary clients take for an answer.
  public init(
    identity: Identity, protocols: [String] = ["h2"], clients: ClientCertificates = .ignored,
    versions: Versions = .from12, sessionTickets: Bool = false
  ) throws(Failure) {
    let wire = try wireForm(protocols)
    let list = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, wire.count + 1))
    list.initialize(repeating: 0)
    list[0] = UInt8(truncatingIfNeeded: wire.count)
    for (index, byte) in wire.enumerated() { list[index + 1] = byte }
    self.protocols = list
    var accepts = false
    if case .requested = clients { accepts = true }
    acceptsAnyone = accepts
    do throws(Failure) {
      pointer = try makeContext(TLS_server_method(), versions, identity, isForHTTP2: protocols.contains("h2"))
    } catch {
      list.deallocate()
      throw error
    }
    // A thousand quiet connections keep no record buffers.
    door_SSL_CTX_set_mode(pointer, Int(SSL_MODE_RELEASE_BUFFERS))
    if !sessionTickets {
      SSL_CTX_set_num_tickets(pointer, 0)
      SSL_CTX_set_options(pointer, door_SSL_no_ticket())
    }
    switch clients {
    case .ignored: break
    case .requested(let trust):
      try trustIn(pointer, trust)
      SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, noteVerification)
    case .required(let trust):
      try trustIn(pointer, trust)
      SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, noteVerification)
    }
    if !protocols.isEmpty { SSL_CTX_set_alpn_select_cb(pointer, chooseProtocol, list.baseAddress) }
  }

  deinit {
    SSL_CTX_free(pointer)
    protocols.deallocate()
  }
}

/// Picks the first of our protocols that the client offers. The list stands behind its length.
private func chooseProtocol(
  _ ssl: OpaquePointer?, _ out: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ outCount: UnsafeMutablePointer<UInt8>?,
  _ offered: UnsafePointer<UInt8>?, _ offeredCount: UInt32, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
  guard let list = argument?.assumingMemoryBound(to: UInt8.self), let out else { return SSL_TLSEXT_ERR_ALERT_FATAL }
  var chosen: UnsafeMutablePointer<UInt8>?
  let result = SSL_select_next_proto(&chosen, outCount, list + 1, UInt32(list.pointee), offered, offeredCount)
  guard result == OPENSSL_NPN_NEGOTIATED else { return SSL_TLSEXT_ERR_ALERT_FATAL }
  out.pointee = UnsafePointer(chosen)
  return SSL_TLSEXT_ERR_OK
}
