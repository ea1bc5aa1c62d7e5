// The run: from the command line's own recipients, or from lines.

import Builder
import Filter
import Options
import POSIX

struct Run {
  let arguments: Arguments
  let plan: Plan
  let recipe: Recipe

  init(_ arguments: Arguments, _ plan: Plan) throws {
    self.arguments = arguments
    self.plan = plan
    recipe = try plan.recipe()
  }

  func status() throws -> Status {
    let tokens = arguments.all(BuildOptions.token)
    if arguments.has(BuildOptions.csv), arguments.has(BuildOptions.tsv) {
      throw BuildCommand.command.usageError("--csv and --tsv exclude each other")
    }
    if arguments.isGiven(BuildOptions.delimiter), !arguments.has(BuildOptions.csv) {
      throw BuildCommand.command.usageError("--delimiter goes with --csv")
    }
    if arguments.isGiven(BuildOptions.limit), arguments.isGiven(BuildOptions.sample) {
      throw BuildCommand.command.usageError("--limit and --sample exclude each other")
    }
    if isTable, recipe.payloadField != nil {
      throw BuildCommand.command.usageError("--payload-key wants JSON objects; a table has none")
    }
    if !tokens.isEmpty { return try single(recipe, tokens) }
    if !needsLines {
      if arguments.isGiven(BuildOptions.channel) { return try single(recipe, [""]) }
      switch recipe.form {
      case .simulator: return try alone()
      case .payload: if Descriptor.standardInput.isTerminal { return try alone() }
      default: break
      }
    }
    let count = try isTable ? rows() : lines()
    // Payloads are also wanted by people who have no recipients at hand.
    if count.records == 0, recipe.form == .payload, !needsLines { return try alone() }
    return count.status
  }

  /// Whether something in the notification comes from lines, besides the token.
  private var needsLines: Bool { recipe.program.hasHoles || recipe.payloadField != nil }

  private func alone() throws -> Status { try single(try plan.recipe(withRecipient: false), [""]) }

  private var isTable: Bool { arguments.has(BuildOptions.csv) || arguments.has(BuildOptions.tsv) }
  private var limit: Int { arguments[CommonOptions.maxLine] ?? 1_048_576 }

  private var jobs: Int {
    // Identifiers are counted, and two workers would count the same ones.
    if case .binary = recipe.form { return 1 }
    return arguments[CommonOptions.jobs] ?? 1
  }

  private var selection: Selection {
    Selection(
      skip: arguments[BuildOptions.skip] ?? 0, limit: arguments[BuildOptions.limit],
      sample: arguments[BuildOptions.sample], seed: arguments[BuildOptions.seed].map { UInt64($0) })
  }

  private var showsProgress: Bool {
    Progress.isWanted(
      asked: arguments.isGiven(CommonOptions.progress) ? arguments[CommonOptions.progress] : nil)
  }

  private func lines() throws -> Tally {
    if !selection.isAll {
      var picker = Picker(tool: recipe.tool, selection, limit: limit, LineBuilder(recipe))
      return try picker.run(lines: try Tool.standardInput(recipe.tool, "device tokens or records"))
    }
    let loop = LineLoop(tool: recipe.tool, lineLimit: limit, jobs: jobs, progress: showsProgress)
    let recipe = recipe
    let input = try Tool.standardInput(recipe.tool, "device tokens or records")
    return try loop.run(from: input) { LineBuilder(recipe) }
  }

  private func rows() throws -> Tally {
    let delimiter =
      arguments.has(BuildOptions.tsv) ? UInt8(ascii: "\t") : arguments[BuildOptions.delimiter] ?? UInt8(ascii: ",")
    let loop = RowLoop(tool: recipe.tool, delimiter: delimiter, limit: limit, jobs: jobs, progress: showsProgress)
    let table = try TableInput(Tool.standardInput(recipe.tool, "a table"), loop)
    if table.header.isEmpty { return Tally() }
    let layout = try TableLayout(table, recipe)
    if !selection.isAll {
      let builder = TableBuilder(recipe, layout, delimiter: delimiter)
      var picker = Picker(tool: recipe.tool, selection, limit: limit, builder)
      return try picker.run(rows: table, loop)
    }
    let recipe = recipe
    return try loop.run(table) { TableBuilder(recipe, layout, delimiter: delimiter) }
  }

  private func single(_ recipe: Recipe, _ tokens: [String]) throws -> Status {
    var builder = LineBuilder(recipe)
    var output = Output()
    for token in tokens {
      do throws(LineFault) {
        try builder.bare(token.utf8Span.span, into: &output)
      } catch {
        throw BuildCommand.command.usageError(error.message)
      }
    }
    try Descriptor.standardOutput.writeAll(output.records.span)
    return .ok
  }
}
