// A mangled key or certificate put in order again: whatever still holds all of its base64 becomes PEM or DER.

import APNs
import JSON

/// A text that no reader of PEM takes, mended as far as that goes. It is for the reader to say whether that was enough.
struct KeyText {
  /// PEM, or DER where there was no armour.
  private(set) var bytes: [UInt8]
  /// What was wrong, in the order it was found.
  private(set) var damage: [KeyDamage] = []

  init(mending bytes: [UInt8]) {
    self.bytes = bytes
    // DER: no text and no form of one starts with "0".
    if bytes.first != 0x30 { mend(depth: 0) }
  }

  /// The labels that a BEGIN line may have, with the words run together as they are when spaces were lost.
  private static let labels = [
    "PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY", "DSA PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "PUBLIC KEY",
    "CERTIFICATE", "TRUSTED CERTIFICATE", "X509 CERTIFICATE", "CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST",
    "EC PARAMETERS", "OPENSSH PRIVATE KEY", "PKCS7", "RSA PUBLIC KEY",
  ]

  private mutating func note(_ kind: KeyDamage) {
    if !damage.contains(kind) { damage.append(kind) }
  }

  private mutating func mend(depth: Int) {
    decodeUTF16()
    replaceForeignCharacters()
    unwrap()
    unescape()
    // Quotes may have been escaped themselves.
    unwrap()
    decodePercent()
    let blocks = PEMScanner(bytes).blocks()
    if blocks.isEmpty { return decodeBase64(depth: depth) }
    var text: [UInt8] = []
    for block in blocks { append(block, to: &text) }
    bytes = text
  }

  /// Two bytes a character, as PowerShell writes files. Only the low half can mean anything here.
  private mutating func decodeUTF16() {
    guard bytes.count >= 4, bytes.count % 2 == 0 else { return }
    let littleEndian = bytes[0] == 0xFF && bytes[1] == 0xFE || bytes[0] == 0x2D && bytes[1] == 0
    let bigEndian = bytes[0] == 0xFE && bytes[1] == 0xFF || bytes[0] == 0 && bytes[1] == 0x2D
    guard littleEndian || bigEndian else { return }
    var text: [UInt8] = []
    for index in stride(from: littleEndian ? 0 : 1, to: bytes.count, by: 2) where bytes[index] < 0x80 {
      text.append(bytes[index])
    }
    bytes = text
    note(.utf16)
  }

  /// Byte order marks, typographic dashes and quotes, spaces of other widths.
  private mutating func replaceForeignCharacters() {
    guard bytes.contains(where: { $0 >= 0x80 }) else { return }
    guard bytes.count < 1_048_576 else { return }
    var text: [UInt8] = []
    var isFirst = true
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      switch scalar.value {
      case 0xFEFF where isFirst: note(.byteOrderMark)
      case 0x2010...0x2015, 0x2212, 0xFE58, 0xFE63, 0xFF0D:
        text.append(UInt8(ascii: "-"))
        note(.dashes)
      case 0x2018, 0x2019, 0x201C, 0x201D, 0xAB, 0xBB:
        text.append(UInt8(ascii: "\""))
        note(.quotes)
      case 0xA0, 0x2000...0x200A, 0x202F, 0x3000:
        text.append(UInt8(ascii: " "))
        note(.invisible)
      case 0x200B...0x200F, 0x2060, 0xFEFF, 0xAD: note(.invisible)
      case 0x2028, 0x2029, 0x85: text.append(UInt8(ascii: "\n"))
      default: text.append(contentsOf: Array(String(Character(scalar)).utf8))
      }
      isFirst = false
    }
    bytes = text
  }

  /// Takes off quotes, and `export NAME=` before them.
  private mutating func unwrap() {
    trim()
    for _ in 0..<4 {
      guard let first = bytes.first else { return }
      if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") || first == UInt8(ascii: "`") {
        note(.quotes)
        bytes.removeFirst()
        while let last = bytes.last, [first, UInt8(ascii: ","), UInt8(ascii: ";")].contains(last) { bytes.removeLast() }
      } else if let value = assignedValue() {
        note(.assignment)
        bytes.removeFirst(value)
      } else {
        return
      }
      trim()
    }
  }

  /// Where the value starts in `NAME=value`, `export NAME=value`, `NAME: value`; nil for anything else.
  private func assignedValue() -> Int? {
    var index = 0
    if bytes.starts(with: Array("export ".utf8)) { index = 7 }
    let start = index
    while index < bytes.count, index < 64, isNameByte(bytes[index]) { index += 1 }
    guard index > start, index + 1 < bytes.count, bytes[index] == UInt8(ascii: "=") || bytes[index] == UInt8(ascii: ":")
    else { return nil }
    let value = index + 1
    // `=` also ends base64: only what goes on like a key is a value.
    let rest = bytes[value...].drop { $0 == UInt8(ascii: " ") }
    let isValue =
      rest.first == UInt8(ascii: "\"") || rest.first == UInt8(ascii: "'") || rest.starts(with: [0x2D, 0x2D])
    return isValue || (rest.starts(with: Array("MIG".utf8)) || rest.starts(with: Array("LS0t".utf8))) ? value : nil
  }

  private func isNameByte(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
      || byte == UInt8(ascii: "_")
  }

  private mutating func trim() {
    while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
    let head = bytes.prefix { $0 <= 0x20 }.count
    if head > 0 {
      // An indented first line alone says nothing: the other lines are looked at where the blocks are.
      bytes.removeFirst(head)
    }
  }

  /// Undoes backslash escapes, however often they were applied. No form of PEM or base64 has a backslash of its own.
  private mutating func unescape() {
    guard bytes.contains(UInt8(ascii: "\\")) else { return }
    var text: [UInt8] = []
    var index = 0
    while index < bytes.count {
      var slashes = 0
      while index < bytes.count, bytes[index] == UInt8(ascii: "\\") {
        slashes += 1
        index += 1
      }
      guard slashes > 0, index < bytes.count else {
        if index < bytes.count { text.append(bytes[index]) }
        index += 1
        continue
      }
      switch bytes[index] {
      case UInt8(ascii: "n"), UInt8(ascii: "r"):
        text.append(UInt8(ascii: "\n"))
        note(slashes > 1 ? .doubleEscaped : .escapedNewlines)
      case UInt8(ascii: "t"): text.append(UInt8(ascii: " "))
      case UInt8(ascii: "u") where index + 4 < bytes.count:
        if let code = hexadecimal(bytes[(index + 1)...(index + 4)]), code < 0x80 { text.append(UInt8(code)) }
        index += 4
      // `\/` and `\"` of JSON, and a backslash before a real line end, as some shells want it.
      default: text.append(bytes[index])
      }
      index += 1
    }
    bytes = text
  }

  private mutating func decodePercent() {
    guard bytes.contains(UInt8(ascii: "%")) else { return }
    var text: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let code = hexadecimal(bytes[(index + 1)...(index + 2)]), code < 0x80
      {
        text.append(UInt8(code))
        index += 3
        note(.percentEncoded)
      } else {
        text.append(bytes[index])
        index += 1
      }
    }
    bytes = text
  }

  private func hexadecimal(_ digits: ArraySlice<UInt8>) -> Int? {
    // `Int` would take a sign too.
    guard digits.allSatisfy({ DeviceToken.isHexadecimal($0) }) else { return nil }
    return Int(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  /// No BEGIN line: the body alone, or everything in base64 once more.
  private mutating func decodeBase64(depth: Int) {
    let digits = bytes.filter { $0 > 0x20 }
    guard depth < 3, digits.count >= 64, let decoded = Base64.decode(digits.span), let first = decoded.first else {
      return
    }
    if first == 0x30 {
      bytes = decoded
      note(.bodyOnly)
    } else if PEMScanner(decoded).hasMarker || decoded.count >= 64 && decoded.allSatisfy({ (0x09...0x7E).contains($0) })
    {
      bytes = decoded
      note(.base64)
      mend(depth: depth + 1)
    }
  }

  /// Writes a block as RFC 7468 has it.
  private mutating func append(_ block: PEMScanner.Block, to text: inout [UInt8]) {
    for kind in block.damage { note(kind) }
    let squeezed = block.label.filter { $0 != " " }
    var label = block.label
    if let known = Self.labels.first(where: { $0.filter { $0 != " " } == squeezed }), known != label {
      label = known
      note(.label)
    }
    text += Array("-----BEGIN \(label)-----\n".utf8)
    // Headers of the old encryption (`Proc-Type`, `DEK-Info`, RFC 1421) keep their lines.
    var lines = block.lines
    if lines.first?.contains(UInt8(ascii: ":")) == true {
      while let line = lines.first, line.contains(UInt8(ascii: ":")) {
        text += line
        text.append(UInt8(ascii: "\n"))
        lines.removeFirst()
      }
      text.append(UInt8(ascii: "\n"))
    }
    var body = Array(lines.joined()).filter { $0 > 0x20 }
    if let mended = withoutLoneN(body) {
      body = mended
      note(.lostBackslashes)
    }
    for start in stride(from: 0, to: body.count, by: 64) {
      text += body[start..<min(start + 64, body.count)]
      text.append(UInt8(ascii: "\n"))
    }
    text += Array("-----END \(label)-----\n".utf8)
  }

  /// `nMIGH…`: a line end that lost its backslash is an n before every line of 64, and one at the end.
  private func withoutLoneN(_ body: [UInt8]) -> [UInt8]? {
    guard body.count > 2, body[0] == UInt8(ascii: "n"), body[1] == UInt8(ascii: "M") else { return nil }
    var mended: [UInt8] = []
    for start in stride(from: 0, to: body.count, by: 65) {
      guard body[start] == UInt8(ascii: "n") else { return nil }
      mended += body[(start + 1)..<min(start + 65, body.count)]
    }
    if mended.last == UInt8(ascii: "n"), mended.count % 4 == 1 { mended.removeLast() }
    return mended
  }
}
