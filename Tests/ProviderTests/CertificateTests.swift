// Certificates before any connection: what they are for, how long, and what is missing.
import APNs
import Foundation
import POSIX
import TLS
import Testing

@testable import Provider

private let authority = try! CertificateAuthority(now: today)

@Suite struct CredentialCertificates {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Writes certificate and key, and gives the certificate's path.
  private func make(_ name: String = "push", _ change: (inout LeafRequest) -> Void = { _ in }) throws -> String {
    var request = LeafRequest("Apple Push Services: com.example.app", .client, now: today)
    request.userID = "com.example.app"
    request.organizationalUnit = "FGHIJ67890"
    change(&request)
    let identity = try authority.issue(request)
    try scratch.write("\(name).pem", String(decoding: identity.certificate.pem, as: UTF8.self))
    try scratch.write("\(name).key", String(decoding: identity.privatePEM, as: UTF8.self))
    try scratch.shell("cat \(name).pem \(name).key > \(name)-both.pem")
    return scratch.place("\(name)-both.pem")
  }

  @Test func environments() throws {
    let production = try make { $0.isForProduction = true }
    let found = examineCertificate(production, wanted: .sandbox)
    #expect(found.ids == ["certificate-environment"])
    #expect(words(found).contains("production") && words(found).contains("sandbox"))
    #expect(examineCertificate(production, wanted: .production).problems.isEmpty)
    #expect(examineCertificate(production).environments == [.production])
    let sandbox = try make { $0.isForSandbox = true }
    #expect(examineCertificate(sandbox, wanted: .production).ids == ["certificate-environment"])
    let both = try make {
      $0.isForSandbox = true
      $0.isForProduction = true
    }
    #expect(examineCertificate(both, wanted: .sandbox).isUsable)
    #expect(examineCertificate(both, wanted: .production).isUsable)
    #expect(examineCertificate(try make(), wanted: .sandbox).environments == ServiceEnvironment.allCases)
  }

  @Test func topics() throws {
    let single = examineCertificate(try make())
    #expect(single.topics == ["com.example.app"] && single.defaultTopic == "com.example.app")
    #expect(single.teamID == "FGHIJ67890")
    let several = examineCertificate(
      try make {
        $0.topics = [CertificateTopic("com.example.app", ["app"]), CertificateTopic("com.example.app.voip", ["voip"])]
      })
    #expect(several.topics == ["com.example.app", "com.example.app.voip"] && several.defaultTopic == "")
    let none = examineCertificate(try make { $0.userID = nil })
    #expect(none.ids == ["certificate-without-topics"] && none.isUsable)
  }

  @Test(arguments: [
    (400, "", true), (31, "", true), (29, "certificate-expires", true), (1, "certificate-expires", true),
    (-1, "certificate-expired", false), (-100, "certificate-expired", false),
  ])
  func dates(_ days: Int, _ id: String, _ isUsable: Bool) throws {
    let path = try make {
      $0.notBefore = today - 500 * 86_400
      $0.notAfter = today + days * 86_400 + 10
    }
    let found = examineCertificate(path)
    #expect(found.daysLeft == days)
    #expect(found.ids == (id.isEmpty ? [] : [id]))
    #expect(found.isUsable == isUsable)
  }

  @Test func notYetValid() throws {
    let path = try make { $0.notBefore = today + 1000 }
    #expect(examineCertificate(path).ids == ["certificate-not-yet-valid"])
    #expect(calendarDay(0) == "1970-01-01")
    #expect(calendarDay(1_835_481_599) == "2028-02-29")
    #expect(calendarDay(-1) == "1969-12-31")
  }

  @Test func whatIsMissing() throws {
    _ = try make()
    _ = try make("other")
    try scratch.shell(
      """
      openssl req -new -key push.key -subj /CN=x -out csr
      openssl pkcs12 -export -inkey push.key -in push.pem -passout pass:x -out x.p12
      openssl pkcs12 -export -nokeys -in push.pem -passout pass:x -out nokey.p12
      echo '<html>' > html; : > empty; head -c 200 push.pem > short
      """)
    func id(_ name: String, key: String? = nil, passphrase: String? = nil) -> [String] {
      examineCertificate(scratch.place(name), key: key.map { scratch.place($0) }, passphrase: passphrase).ids
    }
    #expect(id("push.pem") == ["certificate-without-key"])
    #expect(id("push.pem", key: "push.key") == [])
    #expect(id("push.pem", key: "other.key") == ["certificate-key-mismatch"])
    #expect(id("push.key") == ["certificate-is-key"])
    #expect(id("csr") == ["certificate-is-request"])
    #expect(id("html") == ["certificate-html"])
    #expect(id("empty") == ["certificate-empty"])
    #expect(id("short") == ["certificate-unreadable"])
    #expect(id("x.p12") == ["passphrase-missing"])
    #expect(id("x.p12", passphrase: "y") == ["passphrase-wrong"])
    #expect(id("x.p12", passphrase: "x") == [])
    #expect(id("nokey.p12", passphrase: "x") == ["certificate-unreadable"])
    #expect(id("push.pem", key: "html") == ["key-html"])
    #expect(id("nothing") == ["file-unreadable"])
    #expect(CredentialExamination(CredentialSource(), now: today).ids == ["credential-missing"])
  }

  /// 374 to 377 of the key forms, and what else exports make.
  @Test func archivesAndMangledForms() throws {
    _ = try make()
    try scratch.shell(
      """
      openssl pkcs12 -export -inkey push.key -in push.pem -passout pass:x -out modern.p12
      openssl pkcs12 -export -legacy -inkey push.key -in push.pem -passout pass:x -out legacy.p12
      openssl pkcs12 -export -inkey push.key -in push.pem -passout pass: -out empty.p12
      openssl pkcs12 -in modern.p12 -passin pass:x -nodes -out bags.pem
      base64 modern.p12 > modern.b64; base64 -w0 legacy.p12 > legacy.b64
      awk '{printf "%s\\\\n",$0}' push-both.pem > escaped
      awk '{printf "%s\\\\n",$0}' push.key > escaped.key
      """)
    func found(_ name: String, _ passphrase: String?, key: String? = nil) -> CredentialExamination {
      examineCertificate(scratch.place(name), key: key.map { scratch.place($0) }, passphrase: passphrase)
    }
    for name in ["modern.p12", "legacy.p12"] { #expect(found(name, "x").problems.isEmpty, "\(name)") }
    #expect(found("empty.p12", nil).problems.isEmpty)
    #expect(found("empty.p12", "").problems.isEmpty)
    #expect(found("bags.pem", nil).problems.isEmpty)
    for name in ["modern.b64", "legacy.b64"] { #expect(found(name, "x").damage == [.bodyOnly], "\(name)") }
    #expect(found("escaped", nil).damage == [.escapedNewlines])
    #expect(found("push.pem", nil, key: "escaped.key").isUsable)
  }

  /// A pipe is read once, whatever is asked of it.
  @Test func pipes() throws {
    _ = try make()
    let reader = try pipe(holding: try scratch.read("push-both.pem"))
    let found = examineCertificate("/dev/fd/\(reader.number)")
    #expect(found.problems.isEmpty && found.certificate != nil)
  }

  /// The reading end of a pipe whose other end is closed. What is written fits into the pipe's buffer.
  private func pipe(holding bytes: [UInt8]) throws -> Descriptor {
    let (reader, writer) = try makePipe()
    try writer.writeAll(bytes.span)
    return reader
  }
}
