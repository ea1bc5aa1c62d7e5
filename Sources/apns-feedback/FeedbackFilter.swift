// Results in, feedback out: one record for each refusal that is final for its token.

import APNs
import Filter
import JSON

struct FeedbackFilter: LineProcessor {
  private var reader = Reader()
  private var problems: [Problem] = []

  mutating func process(_ line: Span<UInt8>, number: Int, into output: inout Output) {
    do throws(SyntaxError) {
      try reader.read(line)
    } catch {
      let column = position(of: error.offset, in: line).column
      output.say(FeedbackCommand.command.name, line: number, "not JSON: \(error.message) at column \(column)")
      output.faultCount += 1
      return
    }
    let tokens = reader.tokens
    let document = Document(line, tokens.span)
    problems.removeAll(keepingCapacity: true)
    let source = FeedbackSource.read(document, problems: &problems)
    if let problem = problems.first {
      output.say(FeedbackCommand.command.name, line: number, problem.message)
      output.faultCount += 1
      return
    }
    guard let token = source.token, source.outcome == .rejected,
      Reason.advice(name: source.reason, status: source.status ?? 0) == .drop
    else { return }
    write(document, source, token, &output.records)
  }

  private func write(
    _ document: borrowing Document, _ source: FeedbackSource, _ token: Int, _ out: inout [UInt8]
  ) {
    out.append("{\"token\":")
    out.append(document.raw(token))
    if let time = source.timestampMilliseconds {
      ResultLine.integer(&out, "timestamp", time / 1000)
      ResultLine.integer(&out, "timestamp_ms", time)
    }
    if let reason = source.reasonNode { ResultLine.raw(&out, "reason", document.raw(reason)) }
    ResultLine.word(&out, "source", FeedbackOrigin.result.rawValue)
    if let topic = source.topic { ResultLine.raw(&out, "topic", document.raw(topic)) }
    if let meta = source.meta { ResultLine.raw(&out, "meta", document.raw(meta)) }
    ResultLine.end(&out)
  }
}
