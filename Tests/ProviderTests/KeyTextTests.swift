// The forms keys come in: those that are mended, and those that are named for what they are instead.
import Testing

@testable import Provider

@Suite struct KeyTexts {
  /// A form, how the shell makes it of `good.p8`, and the damage that is named for it; none for a form that is whole.
  struct Form: Sendable, CustomTestStringConvertible {
    let name: String
    let make: String
    let damage: [KeyDamage]
    var testDescription: String { name }

    init(_ name: String, _ make: String, _ damage: KeyDamage...) {
      (self.name, self.make, self.damage) = (name, make, damage)
    }
  }

  static let forms = [
    Form("350-p8-good", "cat good.p8"),
    Form("351-p8-no-final-newline", "printf %s \"$(cat good.p8)\""),
    Form("352-p8-crlf", "sed 's/$/\\r/' good.p8"),
    Form("353-p8-long-line-body", "head -1 good.p8; sed '1d;$d' good.p8 | tr -d '\\n'; echo; tail -1 good.p8"),
    Form("354-p8-escaped-newlines", "awk '{printf \"%s\\\\n\",$0}' good.p8", .escapedNewlines),
    Form("355-p8-double-escaped", "awk '{printf \"%s\\\\\\\\n\",$0}' good.p8", .doubleEscaped),
    Form("escaped four times", "awk '{printf \"%s\\\\\\\\\\\\\\\\n\",$0}' good.p8", .doubleEscaped),
    Form("escaped CRLF", "awk '{printf \"%s\\\\r\\\\n\",$0}' good.p8", .escapedNewlines),
    Form("356-p8-spaces-for-newlines", "tr '\\n' ' ' < good.p8", .lostNewlines),
    Form("nothing for newlines", "tr -d '\\n' < good.p8", .lostNewlines),
    Form("no white space at all", "tr -d '\\n ' < good.p8", .lostNewlines, .label),
    Form("357-p8-body-only", "sed '1d;$d' good.p8", .bodyOnly),
    Form("body in one line", "sed '1d;$d' good.p8 | tr -d '\\n'", .bodyOnly),
    Form("358-p8-base64-of-pem", "base64 -w0 good.p8", .base64),
    Form("base64 in lines", "base64 good.p8", .base64),
    Form("base64 twice", "base64 -w0 good.p8 | base64 -w0", .base64),
    Form("base64 of escaped", "awk '{printf \"%s\\\\n\",$0}' good.p8 | base64 -w0", .base64, .escapedNewlines),
    Form("359-p8-quoted", "printf '\"'; awk '{printf \"%s\\\\n\",$0}' good.p8; echo '\"'", .quotes, .escapedNewlines),
    Form("variable", "printf \"APNS_KEY='\"; cat good.p8; echo \"'\"", .assignment, .quotes),
    Form(
      "exported", "printf 'export APNS_KEY=\"'; awk '{printf \"%s\\\\n\",$0}' good.p8; echo '\"'", .assignment, .quotes,
      .escapedNewlines),
    Form("360-p8-indented", "sed 's/^/    /' good.p8", .indentation),
    Form("361-p8-bom", "printf '\\357\\273\\277'; cat good.p8", .byteOrderMark),
    Form("362-p8-dashes-autocorrected", "sed 's/-----/\u{2014}\u{2013}---/g' good.p8", .dashes),
    Form("two em dashes", "sed 's/-----/\u{2014}\u{2014}/g' good.p8", .dashes),
    Form("UTF-16", "iconv -f ASCII -t UTF-16 good.p8", .utf16),
    Form("UTF-16 without mark", "iconv -f ASCII -t UTF-16LE good.p8", .utf16),
    Form("lost backslashes", "awk '{printf \"%sn\",$0}' good.p8", .lostNewlines, .lostBackslashes),
    Form(
      "JSON string of PHP",
      "printf '\"'; awk '{printf \"%s\\\\n\",$0}' good.p8 | sed 's,/,\\\\/,g;s,=,\\\\u003d,g'; echo '\"'",
      .quotes, .escapedNewlines),
    Form("percent", "awk '{printf \"%s%%0A\",$0}' good.p8 | sed 's/ /%20/g;s/+/%2B/g'", .percentEncoded),
    Form("no END line", "sed '$d' good.p8", .missingEnd),
    Form("non-breaking spaces", "printf '\\302\\240'; cat good.p8", .invisible),
    Form("367-p8-sec1", "cat sec1.pem"),
    Form("369-p8-der-base64", "base64 -w0 good.der", .bodyOnly),
    Form("DER", "cat good.der"),
    Form("374-pem-bag-attributes", "echo 'Bag Attributes'; echo '    friendlyName: x'; cat good.p8"),
    Form("Windows line ends, indented", "sed 's/^/\\t/;s/$/\\r/' good.p8", .indentation),
  ]

  static let makeKey = """
    openssl ecparam -name prime256v1 -genkey -noout -out sec1.pem
    openssl pkcs8 -topk8 -nocrypt -in sec1.pem -out good.p8
    openssl pkcs8 -topk8 -nocrypt -in sec1.pem -outform DER -out good.der
    openssl ec -in sec1.pem -pubout -out public.pem 2>/dev/null
    """

  @Test(arguments: forms)
  func isRead(_ form: Form) throws {
    let scratch = try Scratch()
    try scratch.shell("\(Self.makeKey)\n{ \(form.make); } > form")
    let found = examineKey(scratch.place("form"))
    #expect(found.isUsable, "\(words(found))")
    #expect(found.damage == form.damage)
    #expect(found.ids.contains("key-mangled") == !form.damage.isEmpty)
    #expect(try found.publicPEM == String(decoding: scratch.read("public.pem"), as: UTF8.self))
    // Mended bytes need no mending.
    let once = KeyText(mending: try scratch.read("form"))
    #expect(KeyText(mending: once.bytes).damage.isEmpty)
  }

  /// A file, how it is made, and the id of the problem that names it.
  struct Stranger: Sendable, CustomTestStringConvertible {
    let name: String
    let make: String
    let id: String
    var testDescription: String { name }

    init(_ name: String, _ make: String, _ id: String) { (self.name, self.make, self.id) = (name, make, id) }
  }

  static let strangers = [
    Stranger("363-p8-truncated", "head -c 150 good.p8", "key-truncated"),
    Stranger("SEC1 truncated", "head -c 150 sec1.pem", "key-truncated"),
    Stranger("body truncated", "sed '1d;$d' good.p8 | head -c 100", "key-truncated"),
    Stranger("364-p8-public-key", "cat public.pem", "key-public"),
    Stranger("public key, escaped", "awk '{printf \"%s\\\\n\",$0}' public.pem", "key-public"),
    Stranger("public key in DER", "openssl pkey -pubin -in public.pem -outform DER", "key-public"),
    Stranger("365-p8-rsa", "openssl genrsa 2048 2>/dev/null", "key-rsa"),
    Stranger(
      "RSA, escaped", "openssl genrsa 2048 2>/dev/null | awk '{printf \"%s\\\\n\",$0}'", "key-rsa"),
    Stranger("366-p8-p384", "openssl ecparam -name secp384r1 -genkey -noout", "key-curve"),
    Stranger("Ed25519", "openssl genpkey -algorithm ed25519", "key-curve"),
    Stranger("368-p8-encrypted", "openssl pkcs8 -topk8 -passout pass:x -in good.p8", "key-encrypted"),
    Stranger("encrypted SEC1", "openssl ec -in sec1.pem -aes128 -passout pass:x 2>/dev/null", "key-encrypted"),
    Stranger(
      "370-cert-instead-of-key", "openssl req -x509 -key good.p8 -subj /CN=x -days 2", "key-certificate"),
    Stranger(
      "certificate in DER", "openssl req -x509 -key good.p8 -subj /CN=x -days 2 -outform DER", "key-certificate"),
    Stranger("request", "openssl req -new -key good.p8 -subj /CN=x", "key-request"),
    Stranger(
      "archive",
      "openssl req -x509 -key good.p8 -subj /CN=x -out c; openssl pkcs12 -export -inkey good.p8 -in c -passout pass:",
      "key-archive"),
    Stranger("371-random-file-as-key", "echo 'const fs = require(\"fs\"); module.exports = { a: 1 }'", "key-unknown"),
    Stranger("JavaScript object", "echo '{ a: 1, b: function () {} }'", "key-unknown"),
    Stranger(
      "372-fcm-service-account-json",
      "printf '{\"type\":\"service_account\",\"private_key\":\"'; awk '{printf \"%s\\\\n\",$0}' good.p8; echo '\"}'",
      "key-service-account"),
    Stranger("other JSON", "echo '{\"a\":1}'", "key-json"),
    Stranger("373-html-instead-of-key", "printf '\\n<!DOCTYPE html><html><body>Sign in'", "key-html"),
    Stranger("property list", "echo '<?xml version=\"1.0\"?><plist version=\"1.0\"></plist>'", "key-other-file"),
    Stranger("empty", ":", "key-empty"),
    Stranger("blank", "printf '\\n  \\n'", "key-empty"),
    Stranger("path", "echo keys/AuthKey_ABCDE12345.p8", "key-path"),
    Stranger("identifier", "echo ABCDE12345", "key-identifier"),
    Stranger("SSH", "echo 'ecdsa-sha2-nistp256 AAAAE2VjZHNh x@y'", "key-ssh"),
    Stranger("damaged", "sed 's/^M/!/' good.p8", "key-damaged"),
    Stranger(
      "random bytes", "head -c 300 /dev/zero | openssl enc -aes-128-ctr -K 00 -iv 00 2>/dev/null", "key-unknown"),
    Stranger("ZIP", "printf 'PK\\003\\004xxxxxxxx'", "key-other-file"),
  ]

  @Test(arguments: strangers)
  func isNamed(_ stranger: Stranger) throws {
    let scratch = try Scratch()
    try scratch.shell("\(Self.makeKey)\n{ \(stranger.make); } > form")
    let found = examineKey(scratch.place("form"))
    #expect(found.ids == [stranger.id], "\(words(found))")
    #expect(found.problems.allSatisfy { $0.severity == .error && $0.help != nil })
    #expect(found.signingKey == nil)
    // Whatever it says, it does not show the file.
    let body = String(decoding: try scratch.read("good.p8"), as: UTF8.self).split(separator: "\n")[1]
    #expect(!words(found).contains(body.prefix(16)))
  }

  @Test func passphrases() throws {
    let scratch = try Scratch()
    try scratch.shell("\(Self.makeKey)\nopenssl pkcs8 -topk8 -passout pass:x -in good.p8 -out locked")
    #expect(examineKey(scratch.place("locked"), passphrase: "x").isUsable)
    #expect(examineKey(scratch.place("locked"), passphrase: "y").ids == ["passphrase-wrong"])
    #expect(examineKey(scratch.place("missing")).ids == ["file-unreadable"])
  }

  /// A sign is no digit, though Swift's number parser takes one.
  @Test(arguments: ["%-1A", "%+1A", "%", "%a", "%zz"]) func signsAreNoDigits(_ text: String) {
    #expect(KeyText(mending: Array(text.utf8)).bytes == Array(text.utf8))
  }

  /// Any bytes at all: mending ends, and never traps.
  @Test func hostileTexts() {
    var generator = SystemRandomNumberGenerator()
    let pieces = [
      "-----BEGIN ", "-----END ", "PRIVATE KEY-----", "\\n", "\\", "%", "%0", "MIGH", "\"", "'", "\\u00", " ", "\n",
    ]
    for _ in 0..<3000 {
      var text: [UInt8] = []
      for _ in 0..<Int.random(in: 0..<12, using: &generator) {
        if Bool.random(using: &generator) {
          text += Array(pieces.randomElement(using: &generator)!.utf8)
        } else {
          text.append(UInt8.random(in: 0...255, using: &generator))
        }
      }
      _ = KeyText(mending: text)
      _ = try? KeyFile(text, passphrase: nil)
    }
  }

  /// Texts made to cost time: a megabyte is gone through in moments.
  @Test(arguments: [
    "-BEGIN", "-----BEGIN A-----", "\\", "-", "%", " BEGIN A-", "-----BEGIN PRIVATE KEY-----", "A", "\"",
  ])
  func longTexts(_ piece: String) {
    let text = Array(String(repeating: piece, count: 20_000 / piece.utf8.count).utf8)
    // What grows with the square would take minutes here: the run as a whole would show it.
    _ = try? KeyFile(text, passphrase: nil)
  }

  @Test func identifiers() throws {
    let scratch = try Scratch()
    try scratch.shell("\(Self.makeKey)\ncp good.p8 AuthKey_ABCDE12345.p8; cp good.p8 'AuthKey_ABCDE12345 (1).p8'")
    let named = scratch.place("AuthKey_ABCDE12345.p8")
    #expect(examineKey(named, keyID: nil).keyID == "ABCDE12345")
    #expect(examineKey(scratch.place("AuthKey_ABCDE12345 (1).p8"), keyID: nil).keyID == "ABCDE12345")
    #expect(examineKey(named).problems.isEmpty)
    let swapped = examineKey(named, keyID: "FGHIJ67890", teamID: "ABCDE12345")
    #expect(swapped.looksSwapped && swapped.ids == ["identifiers-swapped"] && swapped.isUsable)
    #expect(examineKey(named, keyID: "ZZZZZ12345").ids == ["key-id-differs"])
    #expect(examineKey(named, keyID: nil, teamID: "ABCDE12345").ids == ["team-id-is-key-id"])
    let plain = scratch.place("good.p8")
    #expect(examineKey(plain, keyID: nil).ids == ["key-id-missing"])
    #expect(examineKey(plain, teamID: nil).ids == ["team-id-missing"])
    #expect(examineKey(plain, teamID: "fghij67890").ids == ["team-id-malformed"])
    #expect(examineKey(plain, keyID: "FGHIJ67890").ids == ["identifiers-equal"])
  }
}
