// Fuzz target: taking provider tokens apart.

import APNs

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let start else { return 0 }
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let parts = ProviderToken.parse(input.span) else { return 0 }
  precondition(parts.signingInput.count < input.count)
  return 0
}
