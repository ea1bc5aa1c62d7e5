// Base64, provider tokens, identifiers, feedback times.
import APNs
import JSON
import Testing

// `#expect` takes no span: these take arrays.
private func decode(_ bytes: [UInt8]) -> [UInt8]? { Base64.decode(bytes.span) }
private func parse(_ bytes: [UInt8]) -> ProviderToken.Parts? { ProviderToken.parse(bytes.span) }
private func isUUID(_ bytes: [UInt8]) -> Bool { Identifiers.isUUID(bytes.span) }
private func isToken(_ bytes: [UInt8]) -> Bool { DeviceToken.isValid(bytes.span) }

@Suite struct CodecTests {
  /// RFC 4648 section 10.
  static let vectors = [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ]

  @Test(arguments: vectors) func base64Vectors(_ plain: String, _ coded: String) {
    var out: [UInt8] = []
    let bytes = Array(plain.utf8)
    Base64.encode(bytes.span, urlSafe: false, into: &out)
    #expect(String(decoding: out, as: UTF8.self) == coded)
    #expect(decode(Array(coded.utf8)) == bytes)
    let bare = Array(coded.utf8.prefix { $0 != UInt8(ascii: "=") })
    #expect(decode(bare) == bytes)
  }

  @Test(arguments: ["A", "Zg=", "Zh==", "Zm9=", "Z g==", "Zg==Zg==", "====", "Zm9vYg===="])
  func whatIsNoBase64(_ text: String) {
    #expect(decode(Array(text.utf8)) == nil)
  }

  @Test func providerTokenIsTakenApartAsItWasComposed() throws {
    let input = ProviderToken.signingInput(keyID: "ABCDE12345", teamID: "FGHIJ67890", issuedAt: 1_790_000_000)
    let text = ProviderToken.compose(signingInput: input, signature: [UInt8](repeating: 7, count: 64))
    let parts = try #require(parse(text))
    #expect(parts.algorithm == "ES256" && parts.keyID == "ABCDE12345" && parts.teamID == "FGHIJ67890")
    #expect(parts.issuedAt == 1_790_000_000 && parts.otherClaims == [] && !parts.keyIDInClaims)
    #expect(parts.signature.count == 64 && parts.signingInput == input)
    #expect(String(decoding: parts.header, as: UTF8.self) == #"{"alg":"ES256","kid":"ABCDE12345"}"#)
  }

  @Test(arguments: ["", "a.b", "a.b.c.d", "e30.W10.AA", "!!.e30.AA", "e30.e30"]) func whatIsNoToken(_ text: String) {
    #expect(parse(Array(text.utf8)) == nil)
  }

  @Test func secondsAndMillisecondsAreToldApart() {
    #expect(FeedbackSource.milliseconds(1_796_006_185) == 1_796_006_185_000)
    #expect(FeedbackSource.milliseconds(1_796_006_185_123) == 1_796_006_185_123)
    #expect(FeedbackSource.milliseconds(0) == 0)
    #expect(FeedbackSource.milliseconds(.min) == nil)
  }

  @Test func identifiers() {
    #expect(isUUID(Array("28EB6544-bc45-4e06-ba05-45d123a857b7".utf8)))
    for bad in [
      "", "28EB6544bc454e06ba0545d123a857b7", "28EB6544-bc45-4e06-ba05-45d123a857bg",
      "28EB6544-bc45-4e06-ba05_45d123a857b7",
    ] {
      #expect(!isUUID(Array(bad.utf8)), "\(bad)")
    }
  }

  @Test func tokensAtTheirBounds() {
    for count in [2, 64, 108, 160, 200] {
      #expect(isToken([UInt8](repeating: UInt8(ascii: "f"), count: count)))
    }
    // Every byte value at every place of a usual token: only digits pass.
    for value in UInt8.min...UInt8.max {
      var bytes = [UInt8](repeating: UInt8(ascii: "0"), count: 64)
      bytes[Int(value) % 64] = value
      let isDigit = (0x30...0x39).contains(value) || (0x41...0x46).contains(value) || (0x61...0x66).contains(value)
      #expect(isToken(bytes) == isDigit, "\(value)")
    }
  }
}
