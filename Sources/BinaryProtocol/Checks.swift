// What APNs would have refused, or nobody can have meant: checks of records whose framing is sound.

/// A fault of a record that parses.
public struct Fault: Equatable, Sendable {
  public enum Severity: String, Sendable {
    /// APNs answers with an error packet, or closes.
    case error
    /// It is accepted, but surely not what was meant.
    case warning
  }

  public var rule: String
  public var severity: Severity
  public var message: String
  /// The status that APNs answers with.
  public var status: ErrorStatus?

  init(_ rule: String, _ message: String, _ status: ErrorStatus? = nil) {
    self.init(rule, .error, message, status)
  }

  init(_ rule: String, _ severity: Severity, _ message: String, _ status: ErrorStatus? = nil) {
    self.rule = rule
    self.severity = severity
    self.message = message
    self.status = status
  }
}

/// The moments that times of the binary protocol are held against.
public struct Times: Sendable, Equatable {
  /// The start of 2009, the year in which APNs was opened: UNIX seconds. No time of it is older.
  public static let opening: UInt32 = 1_230_768_000

  /// UNIX seconds; nil for no clock, and then nothing is in the future.
  public let now: Int?

  public init(now: Int?) { self.now = now }

  /// Whether a tuple's time can be true.
  @inline(__always)
  public func isPlausible(_ tuple: Tuple) -> Bool {
    tuple.timestamp >= Self.opening && Int(tuple.timestamp) <= now ?? Int(UInt32.max)
  }

  /// The rule that a tuple breaks: the question without the sentence, for dumps in which every tuple breaks it.
  public func rule(of tuple: Tuple) -> String? {
    if tuple.token.isEmpty { return "feedback-token-empty" }
    if isPlausible(tuple) { return nil }
    return tuple.timestamp < Self.opening ? "feedback-time-early" : "feedback-time-future"
  }

  /// What is wrong with a tuple.
  public func fault(of tuple: Tuple) -> Fault? {
    guard let rule = rule(of: tuple) else { return nil }
    return Fault(rule, .warning, sentence(on: tuple), nil)
  }

  private func sentence(on tuple: Tuple) -> String {
    if tuple.token.isEmpty { return "the tuple has an empty token" }
    let moment = "the time \(tuple.timestamp) (\(Self.day(Int(tuple.timestamp))))"
    guard tuple.timestamp < Self.opening else {
      return "\(moment) is in the future: is this clock right, or the dump shifted?"
    }
    let isTLS = 20...23 ~= tuple.timestamp >> 24 && tuple.timestamp >> 16 & 0xFF == 3
    let hexadecimal = String(tuple.timestamp, radix: 16)
    return "\(moment) lies before 2009, when APNs began"
      + (isTLS ? "; 0x\(hexadecimal) is how a TLS record begins: was this taken before it was decrypted?" : "")
  }

  /// What is wrong with a notification's expiration.
  func fault(ofExpiration expiration: UInt32) -> Fault? {
    if expiration == 0 || expiration == .max || expiration == UInt32(Int32.max) { return nil }
    if expiration < Self.opening {
      return Fault(
        "bin-expiration", .warning,
        "the expiration \(expiration) is a time in \(Self.day(Int(expiration)).prefix(4)): it counts seconds since 1970, "
          + "not from now")
    }
    guard let now, Int(expiration) > now + 10 * 31_557_600 else { return nil }
    return Fault(
      "bin-expiration", .warning,
      "the expiration \(expiration) is the day \(Self.day(Int(expiration))), years away: milliseconds cut to 32 bits?")
  }

  /// The day of a UNIX time as `2026-11-30`.
  public static func day(_ time: Int) -> String {
    // Howard Hinnant's days-to-civil arithmetic on the proleptic Gregorian calendar.
    let days = time / 86_400 + 719_468
    let era = days / 146_097
    let dayOfEra = days % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shifted + 2) / 5 + 1
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
  }
}

extension Frame {
  /// Most bytes of a payload, since mid 2014.
  public static let payloadLimit = 2048

  /// Whether nothing can be wrong: the fast question, for the many.
  @inline(__always)
  public func isUsual(_ form: PayloadForm) -> Bool {
    guard let token, let payload, case .object(let isBackgroundOnly) = form else { return false }
    return token.count == 32 && payload.count <= Self.payloadLimit && otherItemCount == 0
      && (priority == nil || priority == 5 || (priority == 10 && !isBackgroundOnly))
  }

  /// Everything that is wrong with it, in the order in which APNs would notice.
  public func faults(_ bytes: Span<UInt8>, _ form: PayloadForm, _ times: Times) -> [Fault] {
    var faults: [Fault] = []
    if !isUsual(form) { addFaults(bytes, form, &faults) }
    if let expiration, let fault = times.fault(ofExpiration: expiration) { faults.append(fault) }
    return faults
  }

  private func addFaults(_ bytes: Span<UInt8>, _ form: PayloadForm, _ faults: inout [Fault]) {
    forEachOtherItem(bytes) { id, data, why in
      switch why {
      case .unknown:
        faults.append(Fault("bin-item-unknown", "item \(id) (\(data.count) bytes) is none of 1 to 5", .protocolError))
      case .repeated: faults.append(Fault("bin-item-repeated", "item \(id) comes twice in one frame", .protocolError))
      case .wrongSize:
        faults.append(
          Fault(
            "bin-item-size", "item \(id) has \(data.count) bytes, not \(id == 5 ? "1" : "4")", .protocolError))
      }
    }
    switch token?.count {
    case nil: faults.append(Fault("bin-token-missing", "the frame has no device token (item 1)", .missingToken))
    case 32?: break
    case let size? where size == 0 || size > 100 || command < 2:
      faults.append(
        Fault(
          "bin-token-size",
          "the device token has \(size) bytes; command \(command) takes \(command < 2 ? "32" : "1 to 100")",
          .invalidTokenSize))
    default: break
    }
    if payload == nil || payload?.isEmpty == true {
      faults.append(Fault("bin-payload-missing", "there is no payload", .missingPayload))
    } else if let payload, payload.count > Self.payloadLimit {
      faults.append(
        Fault(
          "bin-payload-size", "the payload has \(payload.count) bytes; 2048 are taken, 256 before 2014",
          .invalidPayloadSize))
    }
    addFaults(priority, form, &faults)
  }

  private func addFaults(_ priority: UInt8?, _ form: PayloadForm, _ faults: inout [Fault]) {
    if let priority, priority != 5, priority != 10 {
      faults.append(Fault("bin-priority", "the priority is \(priority), not 10 or 5", .protocolError))
    }
    switch form {
    case .object(true) where priority == 10:
      faults.append(
        Fault("bin-priority", "priority 10 with a payload that only wakes the app (content-available); it takes 5"))
    case .otherJSON: faults.append(Fault("bin-payload-json", .warning, "the payload is no JSON object"))
    case .binary: faults.append(Fault("bin-payload-json", .warning, "the payload is not even UTF-8"))
    case .text(let error) where error.kind != .emptyInput || payload?.isEmpty == false:
      faults.append(
        Fault("bin-payload-json", .warning, "the payload is not JSON: \(error.message) at its byte \(error.offset)"))
    default: break
    }
  }
}
