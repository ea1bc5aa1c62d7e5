// Command: everything a tool says about itself, in one value.

/// Options under one heading.
public struct OptionGroup: Sendable {
  /// The heading, such as "Credentials".
  public var title: String
  /// The options in the order of the pages.
  public var options: [any Declared]

  /// - Parameter title: the heading.
  /// - Parameter options: the options in the order of the pages.
  public init(_ title: String, _ options: [any Declared]) {
    self.title = title
    self.options = options
  }
}

/// What stands on the command line besides options.
public struct Operand: Sendable {
  /// The word for it, in capitals.
  public var word: String
  /// One line, lower case, no period.
  public var summary: String
  /// Whether any number of them may come.
  public var repeats: Bool
  /// Whether at least one must come.
  public var isRequired: Bool
  /// What a shell offers.
  public var completion: Completion

  /// - Parameter word: the word for it, in capitals, such as "FILE".
  /// - Parameter summary: one line, lower case, no period.
  /// - Parameter repeats: whether any number may come; otherwise one.
  /// - Parameter isRequired: whether at least one must come.
  /// - Parameter completion: what a shell offers.
  public init(
    _ word: String, _ summary: String, repeats: Bool = false, isRequired: Bool = false, completion: Completion = .none
  ) {
    self.word = word
    self.summary = summary
    self.repeats = repeats
    self.isRequired = isRequired
    self.completion = completion
  }
}

/// A chapter of the manual beyond the usual ones, behind the options.
public struct Section: Sendable {
  /// The heading; shown in capitals.
  public var title: String
  /// Paragraphs, as in `Command.description`.
  public var paragraphs: [String]

  /// - Parameter title: the heading.
  /// - Parameter paragraphs: paragraphs, as in `Command.description`.
  public init(_ title: String, _ paragraphs: [String]) {
    self.title = title
    self.paragraphs = paragraphs
  }
}

/// A command: its options and its words. Parsing, help, manual and completions are all made from this value.
///
/// Prose (description, details, sections) is plain text: `--name` names an option of this command, backquotes hold words to
/// type, `name(1)` names a manual. A paragraph whose lines all start with four spaces is shown as it stands; one whose
/// lines start with "- " is a list.
public struct Command: Sendable {
  /// The command's name.
  public var name: String
  /// The suite's version, such as "0.1.0".
  public var version: String
  /// The day of the version, such as "2026-11-30": the manual's date.
  public var date: String
  /// What it does in one line: small first letter, no period.
  public var summary: String
  /// Paragraphs of the manual; the help shows the first, and the second where that is shown as it stands.
  public var description: [String]
  /// What stands behind the name, one line for each way to call it; made from the operand when empty.
  public var usage: [String]
  /// What stands on the command line besides options; nil when nothing may.
  public var operand: Operand?
  /// Options by heading.
  public var groups: [OptionGroup]
  /// Further chapters of the manual.
  public var sections: [Section]
  /// Variables that belong to no option; those of options come by themselves.
  public var environment: [(name: String, meaning: String)]
  /// Files the command reads or writes without being told.
  public var files: [(path: String, meaning: String)]
  /// Exit statuses and their meanings.
  public var exitStatuses: [(status: String, meaning: String)]
  /// Commands to type and what each does.
  public var examples: [(command: String, purpose: String)]
  /// Related manuals: "apns-build" or "jq(1)".
  public var seeAlso: [String]

  /// All parameters are described at the properties of the same names.
  public init(
    name: String, version: String, date: String, summary: String, description: [String], usage: [String] = [],
    operand: Operand? = nil, groups: [OptionGroup], sections: [Section] = [],
    environment: [(name: String, meaning: String)] = [], files: [(path: String, meaning: String)] = [],
    exitStatuses: [(status: String, meaning: String)], examples: [(command: String, purpose: String)],
    seeAlso: [String] = []
  ) {
    self.name = name
    self.version = version
    self.date = date
    self.summary = summary
    self.description = description
    self.usage = usage
    self.operand = operand
    self.groups = groups
    self.sections = sections
    self.environment = environment
    self.files = files
    self.exitStatuses = exitStatuses
    self.examples = examples
    self.seeAlso = seeAlso
  }
}

extension Command {
  /// `--help`, which every command has.
  static let help = Option.flag(
    "help", short: "h", "print this help and exit", "This manual says more of each option.")
  /// `--version`, which every command has.
  static let version = Option.flag(
    "version", short: "V", "print the version and exit", "One line: the name of the command, a space, the version.")
  /// `--generate-page`, which no page shows: the way the checked-in pages are made.
  static let generatePage = Option.choice(
    "generate-page", value: "PAGE", Page.allCases.map { (word: $0.rawValue, meaning: "") }, "print a generated page")

  /// The groups with the options every command has at the end.
  var allGroups: [OptionGroup] { groups + [OptionGroup("General", [Command.help, Command.version])] }

  /// Every option the pages show, in their order.
  public var declarations: [Declaration] { allGroups.flatMap { $0.options.map(\.declaration) } }

  /// Usage lines without the command's name.
  var usageLines: [String] {
    if !usage.isEmpty { return usage }
    guard let operand else { return ["[options]"] }
    let word = operand.word + (operand.repeats ? "..." : "")
    return ["[options] " + (operand.isRequired ? word : "[\(word)]")]
  }
}
