// The part of a script that the binary gateway alone does: error packets.

import BinaryProtocol
import JSON
import Spelling

extension ErrorOrder {
  /// A status, its words, or an object with `status` and `identifier`.
  static func read(_ document: Document, _ node: Int) throws(RuleMistake) -> ErrorOrder {
    guard document.kind(node) == .object else {
      return ErrorOrder(status: try status(document, node), identifier: nil)
    }
    var (status, identifier): (UInt8?, UInt32?)
    try document.members(of: node, "\"error\"", ["status", "identifier"]) { (key, node) throws(RuleMistake) in
      if key == "status" {
        status = try self.status(document, node)
      } else {
        guard let value = document.integer(node).flatMap({ UInt32(exactly: $0) }) else {
          throw RuleMistake(node, "\"identifier\" is a whole number of 32 bits")
        }
        identifier = value
      }
    }
    guard let status else { throw RuleMistake(node, "\"error\" needs a status") }
    return ErrorOrder(status: status, identifier: identifier)
  }

  private static func status(_ document: Document, _ node: Int) throws(RuleMistake) -> UInt8 {
    if let value = document.integer(node).flatMap({ UInt8(exactly: $0) }) { return value }
    guard document.kind(node) == .string else {
      throw RuleMistake(node, "\"error\" is a status from 0 to 255, or its words")
    }
    let word = document.string(node)
    if let found = ErrorStatus.all.first(where: { $0.reason == word }) { return found.code }
    let near = closest(to: word, among: ErrorStatus.all.map(\.reason)).map { "; did you mean \"\($0)\"?" } ?? ""
    throw RuleMistake(node, "no error packet says \"\(word)\"\(near)")
  }
}
