// The manual page: mandoc reads it without a word, and what is marked is marked.
import Foundation
import Options
import Testing

@Suite struct ManualTests {
  static let commands = [Sample.command, Runner.command, Hostile.command, Attached.command]

  @Test(.enabled(if: Outside.has("mandoc")), arguments: commands)
  func mandocHasNothingToSay(command: Command) throws {
    try Outside.withDirectory { directory in
      let page = command.render(.manual)
      let lint = try Outside.run("mandoc", ["-Tlint", "-Wwarning"], input: page, in: directory)
      #expect(lint.output == "")
      #expect(lint.status == 0)
    }
  }

  @Test func chaptersComeInTheOrderOfMdoc() {
    let chapters = Sample.command.render(.manual).split(separator: "\n").filter { $0.hasPrefix(".Sh ") }
    #expect(
      chapters.map { $0.dropFirst(4) } == [
        "NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "RECORDS", "ENVIRONMENT", "FILES", "EXIT STATUS", "EXAMPLES",
        "SEE ALSO",
      ])
  }

  @Test func oneOptionReadsLikeThis() {
    #expect(
      Sample.command.render(.manual).contains(
        #"""
        .It Fl e Ar WHICH , Fl -environment Ns = Ns Ar WHICH
        Which of the two services is called.
        A token is known to one of the two services only.
        .Pp
        .Bl -tag -width Ds -compact
        .It Cm production
        Apps from the App Store: "the real one".
        .It Cm sandbox
        Builds from Xcode [and it's free].
        .El
        .Pp
        Default: sandbox.
        Environment:
        .Ev SAMPLE_ENVIRONMENT .
        """#))
  }

  @Test func proseIsMarkedByWhatItNames() {
    let page = Sample.command.render(.manual)
    #expect(page.contains("\nTwo kinds of lines are read, e.g. from\n.Ar FILE\nor from\n.Ql \"apns\\-build"))
    #expect(page.contains("\nempty lines, which are skipped (see\n.Fl -quiet ) .\n"))
    #expect(page.contains("\n.Ev SAMPLE_TOPIC ;\n.Nm\nnever guesses.\n"))
    #expect(page.contains("\n\\&.not a request\n"))
    #expect(page.contains(#"it\(aqs \eu0041"#))
    #expect(page.contains(#"\[u201C]Quotes\[u201D] \[u2013] and"#))
    #expect(page.contains("\n.Dd November 30, 2026\n.Dt SAMPLE-PUSH 1\n"))
    #expect(page.hasSuffix(".Xr apns-build 1 ,\n.Xr apns-validate 1 ,\n.Xr jq 1 ,\n.Xr mdoc 7\n"))
  }

  @Test func noSentenceEndsTwiceAndNoWordIsLeftWithoutMeaning() {
    let page = Attached.command.render(.manual)
    for line in page.split(separator: "\n") where !line.hasSuffix("...") { #expect(!line.hasSuffix(".."), "\(line)") }
    #expect(page.contains("\nIs it?\n") && page.contains("\nIt is not.\n") && page.contains("\nAll is well.\n"))
    #expect(page.contains("\nOne of\n.Ql \\&ios\nor\n.Ql macos .\n"))
    #expect(!page.contains(".It Cm ios"))
  }

  @Test(.enabled(if: Outside.has("mandoc"))) func theReaderSeesWhatWasWritten() throws {
    try Outside.withDirectory { directory in
      let page = Hostile.command.render(.manual)
      let shown = try Outside.run("mandoc", ["-Tutf8", "-Owidth=200"], input: page, in: directory).output
      // Overstrikes are how a terminal is told of bold and underlined letters.
      let plain = shown.replacing(#/.\x08/#, with: "")
      for text in Hostile.texts { #expect(plain.contains(text)) }
    }
  }

  @Test(.enabled(if: Outside.has("mandoc"))) func theSynopsisReadsLikeTheUsage() throws {
    try Outside.withDirectory { directory in
      let page = Runner.command.render(.manual)
      let shown = try Outside.run("mandoc", ["-Tascii"], input: page, in: directory).output
      let plain = shown.replacing(#/.\x08/#, with: "")
      #expect(
        plain.contains(
          """
          SYNOPSIS
               sample-server [options]
               sample-server [options] -- COMMAND [ARGUMENT ...]

          """))
    }
  }
}

/// An option whose value may be left out, words that end in a period of their own, choices that need no words.
enum Attached {
  static let summary = Option.choice(
    "summary", value: "FORM", [("text", "a table"), ("json", "one object")], "say what came of it", "At the end."
  ).bare("text")
  static let platform = Option.choice(
    "platform", value: "NAME", [("ios", ""), ("macos", "")], "whose devices", "Any when it is not given.")
  static let command = Command(
    name: "sample-tail", version: "1", date: "2026-01-02", summary: "end things",
    description: ["Ends things."], groups: [OptionGroup("Options", [summary, platform])],
    environment: [("TAIL", "Read first. Then forgotten.")],
    exitStatuses: [("0", "All is well."), ("1", "is it?"), ("2", "it is not")],
    examples: [("sample-tail --summary", "End it")])
}

/// Words that mean something to roff or to a shell, wherever a word can stand.
enum Hostile {
  static let texts = [
    #"back\slash \fBnot bold\fP"#, "No Fl Ar macros", ". dot", "it's", "100%", "“é🙂”", "~/`x`$(y)", "‘a \"b\" c’",
    "x)).",
  ]
  static let odd = Option.choice(
    "odd", short: "o", value: "NO", [("No", "No Fl Ar macros"), ("Ar", #"it's 100% "$(odd)" `x` \ [a:b]"#)],
    "No Fl Ar macros [a:b] \"$(odd)\" it's", #"back\slash \fBnot bold\fP and `a "b" c`, (see x)). 'quote' . dot."#)
  static let many = (0..<60).map { number in
    Option.text("option-number-\(number)", value: "VALUE", "the option with number \(number)", "One of many.")
  }
  static let command = Command(
    name: "no", version: "1", date: "2026-01-02", summary: "No Fl Ar macros",
    description: [
      "'quote at the start. No", ".dot at the start", "- .dot\n- 'quote\n- No", "“é🙂” it's 100%",
      "    ~/`x`$(y)\n    '",
    ],
    usage: ["[--odd=NO | FILE]... (-)"],
    operand: Operand("FILE", "No Fl", completion: .filesEnding(["ndjson"])),
    groups: [OptionGroup("No Fl Ar", [odd]), OptionGroup("Many", many)],
    sections: [Section("No Ar", ["No"])],
    environment: [("NO", "No Fl")], files: [("./No such", ". dot")],
    exitStatuses: [("128+n", "No")], examples: [("no -o No '.x'\n.x \\\n'", "No Ar")], seeAlso: ["yes(1)"])
}
