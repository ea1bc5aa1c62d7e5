// The command line: every form of option, every mistake.
import Options
import Testing

@Suite struct ParsingTests {
  @Test func eachFormOfAValueYieldsTheValue() throws {
    for line in [["--topic", "a"], ["--topic=a"], ["-t", "a"], ["-ta"], ["-qta"], ["-q", "-t", "a"]] {
      #expect(try Sample.command.parse(line)[Sample.topic] == "a")
    }
  }
}
