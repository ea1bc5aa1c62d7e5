// Buffers are kept from line to line. (`Benchmarks/json` counts every allocation of the process; here it is the arrays.)
import Testing

@testable import JSON

@Suite struct AllocationTests {
  /// Lines of every kind.
  private let lines: [[UInt8]] = {
    var seeded = Seeded(41)
    return (0..<300).map { _ in
      var text = ""
      Value.random(&seeded).spell(&seeded, into: &text)
      return Array(text.utf8)
    }
  }()

  /// Where an array keeps its elements: it changes when, and only when, the array allocates.
  private func place<Element>(of array: [Element]) -> Int {
    array.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
  }

  @Test func tapeStaysWhereItIsOnceWarm() throws {
    var reader = Reader()
    for line in lines { try reader.read(line.span) }
    let warm = place(of: reader.tokens)
    for line in lines {
      try reader.read(line.span)
      #expect(place(of: reader.tokens) == warm)
      // A bad line keeps the tape too.
      let cut = line.dropLast(2) + [0x5C]
      do throws(SyntaxError) { try reader.read(Array(cut).span) } catch {}
      try reader.read(line.span)
      #expect(place(of: reader.tokens) == warm)
    }
  }

  @Test func tapeGrowsToTheLargestLineAndStays() throws {
    var reader = Reader()
    let large = Array(("[" + String(repeating: "0,", count: 5000) + "0]").utf8)
    try reader.read(large.span)
    #expect(reader.tokens.count == 5002)
    let (warm, room) = (place(of: reader.tokens), reader.tokens.capacity)
    for line in lines { try reader.read(line.span) }
    try reader.read(large.span)
    #expect(place(of: reader.tokens) == warm)
    #expect(reader.tokens.capacity == room)
    #expect(room < 4 * 5002)
  }

  @Test func tokensSurviveTheNextLine() throws {
    var reader = Reader()
    try reader.read(Array("[1,2]".utf8).span)
    let kept = reader.tokens
    try reader.read(Array("{}".utf8).span)
    #expect(kept.count == 3)
    #expect(reader.tokens.count == 1)
  }

  @Test func writerStaysWhereItIsOnceWarm() {
    var writer = Writer()
    var places: Set<Int> = []
    for line in 0..<100 {
      writer.removeAll()
      writer.beginObject()
      writer.key("line")
      writer.integer(1_000_000 + line)
      writer.key("token")
      writer.string(utf8: Array("Ça va ?\n\"新\"".utf8).span)
      writer.endObject()
      writer.newline()
      if line > 0 { places.insert(place(of: writer.bytes)) }
    }
    #expect(places.count == 1)
  }
}
