// Rules for expiration, collapse identifier and id, and for the device token.

import APNs
import JSON

private let hello = #"{"aps":{"alert":"Hi"}}"#

private func headers(_ keys: String, _ options: String...) -> Example {
  Example(.payload(type: "alert", topic: "com.example.app", rest: keys), [.text(hello)], options)
}

private func token(_ text: String) -> Example {
  .record(#"{"token":"\#(text)","topic":"com.example.app","push_type":"alert","payload":\#(hello)}"#)
}

let headerRules: [Rule] = [
  Rule(
    "expiration-syntax", .error, "expiration is UNIX seconds, a whole number from 0",
    why: "APNs refuses fractions, signs and dates.",
    passes: headers(#","expiration":1790003600"#, "--now", "1790000000"),
    fails: headers(#","expiration":1790000000.5"#),
    refusal: "BadExpirationDate", at: .record),
  Rule(
    "expiration-milliseconds", .warning, "expiration is in seconds",
    why: "A number above 100000000000 is in milliseconds: the date lies thousands of years ahead.",
    passes: headers(#","expiration":1790003600"#, "--now", "1790000000"),
    fails: headers(#","expiration":1790000000000"#),
    at: .expiration
  ) { document, scene, node in
    guard let value = scene.expiration, value > 100_000_000_000 else { return }
    let place = scene.record.expirationNode
    scene.report(
      place ?? 0, "expiration \(value) is in milliseconds", help: "write \(value / 1000)",
      fix: place.map { document.replace($0, by: String(value / 1000)) })
  },
  Rule(
    "expiration-relative", .warning, "expiration is a date, not a duration",
    why: "A small number is a date before 2001, long past: the push is tried once.",
    passes: headers(#","expiration":1790003600"#, "--now", "1790000000"), fails: headers(#","expiration":3600"#),
    at: .expiration
  ) { document, scene, node in
    guard let value = scene.expiration, value > 0, value < 1_000_000_000 else { return }
    scene.report(
      scene.record.expirationNode ?? 0, "expiration \(value) is a duration, not a date",
      help: "add the present UNIX time; 0 means one attempt")
  },
  Rule(
    "expiration-past", .warning, "expiration lies ahead, or is 0",
    why: "APNs tries the push once and does not store it.",
    passes: headers(#","expiration":0"#, "--now", "1790000000"),
    fails: headers(#","expiration":1789999940"#, "--now", "1790000000"), needs: .clock, at: .expiration
  ) { document, scene, node in
    guard let now = scene.settings.now, let value = scene.expiration, value >= 1_000_000_000, value < now else {
      return
    }
    scene.report(
      scene.record.expirationNode ?? 0, "expiration \(value) is \(duration(now - value)) ago",
      help: "0 means one attempt")
  },
  Rule(
    "expiration-beyond-30-days", .note, "expiration is at most thirty days ahead",
    why: "APNs keeps nothing longer.",
    passes: headers(#","expiration":1790086400"#, "--now", "1790000000"),
    fails: headers(#","expiration":1793456000"#, "--now", "1790000000"), needs: .clock, at: .expiration
  ) { document, scene, node in
    guard let now = scene.settings.now, let value = scene.expiration, value - now > 30 * 86_400,
      value <= 100_000_000_000
    else { return }
    scene.report(scene.record.expirationNode ?? 0, "expiration is \(duration(value - now)) ahead; APNs keeps 30 days")
  },
  Rule(
    "expiration-voip-long", .warning, "a call expires at once or within seconds",
    why: "A late call rings for nobody. Without expiration APNs stores it.",
    passes: .voip(#"{"call":"7"}"#), fails: .voip(#"{"call":"7"}"#, #","priority":10"#), at: .type(.voip)
  ) { document, scene, node in
    guard scene.givenType == .voip else { return }
    guard let value = scene.expiration else {
      if scene.headersAreKnown, scene.record.expirationNode == nil {
        scene.report(scene.record.pushTypeNode ?? 0, "a call without expiration", help: "write \"expiration\":0")
      }
      return
    }
    guard let now = scene.settings.now, value - now > 60 else { return }
    scene.report(scene.record.expirationNode ?? 0, "a call that may ring \(duration(value - now)) late", help: "use 0")
  }.sharperWithClock(),
  Rule(
    "expiration-ptt", .warning, "Push to Talk has expiration 0",
    why: "Apple asks for it: the voice is speaking now.",
    passes: .type("pushtotalk", ".voip-ptt", #"{"aps":{}}"#, #","priority":10,"expiration":0"#),
    fails: .type("pushtotalk", ".voip-ptt", #"{"aps":{}}"#, #","priority":10"#), at: .type(.pushtotalk)
  ) { document, scene, node in
    guard scene.givenType == .pushtotalk, scene.expiration != 0 else { return }
    guard scene.expiration != nil || (scene.headersAreKnown && scene.record.expirationNode == nil) else { return }
    scene.report(
      scene.record.expirationNode ?? scene.record.pushTypeNode ?? 0, "a push of type pushtotalk has expiration 0",
      help: "write \"expiration\":0")
  },
  Rule(
    "collapse-id-too-long", .error, "collapse_id has at most 64 bytes",
    why: "APNs refuses more. Bytes count, not characters.",
    passes: headers(#","collapse_id":"\#(String(repeating: "x", count: 64))""#),
    fails: headers(#","collapse_id":"\#(String(repeating: "x", count: 65))""#), refusal: "BadCollapseId", at: .record),
  Rule(
    "collapse-id-empty", .warning, "collapse_id is not empty",
    why: "What APNs makes of an empty one is not said; leave the key out.",
    passes: headers(#","collapse_id":"order-7""#), fails: headers(#","collapse_id":"""#), at: .collapseID
  ) { document, scene, node in
    guard let place = scene.record.collapseID, document.isEmptyString(place) else { return }
    scene.report(place, "\"collapse_id\" is empty", help: "leave the key out")
  },
  Rule(
    "collapse-id-non-ascii", .warning, "collapse_id is plain ASCII",
    why:
      "Header values are bytes: other characters count two to four of the 64, and not every client sends them whole.",
    passes: headers(#","collapse_id":"commande-e""#), fails: headers(#","collapse_id":"commande-é""#), at: .collapseID
  ) { document, scene, node in
    guard let place = scene.record.collapseID, document.kind(place) == .string else { return }
    let raw = document.deviceToken(place, scene.form)
    guard document.tokens[place].hasEscapes || raw.indices.contains(where: { raw[$0] >= 0x80 }) else { return }
    guard document.string(place).utf8.contains(where: { $0 >= 0x80 }) else { return }
    scene.report(place, "\"collapse_id\" has characters outside ASCII")
  },
  Rule(
    "apns-id-syntax", .error, "id is a UUID in its canonical form",
    why: "APNs refuses anything else: no braces, no missing hyphens.",
    passes: headers(#","id":"12345678-1234-1234-1234-123456789abc""#),
    fails: headers(#","id":"12345678123412341234123456789abc""#), refusal: "BadMessageId", at: .record),
  Rule(
    "apns-id-uppercase", .note, "id is written in lower case",
    why: "Apple asks for lower case in requests, and writes upper case in answers.",
    passes: headers(#","id":"12345678-1234-1234-1234-123456789abc""#),
    fails: headers(#","id":"12345678-1234-1234-1234-123456789ABC""#), at: .id
  ) { document, scene, node in
    guard let place = scene.record.id, document.kind(place) == .string else { return }
    let text = document.deviceToken(place, scene.form)
    guard text.indices.contains(where: { text[$0] &- 0x41 <= 5 }) else { return }
    scene.report(place, "\"id\" has capital digits")
  },
  Rule(
    "apns-id-repeated", .warning, "every id of a run is its own",
    why: "Answers and logs of two pushes with one id cannot be told apart.",
    passes: headers(#","id":"12345678-1234-1234-1234-123456789abc""#),
    fails: .file(
      (1...2).map { _ in
        #"{"token":"\#(Example.token)","topic":"com.example.app","push_type":"alert","id":"12345678-1234-1234-1234-123456789abc","payload":\#(hello)}"#
      }.joined(separator: "\n")), needs: .wholeRun, at: .record),
  Rule(
    "header-value-space", .error, "header values have no control characters and no blanks around them",
    why: "HTTP/2 forbids them (RFC 9113, section 8.2.1); a line feed comes from a value read from a file.",
    passes: headers(#","collapse_id":"a b""#), fails: headers(#","collapse_id":"a\n""#), at: .record, .request
  ) { document, scene, node in
    guard let request = scene.request else { return }
    for header in request.headers where document.kind(header.valueNode) == .string {
      let value = document.string(header.valueNode).utf8
      let isBad = value.first == 0x20 || value.last == 0x20 || value.contains { $0 < 0x20 && $0 != 0x09 }
      if isBad {
        scene.report(
          header.valueNode, "the value of \(header.name.prefix(40)) has a blank or a control character at an end")
      }
    }
  },
]

let tokenRules: [Rule] = [
  Rule(
    "token-empty", .error, "a device token is not empty",
    why: "APNs answers that the token is missing.",
    passes: token(Example.token), fails: token(""), refusal: "MissingDeviceToken", at: .record),
  Rule(
    "token-not-hex", .error, "a device token is hexadecimal digits",
    why: "APNs refuses anything else.",
    passes: token(Example.token), fails: token("zz" + Example.token.dropFirst(2)), refusal: "BadDeviceToken",
    at: .record),
  Rule(
    "token-odd-length", .error, "a device token has an even number of digits",
    why: "Two digits make a byte: one is missing, or one is too many.",
    passes: token(Example.token), fails: token(String(Example.token.dropLast())), refusal: "BadDeviceToken", at: .record
  ),
  Rule(
    "token-description-form", .error, "a device token is not the description of its data",
    why: "Angle brackets and blanks can be removed; {length = 32, bytes = 0x…} has lost the bytes in the middle.",
    passes: token(Example.token),
    fails: token("<a1b2c3d4 e5f60718 293a4b5c 6d7e8f90 a1b2c3d4 e5f60718 293a4b5c 6d7e8f9a>"),
    refusal: "BadDeviceToken",
    at: .record),
  Rule(
    "token-base64", .error, "a device token is not base64",
    why: "APNs wants the bytes as hexadecimal digits.",
    passes: token(Example.token), fails: token("obLD1OX2BxgpOktcbX6PkKGyw9Tl9gcYKTpLXG1+j5o="),
    refusal: "BadDeviceToken",
    at: .record),
  Rule(
    "token-fcm", .error, "a device token is APNs' own",
    why: "Registration tokens of Firebase and Expo are known to those services only.",
    passes: token(Example.token), fails: token("ExponentPushToken[mdPLQ2aAbCdEfGhIjKlMnO]"), refusal: "BadDeviceToken",
    at: .record),
  Rule(
    "token-placeholder", .warning, "a device token is a real one",
    why: "Equal digits and counting sequences are put where a token should come.",
    passes: token(Example.token), fails: token(String(repeating: "0", count: 64)), at: .token
  ) { document, scene, node in
    guard let place = scene.record.token, isPlaceholder(document.deviceToken(place, scene.form)) else { return }
    scene.report(place, "the device token looks like a placeholder")
  },
  Rule(
    "token-length-unusual", .note, "a device token has 64 or 160 digits",
    why: "The size is not fixed and others are allowed, but look twice.",
    passes: token(Example.token), fails: token(Example.token + "a1b2"), at: .token
  ) { document, scene, node in
    guard let place = scene.record.token else { return }
    let count = document.deviceToken(place, scene.form).count
    guard count != 64, count != 160, count > 64 else { return }
    scene.report(place, "the device token has \(count) digits; 64 and 160 are usual")
  },
  Rule(
    "token-short", .warning, "a device token has at least 64 digits",
    why: "No lower bound is documented and none is seen in the field: it was cut off, or is something else.",
    passes: token(Example.token), fails: token("a1b2c3d4"), at: .token
  ) { document, scene, node in
    guard let place = scene.record.token else { return }
    let count = document.deviceToken(place, scene.form).count
    guard count < 64 else { return }
    scene.report(place, "the device token has \(count) digits, fewer than any seen")
  },
  Rule(
    "token-too-long", .error, "a device token has at most 200 digits",
    why: "A hundred bytes is the only bound Apple ever gave.",
    passes: token(Example.activityToken), fails: token(String(repeating: "a1", count: 101)), refusal: "BadDeviceToken",
    at: .record),
  Rule(
    "token-uppercase", .note, "a device token is written in lower case",
    why: "Capitals are accepted; one spelling keeps lists free of doubles.",
    passes: token(Example.token), fails: token(Example.token.uppercased()), at: .token
  ) { document, scene, node in
    guard let place = scene.record.token else { return }
    let text = document.deviceToken(place, scene.form)
    guard text.indices.contains(where: { text[$0] &- 0x41 <= 5 }) else { return }
    scene.report(
      place, "the device token has capital digits",
      fix: document.replace(place, by: "\"\(document.string(place).lowercased())\""))
  },
  Rule(
    "token-encoded-twice", .warning, "a device token was encoded once",
    why:
      "Its bytes are hexadecimal digits again, or its base64 form is: hex of hex, or hex that was decoded as base64.",
    passes: token(Example.token),
    fails: token(Example.token.utf8.map { String($0, radix: 16) }.joined()), at: .token
  ) { document, scene, node in
    guard let place = scene.record.token, isEncodedTwice(document.deviceToken(place, scene.form)) else { return }
    scene.report(place, "the device token was encoded twice", help: "take the token's bytes and print them as hex once")
  },
  Rule(
    "token-duplicate", .warning, "a device token is once in a run with the same payload",
    why: "The device gets it twice, and APNs answers TooManyRequests when it goes on.",
    passes: token(Example.token),
    fails: .file(
      (1...2).map { _ in
        #"{"token":"\#(Example.token)","topic":"com.example.app","push_type":"alert","payload":\#(hello)}"#
      }.joined(separator: "\n")), refusal: "TooManyRequests", needs: .wholeRun, at: .record),
  Rule(
    "token-kind-liveactivity", .warning, "a Live Activity has its own token",
    why:
      "Ordinary device tokens have 64 digits; tokens of activities were seen with 160. Sent to the wrong kind, the push is "
      + "accepted and nothing happens.",
    passes: .live(#"{"aps":{"timestamp":1790000000,"event":"update","content-state":{"score":3}}}"#),
    fails: .record(
      #"{"token":"\#(Example.token)","topic":"com.example.app.push-type.liveactivity","push_type":"liveactivity","priority":5,"payload":{"aps":{"timestamp":1790000000,"event":"update","content-state":{"score":3}}}}"#
    ),
    at: .token
  ) { document, scene, node in
    guard scene.givenType == .liveactivity, let place = scene.record.token else { return }
    guard document.deviceToken(place, scene.form).count == 64 else { return }
    scene.report(place, "the device token has 64 digits, as ordinary ones have; those of activities were seen with 160")
  },
]

/// A time span in its largest whole unit.
func duration(_ seconds: Int) -> String {
  let units = [(86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second")]
  for (size, name) in units where seconds >= size {
    let count = seconds / size
    return "\(count) \(name)\(count == 1 ? "" : "s")"
  }
  return "0 seconds"
}

/// All digits equal, or each one more (or less) than the one before, with wrap-around.
private func isPlaceholder(_ text: Span<UInt8>) -> Bool {
  guard text.count >= 8, let first = digit(text[0]), let second = digit(text[1]) else { return false }
  let step = (second - first + 16) & 15
  guard step <= 1 || step == 15 else { return false }
  var isHexadecimal = true
  var isDecimal = true
  for index in 1..<text.count {
    guard let before = digit(text[index - 1]), let here = digit(text[index]) else { return false }
    if (before + step) & 15 != here { isHexadecimal = false }
    if (before + step + 10) % 10 != here || before > 9 { isDecimal = false }
    if !isHexadecimal && !isDecimal { return false }
  }
  return true
}

private func digit(_ byte: UInt8) -> Int? {
  switch byte {
  case 0x30...0x39: Int(byte) - 0x30
  case 0x41...0x46: Int(byte) - 0x37
  case 0x61...0x66: Int(byte) - 0x57
  default: nil
  }
}

private func isEncodedTwice(_ text: Span<UInt8>) -> Bool {
  guard text.count >= 64, text.count % 2 == 0 else { return false }
  var isHexOfHex = true
  var index = 0
  while index < text.count {
    guard let high = digit(text[index]), let low = digit(text[index + 1]) else { return false }
    if digit(UInt8(high << 4 | low)) == nil {
      isHexOfHex = false
      break
    }
    index += 2
  }
  return isHexOfHex || isDecodedHex(text)
}

/// Whether the token's base64 form consists of hexadecimal digits alone.
private func isDecodedHex(_ text: Span<UInt8>) -> Bool {
  // Three digits of hex are two of base64.
  guard text.count % 3 == 0 else { return false }
  var index = 0
  while index < text.count {
    guard let a = digit(text[index]), let b = digit(text[index + 1]), let c = digit(text[index + 2]) else {
      return false
    }
    let bits = a << 8 | b << 4 | c
    guard isHexInBase64(bits >> 6), isHexInBase64(bits & 63) else { return false }
    index += 3
  }
  return true
}

/// The letters of base64 that are digits of hex: A–F, a–f, 0–9.
private func isHexInBase64(_ value: Int) -> Bool { value < 6 || (26..<32).contains(value) || (52..<62).contains(value) }
