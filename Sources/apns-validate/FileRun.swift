// The run over FILE operands: every file, the report, the summary, the exit status.

import Filter
import JSON
import Options
import POSIX
import Rules

struct FileRun {
  private let arguments: Arguments
  private let format: ReportFormat
  private let isQuiet: Bool
  private let fixes: Bool
  private let explainsSize: Bool
  private let colour: Bool
  private var configurations: Configurations
  private var counts = Counts()
  private var failures = 0
  private var memory = RunMemory()
  private var kept: [Placed] = []
  private var out: [UInt8] = []

  init(_ arguments: Arguments, words: [String]) throws {
    configurations = Configurations(arguments, words: words, isFilter: false)
    self.arguments = try configurations.arguments(arguments)
    format = ReportFormat(rawValue: self.arguments[Validate.format] ?? "text") ?? .text
    isQuiet = self.arguments.has(Validate.quiet)
    fixes = arguments.has(Validate.fix)
    explainsSize = arguments.has(Validate.explainSize)
    colour = Tool.colour(on: .standardOutput)
  }

  mutating func run() throws -> Status {
    let files = try FileList.expand(arguments.operands, recursive: arguments.has(Validate.recursive))
    // What cannot be read is said before anything is done.
    for file in files where file != "-" && !File.exists(file) { throw Failure("cannot read \(file): no such file") }
    for file in files { try check(file) }
    if !isQuiet {
      switch format {
      case .sarif: SARIF.write(kept, to: &out)
      case .junit: JUnit.write(kept, files: files.map(Self.shown), failOn: try failOn(), to: &out)
      default: break
      }
    }
    try flush()
    if !isQuiet { Tool.say("\(Validate.command.name): \(counts.summary)") }
    return failures > 0 ? .findings : .ok
  }

  private mutating func failOn() throws -> Severity { try configurations.setup(for: nil).failOn }

  private static func shown(_ file: String) -> String { file == "-" ? "<stdin>" : file }

  private mutating func check(_ file: String) throws {
    let setup = try configurations.setup(for: file == "-" ? nil : file)
    var bytes: [UInt8]
    do throws(SystemError) {
      bytes = try File.read(file, limit: Int(UInt32.max))
    } catch {
      throw Failure("cannot read \(file): \(error.message)")
    }
    counts.files += 1
    let validator = Validator(setup.rules, settings: setup.settings)
    let form = setup.form ?? (file.hasSuffix(".apns") ? .apns : nil)
    if fixes {
      var mender = validator
      let (mended, done) = mender.mendAll(bytes, as: form)
      if !done.isEmpty {
        if file == "-" { throw Failure("--fix: standard input cannot be rewritten; leave out '-' to filter") }
        try rewrite(file, mended)
        bytes = mended
        counts.fixes += done.count
        for fix in done where format == .text && !isQuiet {
          out.append(contentsOf: "\(file):\(fix.line): fixed: \(fix.words) [\(fix.rule)]\n".utf8)
        }
      }
    }
    examine(bytes, file, form, setup, validator)
    if out.count > 65_536 { try flush() }
  }

  private mutating func examine(_ bytes: [UInt8], _ file: String, _ form: Form?, _ setup: Setup, _ validator: Validator)
  {
    let name = Self.shown(file)
    let isLines = file.hasSuffix(".ndjson") || file.hasSuffix(".jsonl")
    var check = TextCheck(name: name, form: form, isLines: isLines, validator: validator)
    var found: [Finding] = []
    var sizes: [UInt8] = []
    let (explains, format) = (explainsSize, format)
    var lines = LineIndex()
    check.run(
      bytes.span, memory: &memory,
      visit: { document, form in
        guard explains else { return }
        let line = lines.place(document.start(0), document.bytes).line
        SizeReport(document, form, setup.settings).append(file: name, line: line, asJSON: format == .json, to: &sizes)
      },
      found: { found.append($0) })
    counts.records += check.records
    for finding in found where finding.severity >= setup.shown {
      counts.count(finding.severity)
      if finding.severity >= setup.failOn { failures += 1 }
      guard !isQuiet else { continue }
      let place = lines.place(min(finding.offset, bytes.count), bytes.span)
      let placed = Placed(
        finding, file: name, line: place.line, bytes: bytes.span, lineStart: place.start, lineEnd: place.end)
      switch format {
      case .sarif, .junit: kept.append(placed)
      default: LineReport.append(placed, as: format, colour: colour, to: &out)
      }
    }
    out.append(contentsOf: sizes)
  }

  private func rewrite(_ file: String, _ bytes: [UInt8]) throws {
    do throws(SystemError) {
      // In place: the file keeps its owner, mode and links.
      try File.create(file).writeAll(bytes.span)
    } catch {
      throw Failure("cannot write \(file): \(error.message)", status: error.isNoSpace ? .stopped : .usage)
    }
  }

  private mutating func flush() throws {
    try Descriptor.standardOutput.writeAll(out.span)
    out.removeAll(keepingCapacity: true)
  }
}
