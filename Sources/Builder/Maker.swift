// From a row to what is written for it, in the form that was asked for.

import APNs
import Filter
import JSON
import Options

/// Makes one output for one row. Each worker has its own.
public struct Maker: Sendable {
  private let form: OutputForm
  private let settings: RunSettings
  private var runner: Runner
  private var record: [UInt8] = []
  private var reader = Reader()
  private var identifier: UInt32 = 0

  public init(_ recipe: Recipe) {
    form = recipe.form
    settings = recipe.settings
    runner = Runner(recipe.settings)
  }

  /// Runs the program over a row and adds a line (or, for the binary forms, bytes) to the output.
  @inline(__always)
  public mutating func make(
    _ program: borrowing Program, _ bytes: Span<UInt8>, token: Field, _ fields: [Field], _ kind: RowKind,
    into output: inout Output
  ) throws(LineFault) {
    if form == .record, !settings.notesTruncation {
      try runner.run(program, bytes, token: token, fields, kind, into: &output.records)
      output.records.append(UInt8(ascii: "\n"))
    } else {
      try makeOther(program, bytes, token: token, fields, kind, into: &output)
    }
  }

  @inline(never)
  private mutating func makeOther(
    _ program: borrowing Program, _ bytes: Span<UInt8>, token: Field, _ fields: [Field], _ kind: RowKind,
    into output: inout Output
  ) throws(LineFault) {
    record.removeAll(keepingCapacity: true)
    try runner.run(program, bytes, token: token, fields, kind, into: &record)
    if settings.notesTruncation, !runner.truncations.isEmpty { note() }
    let payload = runner.payload
    switch form {
    case .record: output.records.append(record.span)
    case .payload: output.records.append(record.span.extracting(payload))
    case .simulator(let bundle): try simulator(bundle, record.span.extracting(payload), &output.records)
    case .curl: try curl(&output.records)
    case .binary(let form):
      try binary(form, &output.records)
      return
    }
    output.records.append(UInt8(ascii: "\n"))
  }

  /// `meta.truncated`: for each shortened text the bytes it had and has.
  private mutating func note() {
    var changes: [Change] = []
    for cut in runner.truncations {
      let place = cut.path.dropFirst().map { "\($0.text)" }.joined(separator: ".")
      changes.append(
        .set(
          [.key("meta"), .key("truncated"), .key(place)],
          .object([.init("from", .json("\(cut.from)")), .init("to", .json("\(cut.to)"))])))
    }
    // A `meta` of the caller's own that is no object has no room for a note.
    guard let value = try? Value.json(record).applying(changes), let program = try? Program(value) else { return }
    var noted: [UInt8] = []
    let nothing: [UInt8] = []
    var second = Runner(settings)
    guard (try? second.run(program, nothing.span, token: .missing, [], .object, into: &noted)) != nil else { return }
    record = noted
    runner.payload = second.payload
  }

  private func simulator(
    _ bundle: String, _ payload: Span<UInt8>, _ out: inout [UInt8]
  ) throws(LineFault) {
    var key: [UInt8] = []
    key.append("\"Simulator Target Bundle\":")
    key.appendJSONString(bundle)
    let isEmpty = payload.count <= 2
    let size = payload.count + key.count + (isEmpty ? 0 : 1)
    // The limit of simctl's own help text.
    guard size <= 4096 else { throw LineFault("the file has \(size) bytes; xcrun simctl push takes 4096") }
    out.append("{")
    out.append(key.span)
    if !isEmpty { out.append(",") }
    out.append(payload.extracting(droppingFirst: 1))
  }

  private mutating func curl(_ out: inout [UInt8]) throws(LineFault) {
    try reread()
    let (record, tokens) = (record, reader.tokens)
    let document = Document(record.span, tokens.span)
    try CurlCommand.append(document, to: &out)
  }

  private mutating func binary(_ form: BinaryForm, _ out: inout [UInt8]) throws(LineFault) {
    try reread()
    let (record, tokens) = (record, reader.tokens)
    let document = Document(record.span, tokens.span)
    try BinaryNotification.append(document, form, identifier: identifier, to: &out)
    identifier &+= 1
  }

  private mutating func reread() throws(LineFault) {
    let record = record
    do throws(SyntaxError) {
      try reader.read(record.span)
    } catch {
      throw LineFault("the record is not JSON: \(error.message)")
    }
  }
}

extension PathStep {
  /// The step as it is named in words.
  var text: String {
    switch self {
    case .key(let key): key
    case .index(let index): String(index)
    case .append: "-"
    }
  }
}
