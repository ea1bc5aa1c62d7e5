// Texts up to the limit of 4 GiB - 1 bytes and beyond it, in memory that is reserved but never touched.
import Foundation
import Testing

@testable import JSON

@Suite struct LargeTests {
  /// Hands on zeros of this size, of which only the end is touched: it holds `tail`.
  private func withText(
    count: Int, tail: String, _ body: (borrowing Span<UInt8>) throws -> Void
  ) throws {
    let memory = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    let base = try #require(memory == MAP_FAILED ? nil : memory)
    defer { munmap(base, count) }
    base.advanced(by: count - tail.utf8.count).copyMemory(from: Array(tail.utf8), byteCount: tail.utf8.count)
    try body(Span(_unsafeBytes: UnsafeRawBufferPointer(start: base, count: count)))
  }

  @Test func offsetsReachTheLimit() throws {
    let limit = Int(UInt32.max)
    let tail = #"{"a":["\u00e9",12]}"#
    try withText(count: limit, tail: tail) { bytes in
      var reader = Reader()
      let start = limit - tail.utf8.count
      let end = try reader.readPrefix(bytes, from: start)
      #expect(end == limit)
      #expect(reader.tokens.map(\.start) == [0, 1, 5, 6, 15].map { $0 + start })
      #expect(reader.tokens.map(\.end) == [limit, start + 4, limit - 1, start + 14, start + 17])
    }
  }

  @Test func mistakesReachTheLimit() throws {
    let limit = Int(UInt32.max)
    try withText(count: limit, tail: #"["é"#) { bytes in
      var reader = Reader()
      var found: SyntaxError?
      do throws(SyntaxError) { _ = try reader.readPrefix(bytes, from: limit - 4) } catch { found = error }
      #expect(found?.kind == .unexpectedEnd)
      #expect(found?.offset == limit)
    }
  }

  @Test func longerTextsAreRefused() throws {
    try withText(count: Int(UInt32.max) + 1, tail: "[]") { bytes in
      var reader = Reader()
      var kinds: [SyntaxError.Kind] = []
      do throws(SyntaxError) { try reader.read(bytes) } catch { kinds.append(error.kind) }
      do throws(SyntaxError) { _ = try reader.readPrefix(bytes, from: 1 << 32 - 2) } catch { kinds.append(error.kind) }
      #expect(kinds == [.tooLong, .tooLong])
    }
  }

  @Test func longStringsAndManyTokens() throws {
    var reader = Reader()
    let text = Array("[\"".utf8) + Array(repeating: UInt8(ascii: "x"), count: 3 << 20) + Array("\"]".utf8)
    try reader.read(text.span)
    #expect(reader.tokens.map(\.end) == [text.count, text.count - 1])
    let many =
      Array("[".utf8) + Array(repeating: [UInt8(ascii: "0"), UInt8(ascii: ",")], count: 300_000).joined()
      + Array("0]".utf8)
    try reader.read(many.span)
    #expect(reader.tokens.count == 300_002)
    #expect(reader.tokens[0].next == 300_002)
  }
}
