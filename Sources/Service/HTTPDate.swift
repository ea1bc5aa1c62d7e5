// The date of HTTP (RFC 9110 section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.

private let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
private let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/// A UNIX second, not before 1970, as HTTP writes it; days are counted from 1 March of the year 0 (proleptic).
func httpDate(_ unixSeconds: Int) -> String {
  let seconds = max(0, min(unixSeconds, 253_402_300_799))
  let (days, rest) = seconds.quotientAndRemainder(dividingBy: 86_400)
  let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(dividingBy: 146_097)
  let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let shifted = (5 * dayOfYear + 2) / 153
  let day = dayOfYear - (153 * shifted + 2) / 5 + 1
  let month = shifted < 10 ? shifted + 2 : shifted - 10
  let year = era * 400 + yearOfEra + (month < 2 ? 1 : 0)
  func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
  return "\(weekdays[days % 7]), \(two(day)) \(months[month]) \(year) "
    + "\(two(rest / 3600)):\(two(rest % 3600 / 60)):\(two(rest % 60)) GMT"
}
