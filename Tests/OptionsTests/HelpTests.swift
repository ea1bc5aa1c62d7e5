// --help, written out in full.
import Options
import Testing

@Suite struct HelpTests {
  @Test func theSampleReadsLikeThis() {
    #expect(
      Sample.command.render(.help) == """
        Usage: sample-push [options] [FILE...]

        Reads notifications, one JSON object a line, and sends each to nobody. One
        result line comes back for each input line, in the order of the answers.

        Operands:
          FILE...                   lines to send; stdin when there is none

        Notifications:
          -t, --topic TOPIC         the app the notifications are for (environment:
                                    SAMPLE_TOPIC)
          -m, --meta NAME=TEXT      carry NAME along with each line (may be repeated)
              --write-to DIR        where the answers are written

        Connection:
          -k, --key FILE            private key that signs the provider token (default:
                                    none; environment: SAMPLE_KEY_FILE)
          -e, --environment WHICH   which of the two services is called (production or
                                    sandbox; default: sandbox; environment:
                                    SAMPLE_ENVIRONMENT)
              --endpoint HOST:PORT  where to connect (default: the environment's own)
              --[no-]verify         check the certificate of the far end (default: on;
                                    environment: SAMPLE_VERIFY)
              --shift SECONDS       seconds the clock is moved by

        Run:
          -j, --jobs N              workers that run side by side (default: 4;
                                    environment: SAMPLE_JOBS)
          -q, --quiet               no words on stderr
          -v, --verbose             more words on stderr

        General:
          -h, --help                print this help and exit
          -V, --version             print the version and exit

        Environment:
          NO_COLOR                  no colour, even on a terminal

        Examples:
          Send a file:
            sample-push --topic com.example.app lines.ndjson
          Build, send with a key from a vault, keep the results:
            apns-build --title 'It is on' < tokens.txt |
              sample-push -k <(vault read key) --jobs "$JOBS" -- - > results.ndjson

        The whole manual: man sample-push

        """)
  }

  @Test(arguments: [(-1, 80), (0, 80), (80, 80), (93, 93), (100, 100), (Int.max, 100)])
  func linesKeepToTheWidth(asked: Int, width: Int) {
    let lines = Sample.command.render(.help, width: asked).split(separator: "\n")
    let longest = lines.map(\.count).max() ?? 0
    #expect(longest <= width)
    #expect(longest > width - 12)
  }

  @Test func boldOnlyWhenAsked() {
    #expect(!Sample.command.render(.help).contains("\u{1B}"))
    let bold = Sample.command.render(.help, colour: true)
    #expect(bold.contains("\u{1B}[1mConnection:\u{1B}[0m\n"))
    #expect(
      bold.replacing("\u{1B}[1m", with: "").replacing("\u{1B}[0m", with: "") == Sample.command.render(.help))
  }

  @Test func eachUsageHasALine() {
    #expect(
      Runner.command.render(.help).hasPrefix(
        """
        Usage: sample-server [options]
               sample-server [options] -- COMMAND [ARGUMENT...]

        """))
  }

  @Test func aLongNameHasALineOfItsOwn() {
    var command = Sample.command
    let long = Option.text("a-name-that-goes-on-and-on", value: "VALUE", "a long name", "Nobody types it.")
    command.groups = [OptionGroup("Long", [long])]
    #expect(
      command.render(.help).contains(
        """
              --a-name-that-goes-on-and-on VALUE
                                    a long name

        """))
  }
}
