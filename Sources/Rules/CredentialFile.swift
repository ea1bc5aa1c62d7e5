// Credential files: a provider token as text, a key in PEM. Told by their looks; the rules are those of 'The credential'.

import APNs
import JSON

/// A text that is a credential, not a notification.
enum CredentialText {
  /// A provider token, with or without its scheme.
  case token(scheme: Range<Int>?, token: Range<Int>)
  /// Blocks of PEM: where the first starts and what its label says.
  case pem(start: Int, label: String)

  /// Recognises the text; nil for everything else. JSON begins with none of these.
  init?(_ bytes: Span<UInt8>) {
    var start = 0
    while start < bytes.count, bytes[start] <= 0x20 { start += 1 }
    guard start < bytes.count, bytes[start] != UInt8(ascii: "{") else { return nil }
    // What openssl writes before a block.
    if ["bag attributes", "subject=", "certificate:"].contains(where: { Self.starts(bytes, start, $0) }) {
      start = Self.firstBlock(bytes, start)
    }
    if let label = Self.pemLabel(bytes, start) {
      self = .pem(start: start, label: label)
      return
    }
    var scheme: Range<Int>?
    if Self.starts(bytes, start, "bearer ") {
      scheme = start..<start + 6
      start += 7
    }
    var end = start
    while end < bytes.count, bytes[end] > 0x20 { end += 1 }
    for index in end..<bytes.count where bytes[index] > 0x20 { return nil }
    // Base64 of {" begins so; behind the scheme anything is meant as a token.
    guard end > start, scheme != nil || Self.starts(bytes, start, "eyJ") else { return nil }
    self = .token(scheme: scheme, token: start..<end)
  }

  private static func starts(_ bytes: Span<UInt8>, _ start: Int, _ word: String) -> Bool {
    guard start + word.utf8.count <= bytes.count else { return false }
    for (place, letter) in word.utf8.enumerated() {
      let byte = bytes[start + place]
      if byte != letter && (byte | 0x20 != letter || word == "eyJ") { return false }
    }
    return true
  }

  /// Where the first line that begins a block of PEM starts, `start` when there is none.
  private static func firstBlock(_ bytes: Span<UInt8>, _ start: Int) -> Int {
    var isLineStart = true
    for index in start..<bytes.count {
      if isLineStart, bytes[index] == UInt8(ascii: "-"), pemLabel(bytes, index) != nil { return index }
      isLineStart = bytes[index] == 0x0A
    }
    return start
  }

  private static func pemLabel(_ bytes: Span<UInt8>, _ start: Int) -> String? {
    let head = "-----BEGIN "
    guard starts(bytes, start, head.lowercased()) else { return nil }
    var end = start + head.utf8.count
    var label = ""
    while end < bytes.count, bytes[end] != UInt8(ascii: "-"), bytes[end] >= 0x20, label.utf8.count < 40 {
      label.unicodeScalars.append(Unicode.Scalar(bytes[end]))
      end += 1
    }
    return label
  }
}

extension Validator {
  /// Checks a text that is a credential. Returns false, with nothing done, when it is none.
  ///
  /// - Parameter isKey: the file's name says that it is a key.
  mutating func checkCredential(_ bytes: Span<UInt8>, isKey: Bool) -> Bool {
    guard let text = CredentialText(bytes) else { return false }
    forgetFindings()
    switch text {
    case .pem(let start, let label):
      let certificates = isKey ? [] : PEMCertificate.all(in: bytes)
      if certificates.isEmpty { checkKey(bytes, start, label) } else { checkCertificates(certificates) }
    case .token(let scheme, let token):
      if let scheme, bytes[scheme.lowerBound] != UInt8(ascii: "b") {
        add(
          "auth-scheme-case", offset: scheme.lowerBound, length: scheme.count, "the scheme is written with capitals",
          help: "Apple writes bearer")
      }
      checkToken(bytes, token)
    }
    return true
  }

  private mutating func checkKey(_ bytes: Span<UInt8>, _ start: Int, _ label: String) {
    let line = start + label.utf8.count + 16
    func say(_ what: String, _ help: String) -> (String, String) {
      ("this is \(what), not a key for provider tokens", help)
    }
    let (message, help): (String, String)
    switch label {
    case "PRIVATE KEY":
      guard !Self.isP256(bytes) else { return }
      (message, help) = say(
        "a private key of another kind", "the key is an EC key on the curve P-256, from Apple's developer pages")
    case "EC PARAMETERS", "EC PRIVATE KEY":
      (message, help) = say("a key in the older form SEC1", "convert it: openssl pkcs8 -topk8 -nocrypt")
    case "RSA PRIVATE KEY":
      (message, help) = say("an RSA key", "download the .p8 file of the key from Apple's developer pages")
    case "PUBLIC KEY":
      (message, help) = say("a public key", "the private key is the .p8 file that could be downloaded once")
    case "CERTIFICATE": (message, help) = say("a certificate", "certificates are given with --cert of apns-push")
    case "ENCRYPTED PRIVATE KEY":
      (message, help) = say("an encrypted key", "take the passphrase off: openssl pkcs8 -topk8 -nocrypt")
    default:
      (message, help) = say("\"\(label.replacingControls())\"", "the file of the key begins with BEGIN PRIVATE KEY")
    }
    add("key-format", offset: start, length: min(line, bytes.count) - start, message, help: help)
  }

  /// Whether the block's bytes name an EC key and the curve P-256 (RFC 5480: the two object identifiers in DER).
  private static func isP256(_ bytes: Span<UInt8>) -> Bool {
    var body: [UInt8] = []
    var isHead = true
    var isBlock = false
    for index in bytes.indices {
      switch bytes[index] {
      case 0x0A:
        if isBlock { isHead = false }
      case UInt8(ascii: "-"):
        isBlock = true
        if !isHead, body.count > 40 { return holdsCurve(body) }
      case let byte where byte > 0x20 && !isHead: body.append(byte)
      default: break
      }
    }
    return holdsCurve(body)
  }

  private static func holdsCurve(_ base64: [UInt8]) -> Bool {
    guard let der = Base64.decode(base64.span) else { return false }
    let ecKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    let p256: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    func holds(_ part: [UInt8]) -> Bool {
      guard der.count >= part.count else { return false }
      return (0...der.count - part.count).contains { der[$0..<$0 + part.count].elementsEqual(part) }
    }
    return holds(ecKey) && holds(p256)
  }

  /// Checks a provider token, wherever it stands.
  mutating func checkToken(_ bytes: Span<UInt8>, _ token: Range<Int>) {
    guard let parts = ProviderToken.parse(bytes.extracting(token)) else {
      return add(
        "jwt-malformed", offset: token.lowerBound, length: token.count,
        "this is not three parts of base64url, the first two of them JSON",
        help: "parts are joined by dots and have no padding")
    }
    func at(_ rule: String, _ message: String, _ help: String? = nil) {
      add(rule, offset: token.lowerBound, length: token.count, message, help: help)
    }
    if parts.algorithm != "ES256" {
      at("jwt-alg", "the header's \"alg\" is \(Self.shown(parts.algorithm)), not \"ES256\"")
    }
    if !(parts.keyID.map(ProviderToken.isIdentifier) ?? false) {
      at("jwt-kid", "the header's \"kid\" is \(Self.shown(parts.keyID)), not ten capitals and digits")
    }
    if !(parts.teamID.map(ProviderToken.isIdentifier) ?? false) {
      at(
        "jwt-iss", "the claim \"iss\" is \(Self.shown(parts.teamID)), not ten capitals and digits",
        "it is the team identifier")
    }
    let (team, key) = (settings.teamID, settings.keyID)
    if let team, parts.keyID == team {
      at("jwt-kid-iss-swapped", "the header's \"kid\" is the team identifier", "the two were exchanged")
    } else if let key, parts.teamID == key {
      at("jwt-kid-iss-swapped", "the claim \"iss\" is the key's identifier", "the two were exchanged")
    }
    if parts.keyIDInClaims { at("jwt-kid-in-claims", "\"kid\" stands among the claims", "it belongs into the header") }
    for (rule, message) in Self.ageFaults(parts, settings.now) { at(rule, message) }
    if !parts.otherClaims.isEmpty {
      let names = parts.otherClaims.map { "\"\($0.replacingControls())\"" }.joined(separator: ", ")
      at("jwt-extra-claims", "claims that APNs does not use: \(names)")
    }
    if parts.signature.first == 0x30, (68...72).contains(parts.signature.count) {
      at("jwt-signature-der", "the signature is in DER form", "other readers of such tokens want 64 raw bytes")
    } else if parts.signature.count != 64 {
      at("jwt-signature-size", "the signature has \(parts.signature.count) bytes, not 64")
    }
  }

  private static func ageFaults(_ parts: ProviderToken.Parts, _ now: Int?) -> [(String, String)] {
    guard let issued = parts.issuedAt else {
      return [("jwt-iat-type", parts.issuedAtIsNotNumber ? "\"iat\" is not a number" : "the claim \"iat\" is missing")]
    }
    if issued > 100_000_000_000 { return [("jwt-iat-milliseconds", "\"iat\" is in milliseconds")] }
    guard let now else { return [] }
    // Neither time is to be trusted: before 1970 all ages are the same.
    let age = now - max(issued, -1)
    if age > ProviderToken.lifetime { return [("jwt-iat-stale", "the token is \(duration(age)) old")] }
    if age > 3000 { return [("jwt-iat-aging", "the token is \(duration(age)) old and may expire while it waits")] }
    return age < 0 ? [("jwt-iat-future", "\"iat\" is \(duration(-age)) ahead")] : []
  }

  private static func shown(_ text: String?) -> String {
    text.map { "\"\($0.prefix(40).description.replacingControls())\"" } ?? "missing"
  }
}
