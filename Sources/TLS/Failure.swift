// What went wrong in TLS, keys and certificates, as a value.
internal import COpenSSL

/// A failure of OpenSSL or of what was given to it. It holds no secret: neither key bytes nor passphrases.
public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Kind: Sendable {
    /// The peer's certificate was refused by us: see `verification`.
    case verification
    /// The peer ended the connection with a TLS alert: see `alert`.
    case alert
    /// The peer does not speak TLS, or breaks it.
    case handshake
    /// The transport ended without the close that TLS asks for: what was read may be cut short.
    case truncated
    /// A key cannot be used, or what was given is not a key.
    case key
    /// A certificate cannot be used, or what was given is not a certificate.
    case certificate
    /// The passphrase is wrong or missing.
    case passphrase
    /// The two do not belong together: a key and a certificate.
    case mismatch
    /// A trust store, a version or a protocol list cannot be used.
    case configuration
    /// Anything else OpenSSL said.
    case library
  }

  public var kind: Kind
  /// One sentence without a period, fit for a diagnostic.
  public var message: String
  /// OpenSSL's own reason, for the record; empty when it gave none.
  public var reason: String
  /// The TLS alert the peer sent (RFC 8446 section 6).
  public var alert: UInt8?
  /// Which certificate was refused, and why.
  public var verification: Verification?

  init(_ kind: Kind, _ message: String, reason: String = "") {
    (self.kind, self.message, self.reason) = (kind, message, reason)
  }

  public var description: String { message }
}

/// What verifying the peer's certificate came to.
public struct Verification: Equatable, Sendable {
  /// OpenSSL's number, an `X509_V_ERR_…`; 0 is success.
  public var code: Int
  /// The reason in words, dates and names included.
  public var words: String
  /// The certificate that was refused.
  public var subject: String
  public var issuer: String
  /// Its place in the chain: 0 is the peer's own.
  public var depth: Int
}

/// The OpenSSL error queue of this thread, emptied: the oldest entry, which is the cause, and all reasons.
struct LibraryErrors {
  var library = 0
  var reason = 0
  var text = ""

  /// Drains the queue.
  static func drain() -> LibraryErrors {
    var errors = LibraryErrors()
    var texts: [String] = []
    while true {
      let code = ERR_get_error()
      guard code != 0 else { break }
      if texts.isEmpty { (errors.library, errors.reason) = (Int(door_ERR_lib(code)), Int(door_ERR_reason(code))) }
      if let reason = ERR_reason_error_string(code) {
        let text = String(cString: reason)
        if !texts.contains(text), texts.count < 4 { texts.append(text) }
      }
    }
    errors.text = texts.joined(separator: "; ")
    return errors
  }
}

extension Failure {
  /// A failure from OpenSSL's queue, behind a sentence of ours.
  static func library(_ kind: Kind, _ message: String) -> Failure {
    let errors = LibraryErrors.drain()
    return Failure(kind, errors.text.isEmpty ? message : "\(message): \(errors.text)", reason: errors.text)
  }
}
