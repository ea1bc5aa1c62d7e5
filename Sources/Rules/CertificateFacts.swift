// What a certificate says of its dates, its name and Apple's marks: a bounded walk over its DER. No signature is checked,
// and no key is read; that is the work of `apns-push --check-credentials`, which has a TLS library.

/// Facts of one X.509 certificate (RFC 5280 section 4.1).
struct CertificateFacts: Equatable {
  /// Validity in UNIX seconds, both ends included.
  var notBefore = 0
  var notAfter = 0
  /// The subject's common name, empty when it has none.
  var commonName = ""
  /// Whether it may sign other certificates.
  var isAuthority = false
  /// Apple's marks: the certificate may be used with the sandbox, with production.
  var isForSandbox = false
  var isForProduction = false

  /// Reads a certificate; nil for bytes that are none.
  init?(_ der: Span<UInt8>) {
    guard let certificate = DER(der, 0, der.count), certificate.tag == 0x30,
      let body = DER(der, certificate.start, certificate.end), body.tag == 0x30
    else { return nil }
    var place = body.start
    func next() -> DER? {
      guard let element = DER(der, place, body.end) else { return nil }
      place = element.end
      return element
    }
    guard var element = next() else { return nil }
    if element.tag == 0xA0 {
      // The version stands before the serial number.
      guard let serial = next() else { return nil }
      element = serial
    }
    guard element.tag == 0x02, next()?.tag == 0x30, next()?.tag == 0x30, let validity = next(), validity.tag == 0x30,
      let subject = next(), subject.tag == 0x30
    else { return nil }
    guard let from = DER(der, validity.start, validity.end), let to = DER(der, from.end, validity.end),
      let notBefore = Self.time(der, from), let notAfter = Self.time(der, to)
    else { return nil }
    (self.notBefore, self.notAfter) = (notBefore, notAfter)
    commonName = Self.commonName(der, subject)
    // The key, two identifiers nobody uses, and then the extensions.
    while let element = next() {
      if element.tag == 0xA3 { takeExtensions(der, element) }
    }
  }

  private mutating func takeExtensions(_ der: Span<UInt8>, _ wrapper: DER) {
    guard let list = DER(der, wrapper.start, wrapper.end), list.tag == 0x30 else { return }
    var place = list.start
    while let item = DER(der, place, list.end) {
      place = item.end
      guard item.tag == 0x30, let name = DER(der, item.start, item.end), name.tag == 0x06 else { continue }
      let apple: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 0x06, 0x03]
      if name.holds(apple + [1], der) { isForSandbox = true }
      if name.holds(apple + [2], der) { isForProduction = true }
      guard name.holds([0x55, 0x1D, 0x13], der), var value = DER(der, name.end, item.end) else { continue }
      // A Boolean says whether the extension is critical.
      if value.tag == 0x01, let behind = DER(der, value.end, item.end) { value = behind }
      guard value.tag == 0x04, let basic = DER(der, value.start, value.end), basic.tag == 0x30,
        let flag = DER(der, basic.start, basic.end), flag.tag == 0x01, flag.end > flag.start
      else { continue }
      isAuthority = der[flag.start] != 0
    }
  }

  private static func commonName(_ der: Span<UInt8>, _ subject: DER) -> String {
    var found = ""
    var place = subject.start
    while let set = DER(der, place, subject.end) {
      place = set.end
      guard let pair = DER(der, set.start, set.end), pair.tag == 0x30, let name = DER(der, pair.start, pair.end),
        name.holds([0x55, 0x04, 0x03], der), let text = DER(der, name.end, pair.end)
      else { continue }
      found = String(utf8: der.extracting(text.start..<min(text.end, text.start + 128)))
    }
    return found
  }

  /// UTCTime `YYMMDDhhmmssZ` (two digits from 50 on are of the last century) or GeneralizedTime `YYYYMMDDhhmmssZ`.
  private static func time(_ der: Span<UInt8>, _ element: DER) -> Int? {
    let isLong = element.tag == 0x18
    guard isLong || element.tag == 0x17, element.end - element.start == (isLong ? 15 : 13),
      der[element.end - 1] == UInt8(ascii: "Z")
    else { return nil }
    var numbers: [Int] = []
    for place in stride(from: element.start, to: element.end - 1, by: 2) {
      let (tens, ones) = (Int(der[place]) - 0x30, Int(der[place + 1]) - 0x30)
      guard (0...9).contains(tens), (0...9).contains(ones) else { return nil }
      numbers.append(tens * 10 + ones)
    }
    let year = isLong ? numbers.removeFirst() * 100 + numbers[0] : numbers[0] + (numbers[0] < 50 ? 2000 : 1900)
    guard (1...12).contains(numbers[1]), (1...31).contains(numbers[2]), numbers[3] < 24, numbers[4] < 60,
      numbers[5] <= 60
    else { return nil }
    return ((days(year, numbers[1], numbers[2]) * 24 + numbers[3]) * 60 + numbers[4]) * 60 + numbers[5]
  }

  /// Days since 1970 of a date of the Gregorian calendar: years begin in March, so that the leap day is their last.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let march = month > 2 ? year : year - 1
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return march * 365 + march / 4 - march / 100 + march / 400 + dayOfYear - 719_468
  }
}

/// One element of DER: its tag, and where its content lies.
struct DER {
  let tag: UInt8
  let start: Int
  let end: Int

  /// The element at `place`, nil when there is no whole one before `limit`. Lengths of more than four bytes are refused.
  init?(_ bytes: Span<UInt8>, _ place: Int, _ limit: Int) {
    guard place >= 0, limit <= bytes.count, place + 2 <= limit else { return nil }
    tag = bytes[place]
    var length = Int(bytes[place + 1])
    var start = place + 2
    if length >= 0x80 {
      let count = length - 0x80
      guard (1...4).contains(count), start + count <= limit else { return nil }
      length = 0
      for index in start..<start + count { length = length << 8 | Int(bytes[index]) }
      start += count
    }
    guard length <= limit - start else { return nil }
    self.start = start
    end = start + length
  }

  func holds(_ content: [UInt8], _ bytes: Span<UInt8>) -> Bool {
    guard end - start == content.count else { return false }
    for index in content.indices where bytes[start + index] != content[index] { return false }
    return true
  }
}
