// Times as people write them.
import Options
import Testing

@testable import Builder

@Suite struct TimeTests {
  @Test(arguments: [
    ("0", 0), ("1790000000", 1_790_000_000), ("@1790000000", 1_790_000_000), ("2026-12-01T09:00:00Z", 1_796_115_600),
    ("2026-12-01T10:00:00+01:00", 1_796_115_600), ("2026-11-30t23:30:00.999-09:30", 1_796_115_600),
    ("2000-02-29 12:00:00Z", 951_825_600), ("1970-01-01T00:00:00Z", 0), ("2100-03-01T00:00:00Z", 4_107_542_400),
    ("2026-12-01", 1_796_083_200), ("2016-12-31T23:59:60Z", 1_483_228_800), ("99999999999", 99_999_999_999),
  ])
  func fixed(_ text: String, _ seconds: Int) throws {
    #expect(try Moment(text) == .at(seconds))
  }

  @Test(arguments: [
    ("now", 0), ("+90s", 90), ("+90", 90), ("+1h30m", 5400), ("+2d", 172_800), ("+1w", 604_800), ("+0", 0),
    ("+1d1h1m1s", 90_061),
  ])
  func fromNow(_ text: String, _ seconds: Int) throws {
    #expect(try Moment(text) == .fromNow(seconds))
    #expect(try Moment(text).seconds(now: 1000) == 1000 + seconds)
  }

  @Test(arguments: [
    "", "tomorrow", "-1", "+", "+h", "+1h30", "+1y", "+-5", "1.5", "1e9", "2026-12-1", "2026-02-30", "2026-12-01Z",
    "2026-12-01T09:00:00",
    "2026-13-01T09:00:00Z", "2026-02-29T09:00:00Z", "2100-02-29T09:00:00Z", "2026-12-01T24:00:00Z",
    "2026-12-01T09:00:00.Z",
    "2026-12-01T09:00:00+0100", "99999999999999999999", "+99999999999999999999s", "+99999999999w99999999999w", "@",
    "@x",
  ])
  func mistakes(_ text: String) {
    #expect(throws: ValueError.self) { try Moment(text) }
  }

  @Test func millisecondsAreNamedWithTheirSeconds() {
    #expect(throws: ValueError("1790000000123 is in milliseconds; APNs wants seconds: write 1790000000")) {
      try Moment("1790000000123")
    }
  }
}
