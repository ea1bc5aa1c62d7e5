// Command.faults: each mistake in a set of declarations is found.
import Options
import Testing

@Suite struct FaultTests {
  /// The sample with one thing changed.
  func faults(_ change: (inout Command) -> Void) -> [String] {
    var command = Sample.command
    change(&command)
    return command.faults()
  }

  /// The sample with one more option.
  func faults(with options: any Declared...) -> [String] {
    faults { $0.groups.append(OptionGroup("Added", options)) }
  }

  @Test func theSamplesHaveNone() {
    #expect(Sample.command.faults() == [])
    #expect(Runner.command.faults() == [])
  }

  @Test(arguments: ["", "x", "Name", "two words", "-x", "double--dash", "dash-", "under_score", "é", "no-good", "1st"])
  func aNameIsWellFormed(name: String) {
    #expect(faults(with: Option.flag(name, "summary", "Details.")).count >= 1)
  }

  @Test func namesLettersAndVariablesAreUnique() {
    #expect(faults(with: Option.flag("topic", "summary", "Details.")) == ["--topic is declared twice"])
    #expect(faults(with: Option.flag("help", "summary", "Details.")) == ["--help is declared twice"])
    #expect(faults(with: Option.flag("generate-page", "summary", "Details.")) == ["--generate-page is declared twice"])
    #expect(faults(with: Option.flag("other", short: "h", "summary", "Details.")) == ["-h is declared twice"])
    let variable = Option.flag("other", "summary", "Details.", environment: "SAMPLE_TOPIC")
    #expect(faults(with: variable) == ["the variable SAMPLE_TOPIC is declared twice"])
  }

  @Test func anOptionHasItsWords() {
    #expect(faults(with: Option.flag("other", "summary")) == ["--other: there is no paragraph for the manual"])
    #expect(faults(with: Option.flag("other", "", "Details.")) == ["--other: there is no summary"])
    #expect(faults(with: Option.flag("other", "summary.", "Details.")).count == 1)
    #expect(faults(with: Option.flag("other", "A summary", "Details.") as any Declared).count == 1)
    #expect(faults(with: Option.flag("other", "The summary", "Details.")).count == 1)
    #expect(faults(with: Option.flag("other", "TCP port", "Details.")) == [])
    #expect(faults(with: Option.text("other", value: "", "summary", "Details.")).count == 1)
    #expect(faults(with: Option.text("other", value: "value", "summary", "Details.")).count == 1)
    #expect(faults(with: Option.flag("other", short: "é", "summary", "Details.")).count == 1)
    #expect(faults(with: Option.flag("other", "summary", "Details.", environment: "no-name")).count == 1)
  }

  @Test func choicesAndDefaultsFit() {
    let twice = Option.choice("other", value: "X", [("a", "b"), ("a", "c")], "summary", "Details.")
    #expect(faults(with: twice) == ["--other: the choice 'a' comes twice"])
    #expect(faults(with: Option.choice("other", value: "X", [("a b", "c")], "summary", "Details.")).count == 1)
    #expect(faults(with: Option.choice("other", value: "X", [("a", "")], "summary", "Details.")).count == 1)
    let outside = Option.choice("other", value: "X", [("a", "b")], "summary", "Details.", default: "c")
    #expect(faults(with: outside).count == 1)
    #expect(
      faults(with: Option.integer("other", value: "N", "summary", "Details.", range: 1...2, default: 3)).count == 1)
    let dotted = Option.text("other", value: "F", "summary", "Details.", completion: .filesEnding([".p8"]))
    #expect(faults(with: dotted).count == 1)
  }

  @Test(arguments: [
    "See --topci.", "See (--topci), or else.", "See `--topci=x`.", "See `sample-push --topci x | jq`.",
    "--topci's value.",
    "- a list\n- with --topci", "    sample-push --topci",
  ])
  func aReferenceIsToAnOptionThatExists(text: String) {
    let fault = "names --topci, which is no option; did you mean --topic?"
    #expect(faults(with: Option.flag("other", "summary", text)) == ["--other \(fault)"])
    #expect(faults { $0.description.append(text) } == ["the description \(fault)"])
    #expect(faults { $0.sections = [Section("More", [text])] } == ["the chapter 'More' \(fault)"])
    #expect(faults { $0.files = [("x", text)] } == ["the file x \(fault)"])
  }

  @Test(arguments: [
    "See --topic, --no-verify, -t, --help and --topic=X.", "Like `jq --compact-output`.", "A -- and a - and a---b.",
    "`printf x | jq -c --slurp`", "From -5 to --5.",
  ])
  func otherDashesAreNoReferences(text: String) {
    #expect(faults(with: Option.flag("other", "summary", text)) == [])
  }

  @Test func backquotesComeInPairs() {
    for text in ["A `loose one.", "`a`/`b`", "- `a\n- b", "``"] {
      #expect(faults(with: Option.flag("other", "summary", text)).count == 1, "\(text)")
    }
    for text in ["(`a b`), `c`.", "    `date", "`x`"] {
      #expect(faults(with: Option.flag("other", "summary", text)) == [], "\(text)")
    }
  }

  @Test func theUsageNamesOptionsThatExist() {
    #expect(faults { $0.usage = ["[options] [--topci=TOPIC] --"] } == ["the usage names --topci, which is no option"])
    #expect(faults { $0.usage = ["[-t TOPIC] [--topic=TOPIC] -- [FILE...]"] } == [])
  }

  @Test func theCommandHasItsWords() {
    #expect(faults { $0.name = "Sample" }.contains { $0.contains("'Sample'") })
    #expect(faults { $0.version = "" } == ["there is no version"])
    for date in ["", "2026", "2026-13-01", "30.11.2026", "2026-1-1"] { #expect(faults { $0.date = date }.count == 1) }
    #expect(faults { $0.summary = "Sends." }.count == 2)
    #expect(faults { $0.description = [] } == ["there is no description"])
    #expect(faults { $0.exitStatuses = [] } == ["there are no exit statuses"])
    #expect(faults { $0.examples = [] } == ["there are no examples"])
    #expect(faults { $0.seeAlso = ["sample-push(1)"] }.count == 1)
    #expect(faults { $0.groups.append(OptionGroup("Empty", [])) }.count == 1)
    #expect(faults { $0.operand = Operand("file", "what is read") }.count >= 1)
  }

  @Test(arguments: [
    ("sample-push --topci x", 1), ("cat x | sample-push --jobs 65", 1), ("sample-push x --topic", 1),
    ("sample-push -j many > out.txt", 1), ("jq . x", 1), ("sample-push 'unclosed --topci", 0),
    ("sample-push -j \"$JOBS\" # --topci", 0), ("A=b sample-push --topic='--topci' && jq --slurp x", 0),
    ("sample-push \\\n  -k <(vault --topci) \\\n  --quiet 2> x", 0), ("for x in 1; do sample-push; done", 1),
    ("sample-push < x > y; sample-push --topci", 1), ("sample-push -k $(vault read key) -q", 0),
    ("(sample-push --quiet)", 0), ("sample-push\tx\n\nsample-push --topci", 1),
  ])
  func anExampleCanBeTyped(command: String, count: Int) {
    #expect(faults { $0.examples = [(command, "Show it")] }.count == count)
  }
}
