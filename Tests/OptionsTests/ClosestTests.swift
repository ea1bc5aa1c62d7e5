// "Did you mean": near words are found, far ones are not offered.
import Options
import Spelling
import Testing

@Suite struct ClosestTests {
  static let keys = ["token", "topic", "push_type", "priority", "expiration", "collapse_id", "id", "payload", "meta"]

  @Test(arguments: [
    ("prioritty", "priority"), ("priorty", "priority"), ("pirority", "priority"), ("Priority", "priority"),
    ("tokne", "token"), ("pushType", "push_type"), ("push-type", "push_type"), ("collapse-id", "collapse_id"),
    ("expration", "expiration"), ("TOKEN", "token"), ("metta", "meta"), ("ipd", "id"), ("expratoin", "expiration"),
  ])
  func aNearWordIsFound(typed: String, word: String) {
    #expect(closest(to: typed, among: Self.keys) == word)
  }

  @Test(arguments: ["", "x", "di", "badge", "tpcio", "sound", "prioritize!!", "identity", "🙂"])
  func aFarWordIsNot(typed: String) {
    #expect(closest(to: typed, among: Self.keys) == nil)
  }

  @Test func aSwapIsOneEditAndTheNearestWins() {
    #expect(closest(to: "abdc", among: ["abxx", "abcd"]) == "abcd")
    #expect(closest(to: "soundd", among: ["sounds", "sound"]) == "sounds")
    #expect(closest(to: "priority", among: ["priorities", "priority"]) == "priority")
  }

  @Test func aBeginningOfOneWordWillDo() {
    #expect(closest(to: "prod", among: ["production", "sandbox"]) == "production")
    #expect(closest(to: "pr", among: ["production"]) == nil)
    #expect(closest(to: "back", among: ["background", "backdrops"]) == nil)
  }

  @Test func aLongTextCostsNothing() {
    #expect(closest(to: String(repeating: "token", count: 1_000_000), among: Self.keys) == nil)
    #expect(closest(to: "token", among: [String(repeating: "token", count: 1_000_000)]) == nil)
  }
}
