// What a run keeps in mind: the line it is at, and not more identifiers than there is room for.
import JSON
import Testing

@testable import Rules

@Suite struct Bounds {
  @Test("Lines are found forwards and backwards, with either line end")
  func lines() {
    let text = Array("ab\r\n\ncd\nef".utf8)
    // Line, start and end of each offset, by looking at all bytes before it.
    func expected(_ offset: Int) -> [Int] {
      var start = 0
      var line = 1
      for index in 0..<offset where text[index] == 0x0A { (line, start) = (line + 1, index + 1) }
      var end = start
      while end < text.count, text[end] != 0x0A { end += 1 }
      if end > start, text[end - 1] == 0x0D { end -= 1 }
      return [line, start, end]
    }
    for first in 0...text.count {
      for second in 0...text.count {
        var lines = LineIndex()
        for offset in [first, second] {
          let place = lines.place(offset, text.span)
          #expect([place.line, place.start, place.end] == expected(offset), "\(first) \(second)")
        }
      }
    }
  }

  @Test("What no longer fits is not remembered, and what does still is")
  func memory() {
    var memory = RunMemory(room: 2000)
    var validator = Validator()
    var repeats = 0
    for number in Array(0..<100) + [0, 99] {
      let line = Array("{\"id\":\"\(number)\",\"payload\":{}}".utf8)
      _ = validator.check(line.span, as: .record)
      let tokens = validator.tokens
      repeats += memory.take(Document(line.span, tokens.span), place: "text:\(number)").count
    }
    #expect(repeats == 1)
  }

  @Test("A record of nothing but strange keys is not listed whole")
  func strangeKeys() {
    var validator = Validator()
    let members = (0..<5000).map { "\"k\($0)\":1" }.joined(separator: ",")
    let record = Array("{\(members)}".utf8)
    _ = validator.check(record.span, as: .record)
    #expect(!validator.findings.isEmpty && validator.findings.count <= 400)
  }
}
