// Streams that other programs made, each with what it holds as those programs say: see Vectors/.
//
//   # made by: who made it
//   stream feedback | commands | responses
//   tuple …, error …, notification …, damage …     what must be found, in order
//   bytes
//   hexadecimal digits

import BinaryProtocol
import Foundation
import JSON
import Testing

struct Vector: CustomTestStringConvertible, Sendable {
  let name: String
  let framing: Framing
  /// What must be found, each event in words.
  let expected: [String]
  let bytes: [UInt8]
  var testDescription: String { name }

  static let all: [Vector] = {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Vectors")
    let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    return files.sorted { $0.path < $1.path }.compactMap { try? Vector($0) }
  }()

  init(_ file: URL) throws {
    name = file.deletingPathExtension().lastPathComponent
    let text = try String(contentsOf: file, encoding: .utf8)
    let halves = text.components(separatedBy: "\nbytes\n")
    var lines = halves[0].split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    framing = Framing(rawValue: String(lines.removeFirst().dropFirst("stream ".count))) ?? .feedback
    expected = lines
    bytes = hex(halves[1])
  }
}

/// The bytes of hexadecimal digits; anything else between them is passed over.
func hex(_ text: String) -> [UInt8] {
  let digits = text.compactMap { $0.hexDigitValue }
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

func hex(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { String(format: "%02x", $0) }.joined()
}

/// An event in the words of a vector, so that events of different decoders can be compared: ranges into a decoder's
/// bytes mean nothing elsewhere.
func words(_ event: Event, _ bytes: [UInt8]) -> String {
  switch event {
  case .feedback(let tuple):
    return "tuple offset=\(tuple.offset) timestamp=\(tuple.timestamp) token=\(hex(bytes[tuple.token]))"
  case .error(let packet):
    return "error offset=\(packet.offset) status=\(packet.status) identifier=\(packet.identifier)"
  case .malformed(let damage): return "damage offset=\(damage.offset) length=\(damage.length)"
  case .notification(let frame):
    var words = "notification offset=\(frame.offset) length=\(frame.length) command=\(frame.command)"
    if let identifier = frame.identifier { words += " identifier=\(identifier)" }
    if let expiration = frame.expiration { words += " expiry=\(expiration)" }
    if let priority = frame.priority { words += " priority=\(priority)" }
    if let token = frame.token { words += " token=\(hex(bytes[token]))" }
    if let payload = frame.payload { words += " payload=\(hex(bytes[payload]))" }
    return words
  }
}

/// Everything that a stream holds, given to the decoder in pieces of these sizes, over and over.
func decode(_ bytes: [UInt8], as framing: Framing, pieces: [Int] = [Int.max]) -> [String] {
  var decoder = Decoder(framing)
  var found: [String] = []
  var place = 0
  var turn = 0
  while place < bytes.count {
    let size = min(max(pieces[turn % pieces.count], 1), bytes.count - place)
    decoder.append(bytes.span.extracting(place..<place + size))
    while let event = decoder.next() { found.append(words(event, decoder.bytes)) }
    place += size
    turn += 1
  }
  decoder.finish()
  while let event = decoder.next() { found.append(words(event, decoder.bytes)) }
  return found
}
