// What the tools are made of: which libraries they need, and that the shells can read their completions.
import Foundation
import Testing

@Suite struct Linkage {
  /// The libraries a binary asks the loader for.
  private func needed(_ tool: String) throws -> [String] {
    let path = toolFolder + "/" + tool
    let found = try run("readelf -d '\(path)'", in: Case.packageRoot)
    #expect(found.status == 0)
    return String(decoding: found.out, as: UTF8.self).split(separator: "\n").filter { $0.contains("(NEEDED)") }
      .compactMap { $0.split(separator: "[").last?.split(separator: "]").first.map { String($0) } }
  }

  @Test(
    "tools that open no connection need neither libssl nor libnghttp2",
    arguments: [
      "apns-build", "apns-validate", "apns-decode",
    ])
  func offline(_ tool: String) throws {
    let libraries = try needed(tool)
    #expect(!libraries.contains { $0.hasPrefix("libssl") || $0.hasPrefix("libcrypto") || $0.hasPrefix("libnghttp2") })
    // A release build of them is one file without any library.
    if toolFolder.hasSuffix("release") { #expect(libraries.isEmpty) }
  }

  @Test(
    "no tool needs Foundation or an installed Swift",
    arguments: [
      "apns-build", "apns-validate", "apns-push", "apns-feedback", "apns-decode", "apns-server",
    ])
  func noFoundation(_ tool: String) throws {
    let libraries = try needed(tool)
    #expect(!libraries.contains { $0.contains("Foundation") })
    if toolFolder.hasSuffix("release") { #expect(!libraries.contains { $0.hasPrefix("libswift") }) }
  }

  static let shells: [(String, String)] = [
    ("bash", "for f in completions/*.bash; do . \"$f\" || exit 1; done"),
    (
      "zsh",
      "autoload -Uz compinit && compinit -u -D; "
        + "fpath=($PWD/completions $fpath); for f in completions/_*; do autoload -Uz +X ${f:t} || exit 1; done"
    ),
    ("fish", "for f in completions/*.fish; source $f; or exit 1; end"),
  ]

  @Test("the shells read the completions without a word", arguments: shells)
  func completions(_ shell: String, _ script: String) throws {
    guard try run("command -v \(shell)", in: Case.packageRoot).status == 0 else { return }
    let flags = ["bash": "--norc --noprofile", "zsh": "-f", "fish": "--no-config"][shell] ?? ""
    let found = try run("\(shell) \(flags) -c '\(script)'", in: Case.packageRoot)
    #expect(found.status == 0, "\(String(decoding: found.err, as: UTF8.self))")
    #expect(found.err.isEmpty, "\(String(decoding: found.err, as: UTF8.self))")
  }
}
