// Values of options that are neither text nor number.

import Options
import Provider

/// How many connections, and whether to open them only as they are needed.
struct Connections: Sendable {
  let most: Int
  let grows: Bool

  static let auto = Connections(most: 8, grows: true)

  private init(most: Int, grows: Bool) {
    self.most = most
    self.grows = grows
  }

  init(_ text: String) throws(ValueError) {
    if text == "auto" {
      self = .auto
      return
    }
    guard let number = Int(text), (1...1000).contains(number) else {
      throw ValueError("expected 'auto' or a number from 1 to 1000, found '\(text)'")
    }
    self.init(most: number, grows: false)
  }
}

enum Rate {
  /// `500`, `500/s`, `30000/m`, `1000000/h`: notifications a second.
  static func parse(_ text: String) throws(ValueError) -> Double {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let seconds: [Substring: Double] = ["s": 1, "m": 60, "h": 3600]
    guard let number = Double(parts[0]), number > 0, number.isFinite,
      let span = seconds[parts.count > 1 ? parts[1] : "s"]
    else {
      throw ValueError("expected a number above 0, with /s, /m or /h behind it, found '\(text)'")
    }
    let perSecond = number / span
    // A hundred million is beyond any network; one in ten years is a typing error.
    guard (3e-9...1e8).contains(perSecond) else {
      throw ValueError("expected a rate that can be kept, at most 100000000/s, found '\(text)'")
    }
    return perSecond
  }
}

enum Seconds {
  /// `5`, `0.5`: seconds, at most a day.
  static func parse(_ text: String) throws(ValueError) -> Double {
    guard let number = Double(text), (0...86_400).contains(number) else {
      throw ValueError("expected seconds from 0 to 86400, such as 5 or 0.5, found '\(text)'")
    }
    return number
  }
}

enum Conditions {
  static func parse(_ text: String) throws(ValueError) -> AbortRule {
    guard let rule = AbortRule(text) else {
      throw ValueError(
        "expected REASON>PERCENT% or REASON>PERCENT%/N, such as 'BadDeviceToken>20%/500', found '\(text)'")
    }
    let (isStranger, near) = rule.stranger
    if isStranger {
      let help = near.map { "; did you mean '\($0)'?" } ?? "; apns-rules(7) lists the reasons"
      throw ValueError("'\(rule.word)' is no reason, outcome or status\(help)")
    }
    return rule
  }
}
