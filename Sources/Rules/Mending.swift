// How a text is mended without touching the rest of it: keys renamed, values replaced, members moved.

import APNs
import JSON

extension Document {
  /// A key spelled otherwise.
  func rename(_ key: Int, to name: String) -> Fix {
    Fix("renamed \"\(self.name(key))\" to \"\(name)\"", [Edit(start(key) + 1..<end(key) - 1, name)])
  }

  /// A value replaced by other text.
  func replace(_ node: Int, by text: String) -> Fix {
    Fix("changed \(shown(node)) to \(text)", [Edit(start(node)..<end(node), text)])
  }

  /// A member taken out of one object and put at the end of another.
  func move(_ key: Int, from object: Int, into target: Int, as name: String, place: String) -> Fix {
    let text = member(key, as: name)
    return Fix(
      "moved \"\(self.name(key))\" \(place)",
      [Edit(removal(of: key, in: object), []), insertion(of: text, into: target)])
  }

  /// Members taken out of an object; one new member at its end holds them all as an object.
  func gather(_ keys: [Int], of object: Int, as name: String, place: String) -> Fix {
    var text = Array("\"\(name)\":{".utf8)
    for (index, key) in keys.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text.append(contentsOf: member(key, as: string(key)))
    }
    text.append(UInt8(ascii: "}"))
    let names = keys.map { "\"\(self.name($0))\"" }.joined(separator: ", ")
    // The first is replaced; so the place in the object stays.
    var edits = [Edit(start(keys[0])..<end(keys[0] + 1), text)]
    for key in keys.dropFirst() { edits.append(Edit(removal(of: key, in: object), [])) }
    return Fix("moved \(names) \(place)", edits)
  }

  /// The member's text, its key spelled as `name`.
  private func member(_ key: Int, as name: String) -> [UInt8] {
    var text: [UInt8] = [UInt8(ascii: "\"")]
    text.append(contentsOf: name.utf8)
    text.append(UInt8(ascii: "\""))
    text.append(bytes.extracting(end(key)..<end(key + 1)))
    return text
  }

  /// The bytes of a member and of one comma beside it.
  private func removal(of key: Int, in object: Int) -> Range<Int> {
    var previous: Int?
    var member = object + 1
    while member < key {
      previous = member + 1
      member = next(member + 1)
    }
    let following = next(key + 1)
    if let previous { return end(previous)..<end(key + 1) }
    if following < next(object) { return start(key)..<start(following) }
    return start(key)..<end(key + 1)
  }

  /// A member put at the end of an object, in the object's own manner of line breaks.
  private func insertion(of text: [UInt8], into object: Int) -> Edit {
    var last: Int?
    var before = start(object) + 1
    var member = object + 1
    while member < next(object) {
      if let last { before = end(last + 1) + 1 }
      last = member
      member = next(member + 1)
    }
    guard let last else { return Edit(start(object) + 1..<start(object) + 1, text) }
    var out: [UInt8] = [UInt8(ascii: ",")]
    for index in before..<start(last) where bytes[index] != UInt8(ascii: ",") { out.append(bytes[index]) }
    return Edit(end(last + 1)..<end(last + 1), out + text)
  }
}
