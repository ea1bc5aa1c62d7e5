// The command line: every form of option, every mistake.
import Options
import Testing

@Suite struct ParsingTests {
  func parse(_ line: [String], _ environment: [String: String] = [:]) throws(UsageError) -> Arguments {
    try Sample.command.parse(line, environment: { environment[$0] })
  }

  func mistake(_ line: [String], _ environment: [String: String] = [:]) -> UsageError? {
    do {
      _ = try parse(line, environment)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    (["--topic", "a"], "a"), (["--topic=a"], "a"), (["-t", "a"], "a"), (["-ta"], "a"), (["-qta"], "a"),
    (["-qvt", "a"], "a"), (["--topic="], ""), (["--topic", ""], ""), (["-t", ""], ""), (["--topic=a=b"], "a=b"),
    (["-t=a"], "=a"), (["-tqv"], "qv"), (["--topic", "a", "--topic=b", "-tc"], "c"), (["--topic", "-"], "-"),
    (["--topic", "--"], "--"), (["--topic", "--quiet"], "--quiet"), (["-t", "-5% off"], "-5% off"),
    (["file", "-ta", "file"], "a"), (["--topic", "é\u{301}\n"], "é\u{301}\n"),
  ])
  func eachFormYieldsTheText(line: [String], text: String) throws {
    let arguments = try parse(line)
    #expect(arguments[Sample.topic] == text)
    #expect(arguments.origin(of: Sample.topic) == .commandLine)
  }

  @Test func valuesHaveTheTypeOfTheirOption() throws {
    let arguments = try parse(["-j", "64", "--shift=-3600", "--endpoint", "localhost:2197", "-eproduction", "-q"])
    #expect(arguments[Sample.jobs] == 64)
    #expect(arguments[Sample.shift] == -3600)
    #expect(arguments[Sample.endpoint] == Endpoint(host: "localhost", port: 2197))
    #expect(arguments[Sample.environment] == "production")
    #expect(arguments.has(Sample.quiet))
    #expect(!arguments.has(Sample.verbose))
  }

  @Test func withoutAnythingThereAreTheDefaults() throws {
    let arguments = try parse([])
    #expect(arguments[Sample.topic] == nil)
    #expect(arguments[Sample.jobs] == 4)
    #expect(arguments.all(Sample.jobs) == [4])
    #expect(arguments.all(Sample.meta) == [])
    #expect(arguments.has(Sample.verify))
    #expect(!arguments.isGiven(Sample.verify))
    #expect(arguments.origin(of: Sample.jobs) == nil)
    #expect(arguments.operands == [])
    #expect(arguments.separator == nil)
    #expect(arguments.request == nil)
    #expect(arguments.answer() == nil)
  }

  @Test func aRepeatedOptionKeepsEveryValueInOrder() throws {
    let arguments = try parse(["-m", "a=1", "--meta=b=2", "-qmc=3"])
    #expect(arguments.all(Sample.meta) == ["a=1", "b=2", "c=3"])
    #expect(arguments[Sample.meta] == "c=3")
    #expect(try parse(["-ta", "-tb"]).all(Sample.topic) == ["b"])
  }

  @Test func theLastOfAFlagAndItsNegationCounts() throws {
    #expect(try !parse(["--no-verify"]).has(Sample.verify))
    #expect(try parse(["--no-verify", "--verify"]).has(Sample.verify))
    #expect(try !parse(["--verify", "--no-verify"]).has(Sample.verify))
  }

  @Test func operandsAreWhatIsLeft() throws {
    let arguments = try parse(["a", "-q", "-", "--", "-t", "--", "--topic"])
    #expect(arguments.operands == ["a", "-", "-t", "--", "--topic"])
    #expect(arguments.separator == 2)
    #expect(arguments[Sample.topic] == nil)
    #expect(try parse(["--"]).separator == 0)
    #expect(try parse([""]).operands == [""])
  }

  @Test(
    arguments: [
      (["--prioritty"], .unknownOption, "--prioritty", nil),
      (["--topci", "a"], .unknownOption, "--topci", "--topic"),
      (["--Topic=a"], .unknownOption, "--Topic", "--topic"),
      (["--top", "a"], .unknownOption, "--top", "--topic"),
      (["--ver"], .unknownOption, "--ver", nil),
      (["--no-verfy"], .unknownOption, "--no-verfy", "--no-verify"),
      (["--no-quiet"], .unknownOption, "--no-quiet", nil),
      (["--topic", "a", "--xyzzy=1"], .unknownOption, "--xyzzy", nil),
      (["--=a"], .unknownOption, "--", nil),
      (["-x"], .unknownOption, "-x", nil),
      (["-qx"], .unknownOption, "-x", nil),
      (["-topic", "a"], .unknownOption, "-topic", "--topic"),
      (["-topic=a"], .unknownOption, "-topic=a", "--topic=a"),
      (["-verify"], .unknownOption, "-verify", "--verify"),
      (["-no-verify"], .unknownOption, "-no-verify", "--no-verify"),
      (["-jobss"], .invalidValue, "-j", nil),
      (["-quiet"], .unknownOption, "-quiet", "--quiet"),
      (["--topic"], .missingValue, "--topic", nil),
      (["-q", "-t"], .missingValue, "-t", nil),
      (["-qt"], .missingValue, "-t", nil),
      (["--quiet=yes"], .unexpectedValue, "--quiet", nil),
      (["--no-verify=1"], .unexpectedValue, "--no-verify", nil),
      (["--help=all"], .unexpectedValue, "--help", nil),
      (["--jobs=0"], .invalidValue, "--jobs", nil),
      (["-j", "65"], .invalidValue, "-j", nil),
      (["-jten"], .invalidValue, "-j", nil),
      (["--jobs="], .invalidValue, "--jobs", nil),
      (["--jobs= 4"], .invalidValue, "--jobs", nil),
      (["--shift=99999999999999999999"], .invalidValue, "--shift", nil),
      (["--environment=Production"], .invalidValue, "--environment", nil),
      (["--endpoint=here"], .invalidValue, "--endpoint", nil),
      (["--generate-page=pdf"], .invalidValue, "--generate-page", nil),
    ] as [([String], UsageError.Kind?, String?, String?)])
  func eachMistakeIsKnownForWhatItIs(
    line: [String], kind: UsageError.Kind?, subject: String?, suggestion: String?
  ) {
    let error = mistake(line)
    #expect(error?.kind == kind)
    #expect(error?.subject == subject)
    #expect(error?.suggestion == suggestion)
  }

  @Test func anErrorSaysWhatToDo() {
    #expect(
      mistake(["--topci"])?.description == """
        sample-push: unknown option '--topci'; did you mean '--topic'?
        try 'sample-push --help'
        """)
    #expect(mistake(["--topic"])?.message == "option '--topic' needs a value; write '--topic=TOPIC'")
    #expect(mistake(["-t"])?.message == "option '-t' needs a value; write '-t TOPIC'")
    #expect(mistake(["--quiet=no"])?.message == "option '--quiet' takes no value; write '--quiet' alone")
    #expect(mistake(["--jobs", "65"])?.message == "--jobs: '65' is out of range; it must be from 1 to 64")
    #expect(
      mistake(["--jobs", "many"])?.message == "--jobs: expected a whole number, found 'many'; it must be from 1 to 64")
    #expect(
      mistake(["-e", "prodution"])?.message
        == "-e: expected production or sandbox, found 'prodution'; did you mean 'production'?")
    #expect(mistake(["-qx"])?.message == "unknown option '-x' in '-qx'")
  }

  @Test func textFromOutsideIsHarmlessInAnError() {
    let message = mistake(["--jobs", "\u{1B}[2J\u{202E}\n" + String(repeating: "x", count: 1_000_000)])?.message ?? ""
    #expect(message.hasPrefix(#"--jobs: expected a whole number, found '\u{1b}[2J\u{202e}\nxxx"#))
    #expect(message.utf8.count < 300)
    #expect(mistake(["--" + String(repeating: "topic", count: 200_000)])?.kind == .unknownOption)
  }

  @Test func operandsAreCounted() throws {
    var command = Sample.command
    command.operand = nil
    #expect(throws: UsageError.self) { try command.parse(["a"]) }
    command.operand = Operand("FILE", "what is read", isRequired: true)
    #expect(try command.parse(["a"]).operands == ["a"])
    let kinds = [[], ["a", "b"]].map { (line) -> UsageError.Kind? in
      do throws(UsageError) {
        _ = try command.parse(line)
        return nil
      } catch {
        return error.kind
      }
    }
    #expect(kinds == [.missingOperand, .unexpectedOperand])
  }

  @Test func helpAndVersionAreAnsweredWhateverComesBehind() throws {
    for line in [["-h"], ["--help"], ["-qh"], ["--help", "--nonsense"], ["-hX"]] {
      #expect(try parse(line).request == .page(.help))
    }
    #expect(try parse(["-V"]).answer() == "sample-push 1.2.3\n")
    #expect(try parse(["--help"], ["SAMPLE_JOBS": "none"]).answer() == Sample.command.render(.help))
    #expect(try parse(["--generate-page", "man"]).answer() == Sample.command.render(.manual))
    #expect(mistake(["--nonsense", "--help"])?.kind == .unknownOption)
  }

  @Test func whatCannotBeDoneWithoutIsAskedFor() throws {
    #expect(try parse(["-ta"]).require(Sample.topic) == "a")
    #expect(try parse([]).require(Sample.jobs) == 4)
    let arguments = try parse([])
    do {
      _ = try arguments.require(Sample.topic)
      Issue.record("nothing was thrown")
    } catch {
      #expect(error.kind == .missingOption)
      #expect(error.message == "missing --topic; give --topic=TOPIC, or set SAMPLE_TOPIC")
    }
  }

  @Test func aToolsOwnErrorLooksLikeTheOthers() {
    let error = Sample.command.usageError("--csv and --tsv exclude each other; give one", subject: "--csv")
    #expect(
      error.description
        == "sample-push: --csv and --tsv exclude each other; give one\ntry 'sample-push --help'")
    #expect(error.kind == .other)
  }
}

@Suite struct EnvironmentTests {
  func parse(_ line: [String], _ environment: [String: String]) throws(UsageError) -> Arguments {
    try Sample.command.parse(line, environment: { environment[$0] })
  }

  @Test func aVariableStandsForItsOption() throws {
    let arguments = try parse([], ["SAMPLE_TOPIC": "a", "SAMPLE_JOBS": "7", "SAMPLE_VERIFY": "no"])
    #expect(arguments[Sample.topic] == "a")
    #expect(arguments[Sample.jobs] == 7)
    #expect(!arguments.has(Sample.verify))
    #expect(arguments.isGiven(Sample.jobs))
    #expect(arguments.origin(of: Sample.topic) == .environment("SAMPLE_TOPIC"))
  }

  @Test func theCommandLineWins() throws {
    let arguments = try parse(["-tb", "--verify"], ["SAMPLE_TOPIC": "a", "SAMPLE_VERIFY": "0"])
    #expect(arguments.all(Sample.topic) == ["b"])
    #expect(arguments.has(Sample.verify))
    #expect(arguments.origin(of: Sample.topic) == .commandLine)
  }

  @Test func aVariableThatTheCommandLineOverridesIsNotLookedAt() throws {
    #expect(try parse(["-j3"], ["SAMPLE_JOBS": "nonsense"])[Sample.jobs] == 3)
  }

  @Test func emptyIsUnset() throws {
    let arguments = try parse([], ["SAMPLE_TOPIC": "", "SAMPLE_JOBS": ""])
    #expect(arguments[Sample.topic] == nil)
    #expect(arguments[Sample.jobs] == 4)
    #expect(!arguments.isGiven(Sample.jobs))
  }

  @Test(arguments: [
    ("SAMPLE_JOBS", "65", "'65' is out of range; it must be from 1 to 64"),
    ("SAMPLE_ENVIRONMENT", "test", "expected production or sandbox, found 'test'"),
    ("SAMPLE_VERIFY", "perhaps", "expected yes or no, found 'perhaps'"),
  ])
  func aWrongVariableIsNamed(variable: String, text: String, reason: String) {
    do {
      _ = try parse([], [variable: text])
      Issue.record("nothing was thrown")
    } catch {
      #expect(error.kind == .invalidValue)
      #expect(error.subject == variable)
      #expect(error.message.hasPrefix("environment variable \(variable) (for --"))
      #expect(error.message.hasSuffix(reason))
    }
  }
}
