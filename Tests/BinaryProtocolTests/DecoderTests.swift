// The decoder against streams that others made, and against every way of cutting them.

import BinaryProtocol
import JSON
import Testing

@Suite struct DecoderTests {
  @Test("there are vectors") func vectors() { #expect(Vector.all.count > 40) }

  @Test("finds what the makers of the stream and other readers say is in it", arguments: Vector.all)
  func agrees(_ vector: Vector) { #expect(decode(vector.bytes, as: vector.framing) == vector.expected) }

  @Test("any cut of the stream gives the same", arguments: Vector.all)
  func anyCut(_ vector: Vector) {
    #expect(decode(vector.bytes, as: vector.framing, pieces: [1]) == vector.expected)
    #expect(decode(vector.bytes, as: vector.framing, pieces: [7, 1, 64, 3]) == vector.expected)
    for cut in stride(from: 1, to: vector.bytes.count, by: max(1, vector.bytes.count / 150)) {
      #expect(decode(vector.bytes, as: vector.framing, pieces: [cut, Int.max]) == vector.expected)
    }
  }

  @Test("damaged streams: any cut gives the same, and the events lie end to end", arguments: Framing.allCases)
  func damaged(_ framing: Framing) {
    var random = Random(seed: 42)
    let vectors = Vector.all.filter { $0.bytes.count < 800 }
    for round in 0..<600 {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes += vectors[Int.random(in: 0..<vectors.count, using: &random)].bytes
      }
      random.damage(&bytes)
      let whole = decode(bytes, as: framing)
      #expect(decode(bytes, as: framing, pieces: [1]) == whole, "round \(round): \(hex(bytes))")
      let sizes = (0..<5).map { _ in Int.random(in: 1...90, using: &random) }
      #expect(decode(bytes, as: framing, pieces: sizes) == whole, "round \(round): \(hex(bytes))")
      #expect(coverage(bytes, framing) == bytes.count, "round \(round): \(hex(bytes))")
    }
  }

  /// Adds up the events, each of which must start where the last one ended.
  private func coverage(_ bytes: [UInt8], _ framing: Framing) -> Int {
    var decoder = Decoder(framing)
    decoder.append(bytes.span)
    decoder.finish()
    var end = 0
    while let event = decoder.next() {
      #expect(event.offset == end)
      #expect(event.length > 0)
      end += event.length
    }
    return end
  }

  @Test("a length field never makes it hold more than a record", arguments: Framing.allCases)
  func boundedMemory(_ framing: Framing) {
    // Frames of four gigabytes, tokens of 65535 bytes, one behind the other.
    let lies = hex("02ffffffff 000f ffff 02000400 0001 ffff 01ffff ffffffff ffffffffffff 0203ffff 010fff")
    var decoder = Decoder(framing)
    var most = 0
    for _ in 0..<60_000 {
      decoder.append(lies.span)
      while decoder.next() != nil {}
      most = max(most, decoder.bytes.count)
    }
    #expect(most <= Decoder.frameLimit + 2 * lies.count + 16)
  }

  @Test("identifier 0 is a value, a missing one is none")
  func identifierZero() throws {
    var bytes: [UInt8] = []
    let token = [UInt8](repeating: 7, count: 32)
    try bytes.appendFrame(token: token.span, payload: Array("{}".utf8).span, identifier: 0)
    try bytes.appendFrame(token: token.span, payload: Array("{}".utf8).span)
    var decoder = Decoder(.commands)
    decoder.append(bytes.span)
    var identifiers: [UInt32?] = []
    while case .notification(let frame)? = decoder.next() { identifiers.append(frame.identifier) }
    #expect(identifiers == [0, nil])
  }

  @Test("a tuple with a token of the largest size, a thousand more, a million small pieces")
  func largeTuples() throws {
    var bytes: [UInt8] = []
    try bytes.appendFeedback(timestamp: 1, token: [UInt8](repeating: 5, count: 65_535).span)
    for index in 0..<1000 {
      try bytes.appendFeedback(timestamp: 1_400_000_000 + UInt32(index), token: [UInt8](repeating: 9, count: 32).span)
    }
    let found = decode(bytes, as: .feedback, pieces: [3])
    #expect(found.count == 1001)
    #expect(
      found.last == "tuple offset=\(65_541 + 999 * 38) timestamp=1400000999 token=\(String(repeating: "09", count: 32))"
    )
  }
}

/// A generator whose sequence is the same in every run.
struct Random: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    // SplitMix64 by Sebastiano Vigna (public domain algorithm).
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// Loses, gains and changes a few bytes.
  mutating func damage(_ bytes: inout [UInt8]) {
    for _ in 0..<Int.random(in: 0...4, using: &self) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &self)
      switch Int.random(in: 0..<5, using: &self) {
      case 0: bytes.remove(at: place)
      case 1: bytes.insert(UInt8.random(in: 0...255, using: &self), at: place)
      case 2: bytes[place] = UInt8.random(in: 0...8, using: &self)
      case 3: bytes.removeSubrange(place..<min(place + Int.random(in: 1...40, using: &self), bytes.count))
      default: bytes.insert(contentsOf: [23, 3, 1, 0, 8, 1, 2, 3], at: place)
      }
    }
  }
}
