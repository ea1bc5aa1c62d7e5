// When to stop a run before it does harm: too large a share of one reason among the results.

import APNs
import Spelling

/// Such as `BadDeviceToken>20%/500`: more than 20 per cent of the results, once there are 500.
public struct AbortRule: Sendable, Equatable {
  /// A reason, an outcome, or a status in digits.
  public let word: String
  public let percent: Double
  public let sample: Int

  /// Reads `WORD>PERCENT%/SAMPLE`; the sample may be left out (100). nil when it is anything else.
  public init?(_ text: String) {
    guard let greater = text.firstIndex(of: ">"), greater != text.startIndex else { return nil }
    var rest = text[text.index(after: greater)...]
    var sample = 100
    if let slash = rest.firstIndex(of: "/") {
      guard let count = Int(rest[rest.index(after: slash)...]), count > 0 else { return nil }
      sample = count
      rest = rest[..<slash]
    }
    guard rest.hasSuffix("%"), let percent = Double(rest.dropLast()), percent >= 0, percent < 100 else { return nil }
    word = String(text[..<greater]).trimmed
    self.percent = percent
    self.sample = sample
    guard !word.isEmpty else { return nil }
  }

  /// Whether results with this share fulfil the rule.
  func isFulfilled(_ matching: Int, of total: Int) -> Bool {
    total >= sample && Double(matching) * 100 > percent * Double(total)
  }

  /// Nothing ends with the rule's word: neither outcome nor reason nor status. The nearest word that is one, if any.
  public var stranger: (isStranger: Bool, near: String?) {
    let words = Outcome.allCases.map(\.rawValue) + Reason.all.map(\.name)
    if words.contains(word) { return (false, nil) }
    if let status = Int(word), (200...599).contains(status) { return (false, nil) }
    return (true, closest(to: word, among: words))
  }

  func matches(_ outcome: Outcome, _ status: Int, _ reason: String?) -> Bool {
    word == reason || word == outcome.rawValue || word == String(status)
  }
}

extension String {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
