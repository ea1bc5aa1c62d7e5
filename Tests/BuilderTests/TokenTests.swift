// Device tokens in the forms people paste.
import APNs
import Testing

@testable import Builder

@Suite struct TokenTests {
  private static let digits = String(repeating: "a1b2c3d4", count: 8)

  private func normalised(_ text: String) throws -> String {
    String(decoding: try TokenForms.normalised(text.utf8Span.span), as: UTF8.self)
  }

  @Test(arguments: [
    digits, digits.uppercased(), "<\(digits)>", "<a1b2c3d4 " + String(repeating: "a1b2c3d4 ", count: 6) + "a1b2c3d4>",
    " \(digits)\t", "\"\(digits)\"", "obLD1KGyw9ShssPUobLD1KGyw9ShssPUobLD1KGyw9Q=",
    "obLD1KGyw9ShssPUobLD1KGyw9ShssPUobLD1KGyw9Q",
    // Base64 of the digits' own text: encoded once too often.
    "YTFiMmMzZDRhMWIyYzNkNGExYjJjM2Q0YTFiMmMzZDRhMWIyYzNkNGExYjJjM2Q0YTFiMmMzZDRhMWIyYzNkNA==",
  ])
  func mended(_ text: String) throws {
    #expect(try normalised(text) == Self.digits)
  }

  @Test func bothAlphabetsOfBase64() throws {
    let plain = "+/+/AbCdEfGhIjKlMnOpQrStUvWxYz0123456789+/8="
    let url = plain.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    #expect(try normalised(plain) == normalised(url))
    #expect(try normalised(url).utf8.count == 64)
  }

  @Test(arguments: [
    "", "a", "abc", "xyz", String(digits.dropLast()) + "g", "A" + String(digits.dropLast(2)) + "g",
    "{length = 32, bytes = 0xa1b2c3d4 a1b2c3d4 ... a1b2c3d4 }", String(repeating: "ab", count: 101),
    "ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]", digits + "\u{0}", "é" + digits,
  ])
  func refused(_ text: String) {
    #expect(throws: TokenError.self) { try normalised(text) }
  }

  @Test func theLostMiddleIsNamed() {
    #expect(throws: TokenError(fault: .elidedDescription)) {
      try normalised("{length = 32, bytes = 0x740f4707 bebcf74f 9b7c25d4 ... bb2a8e2a 2a2a2a2a }")
    }
  }

  @Test func theCharacterIsNamed() {
    do throws(TokenError) {
      _ = try TokenForms.normalised("é12x".utf8Span.span)
      Issue.record("taken")
    } catch {
      #expect(error.message.hasSuffix(": 'é' at character 1"))
    }
  }
}
