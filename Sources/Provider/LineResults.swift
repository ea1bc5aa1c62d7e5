// How a flight ends: its result, its place in the journal, and whether the run should stop for it.

import APNs
import JSON

extension LineSender {
  final func finish(_ index: Int, unknown reason: String) {
    var ending = Ending(.unknown)
    ending.error = reason
    write(index, ending)
  }

  final func finish(_ index: Int, unsent reason: String) {
    // What was refused with "not now" and is not sent again has its answer: the last one.
    var ending = Ending(flights[index].lastStatus > 0 ? .rejected : .unsent)
    if flights[index].lastStatus > 0 {
      ending.status = flights[index].lastStatus
      ending.reason = flights[index].lastReason
      ending.advice = Reason.advice(name: ending.reason, status: ending.status)
    }
    ending.error = reason
    write(index, ending)
  }

  final func write(_ index: Int, _ ending: Ending) {
    write(index, ending) { self.appendFacts(index, to: &$0) }
  }

  /// Writes the result and lets the flight go.
  final func write(_ index: Int, _ ending: Ending, _ more: (inout [UInt8]) -> Void) {
    var ending = ending
    if flights[index].attempts > 0 { ending.elapsed = elapsed(index) }
    let start = recorder.results.count
    flights[index].appendResult(ending, recorder.redaction, to: &recorder.results, more: more)
    // Under a journal the next run sends what is unsent: it must not be sent from the rejects as well.
    if recorder.keepsRejects, ending.outcome != .accepted, journal == nil || ending.outcome != .unsent {
      recorder.reject(flights[index].bytes.span.extracting(first: flights[index].lineLength))
    }
    let number = flights[index].number
    if let journal, ending.outcome == .unsent, flights[index].isJournaled { journal.withdraw(number) }
    flights.release(index)
    recorded(number, from: start, ending.outcome, ending.status, ending.reason)
  }

  /// Counts a result that was just written, brings it to the journal, and looks whether the run should be aborted.
  final func recorded(_ number: Int, from start: Int, _ outcome: Outcome, _ status: Int, _ reason: String?) {
    recorder.count(outcome, reason: reason)
    if let journal, outcome != .unsent {
      journal.result(number, recorder.results, start..<(recorder.results.count - 1))
    }
    for (place, rule) in settings.abortRules.enumerated() {
      guard rule.matches(outcome, outcome == .accepted ? 200 : status, reason) else { continue }
      abortCounts[place] += 1
      guard stopReason == nil, rule.isFulfilled(abortCounts[place], of: recorder.counts.total) else { continue }
      stopAll("\(abortCounts[place]) of \(recorder.counts.total) results are \(rule.word)")
    }
  }

  /// Milliseconds since the flight was handed in, rounded.
  private func elapsed(_ index: Int) -> Int {
    let started = flights[index].started
    return now > started ? Int((now - started + 500_000) / 1_000_000) : 0
  }
}
