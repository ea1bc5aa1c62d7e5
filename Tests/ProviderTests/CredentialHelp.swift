// Folders, the openssl command line, and short ways to read credentials in tests.
import APNs
import Foundation
import POSIX
import TLS
import Testing

@testable import Provider

/// A folder that is gone after the test.
final class Scratch {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("provider-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func place(_ name: String) -> String { "\(path)/\(name)" }

  func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: place(name)))) }

  func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: place(name)))
  }

  /// Runs shell lines in the folder; fails the test when they fail.
  @discardableResult
  func shell(_ lines: String) throws -> String {
    let process = Foundation.Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-ec", lines]
    process.currentDirectoryURL = URL(fileURLWithPath: path)
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(lines): \(output)")
    return output
  }
}

let today = Int(Date().timeIntervalSince1970)

/// Examines a key file as `--key` does.
func examineKey(
  _ path: String, keyID: String? = "ABCDE12345", teamID: String? = "FGHIJ67890", passphrase: String? = nil
) -> CredentialExamination {
  var source = CredentialSource()
  source.key = CredentialFile(reading: path)
  source.keyID = keyID
  source.teamID = teamID
  source.passphrase = passphrase.map { Array($0.utf8) }
  return CredentialExamination(source, now: today)
}

/// Examines a certificate file as `--cert` does.
func examineCertificate(
  _ path: String, key: String? = nil, passphrase: String? = nil, wanted: ServiceEnvironment? = nil, now: Int = today
) -> CredentialExamination {
  var source = CredentialSource()
  source.certificate = CredentialFile(reading: path)
  source.certificateKey = key.map { CredentialFile(reading: $0) }
  source.passphrase = passphrase.map { Array($0.utf8) }
  source.wantedEnvironment = wanted
  return CredentialExamination(source, now: now)
}

extension CredentialExamination {
  /// The ids of its problems.
  var ids: [String] { problems.map(\.id) }

  /// The public key of a readable signing key, as PEM.
  var publicPEM: String? { signingKey.map { String(decoding: $0.publicKey.pem, as: UTF8.self) } }
}

/// Every word a person would see of it.
func words(_ found: CredentialExamination) -> String { found.problems.map(\.description).joined(separator: "\n") }
