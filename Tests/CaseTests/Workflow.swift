// What people put into their CI: the steps of action.yml and the hooks of .pre-commit-hooks.yaml, run as their runners do.
import Foundation
import Testing

/// Enough of YAML for our own two files: blocks told by their indentation.
private struct Block {
  let lines: [String]

  init(file: String) throws {
    let text = try String(contentsOf: Case.packageRoot.appendingPathComponent(file), encoding: .utf8)
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private init(lines: [String]) { self.lines = lines }

  private static func depth(_ line: String) -> Int { line.prefix { $0 == " " }.count }

  /// The lines below a key that are indented deeper, without that indentation.
  func block(_ key: String) -> Block? {
    guard let start = lines.firstIndex(where: { $0.trimmingCharacters(in: .whitespaces).hasPrefix("\(key):") }) else {
      return nil
    }
    let inside = lines[(start + 1)...].prefix { $0.isEmpty || Self.depth($0) > Self.depth(lines[start]) }
    let depth = inside.filter { !$0.isEmpty }.map(Self.depth).min() ?? 0
    return Block(lines: inside.map { String($0.dropFirst(depth)) })
  }

  /// The text behind a key.
  func value(_ key: String) -> String? {
    let line = lines.first { $0.trimmingCharacters(in: .whitespaces).hasPrefix("\(key):") }
    return line.map { String($0.trimmingCharacters(in: .whitespaces).dropFirst(key.count + 1)) }?
      .trimmingCharacters(in: CharacterSet(charactersIn: " \""))
  }

  /// The items of a list.
  var items: [Block] {
    var items: [[String]] = []
    for line in lines {
      if line.hasPrefix("- ") {
        items.append(["  " + line.dropFirst(2)])
      } else if !items.isEmpty {
        items[items.count - 1].append(line)
      }
    }
    return items.map { Block(lines: $0) }
  }

  var text: String { lines.joined(separator: "\n") }
  var keys: [String] { lines.filter { !$0.hasPrefix(" ") && $0.contains(":") }.map { String($0.prefix { $0 != ":" }) } }
}

struct WorkflowTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("workflow-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("payloads"), withIntermediateDirectories: true)
    try write("payloads/good.json", #"{"aps":{"alert":"Hi","sound":"default"}}"#)
  }

  private func write(_ name: String, _ text: String) throws {
    try Data((text + "\n").utf8).write(to: folder.appendingPathComponent(name))
  }

  private func read(_ name: String) -> String {
    (try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)) ?? ""
  }

  private func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }

  /// Runs all steps of the action, as a GitHub runner does, with these inputs and the defaults of the others.
  private func action(_ given: [String: String]) throws -> (status: Int32, out: String) {
    let action = try Block(file: "action.yml")
    let declared = try #require(action.block("inputs"))
    var inputs: [String: String] = [:]
    for name in declared.keys { inputs[name] = given[name] ?? declared.block(name)?.value("default") ?? "" }
    for name in given.keys { #expect(declared.keys.contains(name), "the action has no input \(name)") }
    var out = ""
    for step in try #require(action.block("steps")).items {
      let script = try #require(step.block("run")).text
      #expect(step.value("shell") == "bash" && !script.contains("${{"), "an input in a script could be a command")
      var command = "GITHUB_OUTPUT=output GITHUB_PATH=path GITHUB_ACTION_PATH=/nowhere "
      for name in step.block("env")?.keys ?? [] {
        let expression = try #require(step.block("env")?.value(name))
        let input = try #require(expression.wholeMatch(of: /\$\{\{ inputs\.([a-z]+) \}\}/)).1
        command += "\(name)=\(quoted(try #require(inputs[String(input)]))) "
      }
      let outcome = try run(
        command + "bash --noprofile --norc -eo pipefail -c \(quoted(script))", in: folder)
      out += String(decoding: outcome.out, as: UTF8.self)
      if outcome.status != 0 { return (outcome.status, out) }
    }
    return (0, out)
  }

  @Test("The action passes good files and says nothing")
  func good() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let done = try action(["paths": "payloads"])
    #expect(done.status == 0 && done.out == "")
    #expect(read("output") == "status=0\n")
    #expect(read("path") == "", "the tool was there, nothing was to be built")
  }

  @Test("The action annotates bad files and fails")
  func bad() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write("payloads/bad.json", "{\n  \"aps\": {\"alert\": \"Hi\", \"badge\": \"3\"}\n}")
    let done = try action(["paths": "payloads/good.json payloads/bad.json"])
    #expect(done.status == 1 && read("output") == "status=1\n")
    #expect(done.out.hasPrefix("::error file=payloads/bad.json,line=2,col=35,title=badge-type::"), "\(done.out)")
  }

  @Test("The action hands options on, and writes SARIF instead of annotations when asked")
  func options() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write("payloads/doubtful.json", #"{"aps":{"alert":"Hi","sound":"bell.mp3"}}"#)
    #expect(try action(["paths": "payloads"]).status == 0)
    #expect(try action(["paths": "payloads", "options": "--fail-on warning"]).status == 1)
    let done = try action(["paths": "payloads", "sarif": "report.sarif", "options": "--fail-on warning"])
    #expect(done.status == 1 && done.out == "")
    let report = try JSONSerialization.jsonObject(with: Data(read("report.sarif").utf8)) as? [String: Any]
    #expect(report?["version"] as? String == "2.1.0")
    #expect(read("report.sarif").contains("sound-format"))
    #expect(try action(["paths": "nowhere"]).status == 2)
  }

  @Test("Each hook takes the files it is for, passes good ones and fails on bad ones")
  func hooks() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let hooks = try Block(file: ".pre-commit-hooks.yaml").items
    #expect(hooks.compactMap { $0.value("id") } == ["apns-validate", "apns-validate-fix"])
    for hook in hooks {
      let pattern = try Regex(try #require(hook.value("files")))
      for name in ["payloads/a.json", "app/payloads/b.json", "news.push.json", "Sim.apns"] {
        #expect(name.contains(pattern), "\(name)")
      }
      for name in ["package.json", "payloads.json", "payloads/read.me", "apns", "a.apns.swift"] {
        #expect(!name.contains(pattern), "\(name)")
      }
      let entry = try #require(hook.value("entry"))
      try write("payloads/bad.json", #"{"aps":{"alert":"Hi","badge":{}}}"#)
      #expect(try run("\(entry) payloads/good.json", in: folder).status == 0)
      #expect(try run("\(entry) payloads/good.json payloads/bad.json", in: folder).status == 1)
    }
    // What can be mended is mended by the second.
    try write("payloads/bad.json", #"{"aps":{"alert":"Hi","badge":"3"}}"#)
    #expect(try run("\(try #require(hooks[1].value("entry"))) payloads/bad.json", in: folder).status == 0)
    #expect(read("payloads/bad.json") == #"{"aps":{"alert":"Hi","badge":3}}"# + "\n")
  }
}
