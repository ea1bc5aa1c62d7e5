// Credential files: a provider token as text, keys and certificates in PEM or DER. Told by their looks; the rules are those
// of 'The credential'.

import APNs
import JSON

/// A text that is a credential, not a notification.
enum CredentialText {
  /// A provider token, with or without its scheme.
  case token(scheme: Range<Int>?, token: Range<Int>)
  /// Blocks of PEM: where the first starts and what its label says.
  case pem(start: Int, label: String)
  /// The bytes of a key, a certificate or an archive without any armour.
  case der(DERFile)

  /// Recognises the text; nil for everything else. JSON begins with none of these.
  init?(_ bytes: Span<UInt8>) {
    if let file = DERFile(bytes) {
      self = .der(file)
      return
    }
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
    case .der(let file): check(file, bytes, isKey: isKey)
    case .pem(let start, let label):
      let certificates = isKey ? [] : CertificateBlock.all(in: bytes)
      if certificates.isEmpty { checkKey(bytes, start, label) } else { checkCertificates(certificates) }
    case .token(let scheme, let token):
      if let scheme, bytes[scheme.lowerBound] != UInt8(ascii: "b") {
        add(
          "auth-scheme-case", offset: scheme.lowerBound, length: scheme.count, "the scheme is written with capitals",
          help: "Apple writes bearer")
      }
      checkToken(bytes.extracting(token), offset: token.lowerBound, length: token.count)
    }
    return true
  }

  /// What has no lines has no place either: the finding stands at the start.
  private mutating func check(_ file: DERFile, _ bytes: Span<UInt8>, isKey: Bool) {
    switch file {
    case .certificate(let facts):
      if isKey { return addKeyFault(0, 0, .certificate) }
      checkCertificates([CertificateBlock(range: 0..<0, facts: facts)])
    case .cutShort: addKeyTruncated(0, 0)
    case .archive:
      add(
        "key-format", offset: 0, severity: isKey ? nil : .note,
        "this is a PKCS #12 archive, which opens with its passphrase alone; it was not looked into",
        help: "apns-push --check-credentials looks into it")
    case .privateKey: if !P256.isNamed(in: bytes) { addKeyFault(0, 0, .otherKind) }
    case .sec1: addKeyFault(0, 0, .sec1)
    case .rsa: addKeyFault(0, 0, .rsa)
    case .publicKey: addKeyFault(0, 0, .publicKey)
    case .encrypted: addKeyFault(0, 0, .encrypted)
    case .other: addKeyFault(0, 0, .other("some other structure in DER"))
    }
  }

  private mutating func checkKey(_ bytes: Span<UInt8>, _ start: Int, _ label: String) {
    let length = min(start + label.utf8.count + 16, bytes.count) - start
    let fault: KeyFault
    switch label {
    case "PRIVATE KEY":
      let block = PEMBody(bytes, start)
      guard let der = Base64.decode(block.digits.span), !der.isEmpty else {
        fault = block.digits.isEmpty ? .empty : .damaged
        break
      }
      if DERFile.isCutShort(der.span) { return addKeyTruncated(start, length) }
      // Where the first line was lost, the identifiers may still be there.
      if der[0] == 0x30, P256.isNamed(in: der.span), block.hasEnd { return }
      fault = der[0] != 0x30 ? .damaged : P256.isNamed(in: der.span) ? .endless : .otherKind
    case "EC PARAMETERS", "EC PRIVATE KEY": fault = .sec1
    case "RSA PRIVATE KEY": fault = .rsa
    case "PUBLIC KEY": fault = .publicKey
    case "CERTIFICATE":
      let der = Base64.decode(PEMBody(bytes, start).digits.span) ?? []
      if DERFile.isCutShort(der.span) { return addKeyTruncated(start, length) }
      fault = .certificate
    case "ENCRYPTED PRIVATE KEY": fault = .encrypted
    default: fault = .other("\"\(label.replacingControls())\"")
    }
    addKeyFault(start, length, fault)
  }

  private mutating func addKeyFault(_ start: Int, _ length: Int, _ fault: KeyFault) {
    add("key-format", offset: start, length: length, fault.message, help: fault.help)
  }

  private mutating func addKeyTruncated(_ start: Int, _ length: Int) {
    add(
      "key-truncated", offset: start, length: length, "the file is cut short: its end is missing",
      help: "take another copy of it")
  }

  /// Checks a provider token, wherever it stands.
  ///
  /// - Parameters:
  ///   - token: its text, without what escapes it.
  ///   - offset: where it stands, and `length` how many bytes it takes there.
  mutating func checkToken(_ token: Span<UInt8>, offset: Int, length: Int) {
    guard let parts = ProviderToken.parse(token) else {
      return add(
        "jwt-malformed", offset: offset, length: length,
        "this is not three parts of base64url, the first two of them JSON",
        help: "parts are joined by dots and have no padding")
    }
    func at(_ rule: String, _ message: String, _ help: String? = nil) {
      add(rule, offset: offset, length: length, message, help: help)
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
