// Reading a list of keys: NDJSON, one key a line.

import APNs
import JSON
import TLS

extension KnownKey {
  /// Reads a list.
  /// - Parameter open: reads a key's file by the name that stands in the list.
  /// - Throws: `ScriptError` with the place; what `open` throws is told in its words.
  public static func list(
    _ bytes: Span<UInt8>, open: (String) throws -> [UInt8]
  ) throws(ScriptError) -> [KnownKey] {
    var keys: [KnownKey] = []
    try readRules(bytes) { (document, line) throws(RuleMistake) in
      var (file, keyID, teamID): (String?, String?, String?)
      var fileNode = 0
      var (environment, topics): (ServiceEnvironment?, [String]) = (nil, [])
      let names = ["file", "key_id", "team_id", "environment", "topics", "comment"]
      try document.members(of: 0, "a key", names) { (key, node) throws(RuleMistake) in
        switch key {
        case "file": (file, fileNode) = (try document.text(node, key), node)
        case "key_id": keyID = try document.identifier(node, key)
        case "team_id": teamID = try document.identifier(node, key)
        case "environment":
          environment = try document.choice(node, key, [("sandbox", .sandbox), ("production", .production)])
        case "topics":
          guard document.kind(node) == .array else { throw RuleMistake(node, "\"topics\" is an array of strings") }
          var element = node + 1
          while element < document.next(node) {
            topics.append(try document.text(element, "topics"))
            element = document.next(element)
          }
        default: break
        }
      }
      guard let file else { throw RuleMistake(0, "the key has no \"file\"") }
      guard let keyID else { throw RuleMistake(0, "the key has no \"key_id\"") }
      guard let teamID else { throw RuleMistake(0, "the key has no \"team_id\"") }
      var known = KnownKey(id: keyID, teamID: teamID, key: try publicKey(file, fileNode, open))
      (known.environment, known.topics) = (environment, topics)
      keys.append(known)
    }
    return keys
  }

  private static func publicKey(
    _ file: String, _ node: Int, _ open: (String) throws -> [UInt8]
  ) throws(RuleMistake) -> PublicKey {
    do {
      let bytes = try open(file)
      if let key = try? PublicKey(bytes.span) { return key }
      return try SigningKey(bytes.span).publicKey
    } catch {
      throw RuleMistake(node, "\(file): \(error)")
    }
  }
}
