// What deserves a look at every token of a payload. These questions may say yes too often, never too seldom.

import APNs
import JSON

extension Walk {
  /// A value of a known key in `aps`.
  @inline(__always)
  func isOddWithinAPS(_ document: Document, _ node: Int, _ token: Token) -> Bool {
    if token.hasExtendedGreekEscape { return true }
    if token.next &- node == 1 { return false }
    if token.kind == .object { return true }
    // Arguments of a text are an array of strings.
    var inner = node &+ 1
    while inner < token.next {
      let token = document.token(inner)
      if token.kind == .object || token.hasExtendedGreekEscape { return true }
      inner &+= 1
    }
    return false
  }

  /// A key of the app's own.
  @inline(__always)
  func isOddKey(_ document: Document, _ key: Token) -> Bool {
    let length = key.end &- key.start &- 2
    if length < 3 { return false }
    if key.hasEscapes { return true }
    let start = document.word(key.start &+ 1)
    return length == 3 && start & 0xFF_FFFF == 0x73_7061 || document.mayNameSecret(key, start)
  }

  /// A value of the app's own, and everything in it.
  @inline(__always)
  func isOdd(_ document: Document, _ node: Int, _ token: Token) -> Bool {
    if isOddText(document, token) { return true }
    return token.next &- node > 1 && isOddInside(document, node, token)
  }

  @inline(__always)
  private func isOddText(_ document: Document, _ token: Token) -> Bool {
    guard token.kind == .string else { return false }
    let length = token.end &- token.start
    if length == 17 || length == 18, document.byte(token.start &+ 1) &- 0x30 <= 9 { return true }
    return token.hasExtendedGreekEscape
  }

  private func isOddInside(_ document: Document, _ start: Int, _ container: Token) -> Bool {
    if container.kind == .object, hasOddKeys(document, start, container) { return true }
    var node = start &+ 1
    while node < container.next {
      let token = document.token(node)
      if token.kind == .object {
        if hasOddKeys(document, node, token) { return true }
      } else if !token.isKey, isOddText(document, token) {
        return true
      }
      node &+= 1
    }
    return false
  }

  private func hasOddKeys(_ document: Document, _ object: Int, _ token: Token) -> Bool {
    var marks: UInt64 = 0
    var isDoubtful = false
    var node = object &+ 1
    while node < token.next {
      let key = document.token(node)
      if isOddKey(document, key) { return true }
      let bit: UInt64 = 1 << UInt64(document.mark(key) & 63)
      if marks & bit != 0 || key.hasEscapes { isDoubtful = true }
      marks |= bit
      node = document.token(node &+ 1).next
    }
    return isDoubtful && document.hasDuplicateKeys(in: object)
  }
}
