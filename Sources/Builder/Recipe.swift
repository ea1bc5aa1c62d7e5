// What a command line came to: the record to make, the changes to make to records, how to write them.

import APNs
import JSON
import Options

/// How a notification is written.
public enum OutputForm: Sendable, Equatable {
  /// As a record, a line each.
  case record
  /// The payload alone, a line each.
  case payload
  /// The payload for `xcrun simctl push`, with the app's bundle identifier in it.
  case simulator(bundle: String)
  /// A command line for curl.
  case curl
  /// Bytes of the retired binary protocol.
  case binary(BinaryForm)
}

/// The three notification formats of the binary protocol.
public enum BinaryForm: String, CaseIterable, Sendable {
  case frame, enhanced, simple
}

/// Everything about a run that does not change from line to line.
public struct Recipe: Sendable {
  /// The tool that speaks on standard error.
  public let tool: String
  /// A new record before the changes: the recipient, and the payload to begin with.
  public let start: Value
  /// What is done to a new record, in order.
  public let changes: [Change]
  /// What is done to a record that came in whole.
  public let edits: [Change]
  /// New records compiled.
  public let program: Program
  public let settings: RunSettings
  public let form: OutputForm
  /// The member of an object, or the column of a table, that holds the token.
  public let tokenField: String
  /// The member of an object that holds a payload of its own, to be put over the base.
  public let payloadField: String?
  /// Whether the strings of such a payload may have holes.
  public let fillsPayloads: Bool
  /// Whether a new record would say nothing at all, which is for the devices of Wallet alone.
  public let isEmpty: Bool
  /// What a new record lacks, in words; records that come in whole may have it already.
  public let lack: String?

  /// - Throws: an error about the templates: JSON that is none.
  public init(
    tool: String, start: Value, changes: [Change], edits: [Change], truncatable: [[PathStep]], settings: RunSettings,
    form: OutputForm = .record, tokenField: String = "token", payloadField: String? = nil,
    fillsPayloads: Bool = false,
    mayBeEmpty: Bool = false, lack: String? = nil
  ) throws(ValueError) {
    self.tool = tool
    self.start = start
    self.changes = changes
    self.edits = edits
    self.settings = settings
    self.form = form
    self.tokenField = tokenField
    self.payloadField = payloadField
    self.fillsPayloads = fillsPayloads
    self.lack = lack
    let record: Value
    do throws(PathError) { record = try start.applying(changes) } catch { throw ValueError(error.message) }
    program = try Program(record, truncatable: truncatable)
    isEmpty = !mayBeEmpty && payloadField == nil && record.find([.key("payload")])?.keys.isEmpty != false
  }

  /// Throws when no new record can be made.
  func checkComplete() throws(LineFault) {
    if let lack { throw LineFault(lack) }
    if isEmpty { throw LineFault("there is nothing to send: give --title, --body, --kind, --payload or key=text") }
  }
}
