// What the validator says about a text: each finding with its rule, its place and its words.

/// One finding.
public struct Finding: Sendable, Equatable {
  /// The rule's name.
  public let rule: String
  public let severity: Severity
  /// Byte offset into the text that was checked.
  public let offset: Int
  /// Bytes from there that the finding is about; 0 for a place between bytes.
  public let length: Int
  /// JSON pointer (RFC 6901) of the value, within its document; nil when the text cannot be read.
  public let pointer: String?
  public let message: String
  public let help: String?
  /// The reason with which APNs would refuse the request.
  public let refusal: String?
  /// How to mend it, where there is one right way.
  public let fix: Fix?
}
