// What a line that is no JSON probably is, and which tool reads it.

import APNs
import JSON

enum InputHint {
  /// Words for the commonest of mistakes; nil when nothing can be told.
  static func words(_ line: Span<UInt8>) -> String? {
    var (start, end) = (0, line.count)
    while start < end, line[start] <= 0x20 { start += 1 }
    while end > start, line[end - 1] <= 0x20 { end -= 1 }
    let text = line.extracting(start..<end)
    guard let first = text.isEmpty ? nil : text[0] else { return nil }
    if text.count >= 32, text.indices.allSatisfy({ DeviceToken.isHexadecimal(text[$0]) }) {
      return "a device token alone? apns-build makes notifications of those"
    }
    let isAlone = text.count <= 2 && [0x7B, 0x7D, 0x5B, 0x5D].contains(first)
    let isMember = first == 0x22 && text.indices.contains { text[$0] == 0x3A }
    if isAlone || isMember { return "pretty-printed? jq -c . puts a record on a line" }
    let separators = text.indices.count { text[$0] == 0x2C || text[$0] == 0x09 }
    let isObject = first == 0x7B || first == 0x5B
    return separators > 0 && !isObject ? "a table? apns-build --csv or --tsv reads those" : nil
  }
}
