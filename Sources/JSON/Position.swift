// From a byte offset to the line and column that a person counts.

/// The line and column of an offset, both from 1; columns count Unicode scalars, lines end with a line feed.
///
/// - Parameters:
///   - offset: a byte offset; one behind the end counts as the end.
///   - bytes: the whole text; it need not be UTF-8.
public func position(of offset: Int, in bytes: Span<UInt8>) -> (line: Int, column: Int) {
  var line = 1
  var column = 1
  for index in 0..<min(max(offset, 0), bytes.count) {
    let byte = bytes.byte(index)
    if byte == UInt8(ascii: "\n") {
      line += 1
      column = 1
    } else if byte & 0xC0 != 0x80 {
      column += 1
    }
  }
  return (line, column)
}
