// What rules ask of a text's nodes, beyond what the JSON target answers.

import JSON

extension Document {
  /// A kind of value, with its article.
  public func words(_ node: Int) -> String {
    switch kind(node) {
    case .object: "an object"
    case .array: "an array"
    case .string: "a string"
    case .number: "a number"
    case .true, .false: "a Boolean"
    case .null: "null"
    }
  }

  /// The value as it stands, cut to fit into a sentence.
  func shown(_ node: Int) -> String {
    let raw = raw(node)
    let limit = 48
    if raw.count <= limit { return String(utf8: raw).replacingControls() }
    var end = limit
    while end > 0, raw[end] & 0xC0 == 0x80 { end -= 1 }
    // A text keeps its last quote, or the sentence goes on inside of it.
    let rest = kind(node) == .string ? "…\"" : "…"
    return String(utf8: raw.extracting(0..<end)).replacingControls() + rest
  }

  /// A key's or string's text, cut to fit into a sentence.
  func name(_ node: Int) -> String {
    let text = string(node)
    return text.unicodeScalars.count <= 48
      ? text.replacingControls() : text.prefix(48).description.replacingControls() + "…"
  }

  /// The kind of a node; the JSON target's own question is not always inlined.
  @inline(__always)
  func what(_ node: Int) -> Token.Kind { token(node).kind }

  @inline(__always)
  func isEmptyString(_ node: Int) -> Bool {
    let token = tokens[node]
    return token.kind == .string && token.end &- token.start == 2
  }

  /// A string with something in it.
  @inline(__always)
  func isText(_ node: Int) -> Bool {
    let token = tokens[node]
    return token.kind == .string && token.end &- token.start > 2
  }

  public func isEmpty(_ node: Int) -> Bool { next(node) == node + 1 }

  func isBool(_ node: Int) -> Bool {
    let kind = kind(node)
    return kind == .true || kind == .false
  }

  /// A string of white space only (but not empty).
  func isBlank(_ node: Int) -> Bool {
    guard isText(node) else { return false }
    let start = tokens[node].start + 1
    let first = bytes[start]
    // The first character settles it nearly always: letters and signs of ASCII, and what is no space by its bytes.
    if first == UInt8(ascii: "\\") {
      // Escapes of white space: \t, \n, \r, \u0020, \u00a0, \u2000 and their like, \u3000, \ufeff.
      if bytes[start + 1] == UInt8(ascii: "u"), bytes[start + 2] != UInt8(ascii: "0"),
        bytes[start + 2] != UInt8(ascii: "2") || bytes[start + 3] != UInt8(ascii: "0"),
        bytes[start + 2] != UInt8(ascii: "3") || bytes[start + 4] != UInt8(ascii: "0"),
        bytes[start + 2] | 0x20 != UInt8(ascii: "f")
      {
        return false
      }
    } else if first > 0x20, first != 0xC2, first != 0xE2, first != 0xE3, first != 0xEF {
      return false
    }
    return string(node).unicodeScalars.allSatisfy { $0.properties.isWhitespace || $0 == "\u{200B}" || $0 == "\u{FEFF}" }
  }

  /// A number as a `Double`; whole ones without going through text.
  func value(_ node: Int) -> Double? {
    if let whole = integer(node) { return Double(whole) }
    return number(node)
  }

  /// Whether a number is written as a whole one, without point and exponent, of either sign.
  func isWhole(_ node: Int) -> Bool {
    let token = tokens[node]
    var index = token.start
    if bytes[index] == UInt8(ascii: "-") { index += 1 }
    while index < token.end {
      if bytes[index] &- 0x30 > 9 { return false }
      index += 1
    }
    return true
  }

  /// The decoded text is a JSON object (or array): something was encoded twice.
  func holdsJSON(_ node: Int) -> Token.Kind? {
    let token = tokens[node]
    guard token.kind == .string, token.end - token.start >= 4 else { return nil }
    switch bytes[token.start + 1] {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: " "), UInt8(ascii: "\\"): break
    default: return nil
    }
    var decoded: [UInt8] = []
    appendDecoded(node, to: &decoded)
    var reader = Reader()
    guard (try? reader.read(decoded.span)) != nil, let root = reader.tokens.first else { return nil }
    return root.kind == .object || root.kind == .array ? root.kind : nil
  }

  /// `\u1F` and three more hexadecimal digits: an emoji's code point was written with five digits, of which an escape
  /// takes four.
  func hasFiveDigitEscape(_ node: Int) -> Bool {
    let token = tokens[node]
    var index = token.start + 1
    let last = token.end - 7
    while index < last {
      if bytes[index] == UInt8(ascii: "\\") {
        if bytes[index &+ 1] == UInt8(ascii: "u") {
          if bytes[index &+ 2] == UInt8(ascii: "1"), bytes[index &+ 3] | 0x20 == UInt8(ascii: "f"),
            isHexadecimal(bytes[index &+ 4]), isHexadecimal(bytes[index &+ 5]), isHexadecimal(bytes[index &+ 6])
          {
            return true
          }
          index &+= 6
        } else {
          index &+= 2
        }
      } else {
        index &+= 1
      }
    }
    return false
  }

  /// A quick look at a key's first two letters and its last one; the rule compares the whole.
  @inline(__always)
  func mayNameSecret(_ token: Token, _ start: UInt64) -> Bool {
    let last = byte(token.end &- 2) | 0x20
    switch start & 0xFFFF | 0x2020 {
    case 0x6170: return last == UInt8(ascii: "d") || last == UInt8(ascii: "e")  // pa: password, passwd, passphrase
    case 0x7270: return last == UInt8(ascii: "y")  // pr: private key
    case 0x6573: return last == UInt8(ascii: "t") || last == UInt8(ascii: "y")  // se: secret, secret key
    case 0x6C63: return last == UInt8(ascii: "t")  // cl: client secret
    case 0x6163: return last == UInt8(ascii: "r")  // ca: card number
    case 0x7263: return last == UInt8(ascii: "d") || last == UInt8(ascii: "r")  // cr: credit card, its number
    case 0x7663: return last == UInt8(ascii: "v") || last == UInt8(ascii: "c")  // cv: cvv, cvc
    default: return false
    }
  }

  /// A small number that differs for most keys.
  @inline(__always)
  func mark(_ key: Token) -> Int {
    let start = key.start &+ 1
    let length = key.end &- start &- 1
    guard length > 0 else { return 0 }
    return length &* 11 &+ Int(byte(start)) &+ Int(byte(key.end &- 2)) &* 5 &+ Int(byte(start &+ length &>> 1)) &* 3
  }

  // The walk visits every token of every line: these two skip the bounds checks, which the reader's tape makes needless.

  @inline(__always)
  func token(_ node: Int) -> Token {
    assert(node >= 0 && node < tokens.count)
    return unsafe tokens[unchecked: node]
  }

  /// The node behind this one and everything in it.
  @inline(__always)
  func following(_ node: Int) -> Int { token(node).next }

  /// A byte inside a token.
  @inline(__always)
  func byte(_ offset: Int) -> UInt8 {
    assert(offset >= 0 && offset < bytes.count)
    return unsafe bytes[unchecked: offset]
  }

  @inline(__always)
  private func isHexadecimal(_ byte: UInt8) -> Bool { byte &- 0x30 <= 9 || (byte | 0x20) &- 0x61 <= 5 }
}

extension String {
  /// Control characters and marks of direction as escapes: a message goes to a terminal.
  public func replacingControls() -> String {
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return self }
    var out = ""
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator:
        // The joiner of emoji families is part of what is shown.
        if scalar == "\u{200D}" {
          out.unicodeScalars.append(scalar)
        } else {
          out += "\\u{\(String(scalar.value, radix: 16))}"
        }
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }
}
