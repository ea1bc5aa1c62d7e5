// The file of several credentials, the doctor's record, and what a run makes of them.
import APNs
import Foundation
import JSON
import TLS
import Testing

@testable import Provider

@Suite struct CredentialsFiles {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func read(_ text: String) throws(CredentialsFileError) -> [CredentialSource] {
    try CredentialsFile.parse(Array(text.utf8), path: "c.json", folder: scratch.path)
  }

  private func fault(_ text: String) -> String {
    do throws(CredentialsFileError) {
      _ = try read(text)
      return "was read"
    } catch { return error.description }
  }

  @Test func entries() throws {
    try scratch.shell(KeyTexts.makeKey)
    try scratch.write("phrase", "secret\nrest\n")
    let sources = try read(
      """
      {"shop": {"key": "good.p8", "key_id": "ABCDE12345", "team_id": "FGHIJ67890", "topics": ["a.b", "a.c"]},
       "a \\u0062": {"cert": "/x.p12", "cert_key": "y.key", "passphrase": "file:phrase", "environment": "sandbox"}}
      """)
    #expect(sources.map(\.name) == ["shop", "a b"])
    #expect(sources[0].key?.place == scratch.place("good.p8"))
    #expect(sources[0].topics == ["a.b", "a.c"] && sources[0].environment == nil)
    #expect(CredentialExamination(sources[0], now: today).problems.isEmpty)
    #expect(sources[1].certificate?.place == "/x.p12")
    #expect(sources[1].certificateKey?.place == scratch.place("y.key"))
    #expect(sources[1].passphrase == Array("secret".utf8))
    #expect(sources[1].environment == .sandbox)
    #expect(CredentialExamination(sources[1], now: today).ids == ["file-unreadable"])
  }

  @Test(arguments: [
    ("", "c.json:1:1:"), ("[]", "c.json:1:1:"), ("{}", "c.json:1:1:"), ("{\"a\": 1}", "c.json:1:2:"),
    ("{\"a\":\n  {\"kye\": \"x\"}}", "c.json:2:4:"), ("{\"key\": \"x\"}", "c.json:1:2:"),
    ("{\"a\": {\"key\": \"x\", \"cert\": \"y\"}}", "c.json:1:7:"), ("{\"a\": {}}", "c.json:1:7:"),
    ("{\"a\": {\"key\": 1}}", "c.json:1:15:"), ("{\"a\": {\"key\": \"\"}}", "c.json:1:15:"),
    ("{\"a\": {\"key\": \"x\", \"cert_key\": \"y\"}}", "c.json:1:20:"),
    ("{\"a\": {\"cert\": \"x\", \"key_id\": \"y\"}}", "c.json:1:21:"),
    ("{\"a\": {\"key\": \"x\", \"topics\": \"t\"}}", "c.json:1:30:"),
    ("{\"a\": {\"key\": \"x\", \"topics\": [1]}}", "c.json:1:31:"),
    ("{\"a\": {\"key\": \"x\", \"environment\": \"prod\"}}", "c.json:1:35:"),
    ("{\"a\": {\"key\": \"x\"}, \"a\": {\"key\": \"x\"}}", "c.json:1:21:"),
    ("{\"a\": {\"key\": \"x\", \"key\": \"x\"}}", "c.json:1:20:"), ("{\"\": {\"key\": \"x\"}}", "c.json:1:2:"),
    ("{\"a\": {\"key\": \"x\",}}", "c.json:1:"),
  ])
  func mistakes(_ text: String, _ place: String) {
    #expect(fault(text).hasPrefix(place), "\(fault(text))")
  }

  @Test func whatWasMeant() {
    #expect(fault("{\"a\": {\"teamId\": \"x\"}}").contains("\"team_id\""))
    #expect(fault("{\"a\": {\"topic\": \"x\"}}").contains("\"topics\""))
    #expect(fault("{\"a\": {\"passphrse\": \"x\"}}").contains("\"passphrase\""))
    #expect(fault("{\"a\": {\"key\": \"x\", \"environment\": \"development\"}}").contains("did you mean \"sandbox\""))
  }

  @Test func unsetVariables() throws {
    let source = try read("{\"a\": {\"key_text_env\": \"NOT_SET_ANYWHERE\", \"key_id\": \"ABCDE12345\"}}")[0]
    #expect(CredentialExamination(source, now: today).ids == ["variable-unset"])
    let phrase = try read("{\"a\": {\"cert\": \"x\", \"passphrase\": \"env:NOT_SET_ANYWHERE\"}}")[0]
    #expect(CredentialExamination(phrase, now: today).ids == ["passphrase-missing", "file-unreadable"])
    let odd = try read("{\"a\": {\"cert\": \"x\", \"passphrase\": \"hunter2\"}}")[0]
    let found = CredentialExamination(odd, now: today)
    #expect(found.ids.first == "passphrase-source")
    #expect(!words(found).contains("hunter2"))
  }

  @Test func whatARunMakesOfThem() throws {
    try scratch.shell(KeyTexts.makeKey)
    let entry = "{\"key\": \"good.p8\", \"key_id\": \"ABCDE12345\", \"team_id\": \"FGHIJ67890\""
    let sources = try read(
      "{\"a\": \(entry), \"topics\": [\"a.b\"]}, \"b\": \(entry), \"environment\": \"production\"}}")
    let loaded = try LoadedCredential.load(sources, CredentialSettings())
    #expect(loaded.map(\.name) == ["a", "b"])
    #expect(loaded.map(\.environments) == [ServiceEnvironment.allCases, [.production]])
    let service = loaded[0].service(environment: .sandbox, host: "localhost", port: 1, isAlone: false)
    #expect(service.topics == ["a.b"] && service.name == "a")
    #expect(loaded[0].service(environment: .sandbox, host: "localhost", port: 1, isAlone: true).topics.isEmpty)
    let broken = try read("{\"a\": \(entry)}, \"b\": {\"cert\": \"good.p8\"}}")
    let problem = #expect(throws: CredentialProblem.self) {
      try LoadedCredential.load(broken, CredentialSettings())
    }
    #expect(problem?.id == "certificate-is-key")
    #expect(problem?.message.contains("credential \"b\"") == true)
  }

  @Test func doctor() throws {
    try scratch.shell("\(KeyTexts.makeKey)\nawk '{printf \"%s\\\\n\",$0}' good.p8 > mangled")
    let authority = try CertificateAuthority(commonName: "USERTrust RSA Certification Authority", now: today)
    let stores: [([UInt8], Bool)] = [
      (authority.certificate.pem, false), (try CertificateAuthority(now: today).certificate.pem, true),
    ]
    for (pem, isMissing) in stores {
      let trust = TrustReport(CredentialSettings(trust: pem), file: "ca.pem")
      #expect(trust.hasUSERTrust == !isMissing && !trust.hasAAA)
      var doctor = CredentialDoctor(trust: trust, isApple: true)
      doctor.report(examineKey(scratch.place("mangled")))
      #expect(doctor.needsAttention == isMissing)
      let text = String(decoding: doctor.output.bytes, as: UTF8.self)
      #expect(text.hasSuffix("}\n") && text.contains("\"damage\":[\"escaped-newlines\"]"))
      #expect(text.contains("\"trust-root-missing\"") == isMissing)
      for line in String(decoding: try scratch.read("good.p8"), as: UTF8.self).split(separator: "\n")
      where line.count > 8 {
        #expect(!text.contains(line))
      }
      var local = CredentialDoctor(trust: trust, isApple: false)
      local.report(examineKey(scratch.place("mangled")))
      #expect(!local.needsAttention)
    }
  }

  @Test func passphraseSources() throws {
    try scratch.write("p", "one\r\ntwo")
    #expect(try Passphrase("file:p", folder: scratch.path).bytes == Array("one".utf8))
    #expect(try Passphrase("pass:a:b").bytes == Array("a:b".utf8))
    #expect(try Passphrase("pass:").bytes == [])
    #expect(try Passphrase("pass:a").isExposed)
    for text in ["", "hunter2", "fd:x", "fd:-1", "http://x", "env:NOT_SET_ANYWHERE", "file:/nowhere"] {
      #expect(throws: CredentialProblem.self) { try Passphrase(text) }
    }
  }
}
