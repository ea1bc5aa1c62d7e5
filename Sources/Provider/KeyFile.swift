// From the bytes of what should be a signing key to the key, or words that say what the file is instead.

import APNs
import JSON
import TLS

/// A key that can sign, and how it came.
struct KeyFile {
  let key: SigningKey
  /// Such as `PKCS#8 PEM`.
  let form: String
  let damage: [KeyDamage]

  /// Reads the key as it stands, else what can be mended of it.
  init(_ bytes: [UInt8], passphrase: [UInt8]?) throws(CredentialProblem) {
    let first: Failure
    do throws(Failure) {
      key = try SigningKey(bytes.span, passphrase: passphrase)
      form = Self.form(bytes)
      // OpenSSL reads over it; the next tool will not.
      damage = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? [.byteOrderMark] : []
      return
    } catch { first = error }
    if let stranger = FileKind.stranger(bytes) { throw stranger }
    // A key that only lacks its passphrase has nothing to mend.
    if first.kind == .passphrase { throw Self.locked(first, passphrase) }
    let mended = KeyText(mending: bytes)
    do throws(Failure) {
      key = try SigningKey(mended.bytes.span, passphrase: passphrase)
      form = Self.form(mended.bytes)
      damage = mended.damage
    } catch {
      if error.kind == .passphrase { throw Self.locked(error, passphrase) }
      throw FileKind.problem(with: mended.bytes, passphrase: passphrase, failure: error)
    }
  }

  private static func form(_ bytes: [UInt8]) -> String {
    switch PEMScanner(bytes).blocks().first(where: { $0.label.hasSuffix("PRIVATE KEY") })?.label {
    case "PRIVATE KEY": "PKCS#8 PEM"
    case "EC PRIVATE KEY": "SEC1 PEM"
    case "ENCRYPTED PRIVATE KEY": "encrypted PKCS#8 PEM"
    case nil: "DER"
    case .some(let label): label
    }
  }

  private static func locked(_ failure: Failure, _ passphrase: [UInt8]?) -> CredentialProblem {
    passphrase == nil
      ? CredentialProblem(
        "key-encrypted", "this is an encrypted private key, and no passphrase was given",
        help: "give --passphrase, or the file as Apple gave it out: those are never encrypted")
      : CredentialProblem(
        "passphrase-wrong", "the passphrase does not open the key", help: "check the source given with --passphrase")
  }
}

/// Tells apart the files that people give for a key.
enum FileKind {
  static let useTheKey = "use the AuthKey_<key id>.p8 file that was downloaded when the key was made"
  static let downloadAgain =
    "take another copy of the AuthKey_<key id>.p8 file; Apple gives it out once, after that a new key must be made"

  /// Files that may hold something like a key but are none, by their first bytes; nil for what may be one.
  static func stranger(_ bytes: [UInt8]) -> CredentialProblem? {
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    guard let first = text.first(where: { $0 > 0x20 }) else {
      return CredentialProblem("key-empty", "this is an empty file", help: downloadAgain)
    }
    switch first {
    case UInt8(ascii: "<"): return markup(text)
    case UInt8(ascii: "{"), UInt8(ascii: "["): return json(Array(text))
    default: break
    }
    let archives: [(String, String)] = [("PK\u{3}\u{4}", "a ZIP archive"), ("bplist", "a binary property list")]
    for (start, name) in archives where text.starts(with: Array(start.utf8)) {
      return CredentialProblem("key-other-file", "this is \(name), not a private key", help: useTheKey)
    }
    return words(Array(text))
  }

  private static func markup(_ text: ArraySlice<UInt8>) -> CredentialProblem {
    let head = String(decoding: text.prefix(1024), as: UTF8.self).lowercased()
    if head.contains("<plist") || head.contains("<?xml") && !head.contains("<html") {
      return CredentialProblem("key-other-file", "this is an XML file, not a private key", help: useTheKey)
    }
    return CredentialProblem(
      "key-html", "this is an HTML page, not a private key; a log-in page was saved in its place",
      help: "log in at developer.apple.com and download the key again, or " + useTheKey)
  }

  private static func json(_ text: [UInt8]) -> CredentialProblem? {
    var reader = Reader(depthLimit: 16)
    guard (try? reader.read(text.span)) != nil, reader.tokens[0].kind == .object else {
      // `{` in front of something else is a program, or nothing known.
      return nil
    }
    let document = Document(text.span, reader.tokens.span)
    if let type = document.find("type", in: 0), document.equals(type, "service_account") {
      return CredentialProblem(
        "key-service-account", "this is the JSON file of a Google service account, for FCM and not for APNs",
        help: useTheKey)
    }
    return CredentialProblem(
      "key-json", "this is JSON, not a private key",
      help: "give the key alone; a file with several credentials is given with --credentials")
  }

  /// One line of text that names something instead of being it.
  private static func words(_ bytes: [UInt8]) -> CredentialProblem? {
    guard bytes.count < 4096 else { return nil }
    let text = String(decoding: bytes, as: UTF8.self).split { $0.isNewline }.first.map { String($0) } ?? ""
    if ProviderToken.isIdentifier(text) {
      return CredentialProblem("key-identifier", "this is a key id or team id, not the key", help: useTheKey)
    }
    let solid = bytes.filter { $0 > 0x20 }
    if text.hasPrefix("eyJ"), ProviderToken.parse(solid.span) != nil {
      return CredentialProblem(
        "key-token", "this is a provider token (JWT), not the key that signs it", help: useTheKey)
    }
    if text.hasPrefix("ssh-") || text.hasPrefix("ecdsa-sha2-") {
      return CredentialProblem("key-ssh", "this is an SSH public key, not an APNs key", help: useTheKey)
    }
    let endings = [".p8", ".pem", ".p12", ".key", ".pfx"]
    if bytes.count < 1024, !text.contains("BEGIN"), endings.contains(where: { text.lowercased().hasSuffix($0) }) {
      return CredentialProblem(
        "key-path", "this is the name of a file, not the text of a key",
        help: "give it with --key, or in APNS_KEY_FILE instead of APNS_KEY")
    }
    return nil
  }

  /// What a text that could not be read as a P-256 key is.
  static func problem(with bytes: [UInt8], passphrase: [UInt8]?, failure: Failure) -> CredentialProblem {
    if let kind = privateKeyKind(bytes.span, passphrase: passphrase) {
      if kind.hasPrefix("RSA") {
        return CredentialProblem(
          "key-rsa", "this is an RSA private key (\(kind)); provider tokens are signed with EC P-256", help: useTheKey)
      }
      return CredentialProblem(
        "key-curve", "this is a private key of kind \(kind); provider tokens are signed with EC P-256", help: useTheKey)
    }
    let blocks = PEMScanner(bytes).blocks()
    let labels = blocks.map(\.label)
    if let key = blocks.first(where: { $0.label.hasSuffix("PRIVATE KEY") }) { return damaged(key) }
    if let label = labels.first { return other(label) }
    if bytes.first == 0x30 { return der(bytes, failure) }
    return isBrokenBody(bytes) ? truncated : unknown
  }

  private static let truncated = CredentialProblem(
    "key-truncated", "this is a private key that is cut short, its end is missing", help: downloadAgain)

  /// Bare base64 that starts as the DER of a key does, and cannot be decoded or ends too early.
  private static func isBrokenBody(_ bytes: [UInt8]) -> Bool {
    let digits = bytes.filter { $0 > 0x20 }
    guard digits.count >= 16, digits.starts(with: Array("MI".utf8)) || digits.starts(with: Array("MH".utf8)) else {
      return false
    }
    return digits.allSatisfy {
      (0x2F...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
        || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "=")
    }
  }

  private static func other(_ label: String) -> CredentialProblem {
    if label.hasSuffix("PUBLIC KEY") {
      return CredentialProblem("key-public", "this is a public key; signing needs the private key", help: useTheKey)
    }
    if label.hasSuffix("CERTIFICATE REQUEST") {
      return CredentialProblem(
        "key-request", "this is a certificate signing request (CSR), not a private key", help: useTheKey)
    }
    if label.hasSuffix("CERTIFICATE") {
      return CredentialProblem(
        "key-certificate", "this is a certificate, not a private key",
        help: "give it with --cert, together with its own private key, or " + useTheKey)
    }
    return CredentialProblem("key-other-pem", "this is a PEM block '\(label)', not a private key", help: useTheKey)
  }

  /// A block that is named a private key and holds none that can be read.
  private static func damaged(_ block: PEMScanner.Block) -> CredentialProblem {
    if block.label.hasPrefix("OPENSSH") {
      return CredentialProblem("key-ssh", "this is an OpenSSH private key, not an APNs key", help: useTheKey)
    }
    let isShort = block.damage.contains(.missingEnd) || isCutShort(Array(block.lines.joined()))
    return isShort
      ? truncated
      : CredentialProblem("key-damaged", "this is a private key whose text is damaged", help: downloadAgain)
  }

  /// Whether the DER in the body is longer, by its own account, than what there is.
  private static func isCutShort(_ body: [UInt8]) -> Bool {
    let digits = body.filter { $0 > 0x20 && $0 != UInt8(ascii: "=") }
    let start = Array(digits[..<min(8, digits.count / 4 * 4)])
    guard let head = Base64.decode(start.span), let length = derLength(head) else { return body.count < 16 }
    return digits.count * 3 / 4 < length
  }

  /// How long a DER sequence says it is, its head included; nil for anything else.
  private static func derLength(_ head: [UInt8]) -> Int? {
    guard head.count > 3, head[0] == 0x30 else { return nil }
    return switch head[1] {
    case 0x81: 3 + Int(head[2])
    case 0x82: 4 + Int(head[2]) << 8 + Int(head[3])
    case 0..<0x80: 2 + Int(head[1])
    default: nil
    }
  }

  private static func der(_ bytes: [UInt8], _ failure: Failure) -> CredentialProblem {
    let message = failure.message
    if message.contains("certificate") {
      return CredentialProblem(
        "key-certificate", message, help: "give it with --cert, together with its own private key, or " + useTheKey)
    }
    if message.contains("PKCS#12") { return CredentialProblem("key-archive", message, help: "give it with --cert") }
    if message.contains("public key") { return CredentialProblem("key-public", message, help: useTheKey) }
    if message.contains("passphrase") {
      return CredentialProblem("key-encrypted", message, help: "give --passphrase, or the file as Apple gave it out")
    }
    if let length = derLength(bytes), bytes.count < length { return truncated }
    return CredentialProblem("key-damaged", message, help: downloadAgain)
  }

  private static let unknown = CredentialProblem(
    "key-unknown", "this is not a private key, but some other text: neither PEM nor DER, nor a mangled form of them",
    help: useTheKey)
}
