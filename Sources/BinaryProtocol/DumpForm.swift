// How people keep bytes as text: hex, base64, the output of xxd and hexdump, what Node prints.

/// A form in which bytes were kept.
public enum DumpForm: String, CaseIterable, Sendable {
  case raw, hex, base64, xxd, hexdump, buffer, escaped

  /// The sentence for people.
  public var meaning: String {
    switch self {
    case .raw: "the bytes themselves"
    case .hex: "hexadecimal digits, with or without 0x, blanks, commas and brackets between them"
    case .base64: "base64 in either alphabet"
    case .xxd: "the output of xxd"
    case .hexdump: "the canonical output of hexdump, or bytes as od prints them"
    case .buffer: "what Node prints for a Buffer"
    case .escaped: "string literals with escapes, of Python, C or strace: b'\\x08\\x00'"
    }
  }

  /// How many bytes are enough to recognise a form from.
  public static let enough = 4096

  /// Recognises the form from the start of an input.
  public static func recognise(_ head: Span<UInt8>) -> DumpForm {
    let head = head.extracting(first: min(head.count, enough))
    var start = 0
    if head.count >= 3, head[0] == 0xEF, head[1] == 0xBB, head[2] == 0xBF { start = 3 }
    let counts = Counts(head.extracting(start..<head.count))
    // No text holds what a length field of the protocol always does: bytes below the blank.
    guard counts.isText, counts.visible > 0 else { return .raw }
    while start < head.count, head[start].isBlank { start += 1 }
    let text = head.extracting(start..<head.count)
    if text.find("<Buffer ") != nil { return .buffer }
    if let form = lineForm(text) { return form }
    if text.holdsEscapes { return text.isBareEscapes ? .hex : .escaped }
    // A typing mistake must not turn hex into base64, whose alphabet holds all digits: a third of base64 is hex.
    if counts.hexadecimal * 5 >= counts.visible * 4 { return isRatherBase64(text, counts) ? .base64 : .hex }
    return counts.base64 == counts.visible && counts.visible >= 4 ? .base64 : .raw
  }

  /// How many of the visible characters have a place in hexadecimal digits or base64, as far as an input's start tells;
  /// nil for the other forms, which pass over what is around the bytes or go by lines.
  public func share(of head: Span<UInt8>) -> (fitting: Int, visible: Int)? {
    let counts = Counts(head.extracting(first: min(head.count, Self.enough)), countsAll: true)
    switch self {
    case .hex: return (counts.hexadecimal, counts.visible)
    case .base64: return (counts.base64, counts.visible)
    default: return nil
    }
  }

  /// A few records in base64 may have hardly any characters that are no hexadecimal digits: `CAgAAAAB`. They are taken for what
  /// they are when they make sense so, and none as hexadecimal digits.
  private static func isRatherBase64(_ text: Span<UInt8>, _ counts: Counts) -> Bool {
    guard counts.base64 == counts.visible, 8...4096 ~= counts.visible, counts.visible % 4 == 0 else { return false }
    return isRecords(text, as: .base64) && !isRecords(text, as: .hex)
  }

  private static func isRecords(_ text: Span<UInt8>, as form: DumpForm) -> Bool {
    var reader = DumpReader(form)
    var bytes: [UInt8] = []
    guard reader.read(text, into: &bytes) == text.count else { return false }
    reader.finish(into: &bytes)
    return Framing.allCases.contains { framing in
      var decoder = Decoder(framing)
      decoder.append(bytes.span)
      decoder.finish()
      var length = 0
      while let event = decoder.next() {
        if case .malformed = event { return false }
        length += event.length
      }
      return length > 0
    }
  }

  /// The form of lines that start with an offset.
  private static func lineForm(_ text: Span<UInt8>) -> DumpForm? {
    var digits = 0
    while digits < text.count, text[digits].hexadecimalValue != nil { digits += 1 }
    guard 4...16 ~= digits, digits + 2 < text.count else { return nil }
    if text[digits] == UInt8(ascii: ":"), text[digits + 1].isBlank, text[digits + 2].hexadecimalValue != nil {
      return .xxd
    }
    // od and hexdump without -C: seven octal or hexadecimal digits, all zeros in the first line, and a single blank.
    if 6...7 ~= digits, text[digits] == 0x20, (0..<digits).allSatisfy({ text[$0] == 0x30 }),
      text[digits + 1].hexadecimalValue != nil
    {
      return .hexdump
    }
    guard digits >= 7, text[digits] == 0x20, text[digits + 1] == 0x20, digits + 4 < text.count else { return nil }
    return text[digits + 2].hexadecimalValue != nil && text[digits + 3].hexadecimalValue != nil
      && text[digits + 4].isBlank ? .hexdump : nil
  }
}

/// What a text consists of.
private struct Counts {
  var isText = true
  var visible = 0
  var hexadecimal = 0
  var base64 = 0

  init(_ text: Span<UInt8>, countsAll: Bool = false) {
    for index in text.indices {
      let byte = text[index]
      if byte.isBlank { continue }
      if byte < 0x20 || byte >= 0x7F {
        isText = false
        if !countsAll { return }
      }
      visible += 1
      if byte.hexadecimalValue != nil || byte.isHexadecimalGarnish { hexadecimal += 1 }
      if byte.base64Value != nil || byte == UInt8(ascii: "=") || byte.isQuote { base64 += 1 }
    }
  }
}

extension UInt8 {
  var isBlank: Bool { self == 0x20 || 0x09...0x0D ~= self }

  var hexadecimalValue: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x37
    case 0x61...0x66: self - 0x57
    default: nil
    }
  }

  var isQuote: Bool { self == UInt8(ascii: "'") || self == UInt8(ascii: "\"") }

  /// What stands between hexadecimal digits in programs and descriptions: `0x52, \x52, <52eb>`.
  var isHexadecimalGarnish: Bool {
    switch self {
    case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: "<"), UInt8(ascii: ">"),
      UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "\""),
      UInt8(ascii: "'"), UInt8(ascii: "\\"), UInt8(ascii: "x"), UInt8(ascii: "X"):
      true
    default: false
    }
  }

  var base64Value: UInt8? {
    switch self {
    case 0x41...0x5A: self - 0x41
    case 0x61...0x7A: self - 0x61 + 26
    case 0x30...0x39: self - 0x30 + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}

extension Span<UInt8> {
  /// The place of a word, nil when it is not there.
  func find(_ word: StaticString) -> Int? {
    let word = Array(word.description.utf8)
    guard count >= word.count else { return nil }
    return (0...(count - word.count)).first { place in
      word.indices.allSatisfy { self[place + $0] == word[$0] }
    }
  }
}
