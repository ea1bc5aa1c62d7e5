// Every rule's examples are its test.
import Testing

@testable import Rules

struct ExampleTests {
  @Test("A rule's failing example trips it", arguments: Rule.all.map(\.id))
  func fails(_ id: String) throws {
    let rule = try #require(Rule.named(id))
    let found = findings(rule.fails)
    #expect(found.contains { $0.rule == id }, "\(rule.fails.shortText): \(found.map(\.rule))")
  }

  @Test("A rule's passing example trips no error and no warning", arguments: Rule.all.map(\.id))
  func passes(_ id: String) throws {
    let rule = try #require(Rule.named(id))
    let found = findings(rule.passes).filter { $0.severity >= .warning || $0.rule == id }
    #expect(found.isEmpty, "\(rule.passes.shortText): \(found.map { "\($0.rule): \($0.message)" })")
  }

  @Test("A rule that tells more with a clock says so")
  func clock() {
    var sharper: Set<String> = []
    for example in Rule.all.flatMap({ [$0.passes, $0.fails] }) {
      var settings = settings(example.options)
      settings.now = nil
      let without = Set(findings(example, settings).map(\.rule))
      for now in [1_700_000_000, 1_790_000_000, 1_900_000_000] {
        settings.now = now
        sharper.formUnion(Set(findings(example, settings).map(\.rule)).subtracting(without))
      }
    }
    for id in sharper {
      let rule = Rule.named(id)
      #expect(rule?.needs == .clock || rule?.isSharperWithClock == true, "\(id)")
    }
    #expect(sharper.isSuperset(of: Rule.all.filter { $0.needs == .clock }.map(\.id)))
    #expect(sharper.contains("la-timestamp-old"))
  }

  @Test("Names are unique, kebab-case, and every rule has its words")
  func set() {
    #expect(Set(Rule.all.map(\.id)).count == Rule.all.count)
    for rule in Rule.all {
      #expect(rule.id.wholeMatch(of: #/[a-z0-9]+(-[a-z0-9]+)*/#) != nil, "\(rule.id)")
      #expect(!rule.sentence.isEmpty && !rule.sentence.hasSuffix("."), "\(rule.id)")
      #expect(rule.why.hasSuffix("."), "\(rule.id)")
      #expect(rule.severity != .off, "\(rule.id)")
      #expect(!rule.places.isEmpty, "\(rule.id)")
      #expect(rule.passes.text != rule.fails.text || rule.passes.options != rule.fails.options, "\(rule.id)")
    }
  }
}
