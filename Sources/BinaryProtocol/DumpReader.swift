// Text of a dump in, in pieces of any size; the bytes it stands for out.

/// A place in a dump's text that stands for no byte.
public struct DumpProblem: Equatable, Sendable {
  /// The line of the text, from 1.
  public var line: Int
  public var message: String
  /// How often the same was seen right behind it, and is not said again.
  public var more = 0
}

/// Turns one input's text into bytes.
public struct DumpReader: Sendable {
  public let form: DumpForm
  /// What went wrong since they were last taken; at most `problemLimit` are kept, the others are counted.
  public private(set) var problems: [DumpProblem] = []
  public private(set) var problemCount = 0

  private static let problemLimit = 20
  /// Most bytes of a line of xxd or hexdump that are looked at: xxd -c 256 -g 1 has 1034.
  private static let lineLimit = 4096
  /// Most bytes that one `*` of hexdump may stand for.
  private static let repeatLimit = 1 << 20
  /// With so many bytes out, the rest of a piece is left for the next call.
  private static let outLimit = 131_072

  private var lineNumber = 1
  /// The bits that do not make a byte yet, and how many digits they came from.
  private var bits: UInt32 = 0
  private var digits = 0
  /// The character before: the `x` behind a backslash is no digit.
  private var before: UInt8 = 0
  private var escapes = EscapeReader()
  private var line: [UInt8] = []
  /// The last line's bytes, which `*` repeats, and whether one is waiting for the next offset.
  private var last: [UInt8] = []
  private var repeats = false
  /// How many bytes have come out.
  private var count = 0
  private var stage = Stage.outside
  private var atStart = true

  /// Where in `<Buffer 52 eb … 50 more bytes>` a Node print is.
  private enum Stage { case outside, inside, elided }

  public init(_ form: DumpForm) {
    self.form = form
  }

  /// Hands over the problems.
  public mutating func takeProblems() -> [DumpProblem] {
    defer { problems.removeAll() }
    return problems
  }

  /// Reads a piece of the text and appends the bytes it stands for.
  /// - Returns: how much of the piece was read. A few characters may stand for very many bytes (the `*` of hexdump):
  ///   the caller takes what is there before it comes with the rest.
  public mutating func read(_ piece: Span<UInt8>, into out: inout [UInt8]) -> Int {
    if form == .raw {
      out.append(piece)
      return piece.count
    }
    for index in piece.indices {
      if out.count >= Self.outLimit { return index }
      let byte = piece[index]
      // A byte order mark is no text.
      if atStart, byte == 0xEF || byte == 0xBB || byte == 0xBF { continue }
      atStart = false
      switch form {
      case .raw: break
      case .hex: readHexadecimal(byte, &out)
      case .base64: readBase64(byte, &out)
      case .buffer: readBuffer(byte, &out)
      case .escaped: take(escapes.step(byte), &out)
      case .xxd, .hexdump:
        if byte == UInt8(ascii: "\n") { endLine(&out) } else if line.count < Self.lineLimit { line.append(byte) }
      }
      if byte == UInt8(ascii: "\n") { lineNumber += 1 }
    }
    return piece.count
  }

  /// The text has ended.
  public mutating func finish(into out: inout [UInt8]) {
    switch form {
    case .raw: break
    case .xxd, .hexdump: if !line.isEmpty { endLine(&out) }
    case .hex, .buffer:
      if digits > 0 { note("an odd number of hexadecimal digits: the last one is dropped") }
      if form == .buffer, stage != .outside { note("the text ends inside <Buffer …>") }
    case .base64: endGroup(&out)
    case .escaped: take(escapes.finish(), &out)
    }
    digits = 0
  }

  private mutating func note(_ message: String) {
    problemCount += 1
    if problems.last?.message == message, problems.last?.line == lineNumber {
      problems[problems.count - 1].more += 1
    } else if problems.count < Self.problemLimit {
      problems.append(DumpProblem(line: lineNumber, message: message))
    }
  }

  private mutating func add(digit: UInt8, _ out: inout [UInt8]) {
    bits = bits << 4 | UInt32(digit)
    digits += 1
    guard digits == 2 else { return }
    out.append(UInt8(truncatingIfNeeded: bits))
    count += 1
    digits = 0
    bits = 0
  }

  static func shown(_ byte: UInt8) -> String {
    0x21...0x7E ~= byte ? "'\(Character(UnicodeScalar(byte)))'" : "the byte \(byte)"
  }

  // MARK: Hex

  private mutating func readHexadecimal(_ byte: UInt8, _ out: inout [UInt8]) {
    defer { before = byte }
    if let digit = byte.hexadecimalValue { return add(digit: digit, &out) }
    dropPrefix(before: byte)
    if byte | 0x20 == UInt8(ascii: "x") {
      // The 0 of 0x was taken for a digit.
      if digits == 1, before == UInt8(ascii: "0") {
        digits = 0
        return
      }
      if before == UInt8(ascii: "\\") { return }
    } else if byte.isBlank || byte.isHexadecimalGarnish {
      return
    }
    note("\(Self.shown(byte)) is no hexadecimal digit, and is left out")
  }

  /// The `b` of a bytes literal in Python, `b'52eb'`, is none of its digits.
  private mutating func dropPrefix(before byte: UInt8) {
    guard byte.isQuote, digits == 1, count == 0, before | 0x20 == UInt8(ascii: "b") else { return }
    digits = 0
    bits = 0
  }

  private mutating func take(_ step: EscapeReader.Step, _ out: inout [UInt8]) {
    switch step {
    case .nothing: break
    case .byte(let byte): out.append(byte)
    case .bytes(let first, let second):
      out.append(first)
      out.append(second)
    case .text(let bytes): out.append(contentsOf: bytes)
    case .problem(let message): note(message)
    }
  }

  // MARK: Base64

  private mutating func readBase64(_ byte: UInt8, _ out: inout [UInt8]) {
    if byte.isBlank { return }
    defer { before = byte }
    guard let value = byte.base64Value else {
      if byte.isQuote { return dropPrefix(before: byte) }
      if byte == UInt8(ascii: "=") { return endGroup(&out) }
      return note("\(Self.shown(byte)) is not of base64, and is left out")
    }
    bits = bits << 6 | UInt32(value)
    digits += 1
    if digits == 4 { flush(bytes: 3, &out) }
  }

  /// At padding or the end: two digits are a byte, three are two.
  private mutating func endGroup(_ out: inout [UInt8]) {
    switch digits {
    case 2:
      bits <<= 12
      flush(bytes: 1, &out)
    case 3:
      bits <<= 6
      flush(bytes: 2, &out)
    case 1:
      digits = 0
      bits = 0
      note("base64 ends with a single digit, which is no byte")
    default: break
    }
  }

  private mutating func flush(bytes: Int, _ out: inout [UInt8]) {
    for place in 0..<bytes { out.append(UInt8(truncatingIfNeeded: bits >> UInt32(16 - 8 * place))) }
    count += bytes
    bits = 0
    digits = 0
  }

  // MARK: Node

  private mutating func readBuffer(_ byte: UInt8, _ out: inout [UInt8]) {
    switch stage {
    case .outside:
      // What a program printed around its buffers is no data: only `<Buffer` opens.
      if byte == UInt8(ascii: "<") { line.removeAll(keepingCapacity: true) }
      if line.count < 8 { line.append(byte) }
      if line == Array("<Buffer ".utf8) || line == Array("<Buffer>".utf8) {
        stage = line.last == UInt8(ascii: ">") ? .outside : .inside
        line.removeAll(keepingCapacity: true)
      }
    case .inside:
      if let digit = byte.hexadecimalValue { return add(digit: digit, &out) }
      if byte == UInt8(ascii: ">") { stage = .outside }
      if byte == UInt8(ascii: ".") { stage = .elided }
      if !byte.isBlank, byte != UInt8(ascii: ">"), byte != UInt8(ascii: ".") {
        note("\(Self.shown(byte)) is no hexadecimal digit, and is left out")
      }
    case .elided:
      if 0x30...0x39 ~= byte, line.count < 12 { line.append(byte) }
      guard byte == UInt8(ascii: ">") else { return }
      note(
        "Node left out \(String(decoding: line, as: UTF8.self)) bytes when it printed this; print "
          + "buffer.toString('hex') to get all")
      line.removeAll(keepingCapacity: true)
      stage = .outside
    }
  }

  // MARK: Lines with offsets

  private mutating func endLine(_ out: inout [UInt8]) {
    defer { line.removeAll(keepingCapacity: true) }
    while let end = line.last, end.isBlank { line.removeLast() }
    if line.isEmpty { return }
    if line == [UInt8(ascii: "*")] {
      repeats = true
      return
    }
    guard let (offset, start) = offset() else { return note("this line has no offset, and is left out") }
    if repeats { repeatLast(until: offset, &out) }
    repeats = false
    if offset != count {
      note("the offset is \(offset) where \(count) was expected: lines are missing or out of order")
      count = offset
    }
    let before = out.count
    readLine(from: start, &out)
    digits = 0
    last.removeAll(keepingCapacity: true)
    last.append(contentsOf: out[before...])
  }

  /// A line's offset, and where the rest of the line starts.
  private func offset() -> (offset: Int, start: Int)? {
    var values = [0, 0, 0]
    var place = 0
    // od counts in octal digits unless it is told otherwise; the reading that fits is the right one.
    let radixes = form == .xxd ? [16] : [16, 8, 10]
    while place < line.count, place < 16, let digit = line[place].hexadecimalValue {
      for (index, radix) in radixes.enumerated() {
        let (scaled, overflow) = values[index].multipliedReportingOverflow(by: radix)
        values[index] = overflow || Int(digit) >= radix ? Int.max >> 8 : min(scaled, Int.max >> 8) + Int(digit)
      }
      place += 1
    }
    guard place >= 4 else { return nil }
    if form == .xxd {
      guard place < line.count, line[place] == UInt8(ascii: ":") else { return nil }
      place += 1
    }
    return (values.prefix(radixes.count).contains(count) ? count : values[0], place)
  }

  /// The bytes of a line: up to the bar of hexdump, or the two blanks before the characters of xxd.
  private mutating func readLine(from start: Int, _ out: inout [UInt8]) {
    if form == .hexdump, holdsWords(from: start) {
      return note("words of two bytes, whose order depends on the machine, are left out: print them with hexdump -C")
    }
    var place = start
    var blanks = 0
    if form == .xxd, place < line.count, line[place].isBlank { place += 1 }
    while place < line.count {
      let byte = line[place]
      place += 1
      if byte.isBlank {
        blanks += 1
        if form == .xxd, blanks == 2 { break }
        continue
      }
      blanks = 0
      // The characters, as hexdump or `od -t x1z` frames them.
      if byte == UInt8(ascii: "|") || byte == UInt8(ascii: ">") { break }
      guard let digit = byte.hexadecimalValue else {
        note("\(Self.shown(byte)) is no hexadecimal digit: the rest of the line is left out")
        break
      }
      add(digit: digit, &out)
    }
    if digits > 0 { note("an odd number of hexadecimal digits: the last one is dropped") }
  }

  /// Whether the first group has more than two digits.
  private func holdsWords(from start: Int) -> Bool {
    var place = start
    while place < line.count, line[place].isBlank { place += 1 }
    let group = line[place...].prefix { $0.hexadecimalValue != nil }
    return group.count > 2
  }

  /// What `*` stands for: the line before it, over and over.
  private mutating func repeatLast(until offset: Int, _ out: inout [UInt8]) {
    guard !last.isEmpty, offset >= count, offset - count <= Self.repeatLimit, (offset - count) % last.count == 0 else {
      return note("the '*' stands for no whole number of lines, or for too many")
    }
    // Lines of one byte make many: they are put together first.
    var block = last
    while block.count < 4096 { block += last }
    while offset - count >= block.count {
      out.append(contentsOf: block)
      count += block.count
    }
    out.append(contentsOf: block.prefix(offset - count))
    count = offset
  }
}
