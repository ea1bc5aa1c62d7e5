// A sender with a journal that is killed: Benchmarks/kills does it, at a hundred random moments.
import Foundation
import Testing

@Suite struct Killing {
  @Test("kill -9 at a hundred random moments: every line has its one end, and no line is sent twice unawares")
  func killed() throws {
    guard try run("command -v python3", in: Case.packageRoot).status == 0 else { return }
    let found = try run("Benchmarks/kills '\(toolFolder)' --kills 100", in: Case.packageRoot)
    let words = String(decoding: found.out + found.err, as: UTF8.self)
    #expect(found.status == 0 && words.contains("100 kills"), "\(words)")
  }
}
