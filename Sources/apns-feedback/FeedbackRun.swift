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
    // What cannot be opened is said before anything is read.
    let registry = try arguments[FeedbackOptions.registry].map { path throws(Failure) in
      try list(path, time: arguments[FeedbackOptions.timeField])
    }
    let prune = try arguments[FeedbackOptions.prune].map { path throws(Failure) in try list(path, time: nil) }
    if arguments.has(ServiceOptions.service) {
      var query = try ServiceQuery(arguments, gathers: registry != nil || prune != nil)
      try query.go()
      faults += query.faults
      if query.gathers { try write(query.dead, registry, prune) }
      return query.isOutOfReach ? .stopped : faults == 0 ? .ok : .findings
    }
    let gathered = arguments.has(FeedbackOptions.unique) ? Monitor(DeadTokens()) : nil
    let tally = try read(into: gathered)
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
    if path == "-" { throw Failure("'-' is not taken for a list: results come from standard input") }
    return try DeviceList(
      path, tokenField: arguments[FeedbackOptions.tokenField] ?? "token", timeField: time,
      delimiter: arguments[FeedbackOptions.delimiter])
  }

  private func read(into gathered: Monitor<DeadTokens>?) throws -> Tally {
    let asked = arguments.isGiven(CommonOptions.progress) ? arguments[CommonOptions.progress] : nil
    let loop = LineLoop(
      tool: name, lineLimit: arguments[CommonOptions.maxLine] ?? 1_048_576, jobs: arguments[CommonOptions.jobs] ?? 1,
      progress: Progress.isWanted(asked: asked))
    let reasons = Set(arguments.all(FeedbackOptions.reason))
    let input = try Tool.standardInput(name, "results")
    return try loop.run(from: input) { FeedbackFilter(reasons: reasons, gathered: gathered) }
  }

  private mutating func spare(_ dead: inout DeadTokens, _ registry: DeviceList) throws {
    var registry = registry
    let path = arguments[FeedbackOptions.registry] ?? ""
    try registry.visit { _, entry in
      if let fault = entry.fault { say(path, entry.number, fault) }
      if let time = entry.time { dead.spare(entry.token.span, registered: time) }
    }
  }

  private mutating func write(_ list: DeviceList, without dead: DeadTokens) throws {
    var list = list
    let path = arguments[FeedbackOptions.prune] ?? ""
    var out: [UInt8] = []
    try list.visit { raw, entry in
      if let fault = entry.fault { say(path, entry.number, fault) }
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

  private mutating func say(_ path: String, _ line: Int, _ message: String) {
    faults += 1
    Tool.say("\(name): \(path): line \(line): \(message)")
  }
}
