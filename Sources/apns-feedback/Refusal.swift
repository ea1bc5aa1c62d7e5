// A feedback record, from its parts.

import Builder
import JSON

/// A refusal: what a feedback record has besides its token.
struct Refusal {
  /// Milliseconds since 1970; nil when it bears no time.
  var time: Int?
  /// The record says them; else it has seconds alone.
  var showsMilliseconds = false

  /// Appends a feedback record.
  /// - Parameters:
  ///   - token: lower-case digits.
  ///   - tail: what stands behind the time, from its comma to the line's end.
  func append(token: Span<UInt8>, tail: Span<UInt8>, to out: inout [UInt8]) {
    appendHead(token: token, to: &out)
    out.append(tail)
  }

  func appendHead(token: Span<UInt8>, to out: inout [UInt8]) {
    out.append("{\"token\":\"")
    out.append(token)
    out.append("\"")
    guard let time else { return }
    out.append(",\"timestamp\":")
    out.append(decimal: time / 1000)
    guard showsMilliseconds else { return }
    out.append(",\"timestamp_ms\":")
    out.append(decimal: time)
  }
}
