// Broadcast channels: which exist, and what is asked of them.

import APNs
import JSON

/// The channels of one environment.
final class ChannelBook {
  struct Entry {
    var id: String
    /// The newest message is kept for a while (policy 1), or none (policy 0).
    var storesMessages: Bool
  }

  private var byBundle: [String: [Entry]] = [:]
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  func entry(_ bundle: String, _ id: String) -> Entry? { byBundle[bundle]?.first { $0.id == id } }

  /// Adds a channel; false when the app has as many as it may.
  func add(_ bundle: String, _ entry: Entry) -> Bool {
    guard byBundle[bundle, default: []].count < limit else { return false }
    byBundle[bundle, default: []].append(entry)
    return true
  }

  /// Removes a channel; false when there is none.
  func remove(_ bundle: String, _ id: String) -> Bool {
    guard let index = byBundle[bundle]?.firstIndex(where: { $0.id == id }) else { return false }
    byBundle[bundle]?.remove(at: index)
    return true
  }

  func list(_ bundle: String) -> [Entry] { byBundle[bundle] ?? [] }
}
