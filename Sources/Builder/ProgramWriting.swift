// How a record becomes a program: constant bytes are joined, what varies becomes a step.

import APNs
import JSON
import Options

extension Program {
  private mutating func add(_ bytes: some Collection<UInt8>) {
    guard !bytes.isEmpty else { return }
    let start = pool.count
    pool.append(contentsOf: bytes)
    if case .bytes(let last) = steps.last, last.end == start {
      steps[steps.count - 1] = .bytes(Piece(start: last.start, end: pool.count))
    } else {
      steps.append(.bytes(Piece(start: start, end: pool.count)))
    }
  }

  private mutating func add(_ text: String) { add(text.utf8) }

  /// Puts bytes into the pool that no step writes by itself.
  private mutating func keep(_ text: String) -> Piece {
    let start = pool.count
    pool.append(contentsOf: text.utf8)
    return Piece(start: start, end: pool.count)
  }

  private mutating func column(_ name: String, fallback: Piece?) -> Int {
    let index = columns.firstIndex(of: name) ?? columns.count
    if index == columns.count { columns.append(name) }
    if fallback == nil { needed.insert(index) }
    return index
  }

  /// Writes a value.
  /// - Parameters:
  ///   - path: where it stands, as far as anybody asks.
  ///   - level: how many containers are around it.
  mutating func write(_ value: Value, _ path: [PathStep], level: Int) throws(ValueError) {
    switch value {
    case .json(let bytes):
      // A record is taken apart even when nothing in it has changed: its payload has to be known.
      let open = level == 0 ? value.opened() : value
      if case .object = open {
        try write(container: open, path, level: level)
      } else {
        try write(json: bytes, path, level: level)
      }
    case .object, .array: try write(container: value, path, level: level)
    case .text(let template):
      add("\"")
      mark(path, isStart: true)
      for part in template.parts { write(inside: part) }
      mark(path, isStart: false)
      add("\"")
    case .filled(let template, let shape): write(template, shape)
    case .jsonTemplate(let template): try write(json: template)
    case .clock(let offset): steps.append(.clock(offset: offset))
    case .token:
      needsToken = true
      steps.append(.token)
    case .newID: steps.append(.newID)
    case .stableID:
      needsStableID = true
      steps.append(.stableID)
    }
  }

  private mutating func mark(_ path: [PathStep], isStart: Bool) {
    guard let index = truncatable.firstIndex(of: path) else { return }
    steps.append(isStart ? .textStart(index) : .textEnd(index))
  }

  private mutating func write(json bytes: ArraySlice<UInt8>, _ path: [PathStep], level: Int) throws(ValueError) {
    if bytes.first == UInt8(ascii: "\""), truncatable.contains(path) {
      add("\"")
      mark(path, isStart: true)
      add(bytes.dropFirst().dropLast())
      mark(path, isStart: false)
      return add("\"")
    }
    // A string to be shortened may be deep in what nobody has touched.
    if truncatable.contains(where: { $0.count > path.count && Array($0.prefix(path.count)) == path }) {
      let open = Value.json(bytes).opened()
      if open != .json(bytes) { return try write(container: open, path, level: level) }
    }
    add(bytes)
  }

  private mutating func write(container: Value, _ path: [PathStep], level: Int) throws(ValueError) {
    // Paths are only asked for by texts that may be shortened.
    let isNamed = !truncatable.isEmpty
    if case .object(let members) = container {
      add("{")
      for (index, member) in members.enumerated() {
        if index > 0 { add(",") }
        var key: [UInt8] = []
        key.appendJSONString(member.key)
        add(key)
        add(":")
        if level == 0 { notice(member) }
        let isPayload = level == 0 && member.key == "payload"
        if isPayload { steps.append(.payloadStart) }
        try write(member.value, isNamed ? path + [.key(member.key)] : path, level: level + 1)
        if isPayload { steps.append(.payloadEnd) }
      }
      add("}")
    } else if case .array(let elements) = container {
      add("[")
      for (index, element) in elements.enumerated() {
        if index > 0 { add(",") }
        try write(element, isNamed ? path + [.index(index)] : path, level: level + 1)
      }
      add("]")
    }
  }

  /// A part of a string's text.
  private mutating func write(inside part: Template.Part) {
    switch part {
    case .text(let text): add(Self.escaped(text))
    case .hole(let name, let fallback):
      let piece = fallback.map { keep(String(decoding: Self.escaped($0), as: UTF8.self)) }
      steps.append(.hole(column(name, fallback: piece), fallback: piece))
    }
  }

  private static func escaped(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    // A Swift string is UTF-8 always.
    _ = bytes.appendInside(text.utf8Span.span)
    return bytes
  }

  private mutating func write(_ template: Template, _ shape: Shape) {
    let parts = template.parts.map { part -> FillPart in
      switch part {
      case .text(let text): return .text(keep(text))
      case .hole(let name, let fallback):
        let piece = fallback.map { keep($0) }
        return .column(column(name, fallback: piece), fallback: piece)
      }
    }
    fills.append(Fill(parts: parts, shape: shape))
    steps.append(.fill(fills.count - 1))
  }

  /// JSON with holes: those inside of a string take text, the others take JSON.
  private mutating func write(json template: Template) throws(ValueError) {
    var isInString = false
    var sample: [UInt8] = []
    for part in template.parts {
      switch part {
      case .text(let text):
        var isEscaped = false
        for byte in text.utf8 {
          if isEscaped {
            isEscaped = false
          } else if byte == UInt8(ascii: "\\") {
            isEscaped = isInString
          } else if byte == UInt8(ascii: "\"") {
            isInString.toggle()
          }
        }
        sample.append(contentsOf: text.utf8)
        add(text.utf8.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 })
      case .hole(let name, let fallback):
        if isInString {
          write(inside: part)
        } else {
          let piece = fallback.map { keep($0) }
          steps.append(.jsonHole(column(name, fallback: piece), fallback: piece))
          sample.append(UInt8(ascii: "0"))
          if let fallback { try checkJSON(Array(fallback.utf8), "the fallback of {{\(name)}}") }
        }
      }
    }
    try checkJSON(sample, "the value")
  }
}

/// Throws unless the bytes are one JSON value.
func checkJSON(_ bytes: [UInt8], _ what: String) throws(ValueError) {
  var reader = Reader()
  do throws(SyntaxError) {
    try reader.read(bytes.span)
  } catch {
    throw ValueError("\(what) is not JSON: \(error.message) at byte \(error.offset)")
  }
}
