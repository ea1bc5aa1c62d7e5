// A file in pieces of whole documents, so that memory does not grow with it.

import Filter
import POSIX

/// Whole documents of a file, about a megabyte at a time.
struct Pieces {
  /// The most bytes of a document, beyond which a file is refused. APNs takes five thousand.
  static let documentLimit = 4 << 20
  private static let size = 1 << 20

  private(set) var bytes: [UInt8] = []
  /// How many lines and bytes came before these.
  private(set) var lineBase = 0
  private(set) var offset = 0
  private(set) var isFinished = false
  /// The last error was a document beyond the limit.
  private(set) var isTooLong = false
  private var rest: [UInt8] = []
  private let isLines: Bool

  /// - Parameter isLines: each line is a document, whatever it holds.
  init(isLines: Bool) { self.isLines = isLines }

  /// A text that was read whole.
  init(whole bytes: [UInt8]) {
    self.bytes = bytes
    isLines = false
    isFinished = true
  }

  /// Reads the next documents into `bytes`.
  mutating func next(_ input: Descriptor) throws(SystemError) {
    lineBase += bytes.span.occurrences(of: 0x0A)
    offset += bytes.count
    bytes = rest
    rest = []
    var wanted = Self.size
    while true {
      switch try input.read(into: &bytes, limit: 262_144) {
      case .bytes: break
      case .wouldBlock: _ = input.waitUntil(milliseconds: -1)
      case .end:
        isFinished = true
        return
      }
      guard bytes.count >= wanted else { continue }
      if let end = boundary {
        rest = Array(bytes[end...])
        bytes.removeSubrange(end...)
        return
      }
      // Looking again at every read would take the square of the time.
      wanted = bytes.count + Self.size
      guard bytes.count <= Self.documentLimit else {
        isTooLong = true
        throw SystemError("read", code: 0)
      }
    }
  }

  /// Where the last document begins that may not be whole yet. A line that ends with a closing brace before one that
  /// begins with an opening one ends a document, however it is laid out: inside of a document a comma stands between the
  /// two, and a string holds no line end.
  private var boundary: Int? {
    let text = bytes.span
    if isLines { return text.lastIndex(of: 0x0A, before: text.count).map { $0 + 1 } }
    var following: UInt8?
    var lineEnd: Int?
    var index = text.count
    while index > 0 {
      index -= 1
      switch text[index] {
      case 0x20, 0x09, 0x0D: break
      case 0x0A: lineEnd = index
      case let byte:
        if byte == UInt8(ascii: "}"), following == UInt8(ascii: "{"), let lineEnd { return lineEnd + 1 }
        (following, lineEnd) = (byte, nil)
      }
    }
    return nil
  }
}
