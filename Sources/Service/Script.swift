// Misbehaviour by script: which requests a rule means, and how the rules are gone through. Nothing here knows HTTP.

import APNs

/// Which requests a rule means. What is not set, matches; what is set, must.
struct Match: Sendable {
  var token: [UInt8]?
  var prefix: [UInt8]?
  var topic: [UInt8]?
  var pushType: [UInt8]?
  var channelID: [UInt8]?
  var environment: ServiceEnvironment?
  /// The number of the connection, from 1.
  var connection: Int?
  /// The requests are counted for which everything above holds, from 1: this one alone, …
  var nth: Int?
  /// … or each such one, …
  var every: Int?
  /// … or those between.
  var from = 1
  var to = Int.max
  /// The share of them, from 0 to 1, by chance.
  var share: Double?
  /// The seed of the chance; nil for the server's.
  var seed: UInt64?
}

/// When a rule is looked at.
enum Moment: Sendable {
  /// A request is complete.
  case request
  /// A connection's handshake is done.
  case connect
  /// The server starts.
  case start
}

/// One line of a script.
struct ScriptRule: Sendable {
  var match = Match()
  var moment = Moment.request
  /// The checks come first, and their refusal wins.
  var isBehindChecks = true
  /// How often it is done at most.
  var times = Int.max
  var deed = Deed()
  /// What names it in records: `line 3` or `rule 1`.
  var name = ""
}

/// The rules, in order; the first that matches a request decides about it.
public struct Script: Sendable {
  var rules: [ScriptRule] = []

  public init() {}

  public var isEmpty: Bool { rules.isEmpty }

  /// Adds the rules of another script behind these.
  public mutating func append(_ other: Script) { rules += other.rules }
}

/// What a rule may ask about a request. Empty where there is nothing: a binary frame has no push type.
struct ScriptSubject: ~Escapable {
  let token: Span<UInt8>
  let topic: Span<UInt8>
  let pushType: Span<UInt8>
  let channelID: Span<UInt8>
  let environment: ServiceEnvironment
  let connection: Int

  @_lifetime(copy token, copy topic, copy pushType, copy channelID)
  init(
    token: Span<UInt8>, topic: Span<UInt8>, pushType: Span<UInt8>, channelID: Span<UInt8>,
    environment: ServiceEnvironment, connection: Int
  ) {
    (self.token, self.topic, self.pushType, self.channelID) = (token, topic, pushType, channelID)
    (self.environment, self.connection) = (environment, connection)
  }
}

/// A script while it is played: its counters and its chance.
final class ScriptRun {
  private struct State {
    let rule: ScriptRule
    var met = 0
    var done = 0
    var random: Random
  }

  private var states: [State]
  /// Whether any rule is looked at before the checks, and any behind them: most servers have none of either.
  let hasRulesBeforeChecks: Bool
  let hasRulesBehindChecks: Bool
  let hasConnectRules: Bool

  /// - Parameter seed: the server's; each rule has a chance of its own.
  init(_ script: Script, seed: UInt64) {
    states = script.rules.enumerated().map { index, rule in
      State(rule: rule, random: Random(seed: rule.match.seed ?? seed &+ UInt64(index)))
    }
    let requests = script.rules.filter { $0.moment == .request }
    hasRulesBeforeChecks = requests.contains { !$0.isBehindChecks }
    hasRulesBehindChecks = requests.contains { $0.isBehindChecks }
    hasConnectRules = script.rules.contains { $0.moment == .connect }
  }

  /// The first rule that matches a request; nil for none.
  func rule(for subject: borrowing ScriptSubject, behindChecks: Bool) -> ScriptRule? {
    for index in states.indices {
      let rule = states[index].rule
      guard rule.moment == .request, rule.isBehindChecks == behindChecks, rule.match.names(subject), counts(index)
      else { continue }
      return rule
    }
    return nil
  }

  /// The first rule about a new connection.
  func rule(forConnection number: Int, _ environment: ServiceEnvironment) -> ScriptRule? {
    for index in states.indices {
      let rule = states[index].rule
      guard rule.moment == .connect, rule.match.connection ?? number == number,
        rule.match.environment ?? environment == environment, counts(index)
      else { continue }
      return rule
    }
    return nil
  }

  /// The deeds of the start.
  var startRules: [ScriptRule] { states.map(\.rule).filter { $0.moment == .start } }

  /// Counts a request that the rule names, and says whether it is one of those that count.
  private func counts(_ index: Int) -> Bool {
    states[index].met += 1
    let met = states[index].met
    let match = states[index].rule.match
    if let nth = match.nth, met != nth { return false }
    if let every = match.every, met % every != 0 { return false }
    guard met >= match.from, met <= match.to, states[index].done < states[index].rule.times else { return false }
    if let share = match.share, states[index].random.fraction() >= share { return false }
    states[index].done += 1
    return true
  }
}

extension Match {
  /// Whether everything but the counting holds.
  func names(_ subject: borrowing ScriptSubject) -> Bool {
    if let token, !subject.token.equalsIgnoringCase(token) { return false }
    if let prefix {
      guard subject.token.count >= prefix.count,
        subject.token.extracting(first: prefix.count).equalsIgnoringCase(prefix)
      else { return false }
    }
    if let topic, !subject.topic.equals(topic) { return false }
    if let pushType, !subject.pushType.equals(pushType) { return false }
    if let channelID, !subject.channelID.equals(channelID) { return false }
    if let environment, environment != subject.environment { return false }
    if let connection, connection != subject.connection { return false }
    return true
  }
}
