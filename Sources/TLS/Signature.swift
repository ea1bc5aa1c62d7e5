// The two forms of an ECDSA signature on P-256: r and s in 64 bytes, and DER.

/// DER to r‖s: SEQUENCE { INTEGER r, INTEGER s } (RFC 3279 section 2.2.3) to 32 bytes each (RFC 7518 section 3.4).
/// Nil for anything but two positive numbers of at most 32 bytes that fill the sequence.
public func rawSignature(_ der: Span<UInt8>) -> [UInt8]? {
  guard der.count >= 8, der.count <= 72, der[0] == 0x30, Int(der[1]) == der.count - 2 else { return nil }
  var raw = [UInt8](repeating: 0, count: 64)
  var at = 2
  for half in 0..<2 {
    guard at + 2 <= der.count, der[at] == 0x02 else { return nil }
    var count = Int(der[at + 1])
    var start = at + 2
    guard count > 0, start + count <= der.count, der[start] < 0x80 else { return nil }
    at = start + count
    while count > 1, der[start] == 0 { (start, count) = (start + 1, count - 1) }
    guard count <= 32 else { return nil }
    for index in 0..<count { raw[half * 32 + 32 - count + index] = der[start + index] }
  }
  return at == der.count ? raw : nil
}

/// r‖s to DER. The input is 64 bytes; other lengths give nothing.
public func derSignature(_ raw: Span<UInt8>) -> [UInt8] {
  guard raw.count == 64 else { return [] }
  var content: [UInt8] = []
  for half in 0..<2 {
    var start = half * 32
    let end = start + 32
    while start < end - 1, raw[start] == 0 { start += 1 }
    // A leading bit set would read as a negative number.
    let padding = raw[start] >= 0x80
    content.append(0x02)
    content.append(UInt8(end - start + (padding ? 1 : 0)))
    if padding { content.append(0) }
    for index in start..<end { content.append(raw[index]) }
  }
  return [0x30, UInt8(content.count)] + content
}
