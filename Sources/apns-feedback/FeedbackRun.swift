// The run: results are read to their end, or a service is asked, the registry spares, then the list is written.

import APNs
import Builder
import Filter
import JSON
import Options
import POSIX
import Spelling

struct FeedbackRun {
  private let arguments: Arguments
  private let name = FeedbackCommand.command.name
  private var faults = 0

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    try ServiceOptions.check(arguments)
    let needsAll = [FeedbackOptions.registry, FeedbackOptions.prune].first { arguments.isGiven($0) }
    if let needsAll, !arguments.has(FeedbackOptions.unique) {
      throw FeedbackCommand.command.usageError(
        "--no-unique and --\(needsAll.declaration.name) exclude each other: it needs to know all tokens first")
    }
    let hasList = arguments.isGiven(FeedbackOptions.prune) || arguments.isGiven(FeedbackOptions.registry)
    if arguments.isGiven(FeedbackOptions.delimiter), !hasList {
      throw FeedbackCommand.command.usageError("--delimiter goes with --prune or --registry", subject: "--delimiter")
    }
    for reason in arguments.all(FeedbackOptions.reason) where Reason.named(reason) == nil {
      guard let near = closest(to: reason, among: Reason.all.map(\.name)) else { continue }
      throw FeedbackCommand.command.usageError("--reason: APNs has no reason '\(reason)'; did you mean '\(near)'?")
    }
  }

  mutating func status() throws -> Status {
    let inputs = try arguments.has(ServiceOptions.service) ? [] : self.inputs()
    // What cannot be opened is said before anything is read.
    let registry = try arguments[FeedbackOptions.registry].map { path throws(Failure) in
      try list(path, time: arguments[FeedbackOptions.timeField])
    }
    let prune = try arguments[FeedbackOptions.prune].map { path throws(Failure) in try list(path, time: nil) }
    try checkDistinct(inputs)
    if arguments.has(ServiceOptions.service) {
      var query = try ServiceQuery(arguments, gathers: registry != nil || prune != nil)
      try query.go()
      faults += query.faults
      if query.gathers { try write(query.dead, registry, prune) }
      return query.isOutOfReach ? .stopped : faults == 0 ? .ok : .findings
    }
    let gathered = arguments.has(FeedbackOptions.unique) ? Monitor(DeadTokens()) : nil
    let tally = try read(inputs, into: gathered)
    faults += tally.faults
    guard let gathered else { return tally.status }
    try write(gathered.change { $0 }, registry, prune)
    return faults == 0 ? .ok : .findings
  }

  private mutating func write(_ dead: DeadTokens, _ registry: DeviceList?, _ prune: DeviceList?) throws {
    var dead = dead
    if let registry, !dead.isEmpty { try spare(&dead, registry) }
    if let prune { try write(prune, without: dead) } else { try write(dead) }
  }

  private func list(_ path: String, time: String?) throws(Failure) -> DeviceList {
    if path == "-" { throw Failure("'-' is not taken for a list: it is for results") }
    return try DeviceList(
      path, tokenField: arguments[FeedbackOptions.tokenField] ?? "token", timeField: time,
      delimiter: arguments[FeedbackOptions.delimiter])
  }

  /// Where results come from: all are opened before the first is read.
  private func inputs() throws -> [(path: String, file: Descriptor)] {
    let paths = arguments.operands.isEmpty ? ["-"] : arguments.operands
    return try paths.map { path in
      if path == "-" { return (path, try Tool.standardInput(name, "results")) }
      // A folder can be opened; it fails only when it is read.
      if File.isDirectory(path) { throw Failure("cannot read \(path): it is a folder") }
      do throws(SystemError) { return (path, try File.open(path)) } catch {
        throw Failure("cannot read \(path): \(error.message)")
      }
    }
  }

  /// Refuses to write into what is read. A file that the shell has emptied already is lost, but no status says that all
  /// is well with it.
  private func checkDistinct(_ inputs: [(path: String, file: Descriptor)]) throws {
    let lists = [FeedbackOptions.prune, FeedbackOptions.registry].compactMap { option in
      arguments[option].flatMap { File.identity($0) }.map { ("--\(option.declaration.name)", $0) }
    }
    let results = inputs.compactMap { input in
      input.file.identity.map { (input.path == "-" ? "standard input" : input.path, $0) }
    }
    if let output = Descriptor.standardOutput.identity,
      let (role, _) = (results + lists).first(where: { $0.1 == output })
    {
      throw Failure(
        "\(role) and standard output are the same file; write to another one, and rename it when all is well")
    }
    for (name, result) in results {
      guard let (role, _) = lists.first(where: { $0.1 == result }) else { continue }
      throw Failure("\(name) and \(role) are the same file: one holds results, the other devices")
    }
  }

  private mutating func read(
    _ inputs: [(path: String, file: Descriptor)], into gathered: Monitor<DeadTokens>?
  ) throws(SystemError) -> Tally {
    let asked = arguments.isGiven(CommonOptions.progress) ? arguments[CommonOptions.progress] : nil
    let reasons = Set(arguments.all(FeedbackOptions.reason))
    var sum = Tally()
    for (order, input) in inputs.enumerated() {
      let source = inputs.count > 1 ? "\(name): \(input.path)" : name
      let loop = LineLoop(
        tool: source, lineLimit: arguments[CommonOptions.maxLine] ?? 1_048_576,
        jobs: arguments[CommonOptions.jobs] ?? 1,
        progress: Progress.isWanted(asked: asked))
      let remarks = Remarks()
      let tally = try loop.run(from: input.file) {
        FeedbackFilter(reasons: reasons, gathered: gathered, remarks: remarks, source: source, order: order)
      }
      remarks.finish(source)
      sum.records += tally.records
      sum.faults += tally.faults
    }
    return sum
  }

  private mutating func spare(_ dead: inout DeadTokens, _ registry: DeviceList) throws {
    var registry = registry
    let path = arguments[FeedbackOptions.registry] ?? ""
    let remarks = Remarks()
    defer { remarks.finish("\(name): \(path)") }
    try registry.visit { _, entry in
      if let fault = entry.fault { say(remarks, path, entry.number, fault) }
      if let time = entry.time { dead.spare(entry.token.span, registered: time) }
    }
  }

  private mutating func write(_ list: DeviceList, without dead: DeadTokens) throws {
    var list = list
    let path = arguments[FeedbackOptions.prune] ?? ""
    let remarks = Remarks()
    defer { remarks.finish("\(name): \(path)") }
    var out: [UInt8] = []
    try list.visit { raw, entry in
      if let fault = entry.fault { say(remarks, path, entry.number, fault) }
      if !entry.token.isEmpty, dead.contains(entry.token.span) { return }
      out.append(raw)
      try flush(&out, above: 131_072)
    }
    try flush(&out, above: 0)
  }

  private func write(_ dead: DeadTokens) throws {
    var out: [UInt8] = []
    try dead.visit { record in
      out.append(record)
      try flush(&out, above: 131_072)
    }
    try flush(&out, above: 0)
  }

  private func flush(_ out: inout [UInt8], above size: Int) throws {
    guard out.count > size else { return }
    try Descriptor.standardOutput.writeAll(out.span)
    out.removeAll(keepingCapacity: true)
  }

  private mutating func say(_ remarks: Remarks, _ path: String, _ line: Int, _ message: String) {
    faults += 1
    if remarks.takes() { Tool.say("\(name): \(path): line \(line): \(message)") }
  }
}
