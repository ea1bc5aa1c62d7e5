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
  private var memory = RunMemory()
  private var findings = FoundList()

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
    // What cannot be read, or not be mended, is said before anything is done.
    for file in all { try examine(path: file) }
    let files = all.filter { !configurations.isConfiguration($0) }
    for file in all where configurations.isConfiguration(file) { try pass(over: file) }
    for file in files { try check(file) }
    if !isQuiet {
      switch format {
      case .sarif: SARIF.write(findings.kept, to: &findings.out)
      case .junit: JUnit.write(findings.kept, files: files.map(Self.shown), to: &findings.out)
      default: break
      }
    }
    try findings.flush()
    if findings.dropped > 0 {
      Tool.say(
        "\(Validate.command.name): \(findings.dropped) findings are not in the report, which holds the first "
          + "\(FoundList.keptLimit); --format json has them all")
    }
    if !isQuiet { Tool.say("\(Validate.command.name): \(findings.counts.summary)") }
    return findings.failures > 0 ? .findings : .ok
  }

  private func examine(path: String) throws {
    if path == "-" { return }
    let kind: File.Kind
    do throws(SystemError) {
      kind = try File.kind(path)
    } catch {
      throw Failure("cannot read \(path): \(error.isMissingFile ? "no such file" : error.message)")
    }
    if fixes, kind != .regular {
      throw Failure("--fix: \(path) is no regular file and cannot be rewritten; without --fix it is checked")
    }
  }

  /// A configuration beside the payloads, as a shell's pattern or a commit brings it along. It must be in order.
  private mutating func pass(over file: String) throws {
    _ = try configurations.setup(for: file)
    if !isQuiet { Tool.say("\(Validate.command.name): \(file) is a configuration, not a payload") }
  }

  private static func shown(_ file: String) -> String { file == "-" ? "<stdin>" : file }

  private mutating func check(_ file: String) throws {
    let setup = try configurations.setup(for: file == "-" ? nil : file)
    findings.counts.files += 1
    if fixes { return try mend(file, setup) }
    let input = try open(file)
    var pieces = Pieces(isLines: isLines(file))
    repeat {
      do throws(SystemError) {
        try pieces.next(input)
      } catch {
        if pieces.isTooLong { throw Failure("cannot check \(Self.shown(file)): \(Self.tooLong)") }
        throw Failure("cannot read \(file): \(error.message)")
      }
      // An empty file is looked at, too; the nothing behind the last piece of a large one is not.
      if pieces.bytes.isEmpty, pieces.offset > 0 { break }
      try examine(pieces, file, form(file, setup), setup)
      try findings.flush()
    } while !pieces.isFinished
  }

  private static let tooLong =
    "a document in it has more than \(Pieces.documentLimit >> 20) MiB, or it is no JSON at all"

  private func form(_ file: String, _ setup: Setup) -> Form? {
    setup.form ?? (file.lowercased().hasSuffix(".apns") ? .apns : nil)
  }

  /// A file that is to be mended is read whole.
  private mutating func mend(_ file: String, _ setup: Setup) throws {
    var bytes: [UInt8]
    let input = try open(file)
    if let length = input.regularFileLength, length > Self.wholeLimit {
      throw Failure("cannot mend \(file): \(Self.tooLarge)")
    }
    do throws(SystemError) {
      bytes = try File.read(input, limit: Self.wholeLimit)
    } catch {
      throw Failure("cannot mend \(file): \(error.isNoSpace ? Self.tooLarge : error.message)")
    }
    var mender = Validator(setup.rules, settings: setup.settings)
    let (mended, done) = mender.mendAll(bytes, as: form(file, setup))
    if !done.isEmpty {
      if file == "-" { throw Failure("--fix: standard input cannot be rewritten; leave out '-' to filter") }
      try rewrite(file, mended)
      bytes = mended
      findings.counts.fixes += done.count
      for fix in done where format == .text && !isQuiet {
        findings.out.append(contentsOf: "\(file):\(fix.line): fixed: \(fix.words) [\(fix.rule)]\n".utf8)
      }
    }
    try examine(Pieces(whole: bytes), file, form(file, setup), setup)
    if findings.out.count > 65_536 { try findings.flush() }
  }

  private static let tooLarge =
    "--fix takes files of at most \(wholeLimit >> 20) MiB; lines of any number are mended without FILE, as a filter"
  private static let wholeLimit = 16 << 20

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

  private mutating func examine(_ piece: Pieces, _ file: String, _ form: Form?, _ setup: Setup) throws {
    let name = Self.shown(file)
    let lineBase = piece.lineBase
    var check = TextCheck(
      name: name, form: form, isLines: isLines(file), validator: Validator(setup.rules, settings: setup.settings),
      lineBase: lineBase)
    var sizes: [UInt8] = []
    let (explains, format) = (explainsSize, format)
    let bytes = piece.bytes
    var report = FindingReport(
      name: name, lineBase: lineBase, offsetBase: piece.offset, format: isQuiet ? nil : format, colour: colour)
    var sizeLines = LineIndex()
    // The list is borrowed out, so that both closures and the check may have what they change.
    var (list, memory) = (FoundList(), RunMemory(room: 0))
    swap(&list, &findings)
    swap(&memory, &self.memory)
    defer {
      swap(&list, &findings)
      swap(&memory, &self.memory)
    }
    check.run(
      bytes.span, memory: &memory,
      visit: { document, form in
        guard explains else { return }
        let line = lineBase + sizeLines.place(document.start(0), document.bytes).line
        SizeReport(document, form, setup.settings).append(file: name, line: line, asJSON: format == .json, to: &sizes)
      },
      found: { report.take($0, bytes.span, setup, into: &list) })
    list.counts.records += check.records
    list.out.append(contentsOf: sizes)
    if let error = list.failed { throw error }
  }

  private func rewrite(_ file: String, _ bytes: [UInt8]) throws {
    do throws(SystemError) {
      try File.replace(file, with: bytes.span)
    } catch {
      throw Failure("cannot write \(file), which is as it was: \(error.message)", status: .stopped)
    }
  }
}
