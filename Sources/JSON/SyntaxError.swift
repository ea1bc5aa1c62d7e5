// What is wrong with a text that is not JSON: where, which kind of mistake, what was expected and what was found.

/// The first mistake in a text.
public struct SyntaxError: Error, Equatable, Sendable {
  /// The mistakes that are told apart, because people make them for different reasons.
  public enum Kind: String, Sendable, CaseIterable {
    /// Nothing, or nothing but white space.
    case emptyInput
    /// A byte that cannot stand here, and none of the kinds below.
    case unexpectedByte
    /// The text stops too early; every proper beginning of a JSON text that is none itself ends so.
    case unexpectedEnd
    /// Something stands behind a complete value.
    case trailingData
    /// Bytes that are not UTF-8 (RFC 8259 section 8.1), surrogates and overlong forms among them (RFC 3629).
    case notUTF8
    /// A `\uD800`–`\uDFFF` escape without its partner (RFC 8259 section 8.2).
    case loneSurrogate
    /// The escape `\U` with eight digits: C, Python and Apple's old property lists have it, JSON does not.
    case bigUEscape
    /// A backslash before a character that cannot be escaped, or `\u` without four hexadecimal digits.
    case badEscape
    /// A control character (below U+0020) inside a string (RFC 8259 section 7).
    case controlCharacter
    /// A number with a leading zero, without digits before or behind its point, or with letters at its end.
    case badNumber
    /// A number with a plus sign before it.
    case plusSign
    /// A number in hexadecimal, octal or binary notation (`0x1F`, `0o17`, `0b1`).
    case prefixedNumber
    /// `NaN`, `Infinity` or `-Infinity`, in whatever case.
    case nan
    /// A word that is not `true`, `false` or `null` (`True`, `None`, `undefined`).
    case badWord
    /// A member's key without double quotes.
    case unquotedKey
    /// More arrays and objects inside each other than the reader allows.
    case tooDeep
    /// A single quote where a double quote belongs.
    case singleQuote
    /// A comment (`//`, `/*`, `#`): JSON has none.
    case comment
    /// A comma before `]` or `}`.
    case trailingComma
    /// The text starts with U+FEFF, as UTF-8 or as UTF-16 (RFC 8259 section 8.1: senders must not add it).
    case byteOrderMark
    /// The text is longer than 4 GiB - 1 bytes.
    case tooLong
  }

  /// Where the mistake is, in bytes from the start of the text; the text's length when it stops too early.
  public var offset: Int
  /// Which mistake.
  public var kind: Kind
  /// What could stand there, in words: `a value`, `',' or ']'`.
  public var expected: String
  /// What stands there, in words: `'}'`, `the end of the text`.
  public var found: String

  /// A mistake at `offset` bytes, with the two halves of its sentence.
  public init(offset: Int, kind: Kind, expected: String, found: String) {
    self.offset = offset
    self.kind = kind
    self.expected = expected
    self.found = found
  }

  /// The sentence: `expected a value, found '}'`.
  public var message: String { "expected \(expected), found \(found)" }
}
