// Fuzz target: the binary gateway's side of a connection: notifications in, verdicts, records and one error packet out.

import APNs
import BinaryProtocol
import JSON

@testable import Service

/// The first byte chooses the script, the second the size of the pieces; the rest is what a client sends.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let start, count > 2 else { return 0 }
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  let stream = Array(input[2...])
  let whole = talk(stream, script: Int(input[0]), piece: stream.count)
  let cut = talk(stream, script: Int(input[0]), piece: Int(input[1]) + 1)
  precondition(whole.records == cut.records, "a cut changes what is recorded")
  precondition(whole.packet == cut.packet, "a cut changes what is answered")
  precondition(whole.isOver || whole.packet.isEmpty)
  precondition([0, 6].contains(whole.packet.count), "an error packet has six bytes")
  var reader = Reader()
  for line in whole.records.split(separator: 0x0A) {
    let bytes = Array(line)
    precondition((try? reader.read(bytes.span)) != nil, "a record is JSON")
  }
  return 0
}

private let scripts: [Script] = [
  "", #"{"match":{"nth":2},"error":8}"#, #"{"match":{"every":3},"error":{"status":10,"identifier":0},"checks":false}"#,
  #"{"match":{"prefix":"ab"},"silence":true}"#, #"{"match":{"nth":1},"respond":"Unregistered"}"#,
].map { text in
  if text.isEmpty { return Script() }
  guard let script = try? Script.read(rule: text, number: 1, timestamp: 0) else {
    preconditionFailure("no rule: \(text)")
  }
  return script
}

private struct Talk {
  var records: [UInt8] = []
  var packet: [UInt8] = []
  var isOver = false
}

/// One connection, as `Server.deliverBinary` holds it.
private func talk(_ stream: [UInt8], script: Int, piece: Int) -> Talk {
  let judge = GatewayJudge(ScriptRun(scripts[script % scripts.count], seed: 1), MagicTokens(timestamp: 0))
  var decoder = Decoder(.commands)
  var talk = Talk()
  var place = 0
  while place < stream.count, !talk.isOver {
    let size = min(piece, stream.count - place)
    decoder.append(stream.span.extracting(place..<place + size))
    place += size
    while !talk.isOver, let event = decoder.next() {
      switch event {
      case .notification(let frame): take(frame, decoder.bytes.span, judge, &talk)
      case .malformed: refuse(&talk)
      default: preconditionFailure("no such event in this stream")
      }
    }
    if !talk.isOver, decoder.damage != nil { refuse(&talk) }
    precondition(decoder.bytes.count <= Decoder.frameLimit + piece + 16, "it holds more than a record")
  }
  return talk
}

private func take(_ frame: Frame, _ bytes: Span<UInt8>, _ judge: GatewayJudge, _ talk: inout Talk) {
  let fate = judge.fate(of: frame, bytes, GatewayJudge.Scene(seconds: 1_790_000_000))
  judge.record(frame, bytes, connection: 1, fate, to: &talk.records)
  if let packet = fate.packet(for: frame) {
    talk.packet.appendErrorPacket(status: packet.status, identifier: packet.identifier)
  }
  talk.isOver = fate.status != nil && !fate.isSilent
}

private func refuse(_ talk: inout Talk) {
  talk.packet.appendErrorPacket(status: ErrorStatus.protocolError.code, identifier: 0)
  talk.isOver = true
}
