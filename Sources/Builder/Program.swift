// A record compiled: constant bytes, and holes between them. What is the same for every recipient is escaped once.

import APNs
import JSON
import Options

/// A place in a program's pool of constant bytes.
struct Piece: Sendable, Equatable {
  var start = 0
  var end = 0
}

/// A part of a text whose whole is checked: bytes, or a column with what stands in for it.
enum FillPart: Sendable {
  case text(Piece)
  case column(Int, fallback: Piece?)
}

/// A text that is put together first and checked then.
struct Fill: Sendable {
  let parts: [FillPart]
  let shape: Shape
}

enum Step: Sendable {
  case bytes(Piece)
  /// A field, into a JSON string.
  case hole(Int, fallback: Piece?)
  /// A field that must be JSON by itself.
  case jsonHole(Int, fallback: Piece?)
  case fill(Int)
  case clock(offset: Int)
  case token
  case newID, stableID
  case payloadStart, payloadEnd
  /// Around the inside of a string that may be shortened.
  case textStart(Int)
  case textEnd(Int)
}

/// What is done for each recipient, in order.
public struct Program: Sendable {
  var pool: [UInt8] = []
  var steps: [Step] = []
  var fills: [Fill] = []
  /// The names of the fields that are needed. A row gives them in this order.
  public internal(set) var columns: [String] = []
  /// Those for which there is no fallback somewhere.
  var needed: Set<Int> = []
  /// Where the record has a push type that is the same for all.
  var pushType: PushType?
  var hasChannel = false
  var needsStableID = false
  /// The strings that may be shortened, by their paths.
  let truncatable: [[PathStep]]

  /// Compiles a record, or any value.
  /// - Parameter truncatable: paths of strings that may be shortened, first the one to be shortened first.
  public init(_ value: Value, truncatable: [[PathStep]] = []) throws(ValueError) {
    self.truncatable = truncatable
    try write(value, [], level: 0)
  }

  /// Compiles another record in the place of this one, into the same buffers.
  mutating func compile(_ value: Value) throws(ValueError) {
    pool.removeAll(keepingCapacity: true)
    steps.removeAll(keepingCapacity: true)
    fills.removeAll(keepingCapacity: true)
    columns.removeAll(keepingCapacity: true)
    if !needed.isEmpty { needed.removeAll(keepingCapacity: true) }
    pushType = nil
    hasChannel = false
    needsStableID = false
    needsToken = false
    try write(value, [], level: 0)
  }

  /// Remembers what the payload's limit depends on.
  mutating func notice(_ member: Value.Member) {
    if member.key == "channel_id" { hasChannel = true }
    guard member.key == "push_type" else { return }
    switch member.value {
    case .text(let template), .filled(let template, _):
      pushType = template.constant.flatMap { PushType(rawValue: $0) }
    case .json(let bytes): pushType = PushType(rawValue: String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self))
    default: break
    }
  }

  /// Whether any recipient gets something of their own besides the token.
  public var hasHoles: Bool { !columns.isEmpty }

  /// Whether a recipient's token goes into the record.
  public internal(set) var needsToken = false

  /// Whether everything that wants a field has something to take its place.
  func isOptional(_ name: String) -> Bool {
    guard let column = columns.firstIndex(of: name) else { return true }
    return !needed.contains(column)
  }
}
