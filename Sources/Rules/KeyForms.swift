// What the bytes of a key file are: the body of PEM, the outermost structure of DER, and what is wrong with a key.

import APNs
import JSON

/// The base64 of one block of PEM.
struct PEMBody {
  private(set) var digits: [UInt8] = []
  /// Whether a line that ends the block stands behind it.
  private(set) var hasEnd = false

  /// - Parameter start: where the line that begins the block starts.
  init(_ bytes: Span<UInt8>, _ start: Int) {
    var index = start
    while index < bytes.count, bytes[index] != 0x0A { index += 1 }
    while index < bytes.count, bytes[index] != UInt8(ascii: "-") {
      if bytes[index] > 0x20 { digits.append(bytes[index]) }
      index += 1
    }
    let mark: StaticString = "-----END "
    for byte in "\(mark)".utf8 {
      guard index < bytes.count, bytes[index] == byte else { return }
      index += 1
    }
    hasEnd = true
  }
}

enum P256 {
  /// Whether DER names an EC key and the curve P-256 (RFC 5480: the two object identifiers).
  static func isNamed(in der: Span<UInt8>) -> Bool {
    holds(der, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01])
      && holds(der, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07])
  }

  private static func holds(_ der: Span<UInt8>, _ part: [UInt8]) -> Bool {
    guard der.count >= part.count else { return false }
    return (0...der.count - part.count).contains { start in
      part.indices.allSatisfy { der[start + $0] == part[$0] }
    }
  }
}

/// A file that is DER from its first byte, told by the outermost structure.
enum DERFile {
  case certificate(CertificateFacts)
  /// PKCS #8 (RFC 5958), its elder for EC keys (RFC 5915), PKCS #1 (RFC 8017).
  case privateKey, sec1, rsa
  case publicKey, encrypted
  /// PKCS #12 (RFC 7292).
  case archive
  case cutShort, other

  /// Recognises DER; nil for every text. JSON may begin with `0` as well, and then a digit, a point or a letter follows.
  init?(_ bytes: Span<UInt8>) {
    guard bytes.count >= 8, bytes[0] == 0x30 else { return nil }
    let isLong = (0x81...0x84).contains(bytes[1])
    if isLong, Self.isCutShort(bytes) {
      self = .cutShort
      return
    }
    guard let all = DER(bytes, 0, bytes.count), isLong || all.end == bytes.count,
      let first = DER(bytes, all.start, all.end), first.tag == 0x02 || first.tag == 0x30
    else { return nil }
    let second = DER(bytes, first.end, all.end)
    if let facts = CertificateFacts(bytes) {
      self = .certificate(facts)
    } else if first.tag == 0x02 {
      let number = first.end - first.start == 1 ? bytes[first.start] : 0xFF
      switch (number, second?.tag) {
      case (0...1, 0x30): self = .privateKey
      case (1, 0x04): self = .sec1
      case (0, 0x02): self = .rsa
      case (3, 0x30): self = .archive
      default: self = .other
      }
    } else {
      switch second?.tag {
      case 0x03: self = .publicKey
      case 0x04: self = .encrypted
      default: self = .other
      }
    }
  }

  /// Whether the outermost structure is longer, by its own account, than what there is.
  static func isCutShort(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count >= 2, bytes[0] == 0x30 else { return false }
    guard bytes[1] >= 0x80 else { return 2 + Int(bytes[1]) > bytes.count }
    let count = Int(bytes[1]) - 0x80
    guard (1...4).contains(count), bytes.count >= 2 + count else { return false }
    var length = 0
    for index in 2..<2 + count { length = length << 8 | Int(bytes[index]) }
    return length > bytes.count - 2 - count
  }
}

/// Why a file is no key for provider tokens, and what to do about it.
enum KeyFault {
  case otherKind, sec1, rsa, publicKey, certificate, encrypted
  case damaged, empty, endless
  case other(String)

  var message: String {
    switch self {
    case .otherKind: "this is a private key of another kind, not a key for provider tokens"
    case .sec1: "this is a key in the older form SEC1: apns-push signs with it, others want PKCS #8"
    case .rsa: "this is an RSA key, not a key for provider tokens"
    case .publicKey: "this is a public key, not a key for provider tokens"
    case .certificate: "this is a certificate, not a key for provider tokens"
    case .encrypted: "this is an encrypted key, not a key for provider tokens"
    case .damaged: "this is a private key whose text is damaged"
    case .empty: "this is a private key with nothing on the lines behind the first one"
    case .endless: "this is a private key without the line that ends it"
    case .other(let what): "this is \(what), not a key for provider tokens"
    }
  }

  var help: String {
    switch self {
    case .otherKind: "the key is an EC key on the curve P-256, from Apple's developer pages"
    case .sec1: "convert it: openssl pkcs8 -topk8 -nocrypt"
    case .rsa: "download the .p8 file of the key from Apple's developer pages"
    case .publicKey: "the private key is the .p8 file that could be downloaded once"
    case .certificate: "certificates are given with --cert of apns-push"
    case .encrypted: "take the passphrase off: openssl pkcs8 -topk8 -nocrypt"
    case .damaged: "take another copy of it"
    case .empty: #"its lines end in line ends, not in \n"#
    case .endless: "add the line -----END PRIVATE KEY-----"
    case .other: "the file of the key begins with the line of a private key in PKCS #8"
    }
  }
}
