// Keys below aps that are none of Apple's and look like one: a slip that no device would report.

import APNs
import Builder
import Spelling

enum ApsKeys {
  /// A warning about a path that ends in a misspelt key of Apple's; nil for all others.
  /// - Parameter path: from the record's root.
  static func warning(_ path: [PathStep]) -> String? {
    let keys = path.map { if case .key(let key) = $0 { key } else { "" } }
    guard keys.count > 2, keys[0] == "payload", keys[1] == "aps" else { return nil }
    if let near = misspelt(keys[2], APSKey.allCases.map(\.rawValue)) { return words("aps", keys[2], near) }
    guard keys.count > 3 else { return nil }
    switch keys[2] {
    case "alert":
      return misspelt(keys[3], AlertKey.allCases.map(\.rawValue)).map { words("aps.alert", keys[3], $0) }
    case "sound":
      return misspelt(keys[3], SoundKey.allCases.map(\.rawValue)).map { words("aps.sound", keys[3], $0) }
    default: return nil
    }
  }

  private static func misspelt(_ key: String, _ known: [String]) -> String? {
    known.contains(key) ? nil : closest(to: key.replacing("_", with: "-"), among: known)
  }

  private static func words(_ place: String, _ key: String, _ near: String) -> String {
    "\(place).\(key.prefix(60)) is no key of Apple's; did you mean \(place).\(near)?"
  }
}
