// Reading a script: NDJSON, one rule a line. Every mistake is named with its line and its column.

import APNs
import HTTP2
import JSON
import Spelling

/// A script that cannot be played.
public struct ScriptError: Error, Equatable, Sendable, CustomStringConvertible {
  /// From 1.
  public let line: Int
  /// From 1, in characters.
  public let column: Int
  public let message: String

  public var description: String { "\(line):\(column): \(message)" }
}

/// A mistake at a node of a rule.
struct RuleMistake: Error {
  let node: Int
  let message: String

  init(_ node: Int, _ message: String) { (self.node, self.message) = (node, message) }
}

/// Reads NDJSON, an object a line. Blank lines are passed over, and lines that begin with `#`.
func readRules(
  _ bytes: Span<UInt8>, _ body: (Document, _ line: Int) throws(RuleMistake) -> Void
) throws(ScriptError) {
  var reader = Reader(depthLimit: 16)
  var start = 0
  var number = 0
  while start < bytes.count {
    number += 1
    var end = start
    while end < bytes.count, bytes[end] != 0x0A { end += 1 }
    let line = bytes.extracting(start..<end)
    start = end + 1
    guard let first = (0..<line.count).first(where: { ![0x20, 0x09, 0x0D].contains(line[$0]) }),
      line[first] != UInt8(ascii: "#")
    else { continue }
    do throws(SyntaxError) {
      try reader.read(line)
    } catch {
      throw ScriptError(
        line: number, column: position(of: error.offset, in: line).column, message: "not JSON: \(error.message)")
    }
    let tokens = reader.tokens
    do throws(RuleMistake) {
      try body(Document(line, tokens.span), number)
    } catch {
      let offset = tokens[error.node].start
      throw ScriptError(line: number, column: position(of: offset, in: line).column, message: error.message)
    }
  }
}

extension Script {
  /// Reads a script.
  /// - Parameters:
  ///   - word: what a rule is called in records: `line` gives `line 3`.
  ///   - timestamp: the one of 410 answers that give none, milliseconds since 1970.
  public static func read(_ bytes: Span<UInt8>, word: String, timestamp: Int) throws(ScriptError) -> Script {
    var script = Script()
    try readRules(bytes) { (document, line) throws(RuleMistake) in
      var rule = ScriptRule()
      rule.name = "\(word) \(line)"
      try rule.take(document, timestamp)
      script.rules.append(rule)
    }
    return script
  }

  /// Reads one rule of the command line; `number` tells it from others there.
  public static func read(rule text: String, number: Int, timestamp: Int) throws(ScriptError) -> Script {
    var script = try read(Array(text.utf8).span, word: "rule", timestamp: timestamp)
    for index in script.rules.indices { script.rules[index].name = "rule \(number)" }
    return script
  }
}

/// What the keys of an object may be.
private enum Keys {
  static let rule = [
    "match", "at", "checks", "times", "comment", "respond", "delay_ms", "silence", "reset", "goaway", "close",
    "stop_reading", "byte_by_byte_ms", "stream_limit", "fail_tls", "refuse", "refuse_ms", "wedge", "error",
  ]
  static let match = [
    "token", "prefix", "topic", "push_type", "channel_id", "environment", "connection", "nth", "every", "from", "to",
    "share", "seed",
  ]
  static let respond = ["status", "reason", "timestamp", "retry_after"]
  static let goAway = ["offset", "code", "reason", "debug"]
}

extension Document {
  /// Calls the body for each member, with its key's and its value's node; refuses keys that are not in the list.
  func members(
    of node: Int, _ what: String, _ keys: [String], _ body: (String, Int) throws(RuleMistake) -> Void
  ) throws(RuleMistake) {
    guard kind(node) == .object else { throw RuleMistake(node, "\(what) is an object") }
    if let (_, second) = firstDuplicateKey(in: node) {
      throw RuleMistake(second, "the key \"\(string(second))\" stands here twice")
    }
    var member = node + 1
    while member < next(node) {
      let key = string(member)
      guard keys.contains(key) else {
        let near = closest(to: key, among: keys).map { "; did you mean \"\($0)\"?" } ?? ""
        throw RuleMistake(member, "\(what) has no key \"\(key)\"\(near)")
      }
      try body(key, member + 1)
      member = next(member + 1)
    }
  }

  func text(_ node: Int, _ key: String) throws(RuleMistake) -> String {
    guard kind(node) == .string else { throw RuleMistake(node, "\"\(key)\" is a string") }
    return string(node)
  }

  func count(_ node: Int, _ key: String, from low: Int = 0) throws(RuleMistake) -> Int {
    guard let value = integer(node), value >= low, value <= 1 << 53 else {
      throw RuleMistake(node, "\"\(key)\" is a whole number of \(low) or more")
    }
    return value
  }

  /// A time of eleven days at most.
  func milliseconds(_ node: Int, _ key: String, from low: Int = 0) throws(RuleMistake) -> Int {
    let value = try count(node, key, from: low)
    if value <= 1_000_000_000 { return value }
    throw RuleMistake(node, "\"\(key)\" is at most 1000000000 milliseconds")
  }

  func truth(_ node: Int, _ key: String) throws(RuleMistake) -> Bool {
    switch kind(node) {
    case .true: return true
    case .false: return false
    default: throw RuleMistake(node, "\"\(key)\" is true or false")
    }
  }

  /// A key or team identifier.
  func identifier(_ node: Int, _ key: String) throws(RuleMistake) -> String {
    let text = try text(node, key)
    if ProviderToken.isIdentifier(text) { return text }
    throw RuleMistake(node, "\"\(key)\" is ten capital letters and digits")
  }

  func choice<Value>(_ node: Int, _ key: String, _ words: [(String, Value)]) throws(RuleMistake) -> Value {
    if kind(node) == .string, let found = words.first(where: { equals(node, $0.0) }) { return found.1 }
    throw RuleMistake(node, "\"\(key)\" is one of \(words.map { "\"\($0.0)\"" }.joined(separator: ", "))")
  }
}

extension ScriptRule {
  fileprivate mutating func take(_ document: Document, _ timestamp: Int) throws(RuleMistake) {
    var hasDeed = false
    try document.members(of: 0, "a rule", Keys.rule) { (key, node) throws(RuleMistake) in
      switch key {
      case "match": try match.take(document, node)
      case "at":
        moment = try document.choice(node, key, [("request", .request), ("connect", .connect), ("start", .start)])
      case "checks": isBehindChecks = try document.truth(node, key)
      case "times": times = try document.count(node, key, from: 1)
      case "comment": break
      default:
        hasDeed = true
        try deed.take(document, key, node, timestamp)
      }
    }
    guard hasDeed else {
      throw RuleMistake(0, "the rule says nothing to do: give one of \(Keys.rule.dropFirst(5).joined(separator: ", "))")
    }
    switch moment {
    case .request: break
    case .start:
      if deed.isAboutARequest || deed.isAboutAConnection {
        throw RuleMistake(0, "at the start only fail_tls, refuse and refuse_ms can be done")
      }
    case .connect:
      if deed.isAboutARequest {
        throw RuleMistake(
          0, "a new connection has no request to answer: respond, silence, reset and delay_ms cannot be done")
      }
    }
  }
}

extension Match {
  fileprivate mutating func take(_ document: Document, _ object: Int) throws(RuleMistake) {
    try document.members(of: object, "\"match\"", Keys.match) { (key, node) throws(RuleMistake) in
      switch key {
      case "token": token = Array(try document.text(node, key).utf8)
      case "prefix": prefix = Array(try document.text(node, key).utf8)
      case "topic": topic = Array(try document.text(node, key).utf8)
      case "push_type":
        let words = PushType.allCases.map { ($0.rawValue, $0.rawValue) }
        pushType = Array(try document.choice(node, key, words).utf8)
      case "channel_id": channelID = Array(try document.text(node, key).utf8)
      case "environment":
        environment = try document.choice(node, key, [("sandbox", .sandbox), ("production", .production)])
      case "connection": connection = try document.count(node, key, from: 1)
      case "nth": nth = try document.count(node, key, from: 1)
      case "every": every = try document.count(node, key, from: 1)
      case "from": from = try document.count(node, key, from: 1)
      case "to": to = try document.count(node, key, from: 1)
      case "share":
        guard let value = document.number(node), value >= 0, value <= 1 else {
          throw RuleMistake(node, "\"share\" is a number from 0 to 1")
        }
        share = value
      default: seed = UInt64(try document.count(node, key))
      }
    }
    if nth != nil, every != nil { throw RuleMistake(object, "\"nth\" and \"every\" exclude each other") }
  }
}

extension Deed {
  fileprivate var isAboutARequest: Bool {
    reply != nil || delay > 0 || isSilent || reset != nil || error != nil
  }

  fileprivate var isAboutAConnection: Bool {
    goAway != nil || close != nil || stopReading != nil || dribble != nil || streamLimit != nil || wedge != nil
      || wedgeIsSilent
  }

  fileprivate mutating func take(_ document: Document, _ key: String, _ node: Int, _ timestamp: Int) throws(RuleMistake)
  {
    switch key {
    case "respond": reply = try Reply.read(document, node, timestamp)
    case "delay_ms": delay = try document.milliseconds(node, key)
    case "silence": isSilent = try document.truth(node, key)
    case "reset": reset = try Self.code(document, node, key)
    case "goaway": goAway = try GoAway.read(document, node)
    case "close": close = try document.choice(node, key, [("now", .now), ("abort", .abort), ("mid_frame", .midFrame)])
    case "stop_reading":
      if document.kind(node) == .number {
        stopReading = try document.milliseconds(node, key)
      } else {
        stopReading = try document.truth(node, key) ? 0 : nil
      }
    case "byte_by_byte_ms": dribble = try document.milliseconds(node, key)
    case "stream_limit": streamLimit = try document.count(node, key)
    case "fail_tls": failTLS = try document.count(node, key, from: 1)
    case "refuse": refuse = try document.count(node, key, from: 1)
    case "error": error = try ErrorOrder.read(document, node)
    case "refuse_ms": refuseMilliseconds = try document.milliseconds(node, key, from: 1)
    default:
      let word = try document.text(node, key)
      if word == "silence" { wedgeIsSilent = true } else { wedge = try Reply.named(word, document, node) }
    }
  }

  fileprivate static func code(_ document: Document, _ node: Int, _ key: String) throws(RuleMistake) -> ErrorCode {
    if let number = document.integer(node), let raw = UInt32(exactly: number) { return ErrorCode(rawValue: raw) }
    guard document.kind(node) == .string, let code = ErrorCode(name: document.string(node)) else {
      throw RuleMistake(node, "\"\(key)\" is a code of HTTP/2, such as \"REFUSED_STREAM\", or its number")
    }
    return code
  }
}

extension Deed.GoAway {
  /// `true`, or an object.
  fileprivate static func read(_ document: Document, _ node: Int) throws(RuleMistake) -> Deed.GoAway {
    var order = Deed.GoAway()
    if document.kind(node) == .true { return order }
    try document.members(of: node, "\"goaway\"", Keys.goAway) { (key, node) throws(RuleMistake) in
      switch key {
      case "offset":
        guard let value = document.integer(node), value <= 0, value >= -1_000_000 else {
          throw RuleMistake(
            node, "\"offset\" is 0, or how many streams before this one the last that counts is, below 0")
        }
        order.offset = value
      case "code": order.code = try Deed.code(document, node, key)
      case "reason": order.debug = Deed.debug(try document.text(node, key))
      default: order.debug = Array(try document.text(node, key).utf8)
      }
    }
    return order
  }
}

extension Reply {
  /// A reason of Apple's table.
  fileprivate static func named(_ word: String, _ document: Document, _ node: Int) throws(RuleMistake) -> Reply {
    guard let row = Reason.named(word) else {
      let near = closest(to: word, among: Reason.all.map(\.name)).map { "; did you mean \"\($0)\"?" } ?? ""
      throw RuleMistake(node, "APNs has no reason \"\(word)\"\(near)")
    }
    return Reply(status: row.status, reason: row.name)
  }

  /// A reason, or an object with status, reason and more.
  fileprivate static func read(_ document: Document, _ node: Int, _ timestamp: Int) throws(RuleMistake) -> Reply {
    if document.kind(node) == .string {
      let reply = try named(document.string(node), document, node)
      return reply.status == 410 ? Reply(status: 410, reason: reply.reason, timestamp: timestamp) : reply
    }
    var (status, reason, time, wait): (Int?, String?, Int?, Int?)
    var reasonNode = node
    try document.members(of: node, "\"respond\"", Keys.respond) { (key, node) throws(RuleMistake) in
      switch key {
      case "status":
        let value = try document.count(node, key, from: 200)
        guard value <= 599 else { throw RuleMistake(node, "\"status\" is a number from 200 to 599") }
        status = value
      case "reason": (reason, reasonNode) = (try document.text(node, key), node)
      case "timestamp":
        let value = try document.count(node, key)
        // A second of this century has ten digits, a millisecond thirteen.
        guard value == 0 || value >= 100_000_000_000 else {
          throw RuleMistake(node, "\"timestamp\" is in milliseconds: \(value) seconds would be \(value)000")
        }
        time = value
      default: wait = try document.count(node, key)
      }
    }
    // A status of its own makes any reason possible: what APNs may say one day can be tried today.
    if status == nil, let reason { status = try named(reason, document, reasonNode).status }
    guard let status else { throw RuleMistake(node, "\"respond\" needs a status or a reason") }
    if status >= 300, reason == nil { throw RuleMistake(node, "\"respond\" with the status \(status) needs a reason") }
    let stamp = time ?? (status == 410 ? timestamp : nil)
    return Reply(status: status, reason: reason ?? "", timestamp: stamp, retryAfter: wait)
  }
}
