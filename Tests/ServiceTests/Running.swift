// A server under test: the built program, started with its options, heard out at its end.
import Foundation
import JSON
import TLS

/// A running `apns-server`.
final class Running {
  /// What the ready record says.
  let ready: [String: Any]
  let folder: URL
  private let process: Foundation.Process

  static let program: URL = {
    if let given = ProcessInfo.processInfo.environment["APNS_BIN"] {
      return URL(fileURLWithPath: given).appendingPathComponent("apns-server")
    }
    let running =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: running).deletingLastPathComponent().appendingPathComponent("apns-server")
  }()

  /// Starts it and waits until it listens. `files` are written into its folder first, which is its working directory.
  init(_ arguments: [String] = [], files: [String: [UInt8]] = [:]) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("service-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, bytes) in files { try Data(bytes).write(to: folder.appendingPathComponent(name)) }
    process = Foundation.Process()
    process.executableURL = Self.program
    process.arguments = arguments + ["--ready-file", "ready.json", "--log", "log.ndjson"]
    process.currentDirectoryURL = folder
    process.environment = ["TMPDIR": folder.path, "PATH": "/usr/bin:/bin"]
    for (name, stream) in [("out", \Foundation.Process.standardOutput), ("err", \.standardError)] {
      _ = FileManager.default.createFile(atPath: folder.appendingPathComponent(name).path, contents: nil)
      process[keyPath: stream] = try FileHandle(forWritingTo: folder.appendingPathComponent(name))
    }
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let file = folder.appendingPathComponent("ready.json")
    let end = Date().addingTimeInterval(20)
    while !FileManager.default.fileExists(atPath: file.path) {
      guard process.isRunning, Date() < end else {
        throw Trouble(
          "the server did not start: \((try? String(contentsOf: folder.appendingPathComponent("err"), encoding: .utf8)) ?? "")"
        )
      }
      usleep(2000)
    }
    let record = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
    ready = record?["listening"] as? [String: Any] ?? [:]
  }

  deinit {
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }

  var port: Int { ready["port"] as? Int ?? 0 }
  func port(_ environment: String) -> Int { (ready["ports"] as? [String: Int])?[environment] ?? 0 }
  func text(_ key: String) -> String { ready[key] as? String ?? "" }

  func read(_ name: String) -> [UInt8] {
    (try? Data(contentsOf: folder.appendingPathComponent(name))).map { [UInt8]($0) } ?? []
  }

  /// Bytes of a file the ready record names; its folder is the server's working directory.
  func bytes(_ key: String) throws -> [UInt8] {
    let path = text(key)
    return [UInt8](
      try Data(contentsOf: path.hasPrefix("/") ? URL(fileURLWithPath: path) : folder.appendingPathComponent(path)))
  }

  var identifier: Int32 { process.processIdentifier }
  var isRunning: Bool { process.isRunning }

  /// Resident memory in KiB.
  var residentKiB: Int {
    let text = (try? String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return Int(line.filter(\.isNumber)) ?? 0
  }

  /// What an end came to.
  struct End {
    var status: Int32
    var records: [[String: Any]]
    var log: [[String: Any]]
    var words: String
  }

  /// Stops it with SIGTERM and reads what it wrote. The ready record is not among the records.
  func stop() throws -> End {
    process.terminate()
    return try end()
  }

  /// Waits for its own end.
  func end() throws -> End {
    process.waitUntilExit()
    let status =
      process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
    return End(
      status: status, records: lines("out").filter { $0["listening"] == nil }, log: lines("log.ndjson"),
      words: String(decoding: read("err"), as: UTF8.self))
  }

  private func lines(_ name: String) -> [[String: Any]] {
    read(name).split(separator: 0x0A).map {
      (try? JSONSerialization.jsonObject(with: Data($0)) as? [String: Any]) ?? [
        "not JSON": String(decoding: $0, as: UTF8.self)
      ]
    }
  }
}

struct Trouble: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
