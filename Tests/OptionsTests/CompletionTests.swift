// Completions, typed into the real shells: what stands on the line after TAB is what the command gets.
import Foundation
import Options
import Testing

/// What is typed, and the arguments that the command gets after TAB and return.
struct Typed: Sendable, CustomTestStringConvertible {
  var line: String
  var arguments: [String]
  /// bash knows no completion for the command that is run unless bash-completion is there.
  var exceptIn: Set<Page> = []
  var testDescription: String { line }

  static let all = [
    Typed(line: "sample-push --top", arguments: ["--topic"]),
    Typed(line: "sample-push --no-", arguments: ["--no-verify"]),
    Typed(line: "sample-push --environment pro", arguments: ["--environment", "production"]),
    Typed(line: "sample-push --environment=sa", arguments: ["--environment=sandbox"]),
    Typed(line: "sample-push -e sa", arguments: ["-e", "sandbox"]),
    Typed(line: "sample-push -q --endpoint loc", arguments: ["-q", "--endpoint", "localhost"]),
    Typed(line: "sample-push --topic li", arguments: ["--topic", "li"]),
    Typed(line: "sample-push -k on", arguments: ["-k", "one key.p8"]),
    Typed(line: "sample-push --key=on", arguments: ["--key=one key.p8"]),
    Typed(line: "sample-push --write-to o", arguments: ["--write-to", "odd dir"]),
    Typed(line: "sample-push lin", arguments: ["lines one.ndjson"]),
    Typed(line: "sample-push -- lin", arguments: ["--", "lines one.ndjson"]),
    Typed(line: "sample-server --passphrase fi", arguments: ["--passphrase", "file:"]),
    Typed(line: "sample-server --gen", arguments: ["--gen"]),
    Typed(
      line: "sample-server -- sample-push --environment sa",
      arguments: ["--", "sample-push", "--environment", "sandbox"], exceptIn: [.bash]),
    Typed(
      line: "sample-server -p 1 -- sample-push --environment sa",
      arguments: ["-p", "1", "--", "sample-push", "--environment", "sandbox"], exceptIn: [.bash]),
    Typed(line: "sample-server -- cat lin", arguments: ["--", "cat", "lines one.ndjson"]),
    Typed(line: "no --option-number-5", arguments: ["--option-number-5"]),
    Typed(line: "sample-tail --summary=js", arguments: ["--summary=json"]),
    Typed(line: "sample-tail --summary js", arguments: ["--summary", "js"]),
    Typed(line: "no --odd N", arguments: ["--odd", "No"]),
    Typed(line: "no lines", arguments: ["lines one.ndjson"]),
  ]

  /// A slash or a space at the end is the shell's way to say "go on".
  func isMet(by got: [String]) -> Bool {
    got == arguments || got == arguments.dropLast() + [(arguments.last ?? "") + "/"]
  }
}

@Suite struct CompletionTests {
  static let commands = [Sample.command, Runner.command, Hostile.command, Attached.command]

  /// A directory with the pages and with files that are easily mistaken for each other.
  func withPages<Result>(_ page: Page, _ body: (URL) throws -> Result) throws -> Result {
    try Outside.withDirectory { directory in
      for command in Self.commands {
        let file = directory.appendingPathComponent("\(command.name).\(page.rawValue)")
        try command.render(page).write(to: file, atomically: false, encoding: .utf8)
      }
      for name in ["one key.p8", "other.txt", "odd.txt", "lines one.ndjson"] {
        try Data().write(to: directory.appendingPathComponent(name))
      }
      for name in ["odd dir"] {
        try FileManager.default.createDirectory(
          at: directory.appendingPathComponent(name), withIntermediateDirectories: true)
      }
      return try body(directory)
    }
  }

  /// The arguments of each call, from the lines that the stand-ins for our commands print.
  func calls(in output: String) -> [[String]] {
    output.split(whereSeparator: \.isNewline).compactMap { line in
      guard let start = line.range(of: "got:<"), line.hasSuffix(">") else { return nil }
      return line[start.upperBound...].dropLast().components(separatedBy: "><")
    }
  }

  func expect(_ page: Page, _ output: String) {
    let typed = Typed.all.filter { !$0.exceptIn.contains(page) }
    let got = calls(in: output)
    #expect(got.count == typed.count, "\(output)")
    for (typed, got) in zip(typed, got) {
      #expect(typed.isMet(by: got), "\(page): \(typed.line) became \(got)")
    }
  }

  func lines(for page: Page) -> [String] {
    Typed.all.filter { !$0.exceptIn.contains(page) }.map(\.line)
  }

  @Test(.enabled(if: Outside.has("bash"))) func bashCompletes() throws {
    try withPages(.bash) { directory in
      var start = "PS1=\n"
      for command in Self.commands {
        start += "\(command.name)() { printf 'got:'; printf '<%s>' \"$@\"; echo; }\nsource ./\(command.name).bash\n"
      }
      try start.write(to: directory.appendingPathComponent("start"), atomically: false, encoding: .utf8)
      let input = lines(for: .bash).map { $0 + "\t\n" }.joined()
      let shell = try Outside.run("bash", ["--noprofile", "--rcfile", "start", "-i"], input: input, in: directory)
      expect(.bash, shell.output)
    }
  }

  /// Types each line, TAB and return into zsh. zle wants a terminal, and zsh brings one.
  func zsh(_ lines: [String], tab widget: String) throws -> String {
    try withPages(.zsh) { directory in
      var start = "autoload -Uz compinit; compinit -u -D; unset zle_bracketed_paste; bindkey '^I' \(widget)\n"
      for command in Self.commands {
        start += "\(command.name)() { print -r -- \"got:<${(j:><:)@}>\"; print E''ND }\nsource ./\(command.name).zsh\n"
      }
      try start.write(to: directory.appendingPathComponent("start"), atomically: false, encoding: .utf8)
      let driver = """
        zmodload zsh/zpty
        zpty z 'PS1= COLUMNS=200 zsh -f -i'
        zpty -w z "source ./start; print REA''DY"
        zpty -r -m z out '*READY*'
        for line; do
          zpty -w -n z "$line"$'\\t\\n'
          zpty -r -m z out '*END*'
          print -r -- "$out"
        done
        zpty -d z
        """
      return try Outside.run("zsh", ["-f", "-c", driver, "zsh"] + lines, in: directory).output
    }
  }

  @Test(.enabled(if: Outside.has("zsh"))) func zshCompletes() throws {
    expect(.zsh, try zsh(lines(for: .zsh), tab: "complete-word"))
  }

  @Test(.enabled(if: Outside.has("zsh"))) func zshLoadsTheFunctionFromItsPath() throws {
    try withPages(.zsh) { directory in
      let script = """
        mv sample-push.zsh _sample-push; fpath=($PWD $fpath)
        autoload -Uz compinit; compinit -u -D; print -- $_comps[sample-push]
        """
      let shell = try Outside.run("zsh", ["-f", "-c", script], in: directory)
      #expect(shell.output == "_sample-push\n")
    }
  }

  @Test(.enabled(if: Outside.has("fish"))) func fishCompletes() throws {
    try withPages(.fish) { directory in
      // fish prints what it would put in place of the last word; the first offer is taken.
      let script = """
        for file in *.fish; source $file; end
        for line in $argv
          set -l offer (complete -C $line)
          set -l words (string split ' ' -- $line)
          set -q offer[1]; and set words[-1] (string split -f 1 \\t -- $offer[1])
          echo 'got:<'(string join '><' -- $words[2..])'>'
        end
        """
      let shell = try Outside.run("fish", ["--no-config", "-c", script] + lines(for: .fish), in: directory)
      expect(.fish, shell.output)
    }
  }

  @Test(.enabled(if: Outside.has("fish"))) func fishTellsTheMeaningOfChoices() throws {
    try withPages(.fish) { directory in
      let script = "source sample-push.fish; complete -C 'sample-push -e '; source no.fish; complete -C 'no --odd '"
      let shell = try Outside.run("fish", ["--no-config", "-c", script], in: directory)
      #expect(
        shell.output == """
          production\tapps from the App Store: "the real one"
          sandbox\tbuilds from Xcode [and it's free]
          Ar\tit's 100% "$(odd)" `x` \\ [a:b]
          No\tNo Fl Ar macros

          """)
    }
  }

  @Test(.enabled(if: Outside.has("zsh"))) func zshTellsTheMeaningOfChoices() throws {
    let output = try zsh(["sample-push -e ", "no --odd ", "no --od"], tab: "list-choices")
    for text in [
      "-- apps from the App Store: \"the real one\"", "-- builds from Xcode [and it's free]",
      "-- it's 100% \"$(odd)\" `x` \\ [a:b]", "-- No Fl Ar macros", "-- No Fl Ar macros [a:b] \"$(odd)\" it's",
    ] {
      #expect(output.contains(text), "\(output)")
    }
  }

  @Test(.enabled(if: Outside.has("shellcheck")), arguments: commands)
  func shellcheckHasNothingToSay(command: Command) throws {
    try withPages(.bash) { directory in
      let check = try Outside.run("shellcheck", ["-s", "bash", "\(command.name).bash"], in: directory)
      #expect(check.output == "")
      #expect(check.status == 0)
    }
  }

  @Test func everyOptionIsInEveryPage() {
    for page in Page.allCases {
      let text = Sample.command.render(page)
      for option in Sample.command.declarations {
        let name = page == .manual ? "-\(option.name)" : option.name
        #expect(text.contains(name), "\(option.name) is missing in \(page)")
      }
      #expect(!text.contains("generate-page PAGE"))
    }
  }
}
