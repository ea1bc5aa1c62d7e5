// Lines out of blocks: however the input arrives, whatever it holds.
import POSIX
import Synchronization
import Testing

@testable import Filter

/// Everything a reader finds in these chunks, each of which arrives alone.
private func read(_ chunks: [[UInt8]], limit: Int = 64) throws -> [String] {
  // The writer is closed with its last reference: there must be no other than this.
  var pipe: (reader: Descriptor, writer: Descriptor?) = try makePipe()
  var lines = LineReader(pipe.reader, lineLimit: limit)
  var found: [String] = []
  var rest = chunks.filter { !$0.isEmpty }[...]
  while !lines.isFinished {
    if let chunk = rest.popFirst() { try pipe.writer?.writeAll(chunk.span) } else { pipe.writer = nil }
    try lines.read()
    while true {
      var text = ""
      let next = lines.next { line, _ in
        var bytes: [UInt8] = []
        for index in line.indices { bytes.append(line[index]) }
        text = String(decoding: bytes, as: UTF8.self)
      }
      if case .line(let number) = next { found.append("\(number):\(text)") }
      if case .tooLong(let number, let length) = next { found.append("\(number)!\(length)") }
      if next == .nothing { break }
    }
  }
  if lines.hadByteOrderMark { found.append("BOM") }
  return found
}

@Suite struct LineTests {
  static let texts: [(String, [String])] = [
    ("", []),
    ("a", ["1:a"]),
    ("a\n", ["1:a"]),
    ("a\r\nb", ["1:a", "2:b"]),
    ("\n\n a\n \t\n\r\nb\n", ["3: a", "6:b"]),
    ("\u{FEFF}a\nb\n", ["1:a", "2:b", "BOM"]),
    ("a\r\r\n", ["1:a\r"]),
    (String(repeating: "x", count: 64) + "\n", ["1:" + String(repeating: "x", count: 64)]),
    (String(repeating: "x", count: 65) + "\ny", ["1!65", "2:y"]),
    (String(repeating: "x", count: 500) + "\ny\n" + String(repeating: "z", count: 70), ["1!500", "2:y", "3!70"]),
    (String(repeating: "x", count: 500), ["1!500"]),
  ]

  @Test(arguments: texts) func atOnceAndByteByByte(_ text: String, _ expected: [String]) throws {
    let bytes = Array(text.utf8)
    #expect(try read([bytes]) == expected)
    #expect(try read(bytes.map { [$0] }) == expected)
    for cut in stride(from: 1, to: max(bytes.count, 2), by: 7) {
      #expect(try read([Array(bytes.prefix(cut)), Array(bytes.dropFirst(cut))]) == expected)
    }
  }

  @Test func countsOccurrences() {
    for count in 0..<70 {
      let bytes = [UInt8](repeating: 0x0A, count: count) + [UInt8](repeating: 1, count: 33)
      let (amount, last) = (bytes.span.occurrences(of: 0x0A), bytes.span.lastIndex(of: 0x0A, before: bytes.count))
      #expect(amount == count && last == (count > 0 ? count - 1 : nil))
    }
  }
}

/// Gives each line back with its number, some of them after a while.
private struct Echo: LineProcessor {
  mutating func process(_ line: Span<UInt8>, number: Int, into output: inout Output) {
    // Uneven work, so that blocks are finished out of order.
    var sum = 0
    for round in 0..<(number % 97) * 20 { sum &+= round &* sum &+ 1 }
    output.records.append(contentsOf: Array("\(number):".utf8))
    for index in line.indices { output.records.append(line[index]) }
    output.records.append(UInt8(ascii: "\n"))
    if number % 1000 == 0 {
      output.faultCount += 1
      output.say("echo", line: number, "\(sum & 1) odd")
    }
  }
}

/// Makes much of little: 4 KiB of each line.
private struct Swell: LineProcessor {
  static let size = 4096
  /// The most that waited to be written when a line came.
  let most: Monitor<Int>

  mutating func process(_ line: Span<UInt8>, number: Int, into output: inout Output) {
    let waiting = output.records.count
    most.change { $0 = max($0, waiting) }
    output.records.append(contentsOf: repeatElement(UInt8(ascii: "0") + UInt8(number % 10), count: Self.size - 1))
    output.records.append(UInt8(ascii: "\n"))
  }
}

@Suite struct LineLoopTests {
  @Test(arguments: [1, 3]) func longRecordsOfShortLinesDoNotGather(_ jobs: Int) throws {
    let folder = try File.makeTemporaryDirectory(prefix: "filter-test")
    defer {
      File.remove(folder + "/in")
      File.remove(folder + "/out")
      File.removeDirectory(folder)
    }
    try File.create(folder + "/in").writeAll(String(repeating: "a\n", count: 10_000))
    let most = Monitor(0)
    let tally = try LineLoop(tool: "swell", jobs: jobs).run(
      from: File.open(folder + "/in"), to: File.create(folder + "/out")
    ) { Swell(most: most) }
    #expect(tally == Tally(records: 10_000) && most.change { $0 } <= 1_048_576 + Swell.size)
    let out = try File.read(folder + "/out", limit: 100_000_000)
    #expect(out.count == 10_000 * Swell.size)
    #expect((0..<10_000).allSatisfy { out[$0 * Swell.size] == UInt8(ascii: "0") + UInt8(($0 + 1) % 10) })
  }

  @Test(arguments: [1, 2, 5]) func keepsTheOrder(_ jobs: Int) throws {
    let folder = try File.makeTemporaryDirectory(prefix: "filter-test")
    defer {
      File.remove(folder + "/in")
      File.remove(folder + "/out")
      File.removeDirectory(folder)
    }
    var text = ""
    var expected = ""
    for number in 1...20_000 {
      text += "line \(number) \(String(repeating: "x", count: number % 61))\n"
      expected += "\(number):line \(number) \(String(repeating: "x", count: number % 61))\n"
    }
    try File.create(folder + "/in").writeAll(text)
    let tally = try LineLoop(tool: "echo", jobs: jobs).run(
      from: File.open(folder + "/in"), to: File.create(folder + "/out")
    ) { Echo() }
    #expect(tally == Tally(records: 20_000, faults: 20))
    #expect(try File.read(folder + "/out", limit: 10_000_000) == Array(expected.utf8))
  }

  @Test(arguments: [1, 3]) func aClosedOutputIsToldAndEndsTheRun(_ jobs: Int) throws {
    Signals.ignoreBrokenPipe()
    let writer = try makePipe().writer
    let folder = try File.makeTemporaryDirectory(prefix: "filter-test")
    defer {
      File.remove(folder + "/in")
      File.removeDirectory(folder)
    }
    try File.create(folder + "/in").writeAll(String(repeating: "a line\n", count: 100_000))
    let input = try File.open(folder + "/in")
    #expect(throws: SystemError.self) {
      try LineLoop(tool: "echo", jobs: jobs).run(from: input, to: writer) { Echo() }
    }
  }
}
