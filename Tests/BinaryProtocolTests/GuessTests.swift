// Finding out what bytes are: which stream, and in which form they were kept.

import BinaryProtocol
import Testing

@Suite struct GuessTests {
  @Test("every vector that holds a record is taken for what it is", arguments: Vector.all.filter { !$0.bytes.isEmpty })
  func vectors(_ vector: Vector) {
    #expect(guess(hex(vector.bytes)) == .framing(vector.framing, why: ""))
  }

  private func guess(_ text: String) -> Guess {
    let bytes = hex(text)
    return Guess.from(bytes.span, isWhole: true)
  }

  @Test("starts of records are enough when nothing else can start so") func starts() {
    #expect(guess("0808") == .framing(.responses, why: ""))
    #expect(guess("52ebd690002049c1") == .framing(.feedback, why: ""))
    #expect(guess("0200000050010020293f") == .framing(.commands, why: ""))
    #expect(guess("52ebd2900000") == .framing(.feedback, why: ""))
  }

  @Test("two streams that both fit are for a person to tell apart") func ambiguous() {
    // Two error packets; or a tuple of 1974 with a token of six bytes.
    let both = guess("080800000006" + "080000000007")
    #expect(both == .ambiguous([(.feedback, ""), (.responses, "")]))
  }

  @Test("feedback that cannot be true is for a person to tell") func doubtful() {
    // An error packet and a byte more; a tuple of 2063.
    #expect(guess("080A0000000108") == .ambiguous([(.feedback, ""), (.responses, "")]))
    let future = hex("b02004000020" + String(repeating: "a1", count: 32))
    #expect(Guess.from(future.span, isWhole: true, times: Times(now: 1_790_000_000)) == .ambiguous([(.feedback, "")]))
    #expect(Guess.from(future.span, isWhole: true) == .framing(.feedback, why: ""))
    // Several, end to end, with tokens of 32 bytes: nothing else looks so.
    let row = future + future
    #expect(Guess.from(row.span, isWhole: true, times: Times(now: 1_790_000_000)) == .framing(.feedback, why: ""))
  }

  @Test("what is none of them is none") func none() {
    #expect(guess("eb0000ffffffffffff") == .none(.none))
    #expect(guess("1603010200010001fc0303") == .none(.tls(type: 22, version: 1)))
    #expect(guess(hex("HTTP/1.1 400 Bad Request\r\n".utf8)) == .none(.http))
  }

  @Test("garbage before the records does not hide them") func garbage() {
    #expect(guess("ffff" + RuleTests.good + RuleTests.good) == .framing(.commands, why: ""))
  }
}

@Suite struct DumpTests {
  static let bytes = hex("52ebd690002049c1cf0ebd4e48c7fd5f4993b610b3aeb54cde2df2d0fbc401c067953398880952ebd691")

  static let forms: [(DumpForm, String)] = [
    (.hex, "52ebd690002049c1cf0ebd4e48c7fd5f4993b610b3aeb54cde2df2d0fbc401c067953398880952ebd691\n"),
    (.hex, "<52EBD690 002049c1 cf0ebd4e 48c7fd5f 4993b610 b3aeb54c de2df2d0 fbc401c0 67953398 88095\n2eb d691>"),
    (
      .hex,
      "0x52,0xeb,0xd6,0x90,0x00,0x20,0x49,0xc1, 0xcf,0x0e,0xbd,0x4e,0x48,0xc7,0xfd,0x5f,0x49,0x93,0xb6,0x10,0xb3,"
        + "0xae,0xb5,0x4c,0xde,0x2d,0xf2,0xd0,0xfb,0xc4,0x01,0xc0,0x67,0x95,0x33,0x98,0x88,0x09,0x52,0xeb,0xd6,0x91"
    ),
    (.base64, "UuvWkAAgScHPDr1OSMf9X0mTthCzrrVM3i3y0PvEAcBnlTOY\niAlS69aR\n"),
    (.base64, "UuvWkAAgScHPDr1OSMf9X0mTthCzrrVM3i3y0PvEAcBnlTOYiAlS69Y=kQ=="),
    (
      .xxd,
      """
      00000000: 52eb d690 0020 49c1 cf0e bd4e 48c7 fd5f  R.... I....NH.._
      00000010: 4993 b610 b3ae b54c de2d f2d0 fbc4 01c0  I......L.-......
      00000020: 6795 3398 8809 52eb d691                 g.3...R...
      """
    ),
    (
      .hexdump,
      """
      00000000  52 eb d6 90 00 20 49 c1  cf 0e bd 4e 48 c7 fd 5f  |R.... I....NH.._|
      00000010  49 93 b6 10 b3 ae b5 4c  de 2d f2 d0 fb c4 01 c0  |I......L.-......|
      00000020  67 95 33 98 88 09 52 eb  d6 91                    |g.3...R...|
      0000002a

      """
    ),
    (
      .hexdump,
      """
      0000000 52 eb d6 90 00 20 49 c1 cf 0e bd 4e 48 c7 fd 5f
      0000020 49 93 b6 10 b3 ae b5 4c de 2d f2 d0 fb c4 01 c0
      0000040 67 95 33 98 88 09 52 eb d6 91
      0000052
      """
    ),
    (
      .buffer,
      """
      connected <Buffer 52 eb d6 90 00 20 49 c1 cf 0e bd 4e 48 c7 fd 5f 49 93 b6 10>
      <Buffer b3 ae b5 4c de 2d f2 d0 fb c4 01 c0 67 95 33 98 88 09 52 eb d6 91>
      """
    ),
  ]

  /// The same bytes as programs print them.
  static let literals = [
    #"b'R\xeb\xd6\x90\x00 I\xc1\xcf\x0e\xbdNH\xc7\xfd_I\x93\xb6\x10\xb3\xae\xb5L\xde-\xf2\xd0\xfb\xc4\x01\xc0g\x953\x98\x88\tR\xeb\xd6\x91'"#,
    ##"(b"R\xeb\xd6\x90\x00 I\xc1\xcf\x0e\xbdNH\xc7\xfd_I\x93\xb6\x10"\##n b'\xb3\xae\xb5L\xde-\xf2\xd0\xfb\xc4\x01\xc0g\x953\x98\x88\tR\xeb\xd6\x91')"##,
    #"write(3, "R\353\326\220\0 I\301\317\16\275NH\307\375_I\223\266\20\263\256\265L\336-\362\320\373\304\1\300g\2253\230\210\tR\353\326\221", 42) = 42"#,
    #"R\xeb\xd6\x90\0\40I\xc1\xcf\x0e\xbdNH\xc7\xfd_I\x93\xb6\x10\xb3\xae\xb5L\xde-\xf2\xd0\xfb\xc4\x01\xc0g\x953\x98\x88\tR\xeb\xd6\x91"#,
  ]

  @Test("literals with escapes are read, however they are cut", arguments: literals) func escapes(_ text: String) {
    #expect(recognise(Array(text.utf8)) == .escaped)
    for piece in [1, 2, 5, 17, 1000] {
      for ending in [text, text + "\r\n", "\u{FEFF}" + text] {
        let found = read(.escaped, Array(ending.utf8), piece: piece)
        #expect(found.bytes == Self.bytes)
        #expect(found.problems == 0)
      }
    }
  }

  @Test("the b of a bytes literal is no digit") func prefixes() {
    for form in [DumpForm.hex, .base64] {
      let text = form == .hex ? "b'52ebd69000'" : "B\"UuvWkAA=\""
      #expect(recognise(Array(text.utf8)) == form)
      #expect(read(form, Array(text.utf8), piece: 1).bytes == hex("52ebd69000"))
    }
  }

  private func recognise(_ bytes: [UInt8]) -> DumpForm { DumpForm.recognise(bytes.span) }

  private func read(_ form: DumpForm, _ text: [UInt8], piece: Int) -> (bytes: [UInt8], problems: Int) {
    var reader = DumpReader(form)
    var bytes: [UInt8] = []
    var place = 0
    while place < text.count {
      place += reader.read(text.span.extracting(place..<min(place + piece, text.count)), into: &bytes)
    }
    reader.finish(into: &bytes)
    return (bytes, reader.problemCount)
  }

  @Test("every form is recognised and read, however it is cut", arguments: 0..<9) func everyForm(_ index: Int) {
    let (form, text) = Self.forms[index]
    #expect(recognise(Array(text.utf8)) == form)
    for piece in [1, 2, 5, 17, 1000] {
      for ending in [text, text.replacing("\n", with: "\r\n"), "\u{FEFF}" + text] {
        let found = read(form, Array(ending.utf8), piece: piece)
        #expect(found.bytes == Self.bytes)
        #expect(found.problems == 0)
      }
    }
  }

  @Test("bytes are raw") func raw() {
    #expect(recognise(Self.bytes) == .raw)
    #expect(recognise(hex("08080000000a")) == .raw)
    #expect(recognise(Array("GET / HTTP/1.1".utf8)) == .raw)
    #expect(recognise([]) == .raw)
  }

  @Test("the star of hexdump stands for the line before it") func star() {
    let text = """
      00000000  41 41 41 41 41 41 41 41  41 41 41 41 41 41 41 41  |AAAAAAAAAAAAAAAA|
      *
      00000040  42                                                |B|
      00000041
      """
    let found = read(.hexdump, Array(text.utf8), piece: 9)
    #expect(found.bytes == [UInt8](repeating: 0x41, count: 64) + [0x42])
    #expect(found.problems == 0)
  }

  @Test("a star cannot ask for more than is given out") func hostileStar() {
    var text = "00000000  41 41 41 41 41 41 41 41  41 41 41 41 41 41 41 41  |AAAAAAAAAAAAAAAA|\n"
    for line in 1...200 {
      text +=
        "*\n" + String(line << 20, radix: 16).leftPadded(8) + "  41 41 41 41 41 41 41 41  41 41 41 41 41 41 41 41\n"
    }
    var reader = DumpReader(.hexdump)
    var bytes: [UInt8] = []
    var most = 0
    var place = 0
    let all = Array(text.utf8)
    while place < all.count {
      bytes.removeAll()
      place += reader.read(all.span.extracting(droppingFirst: place), into: &bytes)
      most = max(most, bytes.count)
    }
    #expect(most < 1_400_000)
  }

  @Test(
    "what has no place in a text is reported",
    arguments: [
      (DumpForm.hex, "52ebg9690"), (.hex, "52ebd"), (.base64, "UuvW!kAA"), (.base64, "UuvWk"),
      (.xxd, "00000000: 52eb d690\n00000010: 0020\n"), (.xxd, "nothing here\n"),
      (.hexdump, "00000000  52 eb zz 90  |....|"),
      (.hexdump, "0000000 eb52 90d6\n"), (.buffer, "<Buffer 52 eb ... 50 more bytes>"),
      (.buffer, "<Buffer 52 eb"),
    ])
  func problems(_ form: DumpForm, _ text: String) {
    #expect(read(form, Array(text.utf8), piece: 100).problems == 1)
  }
}
