// ES256 keys: the forms they come in, and signatures.
import TLS
import Testing

@Suite struct Keys {
  /// The forms that are read, made by openssl itself.
  @Test func forms() throws {
    let folder = try Folder()
    try folder.shell(
      """
      openssl ecparam -name prime256v1 -genkey -noout -out sec1.pem
      openssl pkcs8 -topk8 -nocrypt -in sec1.pem -out p8.pem
      openssl pkcs8 -topk8 -nocrypt -in sec1.pem -outform DER -out p8.der
      openssl ec -in sec1.pem -outform DER -out sec1.der
      openssl pkcs8 -topk8 -passout pass:hunter2 -in sec1.pem -out locked.pem
      openssl ec -aes128 -passout pass:hunter2 -in sec1.pem -out oldlocked.pem
      { echo 'Bag Attributes'; cat p8.pem; echo; } > text.pem
      { openssl ecparam -name prime256v1; cat sec1.pem; } > parameters.pem
      sed 's/$/\\r/' p8.pem > crlf.pem
      openssl ec -in sec1.pem -pubout -out public.pem
      openssl ec -in sec1.pem -pubout -outform DER -out public.der
      """)
    let publicKey = try readPublicKey(folder.read("public.pem"))
    #expect(try readPublicKey(folder.read("public.der")) == publicKey)
    let open = ["sec1.pem", "p8.pem", "p8.der", "sec1.der", "text.pem", "parameters.pem", "crlf.pem"]
    for name in open { #expect(try readSigningKey(folder.read(name)).publicKey == publicKey, "\(name)") }
    for name in ["locked.pem", "oldlocked.pem"] {
      let file = try folder.read(name)
      #expect(try readSigningKey(file, passphrase: bytes("hunter2")).publicKey == publicKey, "\(name)")
      let missing = failure { () throws(Failure) in _ = try readSigningKey(file) }
      #expect(missing?.kind == .passphrase && missing?.message.contains("is needed") == true, "\(name)")
      let wrong = failure { () throws(Failure) in _ = try readSigningKey(file, passphrase: bytes("hunter3")) }
      #expect(wrong?.kind == .passphrase, "\(name)")
      #expect(wrong?.message.contains("hunter3") == false)
    }
  }

  /// Files that people give instead, each named for what it is.
  @Test func otherFiles() throws {
    let folder = try Folder()
    try folder.shell(
      """
      openssl ecparam -name prime256v1 -genkey -noout -out k.pem
      openssl ec -in k.pem -pubout -out public.pem
      openssl ec -in k.pem -pubout -outform DER -out public.der
      openssl genrsa -out rsa.pem 2048
      openssl rsa -in rsa.pem -outform DER -out rsa.der
      openssl ecparam -name secp384r1 -genkey -noout -out p384.pem
      openssl ecparam -name secp256k1 -genkey -noout -out k1.pem
      openssl genpkey -algorithm ed25519 -out ed.pem
      openssl req -x509 -key k.pem -subj /CN=x -days 2 -out cert.pem
      openssl x509 -in cert.pem -outform DER -out cert.der
      openssl req -new -key k.pem -subj /CN=x -out request.pem
      openssl pkcs12 -export -inkey k.pem -in cert.pem -passout pass:x -out archive.p12
      head -c 120 k.pem > short.pem
      sed 's/^M/!/' k.pem > damaged.pem
      printf -- '-----BEGIN OPENSSH PRIVATE KEY-----\\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU=\\n-----END OPENSSH PRIVATE KEY-----\\n' > ssh.pem
      printf '{"type":"service_account"}' > x.json
      printf '\\n <!DOCTYPE html><html>' > x.html
      printf 'hello' > x.txt
      printf '' > empty
      """)
    let cases: [(String, String)] = [
      ("public.pem", "this is a public key"), ("public.der", "this is a public key"), ("rsa.pem", "RSA 2048"),
      ("rsa.der", "RSA 2048"), ("p384.pem", "P-384"), ("k1.pem", "secp256k1"), ("ed.pem", "ED25519"),
      ("cert.pem", "this is a certificate"), ("cert.der", "this is a certificate"),
      ("request.pem", "this is a certificate request"), ("archive.p12", "PKCS#12"), ("short.pem", "damaged"),
      ("damaged.pem", "damaged"), ("ssh.pem", "OpenSSH"), ("x.json", "this is JSON"), ("x.html", "HTML"),
      ("x.txt", "neither PEM nor DER"), ("empty", "empty"),
    ]
    for (name, words) in cases {
      let file = try folder.read(name)
      let message = failure { () throws(Failure) in _ = try readSigningKey(file) }?.message ?? "was read"
      #expect(message.contains(words), "\(name): \(message)")
    }
    #expect(failure { () throws(Failure) in _ = try readPublicKey(bytes("x")) }?.kind == .key)
    let p384 = try folder.shell("openssl ec -in p384.pem -pubout 2>/dev/null")
    #expect(failure { () throws(Failure) in _ = try readPublicKey(bytes(p384)) }?.message.contains("P-384") == true)
  }

  @Test func signatures() throws {
    let key = try SigningKey.generate()
    let other = try SigningKey.generate()
    for count in [0, 1, 100, 10_000] {
      let message = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
      let raw = try key.raw(message)
      let der = try key.der(message)
      #expect(raw.count == 64)
      #expect(key.publicKey.accepts(raw, message))
      #expect(key.publicKey.accepts(der, message))
      #expect(!other.publicKey.accepts(raw, message))
      #expect(!key.publicKey.accepts(raw, (message + [1])))
      var bent = raw
      bent[40] ^= 1
      #expect(!key.publicKey.accepts(bent, message))
    }
    #expect(!key.publicKey.accepts([], [1]))
    #expect(!key.publicKey.accepts([UInt8](repeating: 0, count: 64), [1]))
    #expect(!key.publicKey.accepts([UInt8](repeating: 0xFF, count: 72), [1]))
  }

  /// Both forms hold the same two numbers, also when they have leading zeros or leading ones.
  @Test func formsOfASignature() throws {
    let key = try SigningKey.generate()
    for number in 0..<600 {
      let der = try key.der(bytes("\(number)"))
      let raw = try #require(toRaw(der))
      #expect(toDER(raw) == der)
    }
    let small = [UInt8](repeating: 0, count: 31) + [1] + [UInt8](repeating: 0, count: 31) + [0x80]
    #expect(toDER(small).hex == "3007" + "020101" + "02020080")
    #expect(toRaw(toDER(small)) == small)
    let bad = [
      "", "30", "3000", "3006020101020101ff", "3007020101020101", "30060201010201", "3006028101020101",
      "3006020181020101",
    ]
    for hex in bad {
      let der = stride(from: 0, to: hex.count, by: 2).map { UInt8(hex.dropFirst($0).prefix(2), radix: 16)! }
      #expect(toRaw(der) == nil, "\(hex)")
    }
    #expect(toDER([1, 2]).isEmpty)
  }

  /// RFC 7515 appendix A.3: a JWS signed with ES256.
  @Test func vectorOfRFC7515() throws {
    let x = "7fcdce2770f6c45d4183cbee6fdb4b7b580733357be9ef13bacf6e3c7bd15445"
    let y = "c7f144cd1bbd9b7e872cdfedb9eeb9f4b3695d6ea90b24ad8a4623288588e5ad"
    func unhex(_ hex: String) -> [UInt8] {
      stride(from: 0, to: hex.count, by: 2).map { UInt8(hex.dropFirst($0).prefix(2), radix: 16)! }
    }
    let key = try readPublicKey(unhex("3059301306072a8648ce3d020106082a8648ce3d030107034200" + "04" + x + y))
    let input = bytes(
      "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    )
    let r: [UInt8] = [
      14, 209, 33, 83, 121, 99, 108, 72, 60, 47, 127, 21, 88, 7, 212, 2, 163, 178, 40, 3, 58, 249, 124, 126, 23, 129,
      154,
      195, 22, 158, 166, 101,
    ]
    let s: [UInt8] = [
      197, 10, 7, 211, 140, 60, 112, 229, 216, 241, 45, 175, 8, 74, 84, 128, 166, 101, 144, 197, 242, 147, 80, 154, 143,
      63,
      127, 138, 131, 163, 84, 213,
    ]
    #expect(key.accepts(r + s, input))
    #expect(key.accepts(toDER(r + s), input))
  }

  @Test func opensslChecksOurSignature() throws {
    let folder = try Folder()
    let key = try SigningKey.generate()
    try folder.write("public.pem", key.publicKey.pem)
    try folder.write("message", bytes("eyJ.eyJ"))
    try folder.write("signature", try key.der(bytes("eyJ.eyJ")))
    #expect(
      try folder.shell("openssl dgst -sha256 -verify public.pem -signature signature message").contains("Verified OK"))
    try folder.write("key.p8", key.privatePEM)
    try folder.shell("openssl dgst -sha256 -sign key.p8 -out theirs message")
    #expect(key.publicKey.accepts(try folder.read("theirs"), bytes("eyJ.eyJ")))
    #expect(try readSigningKey(key.privatePEM).publicKey == key.publicKey)
  }

  @Test func digests() {
    #expect(
      digest(bytes("abc")).hex == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    // RFC 4231 test case 2.
    #expect(
      authenticate(bytes("Jefe"), bytes("what do ya want for nothing?")).hex
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    #expect(digest([]).hex.hasPrefix("e3b0c442"))
    #expect(randomBytes(32).count == 32)
    #expect(randomBytes(32) != randomBytes(32))
    #expect(randomBytes(0).isEmpty)
  }
}
