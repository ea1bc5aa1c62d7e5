// Some of the recipients: the first, those behind the first, or some at random; for trying a mailing on a few.

import Filter
import POSIX

/// Which recipients are taken.
public struct Selection: Sendable, Equatable {
  /// How many are passed over at the start.
  public var skip: Int
  /// After how many the run ends, without reading further.
  public var limit: Int?
  /// How many are picked at random out of all.
  public var sample: Int?
  /// What the random choice starts from; nil leaves it to the system.
  public var seed: UInt64?

  public init(skip: Int = 0, limit: Int? = nil, sample: Int? = nil, seed: UInt64? = nil) {
    self.skip = skip
    self.limit = limit
    self.sample = sample
    self.seed = seed
  }

  /// Whether all are taken.
  public var isAll: Bool { skip == 0 && limit == nil && sample == nil }
}

/// A run over some of the recipients, one worker alone: who is the tenth is only known once nine have passed.
public struct Picker<Processor: LineProcessor> {
  private let tool: String
  private let selection: Selection
  private let limit: Int
  private let target: Descriptor
  private var processor: Processor
  private var output = Output()
  private var count = Tally()
  private var seen = 0
  private var kept: [(ordinal: Int, number: Int, line: [UInt8])] = []
  private var random: SplitMix

  /// - Parameter limit: most bytes of a line or row.
  public init(
    tool: String, _ selection: Selection, limit: Int, to target: Descriptor = .standardOutput, _ processor: Processor
  ) {
    self.tool = tool
    self.selection = selection
    self.limit = limit
    self.target = target
    self.processor = processor
    var system = SystemRandomNumberGenerator()
    random = SplitMix(state: selection.seed ?? system.next())
  }

  private var isDone: Bool {
    guard let limit = selection.limit else { return false }
    // The sum of the two may be more than a number holds.
    return seen >= selection.skip && seen - selection.skip >= limit
  }

  /// Runs over lines.
  public mutating func run(lines input: Descriptor) throws(SystemError) -> Tally {
    var reader = LineReader(input, lineLimit: limit)
    while !isDone {
      let found = reader.next { line, number in take(line, number) }
      switch found {
      case .line: continue
      case .tooLong(let number, let length): tooLong(number, length, "line")
      case .nothing:
        try flush()
        if reader.isFinished { return try finish() }
        try reader.read()
      }
    }
    return try finish()
  }

  /// Runs over the rows of a table.
  public mutating func run(rows table: TableInput, _ loop: RowLoop) throws(SystemError) -> Tally {
    var table = table
    var block = RowBlock()
    while !isDone {
      guard try table.next(&block) else { break }
      var place = 0
      var number = block.firstNumber
      while place < block.count, !isDone {
        let row = block.row(at: &place, number: &number, delimiter: loop.delimiter, limit: loop.limit)
        let line = block.bytes.span.extracting(row.range)
        if line.isBlank { continue }
        if row.isBroken || row.range.count > loop.limit {
          block.take(row, loop, &processor, into: &output)
        } else {
          take(line, row.number)
        }
      }
      if let long = block.tooLong { tooLong(long.number, long.length, "row") }
      try flush()
    }
    return try finish()
  }

  private mutating func take(_ line: Span<UInt8>, _ number: Int) {
    seen += 1
    if seen <= selection.skip { return }
    guard let wanted = selection.sample else {
      output.recordCount += 1
      return processor.process(line, number: number, into: &output)
    }
    // A reservoir: whatever their number turns out to be, each line has the same chance to be in it at the end.
    if kept.count < wanted {
      kept.append((seen, number, Array(copying: line)))
    } else if wanted > 0 {
      let place = Int(random.next(upperBound: UInt64(seen - selection.skip)))
      if place < wanted { kept[place] = (seen, number, Array(copying: line)) }
    }
  }

  private mutating func tooLong(_ number: Int, _ length: Int, _ what: String) {
    output.recordCount += 1
    output.faultCount += 1
    output.say(tool, line: number, "skipped: the \(what) has \(length) bytes, more than --max-line \(limit)")
  }

  private mutating func finish() throws(SystemError) -> Tally {
    for line in kept.sorted(by: { $0.ordinal < $1.ordinal }) {
      output.recordCount += 1
      processor.process(line.line.span, number: line.number, into: &output)
    }
    try flush()
    return count
  }

  private mutating func flush() throws(SystemError) {
    if !output.words.isEmpty { try? Descriptor.standardError.writeAll(output.words.span) }
    try target.writeAll(output.records.span)
    count.records += output.recordCount
    count.faults += output.faultCount
    output = Output()
  }
}

/// A small generator that repeats itself from the same seed (Steele, Lea and Flood's SplitMix64).
struct SplitMix: RandomNumberGenerator, Sendable {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}
