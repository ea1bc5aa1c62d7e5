// How far this machine's clock is off, by the server's Date header: the hidden cause of many an expired token.

/// Compares the clocks of server and client.
public enum ClockSkew {
  /// Differences of up to this many seconds are not worth a word: an answer may have been long on its way.
  public static let tolerance = 60

  /// Says how far the clock is off, and which way; nil when it is not, or the header cannot be read.
  /// - Parameter serverDate: the `date` header as it came.
  /// - Parameter now: this machine's UNIX seconds when the answer came.
  public static func words(serverDate: Span<UInt8>, now: Int) -> String? {
    guard let server = unixSeconds(serverDate) else { return nil }
    let (difference, overflow) = now.subtractingReportingOverflow(server)
    guard !overflow, difference.magnitude > UInt(tolerance) else { return nil }
    let way = difference > 0 ? "ahead of" : "behind"
    return "this machine's clock is \(duration(Int(difference.magnitude))) \(way) the server's: set the clock"
  }

  /// UNIX seconds of an IMF-fixdate, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7); nil for anything else.
  public static func unixSeconds(_ text: Span<UInt8>) -> Int? {
    guard text.count == 29, text[3] == UInt8(ascii: ","), text[19] == UInt8(ascii: ":"), text[22] == UInt8(ascii: ":"),
      isGMT(text), let day = number(text, 5..<7), let month = month(text), let year = number(text, 12..<16),
      let hour = number(text, 17..<19), let minute = number(text, 20..<22), let second = number(text, 23..<25),
      (1...31).contains(day), year >= 1970, hour < 24, minute < 60, second <= 60
    else { return nil }
    return days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
  }

  private static func isGMT(_ text: Span<UInt8>) -> Bool {
    text[26] == UInt8(ascii: "G") && text[27] == UInt8(ascii: "M") && text[28] == UInt8(ascii: "T")
  }

  private static func number(_ text: Span<UInt8>, _ range: Range<Int>) -> Int? {
    var value = 0
    for index in range {
      guard (0x30...0x39).contains(text[index]) else { return nil }
      value = value * 10 + Int(text[index] - 0x30)
    }
    return value
  }

  private static func month(_ text: Span<UInt8>) -> Int? {
    let name = [text[8], text[9], text[10]]
    let names = Array("JanFebMarAprMayJunJulAugSepOctNovDec".utf8)
    for month in 0..<12 where Array(names[month * 3..<month * 3 + 3]) == name { return month + 1 }
    return nil
  }

  /// Days from 1 January 1970, counting years from March so that the leap day is the last.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }

  /// The two largest units: `2 d 3 h`, `1 h 5 min`, `90 s` as `1 min 30 s`.
  static func duration(_ seconds: Int) -> String {
    let units = [(86_400, "d"), (3600, "h"), (60, "min"), (1, "s")]
    var rest = seconds
    var parts: [String] = []
    for (size, name) in units where rest >= size && parts.count < 2 {
      parts.append("\(rest / size) \(name)")
      rest %= size
    }
    return parts.joined(separator: " ")
  }
}
