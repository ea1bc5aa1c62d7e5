// The result record: how one notification ended.

import JSON

/// How one input line ended.
public enum Outcome: String, CaseIterable, Sendable {
  /// APNs answered 200.
  case accepted
  /// APNs answered, finally, with another status.
  case rejected
  /// Never sent: not JSON, not a record, or a record that breaks a rule.
  case invalid
  /// Written to the wire, no answer, and sending again is not proven safe.
  case unknown
  /// Never attempted: the run stopped early.
  case unsent

  public var meaning: String {
    switch self {
    case .accepted: "APNs answered 200"
    case .rejected: "APNs answered, finally, with another status"
    case .invalid: "never sent: not JSON, not a record, or a record that makes no request"
    case .unknown: "written to the wire, no answer, and sending again is not proven safe"
    case .unsent: "not attempted, or proven not to have been acted on, when the run stopped"
    }
  }
}

/// One result record on its way out. Fields are appended in the order of the manual; what has nothing to say is left
/// out. The bytes go straight into the caller's buffer: nothing is allocated for a result.
public enum ResultLine {
  /// `{"line":N`
  public static func begin(_ out: inout [UInt8], line: Int) {
    out.append("{\"line\":")
    out.append(decimal: line)
  }

  /// `,"key":<bytes as they stand>`, for values that are JSON already.
  public static func raw(_ out: inout [UInt8], _ key: StaticString, _ json: Span<UInt8>) {
    out.append(",\"")
    out.append(key)
    out.append("\":")
    out.append(json)
  }

  /// `,"key":"text"` for text that needs no escapes, such as a word of ours.
  public static func word(_ out: inout [UInt8], _ key: StaticString, _ text: String) {
    out.append(",\"")
    out.append(key)
    out.append("\":\"")
    out.append(text)
    out.append("\"")
  }

  /// `,"key":"text"` for text from outside.
  public static func text(_ out: inout [UInt8], _ key: StaticString, _ utf8: Span<UInt8>) {
    out.append(",\"")
    out.append(key)
    out.append("\":")
    out.appendJSONString(utf8)
  }

  public static func text(_ out: inout [UInt8], _ key: StaticString, _ text: String) {
    out.append(",\"")
    out.append(key)
    out.append("\":")
    out.appendJSONString(text)
  }

  public static func integer(_ out: inout [UInt8], _ key: StaticString, _ value: Int) {
    out.append(",\"")
    out.append(key)
    out.append("\":")
    out.append(decimal: value)
  }

  /// `}` and a newline.
  public static func end(_ out: inout [UInt8]) { out.append("}\n") }
}
