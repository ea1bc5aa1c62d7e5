// Certificates: read without a TLS library, held against those that one makes, and hostile bytes.
import Foundation
import Testing

@testable import Rules

struct CertificateTests {
  private func facts(_ bytes: [UInt8]) -> CertificateFacts? { CertificateFacts(bytes.span) }

  private let examples = Rule.all.filter { $0.id.hasPrefix("cert-e") || $0.id == "trust-store-old" }
    .flatMap { [$0.passes.text, $0.fails.text] }

  private func certificates(_ text: String) -> [CertificateBlock] { CertificateBlock.all(in: Array(text.utf8).span) }

  private func rules(_ text: String, _ options: [String] = [], name: String = "text") -> [String] {
    var found: [String] = []
    var check = TextCheck(name: name, form: nil, isLines: false, validator: Validator(settings: settings(options)))
    var memory = RunMemory()
    check.run(Array(text.utf8).span, memory: &memory) { found.append($0.rule) }
    return found
  }

  @Test("Dates, name and marks are read")
  func reads() throws {
    let text = try #require(Rule.named("cert-environment")).passes.text
    let facts = try #require(certificates(text).first).facts
    #expect(facts.notBefore == 1_768_435_200 && facts.notAfter == 1_807_280_000)
    #expect(facts.commonName == "com.example.app" && !facts.isAuthority)
    #expect(facts.isForSandbox && facts.isForProduction)
  }

  @Test("What openssl makes is read, both forms of dates among it")
  func openssl() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("apns-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.currentDirectoryURL = folder
    process.standardError = FileHandle.nullDevice
    process.arguments = [
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "key",
      "-out", "cert", "-days", "20000", "-subj", "/UID=com.example.app/CN=Test", "-addext",
      "1.2.840.113635.100.6.3.2=critical,DER:0500",
    ]
    try process.run()
    process.waitUntilExit()
    let text = try String(contentsOf: folder.appendingPathComponent("cert"), encoding: .utf8)
    let facts = try #require(certificates(text).first).facts
    let now = Int(Date().timeIntervalSince1970)
    #expect(abs(facts.notBefore - now) < 600 && abs(facts.notAfter - now - 20_000 * 86_400) < 600)
    #expect(facts.commonName == "Test" && facts.isAuthority && facts.isForProduction && !facts.isForSandbox)
  }

  @Test("Cut, changed and senseless bytes end in nothing or in other facts, never in a trap")
  func hostile() throws {
    for text in examples {
      let body = text.split(separator: "\n").dropFirst().dropLast().joined()
      let der = [UInt8](try #require(Data(base64Encoded: body)))
      for count in der.indices { #expect(facts(Array(der[..<count])) == nil) }
      for place in der.indices {
        for byte in [0x00, 0x01, 0x30, 0x7F, 0x80, 0x84, 0x88, 0xFF] as [UInt8] {
          var changed = der
          changed[place] = byte
          _ = facts(changed)
        }
      }
    }
    #expect(facts([0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]) == nil)
    #expect(facts([0x30, 0x80, 0x00, 0x00]) == nil)
  }

  @Test("A client's file is judged by its own certificate, not by its authorities; a key beside it is no fault")
  func clientFile() throws {
    let expired = try #require(Rule.named("cert-expired")).fails.text
    let root = try #require(Rule.named("trust-store-old")).fails.text
    let key = "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n"
    let clock = ["--now", "1790000000"]
    #expect(rules(expired + root + key, clock) == ["cert-expired"])
    #expect(rules("Bag Attributes\n    friendlyName: my-app\n" + expired, clock) == ["cert-expired"])
    #expect(rules("subject=CN = x\n" + expired, clock) == ["cert-expired"])
    #expect(rules(expired + root) == [])
    #expect(rules(expired, ["--now", "\(Int.max)"]) == ["cert-expired"])
    // The store of somebody's own test service is nobody's business.
    let own = try #require(Rule.named("trust-store-old")).passes.text
    #expect(rules(own) == [])
    #expect(rules(expired, clock, name: "AuthKey_ABC123DEFG.p8") == ["key-format"])
  }

  @Test("Times of a token that no clock has shown do not trap")
  func tokenTimes() {
    let claims = Data(#"{"iss":"DEF123GHIJ","iat":-900000000000000000}"#.utf8).base64EncodedString()
    let token = "eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ.\(claims.replacing("=", with: "")).AAAA"
    #expect(rules(token, ["--now", "1790000000"]) == ["jwt-iat-type", "jwt-signature-size"])
  }

  @Test("The provider token in a request is looked at in its place")
  func tokenInRequest() {
    let text =
      #"{"path":"/3/device/\#(Example.token)","headers":{"apns-topic":"com.example.app","apns-push-type":"alert","#
      + #""authorization":"bearer abc.def"},"payload":{"aps":{"alert":"Hi"}}}"#
    let found = check(text).filter { $0.rule == "jwt-malformed" }
    #expect(found.first.map { text.utf8.dropFirst($0.offset).prefix($0.length).elementsEqual("abc.def".utf8) } == true)
  }
}
