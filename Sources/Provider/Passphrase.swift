// Where a passphrase is: OpenSSL's `env:`, `file:`, `fd:` and `pass:`, so that none stands among the arguments.

import POSIX

/// A passphrase, fetched from where a source says it is.
public struct Passphrase: Sendable {
  public let bytes: [UInt8]
  /// It stood in the open, in an argument or a file of names.
  public let isExposed: Bool

  /// - Parameter source: `env:NAME`, `file:PATH` (its first line), `fd:N` (the first line read from it), `pass:TEXT`.
  /// - Parameter folder: what a relative path is relative to; nil for the working directory.
  public init(_ source: String, folder: String? = nil) throws(CredentialProblem) {
    let parts = source.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
    guard parts.count == 2 else { throw Self.unknown }
    isExposed = parts[0] == "pass"
    switch parts[0] {
    case "pass": bytes = Array(parts[1].utf8)
    case "env":
      guard let text = Environment.value(parts[1]) else {
        throw CredentialProblem("passphrase-missing", "the variable \(parts[1]) of the passphrase is not set")
      }
      bytes = Array(text.utf8)
    case "file":
      let path = resolve(parts[1], against: folder)
      do throws(SystemError) { bytes = Self.firstLine(try File.read(path, limit: 65_536)) } catch {
        throw CredentialProblem("passphrase-missing", "cannot read the passphrase file \(path): \(error.message)")
      }
    case "fd":
      guard let number = Int32(parts[1]), number >= 0 else { throw Self.unknown }
      do throws(SystemError) {
        bytes = Self.firstLine(try File.read(Descriptor(borrowing: number), limit: 65_536))
      } catch {
        throw CredentialProblem(
          "passphrase-missing", "cannot read the passphrase from descriptor \(number): \(error.message)")
      }
    default: throw Self.unknown
    }
  }

  // The source itself is not shown: it may be a passphrase without its `pass:`.
  private static let unknown = CredentialProblem(
    "passphrase-source", "a passphrase is given as env:NAME, file:PATH, fd:N or pass:TEXT")

  private static func firstLine(_ bytes: [UInt8]) -> [UInt8] {
    var line = Array(bytes.prefix { $0 != UInt8(ascii: "\n") })
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return line
  }
}

/// A path in a file, as seen from that file's folder.
func resolve(_ path: String, against folder: String?) -> String {
  guard let folder, !path.hasPrefix("/") else { return path }
  return folder.hasSuffix("/") ? folder + path : "\(folder)/\(path)"
}
