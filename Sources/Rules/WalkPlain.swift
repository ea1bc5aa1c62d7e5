// What surely is in order, told by a few words of its bytes: the rules of these places need not be asked. These questions
// may say no too often, never yes too often.

import APNs
import JSON

extension Walk {
  /// Whether a device token surely is of the usual length, in lower case, no placeholder and not encoded twice.
  @inline(__always)
  func isOrdinaryToken(_ document: Document, _ token: Token) -> Bool {
    guard token.end &- token.start == 66, !token.hasEscapes else { return false }
    var capitals: UInt64 = 0
    for place in 0..<8 {
      // Letters have the bit 0x40, and small ones 0x20 as well.
      let digits = document.word(token.start &+ 1 &+ place &* 8)
      capitals |= digits & ~(digits &<< 1)
    }
    let first = document.word(token.start &+ 1)
    func digit(_ place: UInt64) -> UInt64 { (first &>> (place &* 8) & 15) &+ (first &>> (place &* 8 &+ 6) & 1) &* 9 }
    // A placeholder's digits are equal or follow each other; bytes that are digits themselves begin with 3, 4 or 6.
    let step = (digit(1) &- digit(0)) & 15
    func mayBeginDigit(_ digit: UInt64) -> Bool { 0b101_1000 &>> digit & 1 != 0 }
    let isTwice = mayBeginDigit(digit(0)) && mayBeginDigit(digit(2)) && mayBeginDigit(digit(4))
    return capitals & 0x4040_4040_4040_4040 == 0 && step > 1 && step != 15 && !isTwice
  }

  /// Whether the alert, or its title or body, surely begins with a visible character: then it is neither empty nor blank.
  @inline(__always)
  func showsPlainText(_ document: Document, _ scene: borrowing Scene, _ alert: Int) -> Bool {
    if startsVisibly(document, alert) { return true }
    if let body = scene.alert(.body), startsVisibly(document, body) { return true }
    if let title = scene.alert(.title), startsVisibly(document, title) { return true }
    return false
  }

  @inline(__always)
  private func startsVisibly(_ document: Document, _ node: Int) -> Bool {
    let token = document.token(node)
    guard token.kind == .string else { return false }
    let first = document.byte(token.start &+ 1)
    // A quote there is the closing one.
    if first <= 0x22 || first == 0x7F { return false }
    // White space beyond ASCII begins with C2, E1, E2, E3 or EF; as an escape with 00, 1, 20, 30 or f.
    if first >= 0x80 { return first != 0xC2 && first & 0xFC != 0xE0 && first != 0xEF }
    if first != UInt8(ascii: "\\") { return true }
    let escape = document.word(token.start &+ 1)
    guard escape &>> 8 & 0xFF == 0x75 else { return false }
    let digits = escape &>> 16 & 0xFFFF
    return digits != 0x3030 && digits != 0x3032 && digits != 0x3033 && digits & 0xFF != 0x31 && digits & 0xDF != 0x46
  }

  /// Whether a string is `default`, or surely the name of a .caf, .wav or .aiff file: as most sounds are.
  @inline(__always)
  func isPlainSound(_ document: Document, _ node: Int) -> Bool {
    let token = document.token(node)
    let length = token.end &- token.start &- 2
    let first = document.word(token.start &+ 1)
    // The eight bytes are the word and its closing quote.
    if length == 7, first == 0x2274_6C75_6166_6564 { return true }
    // A longer name, and one that might be a misspelt default, is looked at byte by byte.
    guard length > 5, length <= 16, first & 0xDF != 0x44, !token.hasEscapes else { return false }
    let last = document.word(token.end &- 9)
    if holdsSlash(last) || length > 8 && holdsSlash(first) { return false }
    let ending = last &>> 32
    return ending == 0x6661_632E || ending == 0x7661_772E || ending == 0x6666_6961 && last & 0xFF00_0000 == 0x2E00_0000
  }

  @inline(__always)
  private func holdsSlash(_ word: UInt64) -> Bool {
    let zeros = word ^ 0x2F2F_2F2F_2F2F_2F2F
    return (zeros &- 0x0101_0101_0101_0101) & ~zeros & 0x8080_8080_8080_8080 != 0
  }
}
