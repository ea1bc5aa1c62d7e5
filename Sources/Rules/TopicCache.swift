// The last topic taken apart: most records of a run have the topic of the one before.

import JSON

/// Keeps the last topic taken apart; a scene's topic is always that one.
struct TopicCache: Sendable {
  private var last: Topic?
  private var lastText: [UInt8] = []

  func isLast(_ document: Document, _ node: Int) -> Bool { document.equals(node, utf8: lastText.span) }

  mutating func topic(_ document: Document, _ node: Int) -> Topic {
    var decoded: [UInt8] = []
    document.appendDecoded(node, to: &decoded)
    return topic(decoded)
  }

  mutating func topic(_ bytes: [UInt8]) -> Topic {
    if let last, lastText == bytes { return last }
    let topic = Topic(bytes)
    last = topic
    lastText = bytes
    return topic
  }
}
