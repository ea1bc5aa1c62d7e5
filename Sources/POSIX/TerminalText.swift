// Words that may hold a stranger's bytes, made fit for a terminal.

extension String {
  /// The text with what would steer a terminal shown instead of obeyed: control and format characters as `\u{1B}`, tabs
  /// as blanks. For words that quote an input, a file's name or a server's answer: what is shown
  /// must not colour, move or overwrite what stands around it.
  public var visible: String {
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return self }
    var out = ""
    out.reserveCapacity(utf8.count)
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control where scalar == "\t": out += " "
      case .control, .lineSeparator, .paragraphSeparator: out += scalar.escaped
      // Emoji are joined by U+200D; the other format characters turn the direction of what follows, or hide.
      case .format where scalar != "\u{200D}": out += scalar.escaped
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }
}

extension Unicode.Scalar {
  fileprivate var escaped: String { "\\u{\(String(value, radix: 16, uppercase: true))}" }
}
