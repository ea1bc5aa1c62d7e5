// Times and levels as they are typed.

import Options
import Rules

/// What `--now` may be.
enum Moment: Sendable {
  case system
  case unix(Int)
}

func parseTime(_ text: String) throws(ValueError) -> Moment {
  if text == "now" { return .system }
  if let seconds = Int(text.hasPrefix("@") ? String(text.dropFirst()) : text) {
    if seconds > 100_000_000_000 { throw ValueError("'\(text)' is in milliseconds; write \(seconds / 1000)") }
    return .unix(seconds)
  }
  if let seconds = unixSeconds(text) { return .unix(seconds) }
  throw ValueError("expected UNIX seconds, a date such as 2026-09-21T15:00:00Z, or now; found '\(text)'")
}

func parseSeverity(_ text: String) throws(ValueError) -> (rule: String, level: Severity) {
  let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
  guard parts.count == 2 else { throw ValueError("expected RULE=LEVEL, found '\(text)'") }
  guard let level = Severity(word: parts[1]) else {
    throw ValueError("'\(parts[1])' is no level; the levels are error, warning, note and off")
  }
  return (parts[0], level)
}

/// `2026-09-21`, `2026-09-21T15:00`, `2026-09-21T15:00:00Z`, `…+02:00`; without a zone UTC is taken.
func unixSeconds(_ text: String) -> Int? {
  var rest = text.utf8[...]
  func number(_ digits: Int) -> Int? {
    guard rest.count >= digits else { return nil }
    let part = rest.prefix(digits)
    guard part.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
    rest = rest.dropFirst(digits)
    return Int(String(Substring(part)))
  }
  func take(_ letter: Character) -> Bool {
    guard let value = letter.asciiValue, rest.first == value else { return false }
    rest = rest.dropFirst()
    return true
  }
  guard let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2) else { return nil }
  guard (1...12).contains(month), (1...31).contains(day) else { return nil }
  var seconds = days(year, month, day) * 86_400
  if rest.isEmpty { return seconds }
  guard take("T") || take(" "), let hour = number(2), take(":"), let minute = number(2) else { return nil }
  guard hour < 24, minute < 60 else { return nil }
  seconds += hour * 3600 + minute * 60
  if take(":") {
    guard let second = number(2), second < 61 else { return nil }
    seconds += second
  }
  if rest.isEmpty || take("Z") { return rest.isEmpty ? seconds : nil }
  let isEast = take("+")
  guard isEast || take("-"), let zoneHour = number(2) else { return nil }
  _ = take(":")
  guard let zoneMinute = number(2), rest.isEmpty else { return nil }
  let zone = zoneHour * 3600 + zoneMinute * 60
  return isEast ? seconds - zone : seconds + zone
}

/// Days since 1 January 1970 in the Gregorian calendar, counted from March so that leap days come last.
private func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
  let shifted = month <= 2 ? year - 1 : year
  let era = shifted / 400
  let yearOfEra = shifted - era * 400
  let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
  return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
}
