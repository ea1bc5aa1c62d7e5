// The declarations of apns-decode as a whole, and the times it takes.

import Options
import Testing

@testable import apns_decode

@Suite struct CommandTests {
  @Test("the set of options has no faults") func faults() { #expect(DecodeOptions.command.faults() == []) }

  @Test("times") func times() throws {
    #expect(try moment("1790000000") == 1_790_000_000)
    #expect(try moment("@0") == 0)
    #expect(try moment("2026-09-21T14:13:20Z") == 1_790_000_000)
    #expect(try moment("2000-02-29T00:00:00Z") == 951_782_400)
    #expect(try moment("2000-02-29") == 951_782_400)
    for wrong in ["", "soon", "2026-13-01T00:00:00Z", "2026-09", "2026-13-01", "1790000000000000", "-1"] {
      #expect(throws: ValueError.self) { try moment(wrong) }
    }
  }
}
