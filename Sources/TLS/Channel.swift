// One TLS connection without a socket: ciphertext in and out on one side, plaintext on the other.
internal import COpenSSL

/// One end of a TLS connection. It owns no socket: the owner carries `output` to the peer and gives what comes back
/// to `receive`. One owner, one thread.
///
/// After a failure there may still be output: the alert that tells the peer. Send it, then close.
public final class Channel {
  public enum Phase: Sendable {
    case handshaking
    case open
    /// The peer closed its direction properly (close_notify).
    case closed
    case failed
  }

  let ssl: OpaquePointer
  let state: UnsafeMutablePointer<ChannelState>
  private let isServer: Bool
  /// Keeps what the context owns alive: OpenSSL counts its own part alone.
  private let context: AnyObject

  /// How far the connection is.
  public private(set) var phase = Phase.handshaking

  /// A client's end. `host` is the name or address the server's certificate must be made out to; a name is also sent
  /// as SNI. The ClientHello is in `output` at once.
  public convenience init(_ context: ClientContext, host: String) throws(Failure) {
    try self.init(context.pointer, context, isServer: false, acceptsAnyone: context.acceptsAnyone)
    state.pointee.host = host
    try setHost(host)
    SSL_set_connect_state(ssl)
    var nothing: [UInt8] = []
    try advance(into: &nothing)
  }

  /// A server's end.
  public convenience init(_ context: ServerContext) throws(Failure) {
    try self.init(context.pointer, context, isServer: true, acceptsAnyone: context.acceptsAnyone)
    SSL_set_accept_state(ssl)
  }

  private init(_ context: OpaquePointer, _ owner: AnyObject, isServer: Bool, acceptsAnyone: Bool) throws(Failure) {
    ERR_clear_error()
    let state = UnsafeMutablePointer<ChannelState>.allocate(capacity: 1)
    state.initialize(to: ChannelState())
    state.pointee.acceptsAnyone = acceptsAnyone
    if isServer { state.pointee.keptCapacity = 0 }
    let bio = makeBIO(state)
    guard let bio, let ssl = SSL_new(context) else {
      BIO_free(bio)
      state.deinitialize(count: 1)
      state.deallocate()
      throw .library(.library, "OpenSSL gives no connection")
    }
    SSL_set_bio(ssl, bio, bio)
    SSL_set_ex_data(ssl, 0, state)
    (self.ssl, self.state, self.isServer, self.context) = (ssl, state, isServer, owner)
  }

  deinit {
    SSL_free(ssl)
    state.pointee.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  private func setHost(_ host: String) throws(Failure) {
    if let address = a2i_IPADDRESS(host) {
      // An address is not a name: RFC 6066 section 3 keeps it out of SNI.
      ASN1_STRING_free(address)
      guard X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1 else {
        throw .library(.configuration, "the address '\(host)' cannot be verified")
      }
      return
    }
    ERR_clear_error()
    SSL_set_hostflags(ssl, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
    guard !host.isEmpty, SSL_set1_host(ssl, host) == 1, door_SSL_set_host_name(ssl, host) == 1 else {
      throw .library(.configuration, "'\(host)' is not a host name")
    }
  }

  /// Takes ciphertext from the peer, appends the plaintext it holds, and drives the handshake. All of it is taken.
  /// - Throws: what ended the connection. The phase is `failed` then.
  public func receive(_ ciphertext: Span<UInt8>, into plaintext: inout [UInt8]) throws(Failure) {
    if phase == .failed || phase == .closed { return }
    var failure: Failure?
    ciphertext.withUnsafeBufferPointer { bytes in
      (state.pointee.input, state.pointee.inputCount) = (bytes.baseAddress, bytes.count)
      do throws(Failure) { try advance(into: &plaintext) } catch { failure = error }
      (state.pointee.input, state.pointee.inputCount) = (nil, 0)
    }
    if let failure { throw failure }
  }

  /// The transport ended. Nothing happens when the peer had closed the connection properly.
  /// - Throws: `.truncated`, or a handshake failure.
  public func receiveEnd(into plaintext: inout [UInt8]) throws(Failure) {
    if phase == .failed || phase == .closed { return }
    state.pointee.hasEnded = true
    let wasHandshaking = phase == .handshaking
    try advance(into: &plaintext)
    if phase == .closed { return }
    phase = .failed
    throw wasHandshaking
      ? Failure(.handshake, "the peer closed the connection during the TLS handshake")
      : Failure(.truncated, "the peer closed the connection without the close that TLS asks for")
  }

  /// Handshake first, then every record that is complete.
  private func advance(into plaintext: inout [UInt8]) throws(Failure) {
    if phase == .handshaking {
      ERR_clear_error()
      let result = SSL_do_handshake(ssl)
      if result != 1 {
        if SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ { return }
        throw fail()
      }
      phase = .open
    }
    while true {
      ERR_clear_error()
      var count = 0
      var result: Int32 = 0
      plaintext.append(addingCapacity: 16_384) { span in
        span.withUnsafeMutableBufferPointer { buffer, written in
          result = SSL_read_ex(ssl, buffer.baseAddress, buffer.count, &count)
          if result == 1 { written += count }
        }
      }
      if result == 1 { continue }
      switch SSL_get_error(ssl, 0) {
      case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE:
        return
      case SSL_ERROR_ZERO_RETURN:
        phase = .closed
        return
      default:
        throw fail()
      }
    }
  }

  /// Turns the error queue into the failure that names the cause.
  private func fail() -> Failure {
    let wasHandshaking = phase == .handshaking
    phase = .failed
    let errors = LibraryErrors.drain()
    if let verification = state.pointee.verification, !state.pointee.acceptsAnyone {
      return verificationFailure(verification, errors.text)
    }
    if state.pointee.hasEnded {
      return wasHandshaking
        ? Failure(.handshake, "the peer closed the connection during the TLS handshake", reason: errors.text)
        : Failure(.truncated, "the peer closed the connection without the close that TLS asks for", reason: errors.text)
    }
    return protocolFailure(errors, isServer: isServer)
  }

  private func verificationFailure(_ verification: Verification, _ reason: String) -> Failure {
    let whose = isServer ? "the client's" : "the server's"
    let which = verification.depth == 0 ? "\(whose) certificate" : "a certificate above \(whose) own"
    let name = verification.subject.isEmpty ? "" : " '\(verification.subject)'"
    var failure = Failure(.verification, "\(which)\(name) is refused: \(verification.words)", reason: reason)
    failure.verification = verification
    return failure
  }

  /// Encrypts plaintext into `output`. Records are full but the last: gather what there is to say, then write once.
  /// - Throws: while the handshake is not done, and after a failure.
  public func write(_ plaintext: Span<UInt8>) throws(Failure) {
    if plaintext.isEmpty { return }
    guard phase == .open || phase == .closed else {
      throw Failure(.library, "nothing can be written before the handshake is done, or after a failure")
    }
    ERR_clear_error()
    var count = 0
    let result = plaintext.withUnsafeBufferPointer { SSL_write_ex(ssl, $0.baseAddress, $0.count, &count) }
    if result != 1 { throw fail() }
  }

  /// Ends our direction: close_notify goes into `output`.
  public func close() {
    guard phase == .open || phase == .closed else { return }
    ERR_clear_error()
    SSL_shutdown(ssl)
    ERR_clear_error()
  }

  /// Ciphertext that waits for the peer. Valid until the channel is called again.
  public var output: Span<UInt8> {
    @_lifetime(borrow self)
    get { _overrideLifetime(Span(_unsafeElements: state.pointee.pending), borrowing: self) }
  }

  /// How much of it there is.
  public var outputCount: Int { state.pointee.pending.count }

  /// So many bytes of `output` are with the peer.
  public func consumeOutput(_ count: Int) { state.pointee.consume(count) }

  /// Moves all of `output` to the end of an array.
  public func takeOutput(into out: inout [UInt8]) {
    out.append(contentsOf: state.pointee.pending)
    state.pointee.consume(state.pointee.pending.count)
  }
}
