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

  init(_ arguments: Arguments, words: [String]) {
    configurations = Configurations(arguments, words: words, isFilter: false)
    self.arguments = arguments
    format = ReportFormat(rawValue: arguments[Validate.format] ?? "text") ?? .text
    isQuiet = arguments.has(Validate.quiet)
    fixes = arguments.has(Validate.fix)
    explainsSize = arguments.has(Validate.explainSize)
    colour = Tool.colour(on: .standardOutput)
  }

  mutating func run() throws -> Status {
    let all = try FileList.expand(arguments.operands, recursive: arguments.has(Validate.recursive))
    // What cannot be read is said before anything is done.
    for file in all where file != "-" && !File.exists(file) { throw Failure("cannot read \(file): no such file") }
    let files = all.filter { !configurations.isConfiguration($0) }
    for file in all where configurations.isConfiguration(file) { try pass(over: file) }
    for file in files { try check(file) }
    if !isQuiet {
      switch format {
      case .sarif: SARIF.write(kept, to: &out)
      case .junit: JUnit.write(kept, files: files.map(Self.shown), to: &out)
      default: break
      }
    }
    try flush()
    if !isQuiet { Tool.say("\(Validate.command.name): \(counts.summary)") }
    return failures > 0 ? .findings : .ok
  }

  /// A configuration beside the payloads, as a shell's pattern or a commit brings it along. It must be in order.
  private mutating func pass(over file: String) throws {
    _ = try configurations.setup(for: file)
    if !isQuiet { Tool.say("\(Validate.command.name): \(file) is a configuration, not a payload") }
  }

  private static func shown(_ file: String) -> String { file == "-" ? "<stdin>" : file }

  private mutating func check(_ file: String) throws {
    let setup = try configurations.setup(for: file == "-" ? nil : file)
    if try stream(file, setup) { return }
    var bytes: [UInt8]
    do throws(SystemError) {
      bytes = try File.read(file, limit: Int(UInt32.max))
    } catch {
      throw Failure("cannot read \(file): \(error.message)")
    }
    counts.files += 1
    let validator = Validator(setup.rules, settings: setup.settings)
    let form = setup.form ?? (file.lowercased().hasSuffix(".apns") ? .apns : nil)
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

  /// A large file of one document a line is taken piece by piece, so that memory does not grow with it. What was seen of
  /// identifiers and tokens is not kept then. Returns false when the file is to be read whole.
  private mutating func stream(_ file: String, _ setup: Setup) throws -> Bool {
    guard !fixes, !explainsSize, format != .sarif, format != .junit, isLines(file) else { return false }
    let input = try open(file)
    guard (input.regularFileLength ?? 0) > Self.wholeLimit else { return false }
    counts.files += 1
    var piece = Piece()
    while try piece.next(input) {
      let validator = Validator(setup.rules, settings: setup.settings)
      memory = RunMemory()
      examine(piece.lines, file, setup.form, setup, validator, lineBase: piece.firstLine, offsetBase: piece.offset)
      try flush()
    }
    return true
  }

  private static let wholeLimit = 8 << 20

  private func isLines(_ file: String) -> Bool {
    file.lowercased().hasSuffix(".ndjson") || file.lowercased().hasSuffix(".jsonl")
  }

  private func open(_ file: String) throws -> Descriptor {
    do throws(SystemError) {
      return try File.open(file)
    } catch {
      throw Failure("cannot read \(file): \(error.message)")
    }
  }

  private mutating func examine(
    _ bytes: [UInt8], _ file: String, _ form: Form?, _ setup: Setup, _ validator: Validator, lineBase: Int = 0,
    offsetBase: Int = 0
  ) {
    let name = Self.shown(file)
    var check = TextCheck(name: name, form: form, isLines: isLines(file), validator: validator)
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
      var placed = Placed(
        finding, file: name, line: lineBase + place.line, bytes: bytes.span, lineStart: place.start,
        lineEnd: place.end, offsetBase: offsetBase)
      placed.isFailure = finding.severity >= setup.failOn
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

/// Whole lines of a large file, some megabytes at a time.
private struct Piece {
  private(set) var lines: [UInt8] = []
  /// How many lines and bytes came before these.
  private(set) var firstLine = 0
  private(set) var offset = 0
  private var rest: [UInt8] = []

  mutating func next(_ input: Descriptor) throws -> Bool {
    firstLine += lines.span.occurrences(of: 0x0A)
    offset += lines.count
    lines = rest
    rest = []
    var end: Int?
    reading: while lines.count < 4 << 20 || end == nil {
      switch try input.read(into: &lines, limit: 262_144) {
      case .bytes: end = lines.span.lastIndex(of: 0x0A, before: lines.count)
      case .wouldBlock: _ = input.waitUntil(milliseconds: -1)
      case .end: return !lines.isEmpty
      }
    }
    if let end {
      rest = Array(lines[(end + 1)...])
      lines.removeSubrange((end + 1)...)
    }
    return true
  }
}
