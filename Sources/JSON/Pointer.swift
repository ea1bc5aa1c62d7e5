// JSON pointers (RFC 6901): from a node to its path and back.

extension Document {
  /// The pointer to a node: `""` for the root; a key has the pointer of its value.
  ///
  /// With duplicate keys the pointer of an earlier member leads to the last one, which is what RFC 6901 leaves open.
  public func pointer(_ node: Int) -> String {
    var path = ""
    var container = 0
    while node > container, node < tokens[container].next {
      guard let step = step(from: container, towards: node, path: &path) else { break }
      if step > node { break }
      container = step
    }
    return path
  }

  /// Appends one reference token; returns the child of `container` that holds `node`.
  private func step(from container: Int, towards node: Int, path: inout String) -> Int? {
    let isObject = tokens[container].kind == .object
    var child = container + 1
    var index = 0
    while child < tokens[container].next {
      let value = isObject ? child + 1 : child
      if node < tokens[value].next {
        path += "/"
        path += isObject ? Document.escaped(string(child)) : String(index)
        return value
      }
      child = tokens[value].next
      index += 1
    }
    return nil
  }

  /// `~` and `/` inside a key are written `~0` and `~1` (RFC 6901 section 3).
  private static func escaped(_ key: String) -> String {
    guard key.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return key }
    var escaped = ""
    for scalar in key.unicodeScalars {
      switch scalar {
      case "~": escaped += "~0"
      case "/": escaped += "~1"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// The node a pointer leads to; nil when the pointer is malformed or leads nowhere. `-` leads nowhere.
  public func node(at pointer: String) -> Int? {
    var node = 0
    var rest = pointer.utf8[...]
    while let first = rest.first {
      guard first == UInt8(ascii: "/") else { return nil }
      rest = rest.dropFirst()
      let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      guard let name = Document.unescaped(rest[..<end]), let child = child(of: node, named: name) else { return nil }
      node = child
      rest = rest[end...]
    }
    return node
  }

  private func child(of node: Int, named name: String) -> Int? {
    switch tokens[node].kind {
    case .object: return find(name, in: node)
    case .array:
      // RFC 6901 section 4: decimal digits without a leading zero.
      guard name.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") <= 9 }), name == "0" || name.utf8.first != UInt8(ascii: "0"),
        let wanted = Int(name)
      else { return nil }
      var child = node + 1
      var index = 0
      while child < tokens[node].next {
        if index == wanted { return child }
        index += 1
        child = tokens[child].next
      }
      return nil
    default: return nil
    }
  }

  private static func unescaped(_ name: Substring.UTF8View) -> String? {
    guard name.contains(UInt8(ascii: "~")) else { return String(Substring(name)) }
    var bytes: [UInt8] = []
    var isTilde = false
    for byte in name {
      switch (isTilde, byte) {
      case (true, UInt8(ascii: "0")): bytes.append(UInt8(ascii: "~"))
      case (true, UInt8(ascii: "1")): bytes.append(UInt8(ascii: "/"))
      case (true, _): return nil
      case (false, UInt8(ascii: "~")):
        isTilde = true
        continue
      default: bytes.append(byte)
      }
      isTilde = false
    }
    return isTilde ? nil : String(utf8: bytes.span)
  }
}
