// What somebody gave to say who they are: the bytes of keys and certificates, and where they came from.

import APNs
import POSIX

/// The content of one credential file, read once: it may be a pipe.
public struct CredentialFile: Sendable {
  /// The path as it was given, or the name of the variable that held the text.
  public let place: String
  /// Whether `place` is a path.
  public let isFile: Bool
  /// The content, or why there is none.
  let content: Result<[UInt8], CredentialProblem>

  /// No key, certificate or archive is larger, in bytes.
  static let sizeLimit = 1_048_576

  /// Reads a file, a pipe or `/dev/fd/N` to its end.
  public init(reading path: String) {
    place = path
    isFile = true
    do throws(SystemError) { content = .success(try File.read(path, limit: Self.sizeLimit)) } catch {
      content = .failure(
        CredentialProblem(
          "file-unreadable", "cannot read \(path): \(error.message)", help: "check the path and its mode"))
    }
  }

  /// A text that is there already.
  /// - Parameter variable: the environment variable it came from.
  public init(text: [UInt8], variable: String) {
    place = variable
    isFile = false
    content = .success(text)
  }

  /// A file that cannot be had.
  init(missing place: String, _ problem: CredentialProblem) {
    (self.place, isFile, content) = (place, false, .failure(problem))
  }

  func bytes() throws(CredentialProblem) -> [UInt8] { try content.get() }
}

/// One credential: a key with its identifiers, or a certificate with its key. Bytes and names; `CredentialExamination`
/// finds out what they are worth.
public struct CredentialSource: Sendable {
  /// Its name in the credentials file; empty for the one of the command line.
  public var name = ""
  public var key: CredentialFile?
  public var keyID: String?
  public var teamID: String?
  public var certificate: CredentialFile?
  public var certificateKey: CredentialFile?
  /// nil for none; an empty one is another thing, and PKCS#12 files have either.
  public var passphrase: [UInt8]?
  /// Why the passphrase could not be had.
  public var passphraseProblem: CredentialProblem?
  /// The topics it is for, by the credentials file.
  public var topics: [String] = []
  /// The one environment it is for, by the credentials file.
  public var environment: ServiceEnvironment?
  /// The environment the run is about to use it in; nil when that is not known or does not matter.
  public var wantedEnvironment: ServiceEnvironment?

  public init() {}

  /// The key id in a file name of Apple's form, `AuthKey_ABCDE12345.p8`; a browser may have added ` (1)`.
  static func keyID(inName name: String?) -> String? {
    guard let file = name?.split(separator: "/").last, file.hasPrefix("AuthKey_"), file.hasSuffix(".p8") else {
      return nil
    }
    let id = String(file.dropFirst(8).prefix(10))
    let rest = file.dropFirst(18).dropLast(3)
    guard rest.isEmpty || rest.hasPrefix(" ") || rest.hasPrefix("(") || rest.hasPrefix("-") else { return nil }
    return ProviderToken.isIdentifier(id) ? id : nil
  }
}
