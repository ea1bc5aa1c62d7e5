// From the command line to the exit status: what every tool does around its own work.

import Options
import POSIX

public enum Tool {
  /// Parses the command line, answers `--help`, `--version` and page requests, runs the body, ends the process.
  ///
  /// The body gets what was typed; what it throws is said on standard error. It must not print words elsewhere.
  public static func main(_ command: Command, _ body: (Arguments) throws -> Status) -> Never {
    Descriptor.holdStandardNumbers()
    Signals.ignoreBrokenPipe()
    exitProcess(run(command, Array(CommandLine.arguments.dropFirst()), body).rawValue)
  }

  static func run(
    _ command: Command, _ words: [String], _ body: (Arguments) throws -> Status
  ) -> Status {
    do {
      let arguments = try command.parse(words, environment: { Environment.value($0) })
      if let answer = arguments.answer(width: terminalWidth, colour: colour(on: .standardOutput)) {
        try Descriptor.standardOutput.writeAll(answer)
        return .ok
      }
      return try body(arguments)
    } catch let error as UsageError {
      say(error.description)
      return .usage
    } catch let failure as Failure {
      say("\(command.name): \(failure.message)")
      return failure.status
    } catch let error as SystemError {
      if error.isBrokenPipe { return .ok }
      say("\(command.name): \(error.description)")
      return .stopped
    } catch {
      say("\(command.name): \(error)")
      return .stopped
    }
  }

  /// Standard input, which must be readable. A person at a terminal is told that the tool waits for them.
  /// - Parameter records: what is read, such as "notification records".
  public static func standardInput(_ tool: String, _ records: String) throws(Failure) -> Descriptor {
    let input = Descriptor.standardInput
    if input.isDirectory { throw Failure("standard input is a folder") }
    if input.isTerminal { say("\(tool): reading \(records) from the terminal, up to Ctrl-D; --help says more") }
    return input
  }

  /// Writes lines to standard error, fit for a terminal. What cannot be said is not worth dying for.
  public static func say(_ text: String) {
    try? Descriptor.standardError.writeAll(
      text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).visible + "\n" }.joined())
  }

  /// Whether colour may be used: on a terminal, and `NO_COLOR` is not set (no-color.org).
  public static func colour(on descriptor: Descriptor) -> Bool {
    descriptor.isTerminal && (Environment.value("NO_COLOR") ?? "").isEmpty && Environment.value("TERM") != "dumb"
  }

  private static var terminalWidth: Int {
    guard let text = Environment.value("COLUMNS"), let width = Int(text), width >= 40 else { return 80 }
    return min(width, 100)
  }
}

/// Options that every line filter has.
public enum CommonOptions {
  /// A line of a record is seldom over 6 KiB; 1 MiB leaves room for everything that is not an accident.
  public static let maxLine = Option.integer(
    "max-line", value: "BYTES", "refuse longer input lines",
    "A longer line is reported and skipped; the run goes on. Bounds the memory the tool may use. Blank lines are passed "
      + "over; they count in the numbers of lines.",
    range: 64...1_073_741_824, default: 1_048_576)

  public static let jobs = Option.integer(
    "jobs", short: "j", value: "N", "work on N blocks of lines at a time",
    "Output keeps the order of the input. More than the number of processors is of no use.", range: 1...256,
    default: 1)

  public static let progress = Option.flag(
    "progress", "show progress on standard error",
    "On by default when standard error is a terminal and standard output is not; `--no-progress` turns it off.",
    negatable: true)
}
