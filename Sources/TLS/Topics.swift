// Apple's own extensions: which topics a push certificate may send to, and in which environment.

/// Apple's certificate extensions for push (apns.md 5.3).
public enum AppleExtension {
  /// Marker: may be used with the sandbox.
  public static let sandbox = "1.2.840.113635.100.6.3.1"
  /// Marker: may be used with production.
  public static let production = "1.2.840.113635.100.6.3.2"
  /// Topic list of VoIP services certificates.
  public static let voipTopics = "1.2.840.113635.100.6.3.4"
  /// Topic list of universal certificates.
  public static let topics = "1.2.840.113635.100.6.3.6"
}

/// A topic a certificate lists, and the kinds of push it lists it for (`app`, `voip`, `complication`).
public struct CertificateTopic: Equatable, Sendable {
  public var name: String
  public var kinds: [String]

  public init(_ name: String, _ kinds: [String]) { (self.name, self.kinds) = (name, kinds) }
}

extension Certificate {
  /// Carries the marker for the sandbox.
  public var isForSandbox: Bool { extensionValue(AppleExtension.sandbox) != nil }
  /// Carries the marker for production.
  public var isForProduction: Bool { extensionValue(AppleExtension.production) != nil }

  /// The topics of both lists, in order; empty when the certificate has none, or they cannot be read.
  public var topics: [CertificateTopic] {
    [AppleExtension.topics, AppleExtension.voipTopics].flatMap { list in
      extensionValue(list).flatMap { decodeTopics($0.span) } ?? []
    }
  }
}

/// SEQUENCE { UTF8String topic, SEQUENCE { UTF8String kind … }, … }. Nil for anything else.
func decodeTopics(_ der: Span<UInt8>) -> [CertificateTopic]? {
  guard let (tag, start, end) = element(der, 0, der.count), tag == 0x30 else { return nil }
  var topics: [CertificateTopic] = []
  var at = start
  while at < end {
    guard let (tag, start, next) = element(der, at, end) else { return nil }
    if tag == 0x0C {
      topics.append(CertificateTopic(text(der, start, next), []))
    } else if tag == 0x30, !topics.isEmpty {
      var inner = start
      while inner < next {
        guard let (tag, start, end) = element(der, inner, next), tag == 0x0C else { return nil }
        topics[topics.count - 1].kinds.append(text(der, start, end))
        inner = end
      }
    } else {
      return nil
    }
    at = next
  }
  return topics
}

/// One DER element within bounds: its tag, where its content starts and ends. Lengths of up to two bytes, which is
/// more than a certificate extension ever has.
private func element(_ der: Span<UInt8>, _ at: Int, _ limit: Int) -> (tag: UInt8, start: Int, end: Int)? {
  guard at + 2 <= limit else { return nil }
  var start = at + 2
  var count = Int(der[at + 1])
  if count >= 0x80 {
    let octets = count - 0x80
    guard octets == 1 || octets == 2, start + octets <= limit else { return nil }
    count = 0
    for _ in 0..<octets {
      count = count << 8 | Int(der[start])
      start += 1
    }
  }
  guard start + count <= limit else { return nil }
  return (der[at], start, start + count)
}

private func text(_ der: Span<UInt8>, _ start: Int, _ end: Int) -> String {
  der.extracting(start..<end).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
}

/// The same list in DER.
func encodeTopics(_ topics: [CertificateTopic]) -> [UInt8] {
  func wrap(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let count = content.count
    if count < 0x80 { return [tag, UInt8(count)] + content }
    if count < 0x100 { return [tag, 0x81, UInt8(count)] + content }
    return [tag, 0x82, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)] + content
  }
  return wrap(
    0x30,
    topics.flatMap { topic in
      wrap(0x0C, Array(topic.name.utf8)) + wrap(0x30, topic.kinds.flatMap { wrap(0x0C, Array($0.utf8)) })
    })
}
