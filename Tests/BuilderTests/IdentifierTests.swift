// SHA-1 and UUIDs against published vectors.
import Testing

@testable import Builder

private func hexadecimal(_ bytes: [UInt8]) -> String {
  bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}

private func digest(_ pieces: [UInt8]...) -> String {
  var sha = SHA1()
  for piece in pieces { sha.update(piece.span) }
  return hexadecimal(sha.finish())
}

@Suite struct IdentifierTests {
  /// FIPS 180-4's own examples and the empty message.
  @Test func publishedDigests() {
    #expect(digest([]) == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
    #expect(digest(Array("abc".utf8)) == "a9993e364706816aba3e25717850c26c9cd0d89d")
    #expect(
      digest(Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8))
        == "84983e441c3bd26ebaae4aa1f95129e5e54670f1")
    #expect(digest([UInt8](repeating: 0x61, count: 1_000_000)) == "34aa973cd4c4daa4f61eeb2bdbad27316534016f")
  }

  @Test func piecesDoNotMatter() {
    let message = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let whole = digest(message)
    for cut in [0, 1, 55, 56, 63, 64, 65, 128, 299] {
      #expect(digest(Array(message[..<cut]), Array(message[cut...])) == whole)
    }
  }

  /// RFC 9562 appendix A.4: "www.example.com" in the namespace of DNS names.
  @Test func versionFive() {
    let dns: [UInt8] = [
      0x6B, 0xA7, 0xB8, 0x10, 0x9D, 0xAD, 0x11, 0xD1, 0x80, 0xB4, 0x00, 0xC0, 0x4F, 0xD4, 0x30, 0xC8,
    ]
    var sha = SHA1()
    sha.update(dns.span)
    let name = Array("www.example.com".utf8)
    sha.update(name.span)
    let text = UUIDText.text(UUIDText.stamped(sha.finish(), version: 5))
    #expect(String(decoding: text, as: UTF8.self) == "2ed6657d-e927-568b-95e1-2665a8aea6a2")
  }

  /// A run must find the ids of an earlier one, whatever version made them.
  @Test func theNamespaceNeverChanges() {
    #expect(
      String(decoding: UUIDText.text(UUIDText.namespace), as: UTF8.self) == "3c79b4db-9192-5af6-a640-d0416840f2c4")
  }

  @Test func randomOnesDifferAndAreWellFormed() {
    var generator = SystemRandomNumberGenerator()
    var seen: Set<[UInt8]> = []
    for _ in 0..<200 {
      let text = UUIDText.text(UUIDText.random(&generator))
      #expect(text.count == 36 && text[14] == UInt8(ascii: "4"))
      #expect([UInt8(ascii: "8"), UInt8(ascii: "9"), UInt8(ascii: "a"), UInt8(ascii: "b")].contains(text[19]))
      #expect(seen.insert(text).inserted)
    }
  }
}
