// Duplicate keys: legal JSON, and every parser makes something else of them (RFC 8259 section 4).

extension Document {
  /// Whether two members of an object have the same key.
  public func hasDuplicateKeys(in object: Int) -> Bool { firstDuplicateKey(in: object) != nil }

  /// The first key that repeats an earlier one, and that earlier one, compared after decoding.
  ///
  /// - Returns: the two keys' nodes in the order of the text, nil when all keys differ or the node is no object.
  public func firstDuplicateKey(in object: Int) -> (first: Int, second: Int)? {
    let token = tokens[object]
    guard token.kind == .object else { return nil }
    // One bit of 64 for each key, chosen by its length and its ends: most objects have no two keys of the same bit.
    var seen: UInt64 = 0
    var count = 0
    var second = object &+ 1
    while second < token.next {
      let key = tokens[second]
      let bit = key.hasEscapes ? .max : bit(of: key)
      if seen & bit != 0 {
        // Comparing pairs is fast while they are few; a hostile object must not make it hang.
        if count > 32 { return firstDuplicateKeyByHash(in: object) }
        var first = object &+ 1
        while first < second {
          if hasSameText(first, second) { return (first, second) }
          first = tokens[first &+ 1].next
        }
      }
      seen |= bit
      count &+= 1
      second = tokens[second &+ 1].next
    }
    return nil
  }

  private func bit(of key: Token) -> UInt64 {
    // The byte behind the opening quote and the one before the closing quote; for an empty key these are the quotes.
    let first = UInt64(bytes[key.start &+ 1])
    let last = UInt64(bytes[key.end &- 2])
    let mixed = (first | last &<< 8 | UInt64(key.end &- key.start) &<< 16) &* 0x9E37_79B9_7F4A_7C15
    return 1 &<< (mixed &>> 58)
  }

  /// The same for large objects: by hashes under this process's own seed, which a sender cannot make collide.
  private func firstDuplicateKeyByHash(in object: Int) -> (first: Int, second: Int)? {
    var keys: [Int: Int] = [:]
    var decoded: [UInt8] = []
    var key = object + 1
    while key < tokens[object].next {
      decoded.removeAll(keepingCapacity: true)
      appendDecoded(key, to: &decoded)
      var hasher = Hasher()
      for byte in decoded { hasher.combine(byte) }
      // Equal hashes of different keys do not happen in practice; then the later key takes the next free number.
      var hash = hasher.finalize()
      while let earlier = keys[hash] {
        if hasSameText(earlier, key) { return (earlier, key) }
        hash &+= 1
      }
      keys[hash] = key
      key = tokens[key + 1].next
    }
    return nil
  }
}
