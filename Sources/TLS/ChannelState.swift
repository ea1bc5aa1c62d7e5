// The wire side of a channel: a BIO over the bytes given and the bytes to be taken, and the verification's notes.
internal import COpenSSL

/// What OpenSSL's callbacks touch, behind a pointer: a callback is a cast and a copy.
struct ChannelState {
  /// The ciphertext given with the call in progress; nothing outside of one.
  var input: UnsafePointer<UInt8>?
  var inputCount = 0
  /// The transport ended: an empty input is the end, not a reason to wait.
  var hasEnded = false
  private var output: UnsafeMutablePointer<UInt8>?
  private var capacity = 0
  private var start = 0
  private var end = 0
  var keptCapacity = 1 << 17
  var verification: Verification?
  var host = ""
  var acceptsAnyone = false

  func deallocate() { output?.deallocate() }

  var pending: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: output.map { UnsafePointer($0 + start) }, count: end - start)
  }

  mutating func consume(_ count: Int) {
    start = min(end, start + max(0, count))
    if start == end {
      (start, end) = (0, 0)
      // A stalled peer once made it large; a client keeps a few records' room, one of a server's thousand none.
      if capacity > keptCapacity {
        output?.deallocate()
        (output, capacity) = (nil, 0)
      }
    }
  }

  mutating func append(_ bytes: UnsafePointer<CChar>, _ count: Int) {
    if end + count > capacity { makeRoom(count) }
    guard let output else { return }
    UnsafeMutableRawPointer(output + end).copyMemory(from: bytes, byteCount: count)
    end += count
  }

  private mutating func makeRoom(_ count: Int) {
    let used = end - start
    let wanted = max(4096, used + count, start > used ? capacity : capacity * 2)
    let bigger = UnsafeMutablePointer<UInt8>.allocate(capacity: wanted)
    if let output {
      bigger.update(from: output + start, count: used)
      output.deallocate()
    }
    (output, capacity, start, end) = (bigger, wanted, 0, used)
  }

  mutating func read(_ buffer: UnsafeMutablePointer<CChar>, _ count: Int) -> Int {
    let taken = min(count, inputCount)
    guard taken > 0, let input else { return 0 }
    UnsafeMutableRawPointer(buffer).copyMemory(from: input, byteCount: taken)
    self.input = input + taken
    inputCount -= taken
    return taken
  }
}

@inline(__always)
private func state(_ bio: OpaquePointer?) -> UnsafeMutablePointer<ChannelState>? {
  BIO_get_data(bio)?.assumingMemoryBound(to: ChannelState.self)
}

private func makeMethod() -> OpaquePointer? {
  let method = BIO_meth_new(BIO_get_new_index() | Int32(BIO_TYPE_SOURCE_SINK), "channel")
  BIO_meth_set_create(method) { bio in
    BIO_set_init(bio, 1)
    return 1
  }
  BIO_meth_set_write(method) { bio, bytes, count in
    guard let bytes, count > 0, let state = state(bio) else { return 0 }
    state.pointee.append(bytes, Int(count))
    return count
  }
  BIO_meth_set_read(method) { bio, buffer, count in
    guard let buffer, count > 0, let state = state(bio) else { return 0 }
    BIO_clear_flags(bio, door_BIO_retry_flags())
    let taken = state.pointee.read(buffer, Int(count))
    if taken == 0, !state.pointee.hasEnded {
      BIO_set_flags(bio, door_BIO_retry_flags())
      return -1
    }
    return Int32(taken)
  }
  BIO_meth_set_ctrl(method) { bio, command, _, _ in
    if command == BIO_CTRL_FLUSH { return 1 }
    if command == BIO_CTRL_EOF { return state(bio)?.pointee.hasEnded == true ? 1 : 0 }
    return 0
  }
  return method
}

/// Made once and never changed: threads may share it.
nonisolated(unsafe) private let method = makeMethod()

/// A BIO over a channel's state, which outlives it.
func makeBIO(_ state: UnsafeMutablePointer<ChannelState>) -> OpaquePointer? {
  guard let method, let bio = BIO_new(method) else { return nil }
  BIO_set_data(bio, state)
  return bio
}

/// OpenSSL asks this about every certificate of the chain. A refusal is noted with its words while the certificate is
/// at hand; it stands unless the context takes anyone.
func noteVerification(_ isGood: Int32, _ store: OpaquePointer?) -> Int32 {
  let index = SSL_get_ex_data_X509_STORE_CTX_idx()
  guard let ssl = X509_STORE_CTX_get_ex_data(store, index),
    let state = SSL_get_ex_data(OpaquePointer(ssl), 0)?.assumingMemoryBound(to: ChannelState.self)
  else { return isGood }
  if isGood == 1 { return 1 }
  if state.pointee.verification == nil {
    let code = X509_STORE_CTX_get_error(store)
    let certificate = X509_STORE_CTX_get_current_cert(store).map { Certificate(sharing: $0) }
    state.pointee.verification = Verification(
      code: Int(code), words: refusalWords(code, certificate, state.pointee.host),
      subject: certificate?.subject ?? "", issuer: certificate?.issuer ?? "",
      depth: Int(X509_STORE_CTX_get_error_depth(store)))
  }
  return state.pointee.acceptsAnyone ? 1 : 0
}

/// Why a certificate was refused, with the dates or names that decide it.
private func refusalWords(_ code: Int32, _ certificate: Certificate?, _ host: String) -> String {
  let plain = String(cString: X509_verify_cert_error_string(Int(code)))
  guard let certificate else { return plain }
  switch code {
  case X509_V_ERR_CERT_HAS_EXPIRED:
    return "it expired on \(dateText(certificate.notAfter))"
  case X509_V_ERR_CERT_NOT_YET_VALID:
    return "it is not valid before \(dateText(certificate.notBefore))"
  case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
    let names = certificate.dnsNames + certificate.ipAddresses
    let list = names.isEmpty ? "no name at all" : names.prefix(8).joined(separator: ", ")
    return "it is made out to \(list), not to '\(host)'"
  case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    return "it is self-signed, and not among the trusted ones"
  case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    return "it is a root that is not among the trusted ones"
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE,
    X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    return "its issuer '\(certificate.issuer)' is not among the trusted ones"
  default:
    return plain
  }
}
