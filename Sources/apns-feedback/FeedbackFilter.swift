// Results in, feedback out: one record for each refusal that is final for its token.

import APNs
import Builder
import Filter
import JSON
import POSIX

/// Reads results (and feedback records, which it takes as they are).
struct FeedbackFilter: LineProcessor {
  /// The reasons that count; empty for those whose advice is to drop the token.
  let reasons: Set<String>
  /// Where tokens are gathered; nil to write each refusal as it comes.
  let gathered: Monitor<DeadTokens>?
  private let remarks: Remarks
  /// What remarks begin with.
  private let source: String
  /// The order of the input among several, above every line's number.
  private let order: Int
  private var reader = Reader()
  private var problems: [Problem] = []
  private var token: [UInt8] = []
  /// What the record has behind the time.
  private var tail: [UInt8] = []

  init(reasons: Set<String>, gathered: Monitor<DeadTokens>?, remarks: Remarks, source: String, order: Int) {
    self.reasons = reasons
    self.gathered = gathered
    self.remarks = remarks
    self.source = source
    self.order = order << 40
  }

  mutating func process(_ line: Span<UInt8>, number: Int, into output: inout Output) {
    do throws(LineFault) {
      try read(line, number, &output)
    } catch {
      output.faultCount += 1
      if remarks.takes() { output.say(source, line: number, error.message) }
    }
  }

  private mutating func read(_ line: Span<UInt8>, _ number: Int, _ output: inout Output) throws(LineFault) {
    do throws(SyntaxError) {
      try reader.read(line)
    } catch {
      throw LineFault("not JSON: \(error.message) at column \(position(of: error.offset, in: line).column)")
    }
    let tokens = reader.tokens
    let document = Document(line, tokens.span)
    let origin = Self.origin(document)
    problems.removeAll(keepingCapacity: true)
    let source = FeedbackSource.read(document, problems: &problems)
    // A feedback record has no outcome: what it tells has been decided already.
    if origin == nil, let problem = problems.first { throw LineFault(problem.message) }
    guard let token = source.token else {
      if origin != nil { throw LineFault("the feedback record has no \"token\"") }
      return
    }
    guard isWanted(source, isFeedback: origin != nil) else { return }
    try read(document, source, token, origin ?? .result)
    let refusal = Refusal(
      time: source.timestampMilliseconds,
      // Seconds tell nothing about their thousandths.
      showsMilliseconds: source.hasMilliseconds(document))
    guard let gathered else { return refusal.append(token: self.token.span, tail: tail.span, to: &output.records) }
    let (digits, tail, order) = (self.token, tail, order)
    gathered.change { $0.add(digits.span, refusal, tail: tail.span, line: order + number) }
  }

  /// Where a feedback record says it comes from; nil for a line that is none.
  private static func origin(_ document: borrowing Document) -> FeedbackOrigin? {
    if document.find("outcome", in: 0) != nil { return nil }
    if let node = document.find("source", in: 0), document.kind(node) == .string {
      return FeedbackOrigin(rawValue: document.string(node))
    }
    if let node = document.find("kind", in: 0), document.equals(node, "feedback") { return .service }
    return nil
  }

  private func isWanted(_ source: FeedbackSource, isFeedback: Bool) -> Bool {
    if !reasons.isEmpty {
      guard let reason = source.reason, isFeedback || source.outcome == .rejected else { return false }
      return reasons.contains(reason)
    }
    if isFeedback { return true }
    return source.outcome == .rejected && Reason.advice(name: source.reason, status: source.status ?? 0) == .drop
  }

  private mutating func read(
    _ document: borrowing Document, _ source: FeedbackSource, _ node: Int, _ origin: FeedbackOrigin
  ) throws(LineFault) {
    let text = document.string(node)
    if text.hasPrefix("redacted-") {
      throw LineFault("the device token is redacted: which device it is can only be read from results without --redact")
    }
    do throws(TokenError) {
      token = try TokenForms.normalised(text.utf8Span.span)
    } catch {
      throw LineFault(error.message)
    }
    tail.removeAll(keepingCapacity: true)
    if let reason = source.reasonNode { ResultLine.raw(&tail, "reason", document.raw(reason)) }
    ResultLine.word(&tail, "source", origin.rawValue)
    if let topic = source.topic { ResultLine.raw(&tail, "topic", document.raw(topic)) }
    if let meta = source.meta { ResultLine.raw(&tail, "meta", document.raw(meta)) }
    ResultLine.end(&tail)
  }
}

extension FeedbackSource {
  /// Whether the record gave its time in milliseconds.
  func hasMilliseconds(_ document: borrowing Document) -> Bool {
    if document.find("timestamp_ms", in: 0) != nil { return true }
    guard let node = document.find("timestamp", in: 0), let time = document.integer(node) else { return false }
    return time == timestampMilliseconds
  }
}
