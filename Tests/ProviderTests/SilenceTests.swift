// When silence proves something.
import Testing

@testable import Provider

@Suite struct SilenceTests {
  private let second: UInt64 = 1_000_000_000

  @Test func theClockStartsWhenThePeerHasTheLastByte() {
    var silence = Silence(linger: second)
    silence.note(end: 4, position: 300, now: 0)
    silence.observe(acknowledged: 299, sent: 300, now: 0)
    #expect(silence.proven(now: 10 * second) == nil)
    #expect(silence.isWaiting)
    silence.observe(acknowledged: 300, sent: 300, now: 5 * second)
    #expect(silence.proven(now: 6 * second - 1) == nil)
    #expect(silence.nextLook == 6 * second)
    #expect(silence.proven(now: 6 * second) == 4)
    #expect(silence.proven(now: 7 * second) == nil)
    #expect(!silence.isWaiting && silence.nextLook == .max)
  }

  @Test func whatFollowsCloselyWaitsTogetherAndNothingWaitsForEver() {
    var silence = Silence(linger: 16 * second)
    silence.note(end: 1, position: 10, now: 0)
    silence.observe(acknowledged: 10, sent: 10, now: 0)
    // Within a sixteenth: the first waits with the second.
    silence.note(end: 2, position: 20, now: second - 1)
    silence.observe(acknowledged: 20, sent: 20, now: second - 1)
    // Not any more.
    silence.note(end: 3, position: 30, now: second)
    silence.observe(acknowledged: 30, sent: 30, now: 2 * second)
    #expect(silence.proven(now: 16 * second) == nil)
    #expect(silence.proven(now: 17 * second - 1) == 2)
    #expect(silence.proven(now: 18 * second) == 3)
  }

  @Test func aPeerThatTakesNothingIsNoticedAndALittleIsProgress() {
    var silence = Silence(linger: second)
    silence.observe(acknowledged: 50, sent: 50, now: 0)
    #expect(silence.stalledSince == nil)
    silence.note(end: 9, position: 90, now: 100 * second)
    silence.observe(acknowledged: 50, sent: 90, now: 100 * second)
    #expect(silence.stalledSince == 100 * second)
    silence.observe(acknowledged: 50, sent: 90, now: 101 * second)
    #expect(silence.stalledSince == 100 * second)
    silence.observe(acknowledged: 51, sent: 90, now: 102 * second)
    #expect(silence.stalledSince == 102 * second)
    silence.observe(acknowledged: 90, sent: 90, now: 103 * second)
    #expect(silence.stalledSince == nil)
  }

  @Test func anAcknowledgementIsLookedForSoon() {
    var silence = Silence(linger: second)
    silence.note(end: 1, position: 10, now: 0)
    silence.observe(acknowledged: 0, sent: 10, now: 0)
    #expect(silence.nextLook == 50_000_000)
    var quick = Silence(linger: 0)
    quick.note(end: 1, position: 10, now: 0)
    quick.observe(acknowledged: 0, sent: 10, now: 0)
    #expect(quick.nextLook == 1_000_000)
  }
}
