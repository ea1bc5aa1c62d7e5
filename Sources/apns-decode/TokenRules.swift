// What is wrong with a provider token, in the order in which APNs looks.

import APNs
import JSON

extension TokenReport {
  private func error(_ rule: String, _ message: String, _ refusal: String = "InvalidProviderToken") -> Finding {
    Finding(rule: rule, severity: "error", message: message, refusal: refusal)
  }

  func judge(_ parts: ProviderToken.Parts, _ token: Span<UInt8>) -> [Finding] {
    var findings: [Finding] = []
    for index in token.indices where token[index] != UInt8(ascii: ".") && !Self.isURLSafe(token[index]) {
      findings.append(error("jwt-malformed", "padding and the signs of plain base64 have no place in a provider token"))
      break
    }
    if parts.algorithm != "ES256" {
      let found = parts.algorithm.map { "is \($0)" } ?? "is missing"
      findings.append(error("jwt-alg", "the header's alg \(found); APNs takes ES256 alone"))
    }
    if parts.keyID.map(ProviderToken.isIdentifier) != true {
      findings.append(error("jwt-kid", "the header's kid \(shown(parts.keyID)); it is the key's identifier"))
    }
    if parts.teamID.map(ProviderToken.isIdentifier) != true {
      findings.append(error("jwt-iss", "the claim iss \(shown(parts.teamID)); it is the team's identifier"))
    }
    if parts.keyIDInClaims {
      findings.append(error("jwt-kid-in-claims", "kid stands among the claims; its place is the header"))
    }
    judgeTime(parts, &findings)
    if !parts.otherClaims.filter({ $0 != "kid" }).isEmpty {
      let names = parts.otherClaims.filter { $0 != "kid" }.joined(separator: ", ")
      findings.append(Finding(rule: "jwt-extra-claims", severity: "note", message: "APNs does not use: \(names)"))
    }
    if Self.isDER(parts.signature.span) {
      findings.append(
        Finding(
          rule: "jwt-signature-der", severity: "note",
          message: "the signature is in DER; APNs takes it, other readers of JSON Web Tokens do not"))
    } else if parts.signature.count != 64 {
      findings.append(
        error(
          "jwt-signature-size", "the signature has \(parts.signature.count) bytes; ES256 has 64, r and s of 32 each"))
    }
    return findings
  }

  private func shown(_ identifier: String?) -> String {
    guard let identifier else { return "is missing" }
    return "'\(identifier.prefix(40))' is not made of ten capital letters and digits"
  }

  /// Seconds reach this number in the year 5138.
  func isMilliseconds(_ time: Int) -> Bool { time > 100_000_000_000 }

  private func judgeTime(_ parts: ProviderToken.Parts, _ findings: inout [Finding]) {
    guard let issued = parts.issuedAt else {
      let found = parts.issuedAtIsNotNumber ? "is no number of seconds" : "is missing"
      findings.append(error("jwt-iat-type", "the claim iat \(found)"))
      return
    }
    if isMilliseconds(issued) {
      findings.append(error("jwt-iat-milliseconds", "the claim iat counts milliseconds; APNs wants seconds"))
      return
    }
    guard let now else { return }
    let age = now - issued
    if age > ProviderToken.lifetime {
      findings.append(
        error("jwt-iat-stale", "the token is \(age) s old; after 3600 it has expired", "ExpiredProviderToken"))
    } else if age > 3000 {
      findings.append(
        Finding(rule: "jwt-iat-aging", severity: "warning", message: "the token is \(age) s old; at 3600 it expires"))
    } else if age < -ProviderToken.lifetime {
      findings.append(error("jwt-iat-future", "the claim iat lies \(-age) s ahead; APNs takes up to an hour"))
    } else if age < 0 {
      findings.append(
        Finding(
          rule: "jwt-iat-future", severity: "warning",
          message: "the claim iat lies \(-age) s ahead: is the clock or the time zone wrong?"))
    }
  }
}
