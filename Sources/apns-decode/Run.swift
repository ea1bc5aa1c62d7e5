// The run over one input: its form and its stream found out, then bytes through the decoder and records out.

import BinaryProtocol
import Filter
import JSON
import POSIX

/// What was asked for.
struct Settings {
  /// A word of `--as`.
  var framing = "auto"
  /// nil to recognise it.
  var form: DumpForm?
  var isBare = false
  var isStrict = false
  /// UNIX seconds; nil for no clock.
  var now: Int?
}

struct Run {
  let settings: Settings
  /// What errors call the input.
  let name: String
  let input: Descriptor
  /// The name for remarks and records, nil when there is but one input.
  let file: String?
  let times: Times
  var writer: RecordWriter
  var chunk = [UInt8](repeating: 0, count: 131_072)
  var out: [UInt8] = []
  var atEnd = false

  init(_ settings: Settings, _ path: String, _ input: Descriptor, showsFile: Bool) {
    self.settings = settings
    name = path == "-" ? "standard input" : path
    self.input = input
    file = showsFile ? path : nil
    times = Times(now: settings.now)
    writer = RecordWriter(settings.isBare ? .bare : .decoded, file: showsFile ? path : nil)
  }

  mutating func go(_ words: inout Words) throws {
    var text = try head(atLeast: settings.form == nil ? DumpForm.enough : 1)
    if text.isEmpty {
      words.say(file, "the input is empty: nothing to decode")
      return
    }
    try refusePEM(text)
    if settings.framing == "jwt" || (settings.framing == "auto" && TokenReport.looksLikeToken(text.span)) {
      return try reportTokens(text, &words)
    }
    let form = settings.form ?? DumpForm.recognise(text.span)
    if settings.form == nil, form != .raw { words.say(file, "read as \(form.rawValue): \(form.meaning)") }
    try checkShare(form, text)
    var reader = DumpReader(form)
    var bytes: [UInt8] = []
    let enough = settings.framing == "auto" ? Guess.enough : 1
    // The text that is not yet turned into bytes.
    var rest = 0
    while bytes.count < enough {
      if rest == text.count {
        rest = 0
        guard try readMore(&text) else { break }
      }
      rest += reader.read(text.span.extracting(droppingFirst: rest), into: &bytes)
    }
    let isWhole = atEnd && rest == text.count
    if isWhole { reader.finish(into: &bytes) }
    try decode(&reader, bytes, text, rest, isWhole: isWhole, &words)
  }

  /// What was read as digits and is mostly something else would be nonsense that looks like records.
  private func checkShare(_ form: DumpForm, _ text: [UInt8]) throws {
    guard let (fitting, visible) = form.share(of: text.span) else { return }
    let strange = visible - fitting
    // A few mistakes are told one by one. Who named the form is believed until most is something else.
    let limit = settings.form == nil ? max(2, visible / 20) : visible / 2
    guard strange > limit else { return }
    throw Filter.Failure(
      "\(name): this is no \(form.rawValue): \(strange) of \(visible) characters have no place in it; "
        + "take away what is not of the bytes, or say --from")
  }

  /// Keys and certificates are no dumps, and nothing of a private key may be printed.
  private func refusePEM(_ text: [UInt8]) throws {
    guard ["auto", "jwt"].contains(settings.framing), !text.contains(where: { $0 < 0x09 }) else { return }
    let mark = Array("-----BEGIN ".utf8)
    for line in text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) where line.starts(with: mark) {
      let label = String(decoding: line.dropFirst(mark.count).prefix { $0 != UInt8(ascii: "-") }, as: UTF8.self)
      if label.hasSuffix("PRIVATE KEY") {
        throw Filter.Failure(
          "\(name): this is a private key, and no provider token or dump: it signs tokens, and must stay secret")
      }
      throw Filter.Failure("\(name): this is PEM (\(label.prefix(60))), and no provider token or dump")
    }
  }

  /// The first bytes: so many, or a whole input that has fewer; fewer too when they cannot be text.
  private mutating func head(atLeast count: Int) throws -> [UInt8] {
    var text: [UInt8] = []
    var piece: [UInt8] = []
    while text.count < count, try readMore(&piece) {
      text.append(contentsOf: piece)
      if text.contains(where: { $0 < 0x09 }) { break }
    }
    return text
  }

  /// Replaces the text by the next piece; false at the end.
  mutating func readMore(_ text: inout [UInt8]) throws -> Bool {
    text.removeAll(keepingCapacity: true)
    let count = try readChunk()
    text.append(chunk.span.extracting(first: count))
    return count > 0
  }

  /// Fills the chunk's start; 0 at the end.
  private mutating func readChunk() throws -> Int {
    while !atEnd {
      do throws(SystemError) {
        switch try input.fill(&chunk) {
        case .bytes(let count): return count
        case .wouldBlock: _ = input.waitUntil(milliseconds: -1)
        case .end: atEnd = true
        }
      } catch {
        throw Filter.Failure("cannot read \(name): \(error.message)", status: .stopped)
      }
    }
    return 0
  }

  private mutating func reportTokens(_ first: [UInt8], _ words: inout Words) throws {
    var text = first
    var piece: [UInt8] = []
    while text.count <= TokenReport.inputLimit, try readMore(&piece) { text.append(contentsOf: piece) }
    if text.count > TokenReport.inputLimit {
      throw Filter.Failure("\(name): more than \(TokenReport.inputLimit) bytes are no list of provider tokens")
    }
    if settings.framing == "auto" { words.say(file, "taken as jwt: three parts in base64url, the first a JSON object") }
    if settings.isBare { throw Filter.Failure("\(name): this is a provider token, for which --records has no form") }
    TokenReport(file: file, now: settings.now).append(text.span, to: &out, &words)
    try flush(&words)
  }
}
