// What a run leaves behind, and takes away when it ends.

import Provider
import Service

/// The temporary files, and the throw-away key's provider token among those that apns-push keeps for the user.
struct Traces {
  let files: CredentialFiles
  let credentials: Credentials
  /// The key was made for this run, and is worth nothing behind it.
  let isKeyOurs: Bool

  func remove() {
    files.remove()
    guard isKeyOurs, let key = credentials.signingKey, let folder = TokenCache.usualFolder else { return }
    TokenCache(folder: folder, keyID: credentials.keyID, teamID: credentials.teamID, publicKey: key.publicKey).remove()
  }
}
