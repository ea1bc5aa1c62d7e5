// What the payload of a notification is, as far as a record has to say it differently.

import JSON

/// What a payload is.
public enum PayloadForm: Equatable, Sendable {
  /// There is none.
  case absent
  /// A JSON object; and whether all it does is wake the app (`content-available` without alert, sound and badge).
  case object(isBackgroundOnly: Bool)
  /// JSON, but no object.
  case otherJSON
  /// UTF-8, and at this place no JSON any longer.
  case text(SyntaxError)
  /// Not even UTF-8.
  case binary

  public var isObject: Bool {
    if case .object = self { return true }
    return false
  }

  /// Looks at a payload.
  public static func of(_ payload: Span<UInt8>, _ reader: inout Reader) -> PayloadForm {
    do throws(SyntaxError) {
      try reader.read(payload)
    } catch {
      return (try? UTF8Span(validating: payload)) == nil ? .binary : .text(error)
    }
    let document = Document(payload, reader.tokens.span)
    guard document.kind(0) == .object else { return .otherJSON }
    guard let aps = document.find("aps", in: 0), document.find("content-available", in: aps) != nil else {
      return .object(isBackgroundOnly: false)
    }
    let shows =
      document.find("alert", in: aps) != nil || document.find("sound", in: aps) != nil
      || document.find("badge", in: aps) != nil
    return .object(isBackgroundOnly: !shows)
  }
}
