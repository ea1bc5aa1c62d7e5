// The tape's unit: one 16-byte token for each value and each key of a text, in the order of the text.

/// One value or one member's key, as a byte range of the text it was read from.
///
/// Tokens lie flat in the order of the text: a container comes before what is in it, a key directly before its value.
public struct Token: BitwiseCopyable, Sendable {
  /// What stands in the text.
  public enum Kind: UInt8, Sendable {
    case object, array, string, number, `true`, `false`, null
  }

  // Four words of 32 bits: a text holds at most 4 GiB - 1 bytes, and every token needs a byte of it.
  @usableFromInline var startWord: UInt32
  @usableFromInline var endWord: UInt32
  @usableFromInline var nextWord: UInt32
  @usableFromInline var bits: UInt32

  @usableFromInline static let keyBit: UInt32 = 0x100
  @usableFromInline static let escapeBit: UInt32 = 0x200
  @usableFromInline static let shortBit: UInt32 = 0x400
  @usableFromInline static let extendedGreekBit: UInt32 = 0x800
  @usableFromInline static let kindAndEscapes: UInt32 = 0x2FF
  @usableFromInline static let plainString = UInt32(Kind.string.rawValue)

  @inlinable @inline(__always)
  init(bits: UInt32, start: Int, end: Int, next: Int) {
    self.startWord = UInt32(truncatingIfNeeded: start)
    self.endWord = UInt32(truncatingIfNeeded: end)
    self.nextWord = UInt32(truncatingIfNeeded: next)
    self.bits = bits
  }

  /// What stands in the text; a key is a `string`.
  @inlinable @inline(__always)
  public var kind: Kind {
    // The reader writes nothing else into the low byte; `null` only keeps this total.
    Kind(rawValue: UInt8(truncatingIfNeeded: bits)) ?? .null
  }

  /// Whether this is a member's key; its value is the token behind it.
  @inlinable public var isKey: Bool { bits & Token.keyBit != 0 }

  /// Whether the string holds a backslash, so that its bytes are not yet its text.
  @inlinable public var hasEscapes: Bool { bits & Token.escapeBit != 0 }

  /// Whether the number is surely written with one to seven digits and nothing else. Others may be so, too.
  @inlinable public var isShortInteger: Bool { bits & Token.shortBit != 0 }

  /// Whether the string holds an escape `\u1Fxx`: hardly ever Greek, nearly always half of an emoji's number.
  @inlinable public var hasExtendedGreekEscape: Bool { bits & Token.extendedGreekBit != 0 }

  /// Offset of the first byte; for a string that of the opening quote.
  @inlinable public var start: Int { Int(startWord) }

  /// Offset behind the last byte; for a string behind the closing quote.
  @inlinable public var end: Int { Int(endWord) }

  /// Index of the token behind this value and everything in it; for a key that of its value.
  @inlinable public var next: Int { Int(nextWord) }
}
