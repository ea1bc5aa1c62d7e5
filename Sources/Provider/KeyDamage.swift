// What environments, web forms and word processors do to the text of a key, one case each, with the words for it.

/// A way in which a key's text was mangled and from which it can be mended.
public enum KeyDamage: String, CaseIterable, Sendable {
  case utf16 = "utf-16"
  case byteOrderMark = "byte-order-mark"
  case invisible = "invisible-characters"
  case dashes = "dashes"
  case assignment = "assignment"
  case quotes = "quotes"
  case escapedNewlines = "escaped-newlines"
  case doubleEscaped = "double-escaped-newlines"
  case lostBackslashes = "lost-backslashes"
  case percentEncoded = "percent-encoded"
  case base64 = "base64"
  case bodyOnly = "body-only"
  case lostNewlines = "lost-newlines"
  case indentation = "indentation"
  case label = "label"
  case missingEnd = "missing-end-line"

  /// What is wrong, as the end of the sentence "the text of the key is damaged: …".
  public var words: String {
    switch self {
    case .utf16: "it is UTF-16"
    case .byteOrderMark: "a byte order mark stands before BEGIN"
    case .invisible: "there are non-breaking spaces or invisible characters in it"
    case .dashes: "the five hyphens around BEGIN and END have become other dashes"
    case .assignment: "the name of a variable stands before it"
    case .quotes: "quotes stand around it"
    case .escapedNewlines: "its line ends are the two characters \\n"
    case .doubleEscaped: "its line ends are escaped more than once, as \\\\n"
    case .lostBackslashes: "its line ends are the letter n, which has lost its backslash"
    case .percentEncoded: "it is percent-encoded"
    case .base64: "the whole of it is encoded in base64 once more"
    case .bodyOnly: "it is bare base64, without the BEGIN and END lines"
    case .lostNewlines: "its line ends are lost, or have become spaces"
    case .indentation: "its lines are indented"
    case .label: "the words of the BEGIN line are run together"
    case .missingEnd: "its END line is missing"
    }
  }

  /// The sentence for a warning about all of them.
  static func sentence(_ damage: [KeyDamage], of what: String) -> String {
    "\(what) is damaged but was read: \(damage.map(\.words).joined(separator: "; "))"
  }
}
