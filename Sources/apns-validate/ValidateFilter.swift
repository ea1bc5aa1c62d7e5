// The filter: good lines pass, findings go to standard error.

import Filter
import JSON
import Options
import POSIX
import Rules

/// Checks lines; each worker has its own.
struct ValidateFilter: LineProcessor {
  private let setup: Setup
  private let format: ReportFormat
  private let isQuiet: Bool
  private let fixes: Bool
  private let colour: Bool
  private let counts: Monitor<Counts>
  private var validator: Validator

  init(_ setup: Setup, format: ReportFormat, isQuiet: Bool, fixes: Bool, counts: Monitor<Counts>) {
    self.setup = setup
    self.format = format
    self.isQuiet = isQuiet
    self.fixes = fixes
    self.counts = counts
    colour = Tool.colour(on: .standardError)
    validator = Validator(setup.rules, settings: setup.settings)
  }

  mutating func process(_ line: Span<UInt8>, number: Int, into output: inout Output) {
    guard validator.check(line, as: setup.form, fallback: .record) else {
      output.records.append(line: line)
      return
    }
    if fixes, validator.findings.contains(where: { $0.fix != nil }) {
      mend(line, number, &output)
      return
    }
    report(line, number, &output)
    if validator.worst >= setup.failOn {
      output.faultCount += 1
    } else {
      output.records.append(line: line)
    }
  }

  private mutating func mend(_ line: Span<UInt8>, _ number: Int, _ output: inout Output) {
    var bytes: [UInt8] = []
    bytes.append(line)
    let (mended, done) = validator.mend(bytes, as: setup.form, fallback: .record)
    if !isQuiet {
      for fix in done {
        output.words.append(contentsOf: "<stdin>:\(number): fixed: \(fix.words) [\(fix.rule)]\n".utf8)
      }
    }
    counts.change { $0.fixes += done.count }
    if validator.check(mended.span, as: setup.form, fallback: .record) {
      report(mended.span, number, &output)
      if validator.worst >= setup.failOn {
        output.faultCount += 1
        return
      }
    }
    output.records.append(mended.span)
    output.records.append(0x0A)
  }

  private func report(_ line: Span<UInt8>, _ number: Int, _ output: inout Output) {
    let findings = validator.findings.filter { $0.severity >= setup.shown }
    counts.change { for finding in findings { $0.count(finding.severity) } }
    guard !isQuiet else { return }
    if number == 1, line.count <= 2, findings.first?.rule == "json-invalid" {
      output.say(
        Validate.command.name, line: 1,
        "the input seems to be pretty-printed: give it as a FILE, '-' for standard input")
    }
    for finding in findings {
      let placed = Placed(
        finding, file: "<stdin>", line: number, bytes: line, lineStart: 0, lineEnd: line.count)
      LineReport.append(placed, as: format, colour: colour, to: &output.words)
    }
  }
}

enum FilterRun {
  /// Lines of standard input, the good ones to standard output.
  static func run(_ arguments: Arguments, words: [String]) throws -> Status {
    var configurations = Configurations(arguments, words: words, isFilter: true)
    let setup = try configurations.setup(for: nil)
    let format = ReportFormat(rawValue: arguments[Validate.format] ?? "text") ?? .text
    if format == .sarif || format == .junit || arguments.has(Validate.explainSize) {
      let option = arguments.has(Validate.explainSize) ? "--explain-size" : "--format \(format.rawValue)"
      throw Failure("\(option) needs a FILE; '-' is standard input read as a file")
    }
    let asked = arguments.isGiven(CommonOptions.progress) ? arguments[CommonOptions.progress] : nil
    let loop = LineLoop(
      tool: Validate.command.name, lineLimit: arguments[CommonOptions.maxLine] ?? 1_048_576,
      jobs: arguments[CommonOptions.jobs] ?? 1, progress: Progress.isWanted(asked: asked))
    let counts = Monitor(Counts())
    let (isQuiet, fixes) = (arguments.has(Validate.quiet), arguments.has(Validate.fix))
    let input = try Tool.standardInput(Validate.command.name, "notification records or payloads")
    let tally = try loop.run(from: input) {
      ValidateFilter(setup, format: format, isQuiet: isQuiet, fixes: fixes, counts: counts)
    }
    var total = counts.change { $0 }
    total.records = tally.records
    if !isQuiet, total.errors + total.warnings + total.notes + total.fixes + tally.faults > 0 {
      Tool.say("\(Validate.command.name): \(total.summary); \(tally.faults) held back")
    }
    return tally.status
  }
}
