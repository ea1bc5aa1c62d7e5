// Which of the three streams bytes are: all three are tried, and what each makes of the bytes is held side by side.

/// What trying the framings over the start of a stream came to.
public enum Guess: Equatable, Sendable {
  /// One of them, and why.
  case framing(Framing, why: String)
  /// Several, each with what it makes of the bytes: a person must say.
  case ambiguous([(framing: Framing, why: String)])
  /// None of them: what the bytes are instead.
  case none(Damage.Cause)

  public static func == (one: Guess, other: Guess) -> Bool {
    switch (one, other) {
    case (.framing(let first, _), .framing(let second, _)): first == second
    case (.ambiguous(let first), .ambiguous(let second)): first.map(\.framing) == second.map(\.framing)
    case (.none(let first), .none(let second)): first == second
    default: false
    }
  }

  /// How many bytes are enough to guess from.
  public static let enough = 65_536

  /// Guesses.
  /// - Parameters:
  ///   - bytes: the start of the stream, not empty.
  ///   - isWhole: whether this is all of it.
  ///   - times: what the times of feedback are held against.
  public static func from(_ bytes: Span<UInt8>, isWhole: Bool, times: Times = Times(now: nil)) -> Guess {
    let trials = Framing.allCases.map { Trial($0, bytes, isWhole: isWhole, times) }
    let clean = trials.filter(\.isClean)
    // Nearly any bytes are tuples of some time and a token of some length: nobody is to drop devices because of that.
    if clean.count == 1, clean[0].isDoubtful(among: trials) {
      return .ambiguous(trials.filter { $0.good > 0 }.map { ($0.framing, $0.words) })
    }
    if clean.count == 1 { return .framing(clean[0].framing, why: clean[0].words) }
    if clean.count > 1 { return .ambiguous(clean.map { ($0.framing, $0.words) }) }
    // A record of TLS cut short looks like a tuple with a time of 1980 to 1982.
    if View(bytes: bytes, isFinal: true).tlsLength(at: 0) != nil {
      return .none(.tls(type: bytes[0], version: bytes[2]))
    }
    let found = trials.filter { $0.good > 0 }.sorted { $0.good > $1.good }
    if let best = found.first {
      // Resynchronising finds a record by chance now and then; half as many bytes is no chance.
      let rivals = found.filter { $0.good * 2 > best.good }
      return rivals.count == 1 && !best.isDoubtful(among: rivals)
        ? .framing(best.framing, why: best.words) : .ambiguous(rivals.map { ($0.framing, $0.words) })
    }
    if let cause = trials[0].foreign { return .none(cause) }
    let starts = trials.filter(\.startsWell)
    switch starts.count {
    case 0: return .none(.none)
    case 1: return .framing(starts[0].framing, why: "the bytes start as \(starts[0].framing.recordWithArticle) does")
    default:
      return .ambiguous(starts.map { ($0.framing, "the bytes start as \($0.framing.recordWithArticle) does") })
    }
  }
}

extension Framing {
  fileprivate var recordWithArticle: String { (self == .responses ? "an " : "a ") + record }
}

/// What one framing makes of the bytes.
private struct Trial {
  let framing: Framing
  var records = 0
  /// Bytes in records.
  var good = 0
  /// Bytes in none.
  var bad = 0
  /// What they are instead of this protocol, where that is clear.
  var foreign: Damage.Cause?
  var startsWell = false
  private var firstTime: UInt32?
  /// Tuples with a time that cannot be true, and with a token that no device has had.
  private var strangeTimes = 0
  private var tinyTokens = 0
  /// And with a token as all devices had it.
  private var usualTokens = 0
  private let times: Times

  init(_ framing: Framing, _ bytes: Span<UInt8>, isWhole: Bool, _ times: Times) {
    self.framing = framing
    self.times = times
    var decoder = Decoder(framing)
    decoder.append(bytes)
    if isWhole { decoder.finish() }
    while let event = decoder.next() { take(event) }
    startsWell = framing.canStart(bytes)
  }

  private mutating func take(_ event: Event) {
    switch event {
    case .malformed(let damage):
      bad += damage.length
      guard damage.offset == 0 else { return }
      switch damage.cause {
      case .tls, .http: foreign = damage.cause
      default: break
      }
    case .feedback(let tuple) where tuple.token.isEmpty:
      // Six bytes of anything with two zeros at their end.
      bad += tuple.length
    case .feedback(let tuple):
      firstTime = firstTime ?? tuple.timestamp
      if !times.isPlausible(tuple) { strangeTimes += 1 }
      if tuple.token.count < 16 { tinyTokens += 1 }
      if tuple.token.count == 32 { usualTokens += 1 }
      fallthrough
    default:
      records += 1
      good += event.length
    }
  }

  var isClean: Bool { good > 0 && bad == 0 }

  /// Feedback in which no time can be true, unless its tuples lie end to end, or whose tokens are tiny where something
  /// else fits as well.
  func isDoubtful(among trials: [Trial]) -> Bool {
    if framing != .feedback || records == 0 { return false }
    let hasRival = trials.contains { $0.framing != .feedback && $0.good > 0 }
    let isRow = isClean && records > 1 && usualTokens == records
    return strangeTimes == records && !isRow || hasRival && tinyTokens == records
  }

  var words: String {
    var words = "\(records) \(framing.record)\(records == 1 ? "" : "s") in \(good) bytes"
    if let firstTime { words += ", the first of \(Times.day(Int(firstTime)))" }
    return words + (bad == 0 ? ", nothing left over" : ", \(bad) byte\(bad == 1 ? "" : "s") left over")
  }
}

extension Framing {
  /// Whether a record may start so, were there more or better bytes: what a dump that holds no whole record shows.
  fileprivate func canStart(_ bytes: Span<UInt8>) -> Bool {
    func isToken(at place: Int) -> Bool { bytes.count < place + 2 || 1...100 ~= bytes.bigEndian16(place) }
    switch self {
    case .responses: return bytes[0] == ErrorPacket.command && bytes.count < ErrorPacket.size
    case .feedback:
      // From 2008 to 2038.
      return 0x47...0x7F ~= bytes[0] && (isToken(at: 4) || bytes.count == Tuple.headSize && bytes.bigEndian16(4) == 0)
    case .commands:
      switch bytes[0] {
      case 0: return isToken(at: 1)
      case 1: return isToken(at: 9)
      case 2: return bytes.count < 5 || (bytes.bigEndian32(1) <= 8192 && (bytes.count < 6 || 1...5 ~= bytes[5]))
      default: return false
      }
    }
  }
}
