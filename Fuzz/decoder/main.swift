// Fuzz target: the decoders of the three streams, the records and checks of what they find, and the guess between them.

import BinaryProtocol
import JSON

/// The first byte chooses the stream, the second the size of the pieces; the rest is the stream.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let start, count > 2 else { return 0 }
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  let framing = Framing.allCases[Int(input[0]) % Framing.allCases.count]
  let stream = Array(input[2...])
  let whole = events(stream, framing, piece: stream.count)
  let cut = events(stream, framing, piece: Int(input[1]) + 1)
  precondition(whole == cut, "a cut changes what is found")
  _ = Guess.from(stream.span, isWhole: input[1] & 1 == 0)
  return 0
}

/// What a stream holds, as lines.
private func events(_ stream: [UInt8], _ framing: Framing, piece: Int) -> [UInt8] {
  var decoder = Decoder(framing)
  var writer = RecordWriter()
  var out: [UInt8] = []
  var end = 0
  var place = 0
  while true {
    let size = min(piece, stream.count - place)
    decoder.append(stream.span.extracting(place..<place + size))
    place += size
    if place == stream.count { decoder.finish() }
    while let event = decoder.next() {
      precondition(event.offset == end && event.length > 0, "events lie end to end")
      end += event.length
      write(event, decoder.bytes.span, &writer, &out)
    }
    if place == stream.count { break }
  }
  precondition(end == stream.count, "every byte belongs to an event")
  var reader = Reader()
  var line = 0
  while line < out.count {
    let next = out[line...].firstIndex(of: 0x0A) ?? out.count
    precondition((try? reader.read(out.span.extracting(line..<next))) != nil, "a record is JSON")
    line = next + 1
  }
  return out
}

private func write(_ event: Event, _ bytes: Span<UInt8>, _ writer: inout RecordWriter, _ out: inout [UInt8]) {
  let times = Times(now: 1_790_000_000)
  switch event {
  case .feedback(let tuple):
    writer.append(tuple, bytes, to: &out)
    _ = times.fault(of: tuple)
  case .error(let packet): writer.append(packet, to: &out)
  case .malformed(let damage): writer.append(damage, to: &out)
  case .notification(let frame):
    let form = writer.append(frame, bytes, to: &out)
    _ = frame.faults(bytes, form, times)
  }
}
