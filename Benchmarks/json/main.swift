// Our reader against simdjson's DOM parser: the same lines, one process, pass by pass in turn, medians of CPU time.
import CBenchmark
import Glibc

/// CPU seconds of this thread.
func cpuSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func readFile(_ path: String) -> [UInt8] {
  let descriptor = open(path, O_RDONLY)
  guard descriptor >= 0 else { return [] }
  defer { close(descriptor) }
  let size = Int(lseek(descriptor, 0, SEEK_END))
  lseek(descriptor, 0, SEEK_SET)
  var filled = 0
  var bytes = [UInt8](repeating: 0, count: size)
  bytes.withUnsafeMutableBytes { buffer in
    while filled < size {
      let got = read(descriptor, buffer.baseAddress! + filled, size - filled)
      if got <= 0 { break }
      filled += got
    }
  }
  return bytes
}

@inline(never)
func readerPass(_ text: Span<UInt8>, _ ends: [Int], _ reader: inout Reader) -> Int {
  var start = 0
  var good = 0
  for end in ends {
    do throws(SyntaxError) {
      try reader.read(text.extracting(start..<end))
      good += 1
    } catch {}
    start = end + 1
  }
  return good
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func padded(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}

func rounded(_ value: Double, _ digits: Int) -> String {
  let scale = pow(10, Double(digits))
  return "\((value * scale).rounded() / scale)"
}

/// What a run of passes gave.
struct Figures {
  var theirs: [Double] = []
  var ours: [Double] = []
  var refused = 0
  /// Allocations during our passes but the first.
  var allocations = 0
}

/// One pass of each in turn; the first only warms caches and buffers.
func measure(_ bytes: [UInt8], _ ends: [Int], passes: Int) -> Figures {
  var reader = Reader()
  var figures = Figures()
  figures.theirs.reserveCapacity(passes)
  figures.ours.reserveCapacity(passes)
  for pass in 0...passes {
    var start = cpuSeconds()
    var good = ends.withUnsafeBufferPointer { ends in
      bytes.withUnsafeBufferPointer { simdjson_pass($0.baseAddress, ends.baseAddress, ends.count) }
    }
    let their = cpuSeconds() - start
    let before = allocations()
    start = cpuSeconds()
    good += readerPass(bytes.span, ends, &reader)
    let our = cpuSeconds() - start
    figures.refused = 2 * ends.count - good
    if pass == 0 { continue }
    figures.allocations += allocations() - before
    figures.theirs.append(their)
    figures.ours.append(our)
  }
  return figures
}

func lineEnds(_ bytes: [UInt8]) -> [Int] {
  var ends: [Int] = []
  for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") { ends.append(index) }
  return ends
}

func report(_ figures: Figures, bytes: Int, lines: Int) {
  for (name, seconds) in [("simdjson dom", median(figures.theirs)), ("JSON.Reader", median(figures.ours))] {
    print(
      padded(name, 12), padded(rounded(seconds, 4), 8), "CPU s",
      padded(rounded(Double(bytes) / 1e6 / seconds, 0), 8), "MB/s",
      padded(rounded(seconds / Double(lines) * 1e9, 1), 8), "ns a line")
  }
  let ratio = rounded(median(figures.theirs) / median(figures.ours), 3)
  let kernel = String(cString: simdjson_kernel())
  print("speed of JSON.Reader / speed of simdjson's DOM parser (\(kernel) kernel): \(ratio), aim 0.8")
  print("pass by pass:", zip(figures.theirs, figures.ours).map { rounded($0 / $1, 2) }.joined(separator: " "))
  // The whole run's count shows that the counter counts.
  print(
    "allocations of JSON.Reader in \(lines * figures.ours.count) lines once warm: \(figures.allocations)",
    "(of \(allocations()) in the whole run)")
}

func run(_ arguments: [String]) -> Int32 {
  let passes = 9
  var bytes = arguments.count > 1 ? readFile(arguments[1]) : Payloads(lines: 1_000_000).bytes
  let ends = lineEnds(bytes)
  // simdjson may read beyond a line's end; zeros are there for the last.
  bytes.append(contentsOf: repeatElement(0, count: 64))
  guard let last = ends.last else {
    print("json-bench: no lines in \(arguments[1])")
    return 2
  }
  let figures = measure(bytes, ends, passes: passes)
  report(figures, bytes: last + 1, lines: ends.count)
  if figures.refused > 0 { print("json-bench: \(figures.refused) lines were refused, so the figures mean nothing") }
  return figures.refused > 0 || figures.allocations > 0 ? 1 : 0
}

exit(run(CommandLine.arguments))
