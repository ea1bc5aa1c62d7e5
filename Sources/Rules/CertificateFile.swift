// Certificates in PEM or DER: found in a file, and held against clock, environment and the roots that APNs needs.

import APNs
import JSON

/// One certificate of a file.
struct CertificateBlock {
  /// The line that begins it; empty in DER, which has no lines.
  let range: Range<Int>
  let facts: CertificateFacts

  /// More certificates, and larger ones, are not looked at: the largest stores of roots have some two hundred.
  private static let mostCertificates = 1000
  private static let mostBytes = 65_536

  /// Every certificate of a text; a block that is none is passed over.
  static func all(in bytes: Span<UInt8>) -> [CertificateBlock] {
    var found: [CertificateBlock] = []
    var line = 0
    while line < bytes.count, found.count < mostCertificates {
      let end = endOfLine(bytes, line)
      if isLine(bytes, line, end, "-----BEGIN CERTIFICATE-----") || isLine(bytes, line, end, trusted) {
        var body: [UInt8] = []
        var next = end + 1
        while next < bytes.count, bytes[next] != UInt8(ascii: "-") {
          let last = endOfLine(bytes, next)
          if body.count < mostBytes { for index in next..<last where bytes[index] > 0x20 { body.append(bytes[index]) } }
          next = last + 1
        }
        if let der = Base64.decode(body.span), let facts = CertificateFacts(der.span) {
          found.append(CertificateBlock(range: line..<end, facts: facts))
        }
        line = next
      } else {
        line = end + 1
      }
    }
    return found
  }

  private static let trusted = "-----BEGIN TRUSTED CERTIFICATE-----"

  private static func endOfLine(_ bytes: Span<UInt8>, _ start: Int) -> Int {
    var index = start
    while index < bytes.count, bytes[index] != 0x0A { index += 1 }
    return index
  }

  private static func isLine(_ bytes: Span<UInt8>, _ start: Int, _ end: Int, _ text: String) -> Bool {
    let wanted = text.utf8Span.span
    guard end - start >= wanted.count else { return false }
    for index in wanted.indices where bytes[start + index] != wanted[index] { return false }
    return true
  }
}

extension Validator {
  mutating func checkCertificates(_ certificates: [CertificateBlock]) {
    // In the file of a client, authorities are what vouches for it.
    let own = certificates.filter { !$0.facts.isAuthority }
    for certificate in own {
      checkPeriod(certificate)
      checkEnvironment(certificate)
    }
    if own.isEmpty { checkStore(certificates) }
  }

  private mutating func say(_ rule: String, _ certificate: CertificateBlock, _ message: String, help: String? = nil) {
    add(rule, offset: certificate.range.lowerBound, length: certificate.range.count, message, help: help)
  }

  private mutating func checkPeriod(_ certificate: CertificateBlock) {
    guard let time = settings.now else { return }
    // Whatever was typed, differences fit.
    let now = min(max(time, 0), 1 << 40)
    let facts = certificate.facts
    if now > facts.notAfter {
      say("cert-expired", certificate, "the certificate's validity ended \(duration(now - facts.notAfter)) ago")
    } else if now < facts.notBefore {
      say("cert-expired", certificate, "the certificate's validity begins in \(duration(facts.notBefore - now))")
    } else if facts.notAfter - now < 30 * 86_400 {
      say("cert-expires-soon", certificate, "the certificate's validity ends in \(duration(facts.notAfter - now))")
    }
  }

  private mutating func checkEnvironment(_ certificate: CertificateBlock) {
    let facts = certificate.facts
    // Without any of Apple's marks it is some other kind of certificate, a pass's for example.
    guard facts.isForSandbox || facts.isForProduction, let environment = settings.environment else { return }
    let fits = environment == .production ? facts.isForProduction : facts.isForSandbox
    if fits { return }
    say("cert-environment", certificate, "the certificate does not have Apple's mark for \(environment.rawValue)")
  }

  private mutating func checkStore(_ certificates: [CertificateBlock]) {
    let names = certificates.map(\.facts.commonName)
    let isStore = names.count >= 10 || names.contains { $0 == "GeoTrust Global CA" || $0.hasPrefix("Entrust") }
    let needed = ["USERTrust RSA Certification Authority", "AAA Certificate Services"]
    guard isStore, !names.contains(where: needed.contains), let first = certificates.first else { return }
    say(
      "trust-store-old", first, "none of the roots of APNs is among these certificates",
      help: "add USERTrust RSA Certification Authority, or use the system's store")
  }
}
