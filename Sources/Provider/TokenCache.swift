// The provider token of one key, shared by all processes of the user through a locked file.
//
// APNs answers 429 TooManyProviderTokenUpdates when one key's tokens change more often than every 20 minutes, and a
// shell loop starts a process for each push. A token is a credential: the file has mode 0600 in a folder of mode 0700,
// and what it holds is believed only when our own key has signed it.

import APNs
import JSON
import POSIX
import TLS

/// A minted token and when it was.
struct MintedToken: Equatable {
  var text: [UInt8]
  /// UNIX seconds, the token's `iat`.
  var issuedAt: Int
}

/// One key's place in the cache. Nothing that goes wrong with it is an error: the token is minted, as without a cache.
public final class TokenCache {
  private let folderPath: String
  private let name: String
  private let keyID: String
  private let teamID: String
  private let publicKey: PublicKey
  private var folder: PrivateFolder?
  /// What kept the cache from being used the last time, for those who ask.
  public private(set) var trouble: String?

  private static let prefix = "token-"

  /// The folder of all such files; nil when the user has no home.
  public static var usualFolder: String? { Environment.cacheDirectory.map { $0 + "/apns-tools" } }

  /// - Parameter folder: made, with mode 0700, when it is missing.
  public init(folder: String, keyID: String, teamID: String, publicKey: PublicKey) {
    folderPath = folder
    self.keyID = keyID
    self.teamID = teamID
    self.publicKey = publicKey
    // The name tells nothing of the key: it is a hash over its public half and the two identifiers.
    var identity = Array("\(keyID)\n\(teamID)\n".utf8)
    identity += publicKey.der
    var name: [UInt8] = Array(Self.prefix.utf8)
    for byte in sha256(identity.span).prefix(16) { name.append(hexadecimal: byte) }
    self.name = String(decoding: name, as: UTF8.self)
  }

  /// The token in the cache, when it is fit for use now.
  func token(now: Int) -> MintedToken? {
    do throws(SystemError) {
      guard let file = try openFolder().file(name, making: false) else { return nil }
      return try read(file, now)
    } catch {
      trouble = error.description
      return nil
    }
  }

  /// The token of whoever minted last, or a new one: what several processes do at the same time, one does for all.
  /// - Parameter after: tokens issued at this UNIX second or earlier will not do.
  func token(now: Int, after: Int?, mint: () throws(Failure) -> MintedToken) throws(Failure) -> MintedToken {
    guard let file = lockedFile() else { return try mint() }
    // The lock goes with the descriptor, at the end of this function.
    if let found = try? read(file, now), found.issuedAt > after ?? Int.min { return found }
    let new = try mint()
    do throws(SystemError) {
      try write(new, to: file)
      trouble = nil
      // Keys come and go, those of test servers with every run. Two hours are beyond any token's life.
      folder?.removeFiles(prefix: Self.prefix, unchangedFor: 7200, now: Clock.system.unixSeconds)
    } catch { trouble = error.description }
    return new
  }

  /// Forgets the token: its key is thrown away.
  public func remove() {
    guard File.isDirectory(folderPath) else { return }
    try? openFolder().remove(name)
  }

  private func lockedFile() -> Descriptor? {
    do throws(SystemError) {
      guard let file = try openFolder().file(name, making: true) else { return nil }
      if try file.lock(withinMilliseconds: 500) { return file }
      trouble = "another process holds the lock"
    } catch { trouble = error.description }
    return nil
  }

  private func openFolder() throws(SystemError) -> PrivateFolder {
    if let folder { return folder }
    let opened = try PrivateFolder(folderPath)
    folder = opened
    return opened
  }

  /// A reader does not lock: a text that is being written is no valid token, as its signature tells.
  private func read(_ file: Descriptor, _ now: Int) throws(SystemError) -> MintedToken? {
    try file.seek(to: 0)
    let text = try File.read(file, limit: 8192)
    return valid(text, now)
  }

  /// `<issued at> <token>` and a line feed.
  private func valid(_ line: [UInt8], _ now: Int) -> MintedToken? {
    guard let space = line.firstIndex(of: UInt8(ascii: " ")), line.last == UInt8(ascii: "\n"),
      let issuedAt = Int(String(decoding: line[..<space], as: UTF8.self))
    else { return nil }
    let (age, overflow) = now.subtractingReportingOverflow(issuedAt)
    guard !overflow, age >= 0, age < TokenSource.renewalAge else { return nil }
    let text = Array(line[(space + 1)...].dropLast())
    guard let parts = ProviderToken.parse(text.span), parts.algorithm == "ES256", parts.keyID == keyID,
      parts.teamID == teamID, parts.issuedAt == issuedAt, parts.otherClaims.isEmpty, parts.signature.count == 64,
      publicKey.verify(parts.signature.span, parts.signingInput.span)
    else { return nil }
    return MintedToken(text: text, issuedAt: issuedAt)
  }

  private func write(_ token: MintedToken, to file: Descriptor) throws(SystemError) {
    var line: [UInt8] = []
    line.append(decimal: token.issuedAt)
    line.append(UInt8(ascii: " "))
    line += token.text
    line.append(UInt8(ascii: "\n"))
    try file.seek(to: 0)
    try file.writeAll(line.span)
    try file.truncate(to: line.count)
  }
}
