// Frames written by hand, and read.
import Foundation

struct RawFrame {
  var type: UInt8
  var flags: UInt8
  var stream: Int
  var payload: [UInt8]
}

/// Frames as octets (RFC 9113 section 4.1), header blocks as literals without indexing (RFC 7541 section 6.2.2).
struct RawFrames {
  var token = ""
  let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  func frame(_ type: UInt8, _ flags: UInt8, _ stream: Int, _ payload: [UInt8] = []) -> [UInt8] {
    let count = payload.count
    return [UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255), type, flags]
      + word(stream) + payload
  }

  func word(_ number: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }

  func settings(_ pairs: [(Int, Int)] = []) -> [UInt8] {
    frame(4, 0, 0, pairs.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 255)] + word($0.1) })
  }

  func acknowledgement() -> [UInt8] { frame(4, 1, 0) }
  func ping() -> [UInt8] { frame(6, 0, 0, [UInt8](repeating: 7, count: 8)) }
  func reset(_ stream: Int) -> [UInt8] { frame(3, 0, stream, word(8)) }

  /// An integer with a prefix of so many bits (RFC 7541 section 5.1).
  func integer(_ value: Int, _ bits: Int, _ high: UInt8 = 0) -> [UInt8] {
    let most = 1 << bits - 1
    if value < most { return [high | UInt8(value)] }
    var rest = value - most
    var bytes = [high | UInt8(most)]
    while rest >= 128 {
      bytes.append(UInt8(rest & 127 | 128))
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  func field(_ name: String, _ value: String) -> [UInt8] {
    [0] + integer(name.utf8.count, 7) + Array(name.utf8) + integer(value.utf8.count, 7) + Array(value.utf8)
  }

  func fields(_ device: String) -> [UInt8] {
    field(":method", "POST") + field(":scheme", "https") + field(":path", "/3/device/" + device)
      + field(":authority", "localhost") + field("apns-topic", "com.example.app")
      + (token.isEmpty ? [] : field("authorization", token))
  }

  func push(_ device: String, stream: Int) -> [UInt8] {
    frame(1, 4, stream, fields(device)) + frame(0, 1, stream, Array(#"{"aps":{}}"#.utf8))
  }
}

extension Wire {
  /// Takes the frames that have come, leaving a half one.
  func takeFrames() -> [RawFrame] {
    var found: [RawFrame] = []
    var at = 0
    while at + 9 <= plain.count {
      let count = Int(plain[at]) << 16 | Int(plain[at + 1]) << 8 | Int(plain[at + 2])
      guard at + 9 + count <= plain.count else { break }
      let stream = (5..<9).reduce(0) { $0 << 8 | Int(plain[at + $1]) } & 0x7FFF_FFFF
      found.append(
        RawFrame(
          type: plain[at + 3], flags: plain[at + 4], stream: stream, payload: Array(plain[at + 9..<at + 9 + count])))
      at += 9 + count
    }
    plain.removeFirst(at)
    return found
  }

  /// Waits for a frame; nil when it does not come.
  func frames(until isWanted: (RawFrame) -> Bool, milliseconds: Int = 5000) -> RawFrame? {
    let end = Date().addingTimeInterval(Double(milliseconds) / 1000)
    while true {
      if let frame = takeFrames().first(where: isWanted) { return frame }
      if isEnded || Date() >= end { return nil }
      _ = pull(100)
    }
  }
}
