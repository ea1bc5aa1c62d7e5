// Every command the README shows is run here, block after block in one folder, against a local server.
import Foundation
import Testing

@Suite struct Readme {
  /// The shell blocks of a page, in order.
  static func blocks(_ page: String) throws -> [String] {
    let text = try String(contentsOf: Case.packageRoot.appendingPathComponent(page), encoding: .utf8)
    return text.components(separatedBy: "```sh\n").dropFirst().map { $0.components(separatedBy: "\n```")[0] }
  }

  @Test("the commands of the README work, in order")
  func commandsWork() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("readme-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let blocks = try Self.blocks("README.md")
    #expect(blocks.count >= 6)
    let script = "set -eu\n" + blocks.joined(separator: "\n")
    try script.write(to: folder.appendingPathComponent("script.sh"), atomically: true, encoding: .utf8)
    let found = try run("apns-server -- sh script.sh", in: folder)
    #expect(found.status == 0, "\(String(decoding: found.err, as: UTF8.self))")
    let results = try String(contentsOf: folder.appendingPathComponent("results.ndjson"), encoding: .utf8)
    #expect(results.contains("\"outcome\":\"accepted\"") && results.contains("\"reason\":\"Unregistered\""))
    let pruned = try String(contentsOf: folder.appendingPathComponent("people.new.csv"), encoding: .utf8)
    #expect(pruned.contains("Ana") && !pruned.contains("陈伟"))
  }

  @Test("the demo goes the whole road")
  func demo() throws {
    let found = try run("NO_COLOR=1 examples/demo.sh", in: Case.packageRoot)
    let out = String(decoding: found.out, as: UTF8.self)
    #expect(found.status == 0, "\(String(decoding: found.err, as: UTF8.self))")
    #expect(out.contains("12 notifications were received") && out.contains("\"token\":\"dead4100"))
  }
}
