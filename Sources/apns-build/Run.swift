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
    if !tokens.isEmpty { return try single(recipe, tokens) }
    if !needsLines {
      if arguments.isGiven(BuildOptions.channel) { return try single(recipe, [""]) }
      switch recipe.form {
      case .simulator: return try alone()
      case .payload: if Descriptor.standardInput.isTerminal { return try alone() }
      default: break
      }
    }
    let tally = try lines()
    // Payloads are also wanted by people who have no recipients at hand.
    if tally.records == 0, recipe.form == .payload, !needsLines { return try alone() }
    return tally.status
  }

  /// Whether something in the notification comes from lines, besides the token.
  private var needsLines: Bool { recipe.program.hasHoles || recipe.payloadField != nil }

  private func alone() throws -> Status { try single(try plan.recipe(withRecipient: false), [""]) }

  private func lines() throws -> Tally {
    let asked = arguments.isGiven(CommonOptions.progress) ? arguments[CommonOptions.progress] : nil
    let loop = LineLoop(
      tool: recipe.tool, lineLimit: arguments[CommonOptions.maxLine] ?? 1_048_576,
      jobs: arguments[CommonOptions.jobs] ?? 1, progress: Progress.isWanted(asked: asked))
    let recipe = recipe
    return try loop.run { LineBuilder(recipe) }
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
