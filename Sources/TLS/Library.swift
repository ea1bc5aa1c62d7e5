// OpenSSL's start, and the small things every owner of one of its objects needs.
internal import COpenSSL

/// Started once, without reading openssl.cnf: it costs half a millisecond, and a tool's behaviour must not hang on it.
private let started: Bool = OPENSSL_init_ssl(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG), nil) == 1

/// Every entrance to the library passes here.
@inline(__always)
func startLibrary() { _ = started }

/// An OpenSSL memory BIO over bytes that outlive it, for the parsers that read nothing else.
func withBIO<R>(_ bytes: UnsafeBufferPointer<UInt8>, _ body: (OpaquePointer) -> R?) -> R? {
  guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
  defer { BIO_free(bio) }
  return body(bio)
}

/// What a writer of OpenSSL's writes into a BIO.
func collect(_ body: (OpaquePointer) -> Bool) -> [UInt8]? {
  guard let bio = BIO_new(BIO_s_mem()) else { return nil }
  defer { BIO_free(bio) }
  guard body(bio) else { return nil }
  var start: UnsafeMutablePointer<CChar>?
  let count = door_BIO_memory(bio, &start)
  guard let start, count > 0 else { return [] }
  return start.withMemoryRebound(to: UInt8.self, capacity: count) {
    Array(UnsafeBufferPointer(start: $0, count: count))
  }
}

/// DER from one of OpenSSL's `i2d` functions: called once for the size, once for the bytes.
func derBytes(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8] {
  let count = Int(encode(nil))
  guard count > 0 else { return [] }
  return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
    var cursor = buffer.baseAddress
    written = max(0, Int(encode(&cursor)))
  }
}

/// A name as one line, least significant part first as RFC 4514 writes it, UTF-8 unescaped.
func nameText(_ name: OpaquePointer?) -> String {
  guard let name else { return "" }
  let bytes = collect { door_X509_NAME_print($0, name) >= 0 }
  return String(decoding: bytes ?? [], as: UTF8.self)
}

/// UNIX seconds of an ASN.1 time; nil for one that cannot be read.
func unixSeconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int? {
  guard let time, let epoch = ASN1_TIME_set(nil, 0) else { return nil }
  defer { ASN1_TIME_free(epoch) }
  var days: Int32 = 0
  var seconds: Int32 = 0
  guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
  return Int(days) * 86_400 + Int(seconds)
}

/// A UNIX time as `2026-12-01 09:00 UTC` (the proleptic Gregorian calendar by counting days from 0000-03-01).
func dateText(_ seconds: Int) -> String {
  let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
  let rest = seconds - days * 86_400
  let shifted = days + 719_468
  let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
  let dayOfEra = shifted - era * 146_097
  let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
  let month = (5 * dayOfYear + 2) / 153
  let day = dayOfYear - (153 * month + 2) / 5 + 1
  let calendarMonth = month < 10 ? month + 3 : month - 9
  let calendarYear = year + era * 400 + (calendarMonth <= 2 ? 1 : 0)
  func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
  return "\(calendarYear)-\(two(calendarMonth))-\(two(day)) \(two(rest / 3600)):\(two(rest % 3600 / 60)) UTC"
}

typealias PassphraseReader =
  @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32

/// A passphrase for OpenSSL's readers. They ask this instead of a terminal, which is where they turn by default.
func withPassphrase<R>(_ passphrase: [UInt8]?, _ body: (@escaping PassphraseReader, UnsafeMutableRawPointer?) -> R) -> R
{
  let answer: PassphraseReader = { buffer, size, _, user in
    guard let buffer, let user else { return -1 }
    let phrase = user.assumingMemoryBound(to: [UInt8].self).pointee
    guard phrase.count <= Int(size) else { return -1 }
    for (index, byte) in phrase.enumerated() { buffer[index] = CChar(bitPattern: byte) }
    return Int32(phrase.count)
  }
  guard var phrase = passphrase else { return body(answer, nil) }
  return withUnsafeMutablePointer(to: &phrase) { body(answer, UnsafeMutableRawPointer($0)) }
}
