// All rules, the choice among them for a run, and the tables by which the walk finds the rules of a place.

import JSON

extension Rule {
  /// Every rule, in the order of the manual.
  public static let all: [Rule] = {
    let groups: [(Group, [Rule])] = [
      (.document, documentRules), (.aps, apsRules), (.alert, alertRules), (.badge, badgeRules), (.sound, soundRules),
      (.keys, keyRules), (.pushType, typeRules + topicRules), (.headers, headerRules), (.token, tokenRules),
      (.credential, credentialRules + tokenFileRules + certificateRules), (.liveActivity, liveRules + liveStartRules),
      (.widgets, widgetRules),
      (.special, specialRules), (.broadcast, broadcastRules), (.simulator, simulatorRules), (.record, recordRules),
      (.request, requestRules),
    ]
    var all: [Rule] = []
    for (group, rules) in groups {
      for var rule in rules {
        rule.group = group
        all.append(rule)
      }
    }
    return all
  }()

  private static let byID: [String: Int] = {
    var table: [String: Int] = [:]
    for (index, rule) in all.enumerated() { table[rule.id] = index }
    return table
  }()

  /// The position of a rule in `all`.
  public static func index(of id: String) -> Int? { byID[id] }

  /// A rule by its name.
  public static func named(_ id: String) -> Rule? { byID[id].map { all[$0] } }
}

/// Which rules a run asks, and how bad it takes each of them.
public struct Selection: Sendable, Equatable {
  /// Only these, when there are any.
  public var only: Set<String> = []
  public var disabled: Set<String> = []
  public var severities: [String: Severity] = [:]
  /// Findings below this are of no interest; their rules are not even asked.
  public var least = Severity.note

  public init() {}

  func severity(of rule: Rule) -> Severity {
    if !only.isEmpty, !only.contains(rule.id) { return .off }
    if disabled.contains(rule.id) { return .off }
    let severity = severities[rule.id] ?? rule.severity
    return severity < least ? .off : severity
  }
}

/// The chosen rules, sorted by place and kind of value. Made once for a run.
public struct RuleSet: Sendable {
  /// By index in `Rule.all`.
  let severities: [Severity]
  let least: Severity
  /// The checks of list n are those from `starts[n]` up to `starts[n + 1]`.
  let starts: [UInt16]
  let checks: [Check]
  let rules: [UInt16]
  /// For each place the kinds of values that any rule looks at: most visits end here, without a look into the lists.
  private let interest: [UInt8]

  /// - Parameters:
  ///   - selection: the rules to ask.
  ///   - settings: what is known; rules that need what is not are left out.
  public init(_ selection: Selection = Selection(), knowing settings: Settings) {
    precondition(Place.areDisjoint, "no two places share their rules")
    let all = Rule.all
    severities = all.map { selection.severity(of: $0) }
    least = selection.least
    var lists = [[Int]](repeating: [], count: Place.count * 8)
    for (index, rule) in all.enumerated()
    where severities[index] != .off && rule.check != nil && rule.needs?.isMet(by: settings) != false {
      for place in rule.places {
        for kind in 0..<8 where place.kinds.rawValue & 1 << UInt8(kind) != 0 {
          lists[place.index * 8 + kind].append(index)
        }
      }
    }
    var starts: [UInt16] = [0]
    var checks: [Check] = []
    var rules: [UInt16] = []
    for list in lists {
      for index in list {
        guard let check = all[index].check else { continue }
        checks.append(check)
        rules.append(UInt16(index))
      }
      starts.append(UInt16(checks.count))
    }
    var interest = [UInt8](repeating: 0, count: Place.count)
    for list in lists.indices where !lists[list].isEmpty { interest[list / 8] |= 1 << UInt8(list % 8) }
    self.interest = interest
    self.starts = starts
    self.checks = checks
    self.rules = rules
  }

  /// Whether any rule of a place looks at a value of one of these kinds.
  @inline(__always)
  func isOfInterest(_ place: Int, _ kinds: UInt8) -> Bool { interest[place] & kinds != 0 }

  /// Asks the rules of a place about a node.
  @inline(__always)
  func visit(_ place: Int, _ document: Document, _ scene: inout Scene, _ node: Int) {
    let kinds = interest[place]
    if kinds == 0 { return }
    let kind = document.kindIndex(node)
    if kinds & 1 << UInt8(truncatingIfNeeded: kind) == 0 { return }
    ask(place &* 8 &+ kind, document, &scene, node)
  }

  @inline(never)
  private func ask(_ list: Int, _ document: Document, _ scene: inout Scene, _ node: Int) {
    var next = Int(starts[list])
    let end = Int(starts[list &+ 1])
    while next < end {
      scene.rule = Int(rules[next])
      checks[next].look(document, &scene, node)
      next &+= 1
    }
  }

  @inline(__always)
  func visit(_ place: Place, _ document: Document, _ scene: inout Scene, _ node: Int) {
    visit(place.index, document, &scene, node)
  }
}

extension Rule.Need {
  /// Whether the settings have what a rule needs; what a record may have as well counts as there.
  func isMet(by settings: Settings) -> Bool {
    switch self {
    case .clock: settings.now != nil
    case .strings: settings.strings != nil
    case .categories: settings.categories != nil
    case .bundle: settings.bundle != nil
    case .platform: settings.platform != nil
    case .authentication: settings.authentication != nil
    case .policy: settings.channelPolicy != nil
    case .topics: settings.allowedTopics != nil
    case .identifiers: settings.teamID != nil || settings.keyID != nil
    case .keyEnvironment: settings.keyEnvironment != nil
    case .environment, .wholeRun: true
    }
  }
}
