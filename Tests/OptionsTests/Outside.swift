// Runs the programs that read our pages: shells, mandoc, shellcheck.
import Foundation

enum Outside {
  /// Whether the program can be found; tests that need it skip when not.
  static func has(_ program: String) -> Bool { path(of: program) != nil }

  static func path(of program: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return path.split(separator: ":").map { "\($0)/\(program)" }.first(where: FileManager.default.isExecutableFile)
  }

  /// What a program prints on both streams, and its status. One that hangs is ended after 30 seconds.
  static func run(
    _ program: String, _ arguments: [String], input: String = "", in directory: URL
  ) throws -> (output: String, status: Int32) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path(of: "timeout") ?? "/usr/bin/timeout")
    process.arguments = ["30", program] + arguments
    process.currentDirectoryURL = directory
    process.environment = [
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "HOME": directory.path, "TERM": "dumb",
      "INPUTRC": "/dev/null", "LC_ALL": "C.UTF-8", "XDG_CONFIG_HOME": directory.path, "XDG_DATA_HOME": directory.path,
    ]
    let inputFile = directory.appendingPathComponent("stdin-\(UUID().uuidString)")
    try Data(input.utf8).write(to: inputFile)
    process.standardInput = try FileHandle(forReadingFrom: inputFile)
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (String(decoding: output, as: UTF8.self), process.terminationStatus)
  }

  /// A directory of its own for one test.
  static func withDirectory<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("options-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    return try body(directory)
  }
}
