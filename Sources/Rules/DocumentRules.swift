// Rules for the document itself: is it JSON, is it a payload, does it fit.

import APNs
import JSON

private let good: Example = .file(#"{"aps":{"alert":"Hi"}}"#)

let documentRules: [Rule] = [
  Rule(
    "json-invalid", .error, "a payload is one well-formed JSON text",
    why: "A missing brace, a trailing comma, a comment or single quotes: no parser on the way to the device reads it.",
    passes: good, fails: .file(#"{"aps":{"alert":"Hi",}}"#), at: .syntax),
  Rule(
    "json-trailing-data", .error, "one payload holds one JSON text",
    why: "A second text on the same line comes from joined output or from a file sent whole. Documents on lines of "
      + "their own are separate payloads and fine.",
    passes: good, fails: .file(#"{"aps":{"alert":"Hi"}}{"aps":{"alert":"Ho"}}"#), at: .syntax),
  Rule(
    "json-not-object", .error, "a payload is a JSON object",
    why: "Apple asks for a dictionary at the top. A string there usually is a payload that was encoded twice.",
    passes: .alert(#"{"aps":{"alert":"Hi"}}"#), fails: .alert(#"["aps"]"#), at: .syntax, .record),
  Rule(
    "json-not-utf8", .error, "a payload is UTF-8",
    why: "JSON between systems is UTF-8 (RFC 8259, section 8.1). Latin-1 and UTF-16 files are not.",
    passes: .file(#"{"aps":{"alert":"café"}}"#),
    fails: .bytes(Array(#"{"aps":{"alert":"caf"#.utf8) + [0xE9], #""}}"#), at: .syntax),
  Rule(
    "json-bom", .warning, "a payload does not start with a byte order mark",
    why: "Senders must not add one (RFC 8259, section 8.1), and some parsers refuse the text.",
    passes: good, fails: .bytes([0xEF, 0xBB, 0xBF], #"{"aps":{"alert":"Hi"}}"#), at: .syntax),
  Rule(
    "json-duplicate-key", .warning, "no object has the same key twice",
    why: "Which of the two wins depends on the parser (RFC 8259, section 4).",
    passes: .alert(#"{"aps":{"alert":"Hi","badge":2}}"#), fails: .alert(#"{"aps":{"alert":"Hi","badge":1,"badge":2}}"#),
    at: .duplicate
  ) { document, scene, node in
    scene.report(node, "the key \"\(document.name(node))\" is in this object twice", help: "keep one of the two")
  },
  Rule(
    "json-big-u-escape", .error, #"there is no escape \U in JSON"#,
    why: #"The retired guide names the eight-digit \U as not supported. Write the character itself, as UTF-8."#,
    passes: .file(#"{"aps":{"alert":"\ud83d\ude00"}}"#), fails: .file(#"{"aps":{"alert":"\U0001F600"}}"#), at: .syntax),
  Rule(
    "json-lone-surrogate", .error, "the escape of half a character stands with its other half",
    why: "No character results from one half (RFC 8259, section 8.2); some parsers refuse the whole text.",
    passes: .file(#"{"aps":{"alert":"\ud83d\ude00"}}"#), fails: .file(#"{"aps":{"alert":"\ud83d"}}"#), at: .syntax),
  Rule(
    "json-five-digit-escape", .warning, #"an escape \u has four digits"#,
    why: "A code point of five digits was meant, such as 1F600: JSON takes four and leaves a digit in the text.",
    passes: .alert(#"{"aps":{"alert":"\ud83d\ude00"}}"#), fails: .alert(#"{"aps":{"alert":"\u1F600"}}"#),
    at: .fiveDigits
  ) { document, scene, node in
    scene.report(
      node, #"an escape \u1F… is followed by more digits: a code point of five digits was meant"#,
      help: "write the character itself")
  },
  Rule(
    "json-nan", .error, "numbers are finite and decimal",
    why: "Some serializers emit NaN, Infinity, +1 or 0x1F, and some parsers let them through; the device's does not.",
    passes: .file(#"{"aps":{"alert":"Hi","relevance-score":0}}"#),
    fails: .file(#"{"aps":{"alert":"Hi","relevance-score":NaN}}"#), at: .syntax),
  Rule(
    "payload-empty", .error, "a payload is not empty",
    why: "A request without a body is refused. Wallet wants {}, not nothing.",
    passes: good, fails: .file(""), refusal: "PayloadEmpty", at: .syntax),
  Rule(
    "payload-empty-object", .error, "{} is a payload for passes and for types without aps only",
    why: "Nothing is shown and nothing is woken.",
    passes: .untyped(topic: "pass.com.example.card", "{}"), fails: .alert("{}"), at: .emptyPayload
  ) { document, scene, node in
    guard scene.rootCount == 0, let topic = scene.topic, topic.family == .app, needsAPS(scene.type ?? .alert) else {
      return
    }
    scene.report(node, "the payload is {}: nothing is shown or woken", help: "put what is to be shown under \"aps\"")
  },
  Rule(
    "payload-too-large", .error, "a payload has at most 4096 bytes, 5120 for calls and broadcasts",
    why: "APNs refuses more. The limit counts bytes, not characters, and white space too.",
    passes: .alert(#"{"aps":{"alert":""#, letters: 3000, #""}}"#),
    fails: .alert(#"{"aps":{"alert":""#, letters: 4080, #""}}"#),
    refusal: "PayloadTooLarge", at: .largePayload
  ) { document, scene, node in
    let size = document.end(node) - document.start(node)
    // A broadcast and a simulator's file have rules of their own.
    guard size > 4096, size > scene.payloadLimit, scene.form != .apns, !scene.isBroadcast else { return }
    if scene.form == .payload, document.minifiedSize(node) <= scene.payloadLimit { return }
    scene.report(
      node, "the payload has \(size) bytes, \(size - scene.payloadLimit) more than the \(scene.payloadLimit) allowed",
      help: document.escapedBytes(node) > 0
        ? "characters written as \\u escapes take \(document.escapedBytes(node)) bytes more than as UTF-8"
        : "see where they go with --explain-size")
  },
  Rule(
    "payload-near-limit", .note, "a payload keeps a tenth of its limit free",
    why: "A longer name or a translated text will break the limit.",
    passes: .alert(#"{"aps":{"alert":""#, letters: 200, #""}}"#),
    fails: .alert(#"{"aps":{"alert":""#, letters: 3800, #""}}"#),
    at: .largePayload
  ) { document, scene, node in
    let size = document.end(node) - document.start(node)
    let limit = scene.payloadLimit
    guard size > limit - limit / 10, size <= limit else { return }
    scene.report(node, "the payload has \(size) of \(limit) bytes")
  },
  Rule(
    "payload-whitespace", .warning, "a payload fits its limit as it is written",
    why: "White space counts. Minified it would fit.",
    passes: .file(#"{"aps":{"alert":""#, letters: 1200, #""}}"#),
    fails: .file(#"{ "aps" : {\#(String(repeating: " ", count: 3000))"alert" : ""#, letters: 1200, #"" } }"#),
    at: .largePayload
  ) { document, scene, node in
    let size = document.end(node) - document.start(node)
    guard size > 4096, size > scene.payloadLimit, scene.form == .payload else { return }
    let minified = document.minifiedSize(node)
    guard minified <= scene.payloadLimit else { return }
    scene.report(
      node,
      "the payload has \(size) bytes with its white space, \(minified) without; \(scene.payloadLimit) are allowed",
      help: "send it without white space, for example through jq -c .")
  },
  Rule(
    "payload-compressed", .error, "a payload is not compressed",
    why: "APNs forbids it: the body must be plain JSON.",
    passes: good, fails: .bytes([0x1F, 0x8B, 0x08, 0x00]), at: .syntax),
  Rule(
    "custom-null-value", .note, "custom keys hold a dictionary, array, string, number or Boolean",
    why: "null is not on Apple's list of kinds for custom keys; leave the key out.",
    passes: .alert(#"{"aps":{"alert":"Hi"},"order":7}"#), fails: .alert(#"{"aps":{"alert":"Hi"},"order":null}"#),
    at: .rootNull
  ) { document, scene, node in
    scene.report(node, "the custom key \"\(document.name(node - 1))\" is null")
  },
  Rule(
    "foreign-envelope", .error, "a payload is what APNs gets, not another service's request",
    why: "Requests of FCM, SNS, Expo, OneSignal and others hold the payload inside, or make it themselves. APNs takes "
      + "them without a word and shows nothing.",
    passes: .alert(#"{"aps":{"alert":{"title":"Hi","body":"There"}}}"#),
    fails: .alert(#"{"message":{"notification":{"title":"Hi"},"token":"dX1"}}"#), at: .noAps
  ) { document, scene, node in
    // An app that reads its whole payload itself may name its keys as it likes.
    guard needsAPS(scene.type ?? .alert), let found = foreignService(document, node) else { return }
    scene.report(found.node, "this is \(found.name), not a payload of APNs", help: found.help)
  },
  Rule(
    "secret-in-payload", .warning, "no secrets and no card numbers in clear",
    why: "Apple asks not to send such data; encrypt it and decrypt it in a notification service extension.",
    passes: .alert(#"{"aps":{"alert":"Hi","mutable-content":1},"enc":"b2YgY291cnNl"}"#),
    fails: .alert(#"{"aps":{"alert":"Hi"},"card":"4111111111111111"}"#), at: .digits, .secretKey
  ) { document, scene, node in
    if document.tokens[node].isKey {
      guard namesSecret(document.string(node)), document.isText(node + 1) || document.kind(node + 1) == .number else {
        return
      }
      scene.report(node, "the key \"\(document.name(node))\" names a secret, which is sent in clear")
    } else if isCardNumber(document, node) {
      scene.report(node, "this looks like the number of a payment card, sent in clear")
    }
  },
]

/// Whether the type's payload must hold `aps`.
func needsAPS(_ type: PushType) -> Bool {
  switch type {
  case .alert, .background, .liveactivity, .controls, .widgets: true
  default: false
  }
}

extension Scene {
  /// Most bytes of this payload.
  var payloadLimit: Int {
    if isBroadcast { return PushType.broadcastPayloadLimit }
    if let type { return type.row.payloadLimit }
    // Without a type, and without aps, it is likely a call.
    return root(.aps) == nil ? PushType.voip.row.payloadLimit : PushType.ordinaryPayloadLimit
  }
}

/// Fifteen or sixteen digits with an issuer's prefix that satisfy Luhn's check. Ordinary numbers satisfy it by chance, one
/// in ten, and so the prefix counts.
private func isCardNumber(_ document: Document, _ node: Int) -> Bool {
  let digits = document.content(node)
  var sum = 0
  for index in digits.indices {
    let digit = Int(digits[index]) - 0x30
    guard digit >= 0, digit <= 9 else { return false }
    let isDoubled = (digits.count - index) % 2 == 0
    sum += isDoubled ? digit * 2 - (digit > 4 ? 9 : 0) : digit
  }
  guard sum % 10 == 0, digits.count >= 15 else { return false }
  let two = Int(digits[0] - 0x30) * 10 + Int(digits[1] - 0x30)
  if digits.count == 15 { return two == 34 || two == 37 }
  let four = two * 100 + Int(digits[2] - 0x30) * 10 + Int(digits[3] - 0x30)
  return digits[0] == UInt8(ascii: "4") || (51...55).contains(two) || (2221...2720).contains(four) || four == 6011
    || two == 65
}

private let secretNames: Set<String> = [
  "password", "passwd", "passphrase", "secret", "clientsecret", "secretkey", "privatekey", "cardnumber", "creditcard",
  "creditcardnumber", "cvv", "cvc",
]

private func namesSecret(_ key: String) -> Bool { secretNames.contains(String(decoding: folded(key), as: UTF8.self)) }

extension Document {
  /// The bytes of a value without white space between its tokens.
  public func minifiedSize(_ node: Int) -> Int {
    var size = 0
    var isInString = false
    var index = start(node)
    while index < end(node) {
      let byte = bytes[index]
      if isInString {
        size += 1
        if byte == UInt8(ascii: "\\") {
          size += 1
          index += 1
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
      } else if byte > 0x20 {
        size += 1
        isInString = byte == UInt8(ascii: "\"")
      }
      index += 1
    }
    return size
  }

  /// How many bytes would be saved by writing characters as themselves in place of `\u` escapes.
  public func escapedBytes(_ node: Int) -> Int {
    var saved = 0
    for index in node..<next(node) where tokens[index].hasEscapes {
      // Quotes, backslashes and control characters stay escaped; they are few.
      let inside = tokens[index].end - tokens[index].start - 2
      saved += inside - decodedByteCount(index)
    }
    return saved
  }
}
