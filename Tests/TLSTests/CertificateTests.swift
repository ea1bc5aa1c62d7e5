// Certificates made and read back; credential files in every form.
import TLS
import Testing

@Suite struct Certificates {
  @Test func appleExtensionsComeBack() throws {
    let topics = [
      CertificateTopic("com.example.app", ["app"]), CertificateTopic("com.example.app.voip", ["voip"]),
      CertificateTopic("com.example.app.complication", ["complication"]),
    ]
    let identity = try leaf("Apple Push Services: com.example.app", .client) {
      $0.userID = "com.example.app"
      $0.organizationalUnit = "ABCDE12345"
      $0.isForSandbox = true
      $0.isForProduction = true
      $0.topics = topics
    }
    let certificate = try readCertificate(identity.certificate.der)
    #expect(certificate == identity.certificate)
    #expect(certificate.commonName == "Apple Push Services: com.example.app")
    #expect(certificate.userID == "com.example.app")
    #expect(certificate.organizationalUnit == "ABCDE12345")
    #expect(certificate.isForSandbox && certificate.isForProduction)
    #expect(certificate.topics == topics)
    #expect(certificate.notBefore == now - 3600)
    #expect(certificate.notAfter == now + 365 * 86_400)
    #expect(certificate.issuer == authority.certificate.subject)
    #expect(!certificate.isSelfIssued && authority.certificate.isSelfIssued)
    #expect(certificate.keyKind == "P-256")
    #expect(try readCertificate(certificate.pem).fingerprint == certificate.fingerprint)
    let plain = try leaf().certificate
    #expect(!plain.isForSandbox && !plain.isForProduction && plain.topics.isEmpty && plain.userID == nil)
    let voip = try leaf("VoIP Services: x", .client) { $0.voipTopics = [CertificateTopic("x.voip", ["voip"])] }
    #expect(voip.certificate.topics == [CertificateTopic("x.voip", ["voip"])])
  }

  /// A list long enough for lengths of two bytes.
  @Test func manyTopics() throws {
    let topics = (0..<50).map { CertificateTopic("com.example.app\($0)", ["app", "voip"]) }
    let identity = try leaf("x", .client) { $0.topics = topics }
    #expect(identity.certificate.topics == topics)
  }

  /// OpenSSL's own reading of what we made.
  @Test func opensslAgrees() throws {
    let folder = try Folder()
    let identity = try leaf("localhost") {
      $0.isForSandbox = true
      $0.topics = [CertificateTopic("com.example.app", ["app"])]
    }
    try folder.write("ca.pem", authority.certificate.pem)
    try folder.write("leaf.pem", identity.certificatePEM)
    let verdict = try folder.shell("openssl verify -x509_strict -purpose sslserver -CAfile ca.pem leaf.pem")
    #expect(verdict.contains("OK"))
    let text = try folder.shell("openssl x509 -in leaf.pem -noout -text")
    #expect(text.contains("DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1"))
    #expect(text.contains("1.2.840.113635.100.6.3.1"))
    #expect(text.contains("1.2.840.113635.100.6.3.6"))
    let print = try folder.shell("openssl x509 -in leaf.pem -noout -fingerprint -sha256 -serial")
    let plain = print.lowercased().replacing(":", with: "")
    #expect(plain.contains(identity.certificate.fingerprint.hex))
    #expect(plain.contains(identity.certificate.serial.lowercased()))
  }

  @Test func foreignNamesAndOldDates() throws {
    let folder = try Folder()
    try folder.shell(
      """
      openssl req -x509 -newkey rsa:2048 -nodes -keyout k.pem -utf8 -subj '/CN=Bücher & Söhne/O=東京' -out c.pem \
        -days 2 -addext subjectAltName=DNS:a.example,IP:2001:db8::7
      """)
    let certificate = try readCertificate(folder.read("c.pem"))
    #expect(certificate.commonName == "Bücher & Söhne")
    #expect(certificate.subject == "O=東京,CN=Bücher & Söhne")
    #expect(certificate.dnsNames == ["a.example"])
    #expect(certificate.ipAddresses == ["2001:db8:0:0:0:0:0:7"])
    #expect(certificate.keyKind == "RSA 2048")
    let old = try leaf {
      $0.notBefore = -1_000_000_000
      $0.notAfter = 100
    }
    #expect(old.certificate.notBefore == -1_000_000_000 && old.certificate.notAfter == 100)
    #expect(failure { () throws(Failure) in _ = try readCertificate(bytes("x")) }?.kind == .certificate)
    let wrong = failure { () throws(Failure) in
      var request = LeafRequest("x", .server, now: now)
      request.hosts = ["a,DNS:evil.example"]
      _ = try authority.issue(request)
    }
    #expect(wrong?.kind == .configuration)
  }
}

@Suite struct Identities {
  /// A folder with a key, its certificate and the authority's.
  private func credentials() throws -> (Folder, Identity) {
    let folder = try Folder()
    let identity = try leaf("Apple Push Services: x", .client) { $0.userID = "x" }
    try folder.write("key.pem", identity.privatePEM)
    try folder.write("cert.pem", identity.certificate.pem)
    try folder.write("ca.pem", authority.certificate.pem)
    return (folder, identity)
  }

  @Test func pemInAnyOrder() throws {
    let (folder, identity) = try credentials()
    try folder.shell(
      """
      cat ca.pem key.pem cert.pem > mixed.pem
      { echo 'Bag Attributes'; echo '    friendlyName: x'; cat cert.pem; echo 'Key Attributes: <No Attributes>'; cat key.pem; } > bags.pem
      openssl pkcs8 -topk8 -passout pass:hunter2 -in key.pem -out locked.pem
      cat cert.pem locked.pem > lockedboth.pem
      openssl x509 -in cert.pem -outform DER -out cert.der
      """)
    for name in ["mixed.pem", "bags.pem"] {
      let read = try readIdentity(folder.read(name))
      #expect(read.certificate == identity.certificate, "\(name)")
    }
    #expect(try readIdentity(folder.read("mixed.pem")).chain == [authority.certificate])
    #expect(try readIdentity(folder.read("cert.der"), key: folder.read("key.pem")).certificate.userID == "x")
    let locked = try folder.read("lockedboth.pem")
    #expect(try readIdentity(locked, passphrase: bytes("hunter2")).certificate == identity.certificate)
    #expect(failure { () throws(Failure) in _ = try readIdentity(locked) }?.kind == .passphrase)
  }

  @Test func whatIsMissing() throws {
    let (folder, identity) = try credentials()
    let other = try leaf()
    func kind(_ file: [UInt8], key: [UInt8]? = nil) -> Failure.Kind? {
      failure { () throws(Failure) in _ = try readIdentity(file, key: key) }?.kind
    }
    #expect(kind(try folder.read("cert.pem")) == .key)
    #expect(kind(try folder.read("key.pem")) == .certificate)
    #expect(kind(try folder.read("cert.pem"), key: other.privatePEM) == .mismatch)
    #expect(kind(identity.certificatePEM + other.privatePEM) == .mismatch)
    #expect(kind([]) == .certificate)
    #expect(kind(bytes("hello")) == .certificate)
    #expect(kind([0x30, 0x82, 1, 2, 3]) == .certificate)
  }

  @Test func archives() throws {
    let (folder, identity) = try credentials()
    try folder.shell(
      """
      openssl pkcs12 -export -inkey key.pem -in cert.pem -certfile ca.pem -passout pass:hunter2 -out modern.p12
      openssl pkcs12 -export -legacy -inkey key.pem -in cert.pem -certfile ca.pem -passout pass:hunter2 -out old.p12
      openssl pkcs12 -export -legacy -inkey key.pem -in cert.pem -passout pass: -out oldempty.p12
      openssl pkcs12 -export -inkey key.pem -in cert.pem -passout pass: -out empty.p12
      openssl pkcs12 -export -inkey key.pem -in cert.pem -passout pass:x -keypbe NONE -certpbe NONE -nomac -out nomac.p12
      openssl pkcs12 -export -nokeys -in cert.pem -passout pass:hunter2 -out nokey.p12
      openssl pkcs12 -export -nocerts -inkey key.pem -passout pass:hunter2 -out nocert.p12
      openssl pkcs12 -export -legacy -descert -inkey key.pem -in cert.pem -passout pass:hunter2 -out triple.p12
      """)
    for name in ["modern.p12", "old.p12", "triple.p12"] {
      let file = try folder.read(name)
      let read = try readIdentity(file, passphrase: bytes("hunter2"))
      #expect(read.certificate == identity.certificate, "\(name)")
      #expect(read.privatePEM == identity.privatePEM, "\(name)")
      if name != "triple.p12" { #expect(read.chain == [authority.certificate], "\(name)") }
      let wrong = failure { () throws(Failure) in _ = try readIdentity(file, passphrase: bytes("hunter3")) }
      #expect(wrong?.kind == .passphrase && wrong?.message.contains("hunter3") == false, "\(name)")
      #expect(failure { () throws(Failure) in _ = try readIdentity(file) }?.kind == .passphrase, "\(name)")
      // What was read under the legacy provider works under the modern one.
      let ends = try Ends(
        ClientContext(trust: .pem(authority.certificate.pem), identity: read),
        ServerContext(identity: leaf(), clients: .required(.pem(authority.certificate.pem))))
      ends.run()
      #expect(ends.server.peerCertificate?.userID == "x", "\(name)")
    }
    for name in ["empty.p12", "oldempty.p12", "nomac.p12"] {
      let file = try folder.read(name)
      #expect(try readIdentity(file).certificate == identity.certificate, "\(name)")
      #expect(try readIdentity(file, passphrase: []).certificate == identity.certificate, "\(name)")
    }
    let noKey = try folder.read("nokey.p12")
    let noCertificate = try folder.read("nocert.p12")
    #expect(failure { () throws(Failure) in _ = try readIdentity(noKey, passphrase: bytes("hunter2")) }?.kind == .key)
    #expect(
      failure { () throws(Failure) in _ = try readIdentity(noCertificate, passphrase: bytes("hunter2")) }?.kind
        == .certificate)
    let cut = Array(try folder.read("modern.p12").dropLast(100))
    #expect(failure { () throws(Failure) in _ = try readIdentity(cut, passphrase: bytes("hunter2")) } != nil)
  }

  @Test func archivesWeWrite() throws {
    let (folder, identity) = try credentials()
    try folder.write("ours.p12", try identity.pkcs12(passphrase: "hunter2", name: "push"))
    let text = try folder.shell("openssl pkcs12 -in ours.p12 -passin pass:hunter2 -nodes -info 2>&1 | grep -v ^M")
    #expect(text.contains("friendlyName: push") && text.contains("AES-256-CBC"))
    let read = try readIdentity(folder.read("ours.p12"), passphrase: bytes("hunter2"))
    #expect(read.certificate == identity.certificate)
  }

  /// Several pairs in one file, as Keychain exports them: the one made for push is taken, whatever its place.
  @Test func severalPairs() throws {
    let folder = try Folder()
    let other = try leaf("Apple Development: somebody", .client) { $0.notAfter += 1_000_000 }
    let push = try leaf("Apple Push Services: x", .client) {
      $0.userID = "x"
      $0.isForProduction = true
    }
    for (name, identity) in [("other", other), ("push", push)] {
      try folder.write("\(name).key", identity.privatePEM)
      try folder.write("\(name).pem", identity.certificate.pem)
    }
    try folder.write("ca.pem", authority.certificate.pem)
    try folder.shell(
      """
      cat other.key other.pem push.key push.pem ca.pem > one.pem
      cat push.pem other.pem push.key other.key > two.pem
      cat other.key push.key > keys.pem
      cat other.pem push.pem ca.pem > certs.pem
      openssl pkcs12 -export -inkey other.key -in other.pem -passout pass:x -out alone.p12
      """)
    for name in ["one.pem", "two.pem"] {
      #expect(try readIdentity(folder.read(name)).certificate == push.certificate, "\(name)")
    }
    let apart = try readIdentity(folder.read("certs.pem"), key: folder.read("keys.pem"))
    #expect(apart.certificate == push.certificate)
    #expect(apart.chain == [authority.certificate])
    let alone = try readIdentity(folder.read("alone.p12"), passphrase: bytes("x"))
    #expect(alone.certificate == other.certificate)
    #expect(alone.chain.isEmpty)
  }

  @Test func rootsAreFound() throws {
    let folder = try Folder()
    let root = RootName("Throw-away test authority", [])
    try folder.write("ca.pem", authority.certificate.pem)
    #expect(try ClientContext(trust: .pem(authority.certificate.pem)).trusts(root))
    #expect(try !ClientContext(trust: .pem(authority.certificate.pem)).trusts(RootName("Another", ["C=US"])))
    try folder.shell("mkdir store; cp ca.pem store/; openssl rehash store")
    #expect(try ClientContext(trust: .directory("\(folder.path)/store")).trusts(root))
    try folder.shell("mkdir empty")
    #expect(try !ClientContext(trust: .directory("\(folder.path)/empty")).trusts(root))
  }

  /// Keys that OpenSSL 1.0 encrypted.
  @Test(arguments: ["PBE-MD5-DES", "PBE-SHA1-RC2-40", "PBE-SHA1-3DES"])
  func oldCiphers(_ name: String) throws {
    let folder = try Folder()
    try folder.shell(
      """
      openssl ecparam -name prime256v1 -genkey -noout -out k.pem
      openssl pkcs8 -topk8 -provider legacy -provider default -v1 \(name) -passout pass:hunter2 -in k.pem -out locked
      """)
    let key = try readSigningKey(folder.read("k.pem"))
    let file = try folder.read("locked")
    #expect(try readSigningKey(file, passphrase: bytes("hunter2")).publicKey == key.publicKey)
    #expect(failure { () throws(Failure) in _ = try readSigningKey(file, passphrase: bytes("x")) }?.kind == .passphrase)
  }

  @Test func encryptedKeyInDER() throws {
    let folder = try Folder()
    try folder.shell(
      """
      openssl ecparam -name prime256v1 -genkey -noout -out k.pem
      openssl pkcs8 -topk8 -passout pass:hunter2 -in k.pem -outform DER -out locked.der
      openssl genrsa -out rsa.pem 2048
      """)
    let file = try folder.read("locked.der")
    let key = try readSigningKey(folder.read("k.pem"))
    #expect(try readSigningKey(file, passphrase: bytes("hunter2")).publicKey == key.publicKey)
    #expect(failure { () throws(Failure) in _ = try readSigningKey(file) }?.message.contains("passphrase") == true)
    func kind(_ file: [UInt8]) -> String? { privateKeyKind(file.span) }
    #expect(kind(try folder.read("k.pem")) == "P-256")
    #expect(kind(try folder.read("rsa.pem")) == "RSA 2048")
    #expect(kind(bytes("x")) == nil)
  }
}
