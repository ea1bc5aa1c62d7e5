// A case: a folder with a command, what goes in, and what must come out. Anyone can add one without code.
//
//   Cases/<tool>/<case>/cmd      a shell command; the built tools are in PATH, the folder is the working directory
//                       in       standard input (empty when the file is missing)
//                       out      expected standard output (empty when missing)
//                       err      expected standard error (not looked at when missing)
//                       status   expected exit status (0 when missing)
//
// RECORD=1 rewrites out, err (where there is one) and status; the difference is reviewed before it is committed.
import Foundation
import Testing

struct Case: Sendable, CustomTestStringConvertible {
  let folder: URL
  var testDescription: String { folder.pathComponents.suffix(2).joined(separator: "/") }

  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Cases")

  static let all: [Case] = {
    let manager = FileManager.default
    var found: [Case] = []
    for tool in (try? manager.contentsOfDirectory(at: root, includingPropertiesForKeys: nil)) ?? [] {
      for folder in (try? manager.contentsOfDirectory(at: tool, includingPropertiesForKeys: nil)) ?? []
      where manager.fileExists(atPath: folder.appendingPathComponent("cmd").path) {
        found.append(Case(folder: folder))
      }
    }
    return found.sorted { $0.folder.path < $1.folder.path }
  }()

  func data(_ name: String) -> Data? { try? Data(contentsOf: folder.appendingPathComponent(name)) }

  func write(_ name: String, _ data: Data) throws { try data.write(to: folder.appendingPathComponent(name)) }
}

/// Where the built tools are: `APNS_BIN`, else beside the running test.
let toolFolder: String = {
  if let given = ProcessInfo.processInfo.environment["APNS_BIN"] {
    return URL(fileURLWithPath: given, relativeTo: Case.packageRoot).path
  }
  let running =
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
  return URL(fileURLWithPath: running).deletingLastPathComponent().path
}()

extension Case {
  static let packageRoot = root.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}

/// What a command came to.
struct Outcome: Equatable {
  var out: Data
  var err: Data
  var status: Int32
}

/// Runs a shell command with the tools in PATH and no settings of the person who runs the tests.
func run(_ command: String, input: Data = Data(), in folder: URL) throws -> Outcome {
  let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("case-\(UUID().uuidString)")
  // The command's own temporary folder holds nothing of the runner's.
  let temporary = scratch.appendingPathComponent("tmp")
  try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: scratch) }
  let files = ["in", "out", "err"].map { scratch.appendingPathComponent($0) }
  try input.write(to: files[0])
  for file in files[1...] { FileManager.default.createFile(atPath: file.path, contents: nil) }
  let process = Process()
  // Some test of this process may have SIGPIPE ignored, and children would inherit that.
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = ["--default-signal", "/bin/sh", "-c", command]
  process.currentDirectoryURL = folder
  var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("APNS_") }
  environment["PATH"] = toolFolder + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
  environment["TMPDIR"] = temporary.path
  environment["XDG_CACHE_HOME"] = temporary.path
  environment["LC_ALL"] = "C.UTF-8"
  environment["NO_COLOR"] = "1"
  for name in ["HTTPS_PROXY", "https_proxy", "COLUMNS"] { environment[name] = nil }
  process.environment = environment
  process.standardInput = try FileHandle(forReadingFrom: files[0])
  process.standardOutput = try FileHandle(forWritingTo: files[1])
  process.standardError = try FileHandle(forWritingTo: files[2])
  try process.run()
  process.waitUntilExit()
  let status = process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
  return Outcome(out: try Data(contentsOf: files[1]), err: try Data(contentsOf: files[2]), status: status)
}

@Suite struct Cases {
  @Test("every case has its expected output", arguments: Case.all)
  func holds(_ example: Case) throws {
    let command = String(decoding: example.data("cmd") ?? Data(), as: UTF8.self)
    let found = try run(command, input: example.data("in") ?? Data(), in: example.folder)
    if ProcessInfo.processInfo.environment["RECORD"] == "1" {
      if !found.out.isEmpty || example.data("out") != nil { try example.write("out", found.out) }
      if example.data("err") != nil { try example.write("err", found.err) }
      if found.status != 0 || example.data("status") != nil {
        try example.write("status", Data("\(found.status)\n".utf8))
      }
      return
    }
    #expect(text(found.out) == text(example.data("out") ?? Data()), "standard output of \(command)")
    if let err = example.data("err") { #expect(text(found.err) == text(err), "standard error of \(command)") }
    let status = Int32(text(example.data("status") ?? Data("0".utf8)).trimmingCharacters(in: .whitespacesAndNewlines))
    #expect(found.status == status, "standard error was: \(text(found.err))")
  }

  private func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }
}
