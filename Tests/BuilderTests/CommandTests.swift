// What the two tools say about themselves: every option has its words, every reference leads somewhere.
import Options
import Testing

@testable import apns_build
@testable import apns_feedback

@Suite struct CommandTests {
  @Test func declarationsAreSound() {
    #expect(BuildCommand.command.faults() == [])
    #expect(FeedbackCommand.command.faults() == [])
  }

  @Test func everyOptionHasAParagraph() {
    for command in [BuildCommand.command, FeedbackCommand.command] {
      for option in command.declarations { #expect(!option.details.isEmpty, "--\(option.name) of \(command.name)") }
    }
  }
}
