// What stands at a place of a stream: tuple, packet or notification, and how far that can be trusted.

extension View {
  /// How many bytes there are from a place on.
  @inline(__always)
  private func left(_ place: Int) -> Int { bytes.count &- place }

  /// A record needs more bytes than there are.
  private func short(_ needed: Int, at place: Int) -> Look {
    isFinal ? .broken(.truncated(needed: needed, available: left(place)), length: nil) : .wait(needed)
  }

  /// Tokens have 32 bytes by custom, and at most 100 by the guide; what claims more is looked at twice.
  @inline(__always)
  private func isUsual(token length: Int) -> Bool { length &- 1 < 100 && length > 0 }

  // MARK: Feedback

  func lookTuple(at place: Int) -> Look {
    if left(place) < Tuple.headSize { return short(Tuple.headSize, at: place) }
    let token = Int(bytes.bigEndian16(place + 4))
    let length = Tuple.headSize + token
    if isUsual(token: token) {
      // The head of a TLS record read as a time is one of 1980 to 1982.
      if bytes[place + 1] == 3, let look = tlsChain(at: place) { return look }
      return left(place) < length ? short(length, at: place) : .fits(length)
    }
    if bytes[place + 1] == 3, let look = tlsChain(at: place) { return look }
    if left(place) < length { return short(length, at: place) }
    return behindUnusualTuple(place, length: length)
  }

  /// An unusual length is believed when something sensible follows the tuple: a byte lost or gained shifts everything,
  /// and a length of thousands would swallow the good tuples behind.
  private func behindUnusualTuple(_ place: Int, length: Int) -> Look {
    let wrong = Look.broken(.lengths(token: length - Tuple.headSize, payload: nil), length: nil)
    let next = place + length
    let rest = left(next)
    if rest == 0 { return isFinal ? .fits(length) : .wait(length + 1) }
    if rest < Tuple.headSize { return isFinal ? wrong : .wait(length + Tuple.headSize) }
    let token = Int(bytes.bigEndian16(next + 4))
    if isUsual(token: token) { return .fits(length) }
    let time = Int(bytes.bigEndian32(place))
    let nextTime = Int(bytes.bigEndian32(next))
    let year = 31_536_000
    let isSequel = Self.sensibleTimes.contains(time) && abs(time - nextTime) < year && 1...4096 ~= token
    return isSequel ? .fits(length) : wrong
  }

  /// From 2008, the year before the feedback service, to 2038.
  private static var sensibleTimes: ClosedRange<Int> { 1_199_145_600...2_147_483_647 }

  /// Whether TLS records follow each other from here on: then no tuple is what it looks like. nil for no TLS.
  private func tlsChain(at place: Int) -> Look? {
    guard let length = tlsLength(at: place) else { return nil }
    let rest = left(place) - length
    // The record's end, or the head of the next one, decides. A record cut short by the end may be a tuple.
    if rest < 3 {
      if !isFinal { return .wait(length + 3) }
      return rest == 0 ? .broken(.command, length: nil) : nil
    }
    let next = place + length
    return 20...23 ~= bytes[next] && bytes[next + 1] == 3 && bytes[next + 2] <= 4
      ? .broken(.command, length: nil) : nil
  }

  /// A tuple beyond doubt: a sensible time and a token of 32 bytes; or of another usual length, and the end or another
  /// head behind it.
  func sureTuple(at place: Int) -> Look {
    let no = Look.broken(.none, length: nil)
    if left(place) < Tuple.headSize { return isFinal ? no : .wait(Tuple.headSize) }
    let token = Int(bytes.bigEndian16(place + 4))
    let length = Tuple.headSize + token
    guard isUsual(token: token), Self.sensibleTimes.contains(Int(bytes.bigEndian32(place))) else { return no }
    if token == 32 { return left(place) >= length ? .fits(length) : isFinal ? no : .wait(length) }
    if left(place) < length + Tuple.headSize, !isFinal { return .wait(length + Tuple.headSize) }
    if left(place) < length { return no }
    if left(place) < length + Tuple.headSize { return .fits(length) }
    return isUsual(token: Int(bytes.bigEndian16(place + length + 4))) ? .fits(length) : no
  }

  // MARK: Responses

  func lookPacket(at place: Int) -> Look {
    guard bytes[place] == ErrorPacket.command else { return .broken(.command, length: nil) }
    return left(place) < ErrorPacket.size ? short(ErrorPacket.size, at: place) : .fits(ErrorPacket.size)
  }

  /// A packet beyond doubt: a documented status, and the end or another packet behind it.
  func surePacket(at place: Int) -> Look {
    let no = Look.broken(.none, length: nil)
    guard bytes[place] == ErrorPacket.command else { return no }
    if left(place) < ErrorPacket.size { return isFinal ? no : .wait(ErrorPacket.size) }
    guard ErrorStatus.of(bytes[place + 1]) != nil else { return no }
    if left(place) > ErrorPacket.size {
      return bytes[place + ErrorPacket.size] == ErrorPacket.command ? .fits(ErrorPacket.size) : no
    }
    return isFinal ? .fits(ErrorPacket.size) : .wait(ErrorPacket.size + 1)
  }

  // MARK: Commands

  func lookFrame(at place: Int) -> Look {
    switch bytes[place] {
    case 0: lookPlain(at: place, head: 1)
    case 1: lookPlain(at: place, head: 9)
    case 2: lookItems(at: place)
    default: .broken(.command, length: nil)
    }
  }

  /// Commands 0 and 1: two lengths, each behind what the other measures.
  private func lookPlain(at place: Int, head: Int) -> Look {
    if left(place) < head + 2 { return short(head + 2, at: place) }
    let token = Int(bytes.bigEndian16(place + head))
    let bare = head + 2 + token + 2
    if left(place) < bare { return short(bare, at: place) }
    let payload = Int(bytes.bigEndian16(place + bare - 2))
    let length = bare + payload
    if left(place) < length { return short(length, at: place) }
    if isUsual(token: token), 1...8192 ~= payload { return .fits(length) }
    let wrong = Look.broken(.lengths(token: token, payload: payload), length: nil)
    return token == 0 && payload == 0 ? wrong : ifFollowed(place, length: length, else: wrong)
  }

  private func lookItems(at place: Int) -> Look {
    if left(place) < Frame.headSize { return short(Frame.headSize, at: place) }
    let length = Int(bytes.bigEndian32(place + 1))
    if length > Decoder.frameLimit { return .broken(.frameLength(length), length: nil) }
    let end = place + Frame.headSize + length
    if bytes.count < end {
      let look = short(Frame.headSize + length, at: place)
      // No item is so short that one or two bytes could hold it: a frame whose items end there has a wrong length, and
      // the stream is not cut.
      let missing = end - bytes.count
      if isFinal, missing < Frame.itemHeadSize, itemFault(place + Frame.headSize, bytes.count) == nil {
        return .broken(.items(at: length - missing, needed: Frame.itemHeadSize, left: missing), length: nil)
      }
      return look
    }
    guard let fault = itemFault(place + Frame.headSize, end) else {
      let whole = Look.fits(Frame.headSize + length)
      return length > 0
        ? whole
        : ifFollowed(place, length: Frame.headSize, else: .broken(.lengths(token: 0, payload: 0), length: nil))
    }
    // When a record stands behind the frame, its length was right and the damage is the frame.
    let own = ifFollowed(place, length: Frame.headSize + length, else: .broken(fault, length: nil))
    if case .fits(let whole) = own { return .broken(fault, length: whole) }
    return own
  }

  /// What keeps the items from filling their place exactly, nil when they do.
  private func itemFault(_ start: Int, _ end: Int) -> Damage.Cause? {
    var place = start
    var count = 0
    while place < end {
      count += 1
      if count > Decoder.itemLimit { return .tooManyItems }
      if end - place < Frame.itemHeadSize {
        return .items(at: place - start, needed: Frame.itemHeadSize, left: end - place)
      }
      let data = Int(bytes.bigEndian16(place + 1))
      if end - place - Frame.itemHeadSize < data {
        return .items(at: place - start, needed: data, left: end - place - Frame.itemHeadSize)
      }
      place += Frame.itemHeadSize + data
    }
    return nil
  }

  /// An unusual record is believed when the stream ends behind it or another command begins.
  private func ifFollowed(_ place: Int, length: Int, else wrong: Look) -> Look {
    let next = place + length
    if next == bytes.count { return isFinal ? .fits(length) : .wait(length + 1) }
    return bytes[next] <= 2 ? .fits(length) : wrong
  }

  /// A notification beyond doubt: a token of a usual length and a payload in braces; or items that fill their frame, and
  /// the end or another command behind it.
  func sureFrame(at place: Int) -> Look {
    switch bytes[place] {
    case 0: surePlain(at: place, head: 1)
    case 1: surePlain(at: place, head: 9)
    case 2: sureItems(at: place)
    default: .broken(.none, length: nil)
    }
  }

  private func surePlain(at place: Int, head: Int) -> Look {
    let no = Look.broken(.none, length: nil)
    if left(place) < head + 2 { return isFinal ? no : .wait(head + 2) }
    let token = Int(bytes.bigEndian16(place + head))
    guard isUsual(token: token) else { return no }
    let bare = head + 2 + token + 2
    if left(place) < bare { return isFinal ? no : .wait(bare) }
    let length = bare + Int(bytes.bigEndian16(place + bare - 2))
    guard length - bare <= 8192 else { return no }
    if left(place) < length { return isFinal ? no : .wait(length) }
    return isInBraces((place + bare)..<(place + length)) ? .fits(length) : no
  }

  private func sureItems(at place: Int) -> Look {
    let no = Look.broken(.none, length: nil)
    let least = Frame.headSize + Frame.itemHeadSize
    if left(place) < least { return isFinal ? no : .wait(least) }
    let length = Frame.headSize + Int(bytes.bigEndian32(place + 1))
    guard least...8192 ~= length, 1...5 ~= bytes[place + Frame.headSize] else { return no }
    if left(place) < length { return isFinal ? no : .wait(length) }
    guard itemFault(place + Frame.headSize, place + length) == nil else { return no }
    let frame = frame(at: place, length: length, offset: 0)
    if let token = frame.token, isUsual(token: token.count), let payload = frame.payload, isInBraces(payload) {
      return .fits(length)
    }
    return ifFollowed(place, length: length, else: no)
  }

  private func isInBraces(_ range: Range<Int>) -> Bool {
    range.count >= 2 && bytes[range.lowerBound] == UInt8(ascii: "{") && bytes[range.upperBound - 1] == UInt8(ascii: "}")
  }

  /// The notification of which `lookFrame` has said that it fits.
  func frame(at place: Int, length: Int, offset: Int) -> Frame {
    var frame = Frame(command: bytes[place])
    frame.offset = offset
    frame.length = length
    if frame.command == 2 {
      frame.take(items: (place + Frame.headSize)..<(place + length), bytes)
      return frame
    }
    if frame.command == 1 {
      frame.identifier = bytes.bigEndian32(place + 1)
      frame.expiration = bytes.bigEndian32(place + 5)
    }
    let start = place + (frame.command == 0 ? 3 : 11)
    let end = start + Int(bytes.bigEndian16(start - 2))
    frame.token = start..<end
    frame.payload = (end + 2)..<(place + length)
    return frame
  }
}
