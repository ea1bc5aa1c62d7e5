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
    if fixes {
      var fixing = FileFix(name: Self.shown(file), form: setup.form, validator: validator)
      let mended = fixing.run(bytes)
      if !fixing.done.isEmpty {
        counts.fixes += fixing.done.count
        if format == .text, !isQuiet { for line in fixing.done { out.append(contentsOf: (line + "\n").utf8) } }
        if file == "-" { throw Failure("--fix: standard input cannot be rewritten; leave out '-' to filter") }
        try rewrite(file, mended)
        bytes = mended
      }
    }
    examine(bytes, file, setup, validator)
    if out.count > 65_536 { try flush() }
  }

  private mutating func examine(_ bytes: [UInt8], _ file: String, _ setup: Setup, _ validator: Validator) {
    var check = FileCheck(name: Self.shown(file), setup: setup, validator: validator)
    var found: [Placed] = []
    var sizes: [UInt8] = []
    let name = Self.shown(file)
    let (explains, format) = (explainsSize, format)
    check.run(
      bytes.span, memory: &memory,
      visit: { document, form, start in
        guard explains else { return }
        let line = position(of: document.start(0), in: document.bytes).line
        SizeReport(document, form, setup.settings).append(file: name, line: line, asJSON: format == .json, to: &sizes)
      },
      found: { found.append($0) })
    counts.records += check.records
    for placed in found {
      counts.count(placed.finding.severity)
      if placed.finding.severity >= setup.failOn { failures += 1 }
      guard !isQuiet else { continue }
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

/// Mends a file, document by document.
struct FileFix {
  let name: String
  let form: Form?
  var validator: Validator
  /// What was done, in words.
  private(set) var done: [String] = []

  init(name: String, form: Form?, validator: Validator) {
    self.name = name
    self.form = form
    self.validator = validator
  }

  mutating func run(_ bytes: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    var place = 0
    var reader = Reader()
    let form = form ?? (name.hasSuffix(".apns") ? .apns : nil)
    while place < bytes.count {
      guard let end = try? reader.readPrefix(bytes.span, from: place) else {
        // What cannot be read stays; the next line may be better.
        let line = bytes.span.firstIndex(of: 0x0A, from: place).map { $0 + 1 } ?? bytes.count
        out.append(contentsOf: bytes[place..<line])
        place = line
        continue
      }
      let start = reader.tokens[0].start
      out.append(contentsOf: bytes[place..<start])
      let (mended, made) = validator.mend(Array(bytes[start..<end]), as: form)
      let line = position(of: start, in: bytes.span).line
      for (rule, words) in made { done.append("\(name):\(line): fixed: \(words) [\(rule)]") }
      out.append(contentsOf: mended)
      place = end
    }
    return out
  }
}
