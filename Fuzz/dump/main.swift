// Fuzz target: recognising and reading the text forms of dumps.

import BinaryProtocol

/// The first byte chooses the form, the second the size of the pieces; the rest is the text.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let start, count > 2 else { return 0 }
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  let text = Array(input[2...])
  let form = DumpForm.allCases[Int(input[0]) % DumpForm.allCases.count]
  _ = DumpForm.recognise(text.span)
  let whole = bytes(of: text, form, piece: text.count)
  precondition(whole == bytes(of: text, form, piece: Int(input[1]) + 1), "a cut changes what is read")
  return 0
}

private func bytes(of text: [UInt8], _ form: DumpForm, piece: Int) -> [UInt8] {
  var reader = DumpReader(form)
  var all: [UInt8] = []
  var place = 0
  while place < text.count {
    var some: [UInt8] = []
    place += reader.read(text.span.extracting(place..<min(place + piece, text.count)), into: &some)
    precondition(some.count < 2 << 20, "a piece asks for too much")
    all += some
    // What stars stand for may be long; it is the reading that is tried here.
    if all.count > 4 << 20 { return [] }
  }
  reader.finish(into: &all)
  _ = reader.takeProblems()
  return all
}
