// Times as people write them, and as APNs wants them: whole UNIX seconds.

import Options

/// A moment: fixed, or counted from the moment a record is written.
public enum Moment: Sendable, Equatable {
  case at(Int)
  /// Seconds from now; `now` itself is 0.
  case fromNow(Int)

  /// Seconds of this century have ten digits, milliseconds thirteen: from the year 5138 on it is milliseconds.
  static let firstMillisecond = 100_000_000_000

  /// Reads `now`, `+90s`, `+1h30m`, `2026-12-01T09:00:00Z`, `2026-12-01` (midnight UTC), `@1790000000`, `1790000000`, `0`.
  /// - Throws: an error that says what was expected; for milliseconds, the right value.
  public init(_ text: String) throws(ValueError) {
    if text == "now" {
      self = .fromNow(0)
    } else if text.hasPrefix("+") {
      guard let seconds = Self.duration(text.dropFirst()) else {
        throw ValueError("expected a time from now such as +90s, +1h30m or +2d, found '\(text.prefix(40))'")
      }
      self = .fromNow(seconds)
    } else {
      self = .at(try Self.fixed(text))
    }
  }

  private static func fixed(_ text: String) throws(ValueError) -> Int {
    let digits = text.hasPrefix("@") ? text.dropFirst() : text[...]
    if !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
      guard let seconds = Int(digits) else { throw ValueError("'\(text.prefix(40))' is too large for a time") }
      if seconds >= firstMillisecond {
        throw ValueError("\(seconds) is in milliseconds; APNs wants seconds: write \(seconds / 1000)")
      }
      return seconds
    }
    if let seconds = Calendar.seconds(of: text) ?? Calendar.seconds(of: text + "T00:00:00Z") { return seconds }
    throw ValueError(
      "expected a time such as +1h30m, 2026-12-01, 2026-12-01T09:00:00Z, @1790000000, now or 0, found '\(text.prefix(40))'"
    )
  }

  /// The UNIX second, given the present one.
  public func seconds(now: Int) -> Int {
    switch self {
    case .at(let seconds): seconds
    case .fromNow(let offset): now + offset
    }
  }

  /// `90s`, `1h30m`, `2d`, `1w`; a number alone is seconds. At most some centuries.
  private static func duration(_ text: Substring) -> Int? {
    var total = 0
    var number: Int?
    for byte in text.utf8 {
      if byte >= 0x30, byte <= 0x39 {
        let next = (number ?? 0) * 10 + Int(byte - 0x30)
        guard next < 100_000_000_000 else { return nil }
        number = next
        continue
      }
      let unit: Int
      switch byte {
      case UInt8(ascii: "s"): unit = 1
      case UInt8(ascii: "m"): unit = 60
      case UInt8(ascii: "h"): unit = 3600
      case UInt8(ascii: "d"): unit = 86_400
      case UInt8(ascii: "w"): unit = 604_800
      default: return nil
      }
      guard let count = number else { return nil }
      let (product, overflow) = count.multipliedReportingOverflow(by: unit)
      let (sum, overflowToo) = total.addingReportingOverflow(product)
      guard !overflow, !overflowToo else { return nil }
      total = sum
      number = nil
    }
    guard let number else { return text.isEmpty || total > 100_000_000_000 ? nil : total }
    // "+90" is ninety seconds; "+1h30" leaves open what the thirty are.
    return text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) && number <= 100_000_000_000 ? number : nil
  }
}

/// Dates of the Gregorian calendar (RFC 3339).
public enum Calendar {
  /// The UNIX second of `2026-12-01T09:00:00Z`, `2026-12-01 09:00:00.5+01:00`; nil for everything else, a time without
  /// its distance from UTC included: nobody can say when that is.
  public static func seconds(of text: String) -> Int? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, let year = number(bytes, 0, 4), let month = number(bytes, 5, 2),
      let day = number(bytes, 8, 2), let hour = number(bytes, 11, 2), let minute = number(bytes, 14, 2),
      let second = number(bytes, 17, 2), bytes[4] == 0x2D, bytes[7] == 0x2D, bytes[13] == 0x3A, bytes[16] == 0x3A,
      bytes[10] == 0x54 || bytes[10] == 0x74 || bytes[10] == 0x20
    else { return nil }
    guard (1...12).contains(month), day >= 1, day <= length(of: month, in: year), hour <= 23, minute <= 59, second <= 60
    else { return nil }
    var index = 19
    if bytes[index] == 0x2E {
      let start = index + 1
      index = start
      while index < bytes.count, bytes[index] >= 0x30, bytes[index] <= 0x39 { index += 1 }
      guard index > start, index < bytes.count else { return nil }
    }
    guard let offset = offset(bytes[index...]) else { return nil }
    return days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
  }

  private static func number(_ bytes: [UInt8], _ start: Int, _ count: Int) -> Int? {
    var value = 0
    for byte in bytes[start..<start + count] {
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    return value
  }

  private static func offset(_ rest: ArraySlice<UInt8>) -> Int? {
    let bytes = Array(rest)
    if bytes == [0x5A] || bytes == [0x7A] { return 0 }
    guard bytes.count == 6, bytes[0] == 0x2B || bytes[0] == 0x2D, bytes[3] == 0x3A,
      let hours = number(bytes, 1, 2), let minutes = number(bytes, 4, 2), hours <= 23, minutes <= 59
    else { return nil }
    return (bytes[0] == 0x2D ? -1 : 1) * (hours * 3600 + minutes * 60)
  }

  private static func length(of month: Int, in year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }

  /// Days from 1 January 1970, counted in years that begin in March so that the odd day is the last of a year.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let marchYear = month > 2 ? year : year - 1
    let monthFromMarch = (month + 9) % 12
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    return 365 * marchYear + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468
  }
}
