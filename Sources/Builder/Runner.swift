// A program run over rows: fields in, one record out, or the reason why there is none.

import APNs
import JSON
import Options
import POSIX

/// Where a field stands in the bytes of a row. Missing is not the same as empty.
public struct Field: Sendable, Equatable {
  public var start: Int32
  public var end: Int32

  public init(_ start: Int, _ end: Int) {
    self.start = Int32(truncatingIfNeeded: start)
    self.end = Int32(truncatingIfNeeded: end)
  }

  public static let missing = Field(-1, -1)

  @inline(__always) var isMissing: Bool { start < 0 }
  @inline(__always) var isEmpty: Bool { start == end }
  @inline(__always) var range: Range<Int> { Int(start)..<Int(end) }
}

/// Why a line became no record.
public struct LineFault: Error, Equatable, Sendable {
  public var message: String

  public init(_ message: String) { self.message = message }
}

/// What rows are, for messages about them.
public enum RowKind: Sendable {
  case bare, object, table

  func missing(_ name: String) -> LineFault {
    switch self {
    case .bare: LineFault("a bare token has no field \"\(name)\"; give JSON objects, --csv, or {{\(name)|a fallback}}")
    case .object: LineFault("the object has no member \"\(name)\"; give it one, or write {{\(name)|a fallback}}")
    case .table: LineFault("the row has no column \"\(name)\"; it is shorter than the header")
    }
  }
}

/// What every run needs besides its program.
public struct RunSettings: Sendable {
  /// Whether tokens must be plain digits; otherwise the forms people paste are mended.
  public var strictTokens = false
  public var clock = Clock.system
  /// Whether a shortened record says so under `meta`.
  public var notesTruncation = false
  /// The most bytes of a payload, where that is not the push type's business.
  public var payloadLimit: Int?

  public init() {}
}

/// Runs programs. Each worker keeps one: its buffers are reused.
public struct Runner: Sendable {
  let settings: RunSettings
  var reader = Reader()
  var random = SystemRandomNumberGenerator()
  var scratch: [UInt8] = []
  /// Where in the output the payload went.
  public internal(set) var payload = 0..<0
  /// Where the strings went that may be shortened, by their index in the program.
  var texts: [Range<Int>] = []
  /// Where times went that another run would write otherwise.
  var clocks: [Range<Int>] = []
  var idPlace: Int?
  var pushType: PushType?
  /// The texts of the last record that were shortened: which, and their bytes before and after.
  public internal(set) var truncations: [(path: [PathStep], from: Int, to: Int)] = []

  public init(_ settings: RunSettings) { self.settings = settings }

  /// Writes one record, without a line end.
  /// - Parameters:
  ///   - bytes: the row's bytes, in which the fields lie.
  ///   - fields: in the order of the program's columns.
  public mutating func run(
    _ program: borrowing Program, _ bytes: Span<UInt8>, token: Field, _ fields: [Field], _ kind: RowKind,
    into out: inout [UInt8]
  ) throws(LineFault) {
    let start = out.count
    begin(program)
    do throws(LineFault) {
      for step in program.steps {
        switch step {
        case .bytes(let piece): out.append(program.pool.span.extracting(piece.start..<piece.end))
        case .hole(let column, let fallback):
          let field = fields[column]
          if let fallback, field.isMissing || field.isEmpty {
            out.append(program.pool.span.extracting(fallback.start..<fallback.end))
          } else if field.isMissing {
            throw kind.missing(program.columns[column])
          } else if !out.appendInside(bytes.extracting(field.range)) {
            throw Self.notUTF8(program.columns[column])
          }
          if out.count - start > Self.recordLimit { throw Self.tooLarge }
        case .token: try write(token: token, bytes, &out)
        case .payloadStart: payload = out.count..<out.count
        case .payloadEnd: payload = payload.lowerBound..<out.count
        default:
          try perform(step, program, bytes, fields, kind, &out)
          if out.count - start > Self.recordLimit { throw Self.tooLarge }
        }
      }
      try checkSize(program, &out)
      if let place = idPlace { writeStableID(at: place, from: start, &out) }
    } catch {
      out.removeSubrange(start...)
      throw error
    }
  }

  @inline(__always)
  private mutating func begin(_ program: borrowing Program) {
    payload = 0..<0
    idPlace = nil
    if !truncations.isEmpty { truncations.removeAll() }
    if !clocks.isEmpty { clocks.removeAll(keepingCapacity: true) }
    pushType = program.pushType
    if !program.truncatable.isEmpty {
      texts.removeAll(keepingCapacity: true)
      texts.append(contentsOf: repeatElement(0..<0, count: program.truncatable.count))
    }
  }

  /// The steps that few programs have.
  @inline(never)
  private mutating func perform(
    _ step: Step, _ program: borrowing Program, _ bytes: Span<UInt8>, _ fields: [Field], _ kind: RowKind,
    _ out: inout [UInt8]
  ) throws(LineFault) {
    switch step {
    case .jsonHole(let column, let fallback):
      let field = fields[column]
      if let fallback, field.isMissing || field.isEmpty {
        return out.append(program.pool.span.extracting(fallback.start..<fallback.end))
      }
      if field.isMissing { throw kind.missing(program.columns[column]) }
      try write(json: bytes.extracting(field.range), program.columns[column], &out)
    case .fill(let index): try fill(program.fills[index], program, bytes, fields, kind, &out)
    case .clock(let offset):
      let place = out.count
      out.append(decimal: settings.clock.unixSeconds + offset)
      clocks.append(place..<out.count)
    case .newID:
      out.append(UInt8(ascii: "\""))
      out.append(contentsOf: UUIDText.text(UUIDText.random(&random)))
      out.append(UInt8(ascii: "\""))
    case .stableID:
      idPlace = out.count + 1
      out.append("\"00000000-0000-0000-0000-000000000000\"")
    case .textStart(let index): texts[index] = out.count..<out.count
    case .textEnd(let index): texts[index] = texts[index].lowerBound..<out.count
    default: break
    }
  }

  private mutating func write(token: Field, _ bytes: Span<UInt8>, _ out: inout [UInt8]) throws(LineFault) {
    out.append(UInt8(ascii: "\""))
    if token.isMissing { throw LineFault("there is no \"token\"") }
    let text = bytes.extracting(token.range)
    let place = out.count
    if settings.strictTokens {
      if let fault = DeviceToken.fault(in: text) { throw LineFault(TokenError(text, fault).message) }
      for index in text.indices where text[index] >= 0x41 && text[index] <= 0x46 {
        throw LineFault("the device token has digits in upper case")
      }
      out.append(text)
    } else if !out.appendToken(text) {
      out.removeSubrange(place...)
      do throws(TokenError) {
        out.append(contentsOf: try TokenForms.normalised(text))
      } catch {
        throw LineFault(error.message)
      }
    }
    out.append(UInt8(ascii: "\""))
  }

  private mutating func write(
    json text: Span<UInt8>, _ name: String, _ out: inout [UInt8]
  ) throws(LineFault) {
    do throws(SyntaxError) {
      try reader.read(text)
    } catch {
      throw LineFault(
        "the value of {{\(name)}} is not JSON: \(error.message); for text put quotes around the hole, \"{{\(name)}}\"")
    }
    for index in text.indices {
      let byte = text[index]
      out.append(byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") ? UInt8(ascii: " ") : byte)
    }
  }

  /// One field may be wanted ten thousand times. No record that APNs takes is near this.
  static let recordLimit = 4 << 20

  static var tooLarge: LineFault { LineFault("filled in, the record has more than \(recordLimit >> 20) MiB") }

  static func notUTF8(_ name: String) -> LineFault {
    LineFault("the value of \"\(name)\" is not UTF-8; convert the input, as with iconv -f LATIN1 -t UTF-8")
  }

  /// The name-based id: over the record without its id and without what only the clock put there, so that a run that is
  /// started again finds the same ids.
  private mutating func writeStableID(at place: Int, from start: Int, _ out: inout [UInt8]) {
    var sha = SHA1()
    let namespace = UUIDText.namespace
    sha.update(namespace.span)
    var position = start
    for range in clocks {
      sha.update(out.span.extracting(position..<range.lowerBound))
      position = range.upperBound
    }
    sha.update(out.span.extracting(position..<out.count))
    let text = UUIDText.text(UUIDText.stamped(sha.finish(), version: 5))
    out.replaceSubrange(place..<place + 36, with: text)
  }
}
