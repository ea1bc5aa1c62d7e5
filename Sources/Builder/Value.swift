// The record while it is being put together: a tree whose untouched parts stay the bytes they were.

import JSON
import Options

/// A JSON value that may have holes.
public indirect enum Value: Sendable, Equatable {
  /// JSON text as it stands, known to be valid. It is taken apart only when a path leads into it.
  case json(ArraySlice<UInt8>)
  case object([Member])
  case array([Value])
  /// A string.
  case text(Template)
  /// A value of which only the kind is fixed: the text that fills the template is checked, line by line.
  case filled(Template, Shape)
  /// JSON whose holes stand inside of strings (then they are escaped) or for whole values.
  case jsonTemplate(Template)
  /// A time that is counted from the moment of writing, in seconds.
  case clock(offset: Int)
  /// The recipient's device token, checked.
  case token
  /// A UUID: made anew, or made from the record.
  case newID, stableID

  public struct Member: Sendable, Equatable {
    public var key: String
    public var value: Value

    public init(_ key: String, _ value: Value) {
      self.key = key
      self.value = value
    }
  }

  /// JSON from a text that is known to be JSON.
  public static func json(_ text: String) -> Value { .json(Array(text.utf8)[...]) }

  /// JSON from bytes that are known to be JSON.
  public static func json(_ bytes: [UInt8]) -> Value { .json(bytes[...]) }
}

/// What the text that fills a template must be.
public enum Shape: Sendable, Equatable {
  case number, count
  /// A number from 0 to 1.
  case fraction
  case time, priority, pushType, header, collapseID, channelID, uuid, environment
  case oneOf([String])
  /// A bundle identifier; the suffix of the push type is added where it is missing.
  case topic(suffix: String)
}

/// One step of a path into a value.
public enum PathStep: Sendable, Equatable {
  case key(String)
  case index(Int)
  /// Behind the last element of an array.
  case append
}

/// What is done to a record.
public enum Change: Sendable, Equatable {
  case set([PathStep], Value)
  /// Only where there is nothing yet.
  case fill([PathStep], Value)
  case unset([PathStep])
  /// Members of an object are put over those of the record, objects into objects.
  case merge([PathStep], Value)
  /// The suffix of a push type goes behind a topic that lacks it.
  case suffixTopic(String)
}

/// A path that leads through something that is no container.
public struct PathError: Error, Equatable, Sendable {
  public var message: String
}

extension Value {
  /// The value with the changes made, in their order.
  public func applying(_ changes: [Change]) throws(PathError) -> Value {
    var value = self
    for change in changes {
      switch change {
      case .set(let path, let new): try value.set(path[...], new)
      case .fill(let path, let new): if value.find(path[...]) == nil { try value.set(path[...], new) }
      case .unset(let path): value.unset(path[...])
      case .merge(let path, let new): try value.merge(path[...], new)
      case .suffixTopic(let suffix): value.suffixTopic(suffix)
      }
    }
    return value
  }

  /// What stands at a path, nil when nothing does.
  public func find(_ path: ArraySlice<PathStep>) -> Value? {
    guard let first = path.first else { return self }
    switch (first, opened()) {
    case (.key(let key), .object(let members)):
      return members.last { $0.key == key }?.value.find(path.dropFirst())
    case (.index(let index), .array(let elements)):
      return elements.indices.contains(index) ? elements[index].find(path.dropFirst()) : nil
    default: return nil
    }
  }

  /// The same value with its outermost object or array taken apart.
  public func opened() -> Value {
    guard case .json(let bytes) = self, bytes.first == UInt8(ascii: "{") || bytes.first == UInt8(ascii: "[") else {
      return self
    }
    var reader = Reader()
    do throws(SyntaxError) { try reader.read(bytes.span) } catch { return self }
    let tokens = reader.tokens
    let document = Document(bytes.span, tokens.span)
    var node = 1
    if document.kind(0) == .array {
      var elements: [Value] = []
      while node < document.next(0) {
        elements.append(.json(bytes.part(document, node)))
        node = document.next(node)
      }
      return .array(elements)
    }
    var members: [Member] = []
    while node < document.next(0) {
      members.append(Member(document.string(node), .json(bytes.part(document, node + 1))))
      node = document.next(node + 1)
    }
    return .object(members)
  }

  private var isNull: Bool { self == .json("null") }

  /// Puts a value at a path, making the objects and arrays on the way.
  mutating func set(_ path: ArraySlice<PathStep>, _ new: Value, trail: String = "") throws(PathError) {
    guard let first = path.first else {
      self = new
      return
    }
    self = opened()
    switch first {
    case .key(let key):
      var members = try objectMembers(trail)
      // A second owner of the members would make each change copy them all. After an error nobody looks at this value.
      self = .token
      let place = trail.isEmpty ? key : trail + "." + key
      if let index = members.lastIndex(where: { $0.key == key }) {
        try members[index].value.set(path.dropFirst(), new, trail: place)
      } else {
        var value = Value.json("null")
        try value.set(path.dropFirst(), new, trail: place)
        members.insert(Member(key, value), at: Value.place(of: key, in: members, isRecord: trail.isEmpty))
      }
      self = .object(members)
    case .index(let index): try setElement(index, path, new, trail)
    case .append: try setElement(nil, path, new, trail)
    }
  }

  private func objectMembers(_ trail: String) throws(PathError) -> [Member] {
    if case .object(let members) = self { return members }
    if isNull { return [] }
    // Apple lets an alert be a text alone, which is its body.
    if trail == "payload.aps.alert", isText { return [Member("body", self)] }
    throw PathError(message: "\"\(Value.shown(trail))\" is no object, so nothing can be put into it")
  }

  private var isText: Bool {
    if case .text = self { return true }
    if case .json(let bytes) = self { return bytes.first == UInt8(ascii: "\"") }
    return false
  }

  private mutating func setElement(
    _ index: Int?, _ path: ArraySlice<PathStep>, _ new: Value, _ trail: String
  ) throws(PathError) {
    var elements: [Value] = []
    if case .array(let old) = self {
      elements = old
    } else if !isNull {
      throw PathError(message: "\"\(Value.shown(trail))\" is no array, so nothing can be put into it")
    }
    self = .token
    let place = index ?? elements.count
    if place >= elements.count {
      guard place == elements.count else {
        throw PathError(message: "\"\(Value.shown(trail))\" has \(elements.count) elements: there is no [\(place)] yet")
      }
      elements.append(.json("null"))
    }
    try elements[place].set(path.dropFirst(), new, trail: "\(trail)[\(place)]")
    self = .array(elements)
  }

  /// A place of the payload is named as its owner names it, without the record around it.
  static func shown(_ trail: String) -> String {
    trail.hasPrefix("payload.") ? String(trail.dropFirst(8)) : trail
  }

  private mutating func unset(_ path: ArraySlice<PathStep>) {
    guard let first = path.first else { return }
    switch (first, opened()) {
    case (.key(let key), .object(var members)):
      guard members.contains(where: { $0.key == key }) else { return }
      if path.count == 1 {
        members.removeAll { $0.key == key }
      } else if let index = members.lastIndex(where: { $0.key == key }) {
        members[index].value.unset(path.dropFirst())
      }
      self = .object(members)
    case (.index(let index), .array(var elements)):
      guard elements.indices.contains(index) else { return }
      if path.count == 1 { elements.remove(at: index) } else { elements[index].unset(path.dropFirst()) }
      self = .array(elements)
    default: return
    }
  }

  private mutating func merge(_ path: ArraySlice<PathStep>, _ new: Value) throws(PathError) {
    guard case .object(let members) = new.opened(), let old = find(path), case .object = old.opened() else {
      return try set(path, new)
    }
    for member in members { try merge(path + [.key(member.key)], member.value) }
  }

  private mutating func suffixTopic(_ suffix: String) {
    guard let topic = find([.key("topic")]) else { return }
    if case .text(let template) = topic {
      if template.constant?.hasSuffix(suffix) != true { try? set([.key("topic")], .text(template.adding(suffix))) }
    } else if case .filled(let template, _) = topic {
      try? set([.key("topic")], .filled(template, .topic(suffix: suffix)))
    } else if case .json(let bytes) = topic, bytes.count >= 2, bytes.last == UInt8(ascii: "\"") {
      let content = String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
      if !content.hasSuffix(suffix) { try? set([.key("topic")], .json("\"\(content)\(suffix)\"")) }
    }
  }
}

extension ArraySlice<UInt8> {
  /// A node's bytes, sharing the storage of the text they stand in.
  func part(_ document: borrowing Document, _ node: Int) -> ArraySlice {
    self[startIndex + document.start(node)..<startIndex + document.end(node)]
  }
}
