// The walk: once over a notification, first to see which known keys stand where, then to the rules of those places.

import APNs
import JSON

/// What the first half of the walk leaves for the second.
struct Pending {
  /// Known keys of the root and of `aps` whose values some rule looks at.
  var root: UInt32 = 0
  var aps: UInt32 = 0
  /// Something is there that may stand anywhere and deserves a look at every token.
  var isSuspect = false
}

struct Walk {
  let rules: RuleSet
  let finder = KeyFinder()
  let rootNames = RootNames.shared

  init(_ rules: RuleSet) {
    self.rules = rules
  }

  /// Walks over the payload at `node`. The headers are in the scene already.
  func payload(_ document: Document, _ scene: inout Scene, _ node: Int) {
    scene.payload = node
    var pending = Pending()
    collect(document, &scene, &pending)
    if scene.type == nil { scene.type = scene.impliedType(document) }
    if pending.isSuspect || scene.isLive { everyToken(document, &scene) }
    whole(document, &scene)
    visitKnown(document, &scene, pending)
    visitUnknown(document, &scene)
  }

  /// Asks the rules of the headers, once the payload's keys are known.
  func headers(_ document: Document, _ scene: inout Scene, _ node: Int, hasTokenProblem: Bool = false) {
    if let topic = scene.topic { visitTopic(document, &scene, node, topic.isOdd, topic.family, topic.suffix) }
    // 10 is right for every type but one, which has a rule of its own.
    if let priority = scene.priority, priority != 10 { rules.visit(.priority, document, &scene, node) }
    if scene.expiration != nil { rules.visit(.expiration, document, &scene, node) }
    guard scene.form == .record || scene.form == .request else {
      if scene.isBroadcast { rules.visit(.broadcast, document, &scene, node) }
      return
    }
    if scene.givenType == nil, scene.record.pushTypeNode == nil { rules.visit(.untypedRecord, document, &scene, node) }
    if scene.isBroadcast { rules.visit(.broadcast, document, &scene, node) }
    if scene.topic == nil, scene.record.token != nil || scene.isBroadcast {
      rules.visit(.noTopic, document, &scene, node)
    }
    if let token = scene.record.token {
      rules.visit(.device, document, &scene, node)
      if !hasTokenProblem, scene.form == .record, scene.isLive || !isOrdinaryToken(document, document.token(token)) {
        rules.visit(.token, document, &scene, node)
      }
    }
    if scene.record.id != nil { rules.visit(.id, document, &scene, node) }
    if scene.record.collapseID != nil { rules.visit(.collapseID, document, &scene, node) }
  }

  /// Whether a device token surely is of the usual length, in lower case, no placeholder and not encoded twice.
  @inline(__always)
  private func isOrdinaryToken(_ document: Document, _ token: Token) -> Bool {
    guard token.end &- token.start == 66, !token.hasEscapes else { return false }
    var capitals: UInt64 = 0
    for place in 0..<8 {
      // Letters have the bit 0x40, and small ones 0x20 as well.
      let digits = document.word(token.start &+ 1 &+ place &* 8)
      capitals |= digits & ~(digits &<< 1)
    }
    let first = document.word(token.start &+ 1)
    func digit(_ place: UInt64) -> UInt64 { (first &>> (place &* 8) & 15) &+ (first &>> (place &* 8 &+ 6) & 1) &* 9 }
    // A placeholder's digits are equal or follow each other; bytes that are digits themselves begin with 3, 4 or 6.
    let step = (digit(1) &- digit(0)) & 15
    func mayBeginDigit(_ digit: UInt64) -> Bool { 0b101_1000 &>> digit & 1 != 0 }
    let isTwice = mayBeginDigit(digit(0)) && mayBeginDigit(digit(2)) && mayBeginDigit(digit(4))
    return capitals & 0x4040_4040_4040_4040 == 0 && step > 1 && step != 15 && !isTwice
  }

  @inline(__always)
  private func visitTopic(
    _ document: Document, _ scene: inout Scene, _ node: Int, _ isOdd: Bool, _ family: Topic.Family, _ suffix: PushType?
  ) {
    rules.visit(.topic, document, &scene, node)
    if isOdd { rules.visit(.oddTopic, document, &scene, node) }
    if family == .pass { rules.visit(.passTopic, document, &scene, node) }
    if family == .web { rules.visit(.webTopic, document, &scene, node) }
    guard let type = scene.givenType else { return }
    if suffix != type || type == .alert || type == .background {
      if suffix == nil, type == .alert || type == .background || type == .mdm { return }
      rules.visit(.topicAndType, document, &scene, node)
    }
  }

  /// Keys of `aps` that belong to some types only.
  private static var typed: UInt32 { 1 << UInt32(APSKey.event.index) | 1 << UInt32(APSKey.contentChanged.index) }

  // MARK: Visiting

  private func whole(_ document: Document, _ scene: inout Scene) {
    let node = scene.payload
    let token = document.tokens[node]
    if token.end &- token.start > PushType.ordinaryPayloadLimit * 9 / 10 {
      rules.visit(.largePayload, document, &scene, node)
    }
    if scene.rootCount == 0 { rules.visit(.emptyPayload, document, &scene, node) }
    if scene.form == .apns { rules.visit(.simulatorFile, document, &scene, node) }
    if scene.rootMask & 1 << UInt32(RootKey.aps.index) == 0 { rules.visit(.noAps, document, &scene, node) }
    if scene.givenType != nil, scene.apsMask & Self.typed != 0 || scene.root(.mdm) != nil {
      rules.visit(.knownType, document, &scene, node)
    }
    if let type = scene.type {
      rules.visit(Place.typeBase &+ type.index, document, &scene, node)
      if type == .alert {
        let isPlain = scene.aps(.alert).map { showsPlainText(document, scene, $0) } ?? false
        if !isPlain { rules.visit(.nothingPlain, document, &scene, node) }
      }
    }
  }

  private func visitKnown(_ document: Document, _ scene: inout Scene, _ pending: Pending) {
    var mask = pending.root
    while mask != 0 {
      let index = mask.trailingZeroBitCount
      mask &= mask &- 1
      rules.visit(Place.rootBase &+ index, document, &scene, scene.rootNode(index))
    }
    guard let aps = scene.root(.aps), document.what(aps) == .object else { return }
    if scene.apsCount == 0 { rules.visit(.emptyAPS, document, &scene, aps) }
    mask = pending.aps
    while mask != 0 {
      let index = mask.trailingZeroBitCount
      mask &= mask &- 1
      rules.visit(Place.apsBase &+ index, document, &scene, scene.apsNode(index))
    }
    visitAlert(document, &scene)
    visitSound(document, &scene)
    if scene.isLive {
      mask = scene.apsMask
      while mask != 0 {
        let index = mask.trailingZeroBitCount
        mask &= mask &- 1
        rules.visit(Place.liveAPSBase &+ index, document, &scene, scene.apsNode(index))
      }
      if let state = scene.aps(.contentState) { rules.visit(.liveState, document, &scene, state) }
      if let attributes = scene.aps(.attributes) { rules.visit(.liveState, document, &scene, attributes) }
    }
  }

  private func visitAlert(_ document: Document, _ scene: inout Scene) {
    let alert = scene.aps(.alert)
    let isPlain = alert.map { showsPlainText(document, scene, $0) } ?? false
    if !isPlain, let flag = scene.aps(.mutableContent) { rules.visit(.mutableWithoutText, document, &scene, flag) }
    guard let alert else { return }
    let isLive = scene.isLive
    if isLive {
      rules.visit(.liveAlertWhole, document, &scene, alert)
    } else if !isPlain {
      rules.visit(.alertWhole, document, &scene, alert)
    }
    let base = isLive ? Place.liveAlertBase : Place.alertBase
    var mask = scene.alertMask
    while mask != 0 {
      let index = mask.trailingZeroBitCount
      mask &= mask &- 1
      let node = scene.alertNode(index)
      if rules.isOfInterest(base &+ index, document.kinds(document.token(node))) {
        rules.visit(base &+ index, document, &scene, node)
      }
    }
    let place = document.token(alert)
    // Two braces in a row stand nowhere outside a string, and hardly any alert has a second brace at all.
    if document.bytes.hasPair(of: UInt8(ascii: "{"), in: place.start &+ 1..<place.end) {
      visitHoles(document, &scene, alert)
    }
  }

  private func visitHoles(_ document: Document, _ scene: inout Scene, _ alert: Int) {
    rules.visit(.hole, document, &scene, alert)
    for key in [AlertKey.title, .subtitle, .body] {
      if let text = scene.alert(key) { rules.visit(.hole, document, &scene, text) }
    }
  }

  /// Whether the alert, or its title or body, surely begins with a visible character: then it is neither empty nor blank.
  @inline(__always)
  private func showsPlainText(_ document: Document, _ scene: borrowing Scene, _ alert: Int) -> Bool {
    if startsVisibly(document, alert) { return true }
    if let body = scene.alert(.body), startsVisibly(document, body) { return true }
    if let title = scene.alert(.title), startsVisibly(document, title) { return true }
    return false
  }

  @inline(__always)
  private func startsVisibly(_ document: Document, _ node: Int) -> Bool {
    let token = document.token(node)
    guard token.kind == .string else { return false }
    let first = document.byte(token.start &+ 1)
    // A quote there is the closing one.
    if first <= 0x22 || first == 0x7F { return false }
    // White space beyond ASCII begins with C2, E1, E2, E3 or EF; as an escape with 00, 1, 20, 30 or f.
    if first >= 0x80 { return first != 0xC2 && first & 0xFC != 0xE0 && first != 0xEF }
    if first != UInt8(ascii: "\\") { return true }
    let escape = document.word(token.start &+ 1)
    guard escape &>> 8 & 0xFF == 0x75 else { return false }
    let digits = escape &>> 16 & 0xFFFF
    return digits != 0x3030 && digits != 0x3032 && digits != 0x3033 && digits & 0xFF != 0x31 && digits & 0xDF != 0x46
  }

  private func visitSound(_ document: Document, _ scene: inout Scene) {
    guard let sound = scene.aps(.sound) else { return }
    if document.what(sound) == .string {
      if !isPlainSound(document, sound), soundName(document, sound) != .fine {
        rules.visit(.oddSound, document, &scene, sound)
      }
      return
    }
    guard document.what(sound) == .object else { return }
    if let name = scene.sound(.name), document.what(name) == .string, soundName(document, name) != .fine {
      rules.visit(.oddSound, document, &scene, name)
    }
    rules.visit(.soundWhole, document, &scene, sound)
    var mask = scene.soundMask
    while mask != 0 {
      let index = mask.trailingZeroBitCount
      mask &= mask &- 1
      rules.visit(Place.soundBase &+ index, document, &scene, scene.soundNode(index))
    }
  }

  /// Whether a string is `default`, or surely the name of a .caf, .wav or .aiff file: as most sounds are.
  @inline(__always)
  private func isPlainSound(_ document: Document, _ node: Int) -> Bool {
    let token = document.token(node)
    let length = token.end &- token.start &- 2
    let first = document.word(token.start &+ 1)
    // The eight bytes are the word and its closing quote.
    if length == 7, first == 0x2274_6C75_6166_6564 { return true }
    // A longer name, and one that might be a misspelt default, is looked at byte by byte.
    guard length > 5, length <= 16, first & 0xDF != 0x44, !token.hasEscapes else { return false }
    let last = document.word(token.end &- 9)
    if holdsSlash(last) || length > 8 && holdsSlash(first) { return false }
    let ending = last &>> 32
    return ending == 0x6661_632E || ending == 0x7661_772E || ending == 0x6666_6961 && last & 0xFF00_0000 == 0x2E00_0000
  }

  @inline(__always)
  private func holdsSlash(_ word: UInt64) -> Bool {
    let zeros = word ^ 0x2F2F_2F2F_2F2F_2F2F
    return (zeros &- 0x0101_0101_0101_0101) & ~zeros & 0x8080_8080_8080_8080 != 0
  }

  private func visitUnknown(_ document: Document, _ scene: inout Scene) {
    for index in scene.rootUnknown.indices { rules.visit(.rootUnknown, document, &scene, scene.rootUnknown[index]) }
    for index in scene.apsUnknown.indices { rules.visit(.apsUnknown, document, &scene, scene.apsUnknown[index]) }
    for index in scene.alertUnknown.indices { rules.visit(.alertUnknown, document, &scene, scene.alertUnknown[index]) }
    for index in scene.soundUnknown.indices { rules.visit(.soundUnknown, document, &scene, scene.soundUnknown[index]) }
  }
}

extension Scene {
  /// The type that the payload's own keys tell, where no header does.
  func impliedType(_ document: Document) -> PushType? {
    if let suffix = topic?.suffix { return suffix }
    if topic?.family == .management { return .mdm }
    if apsMask == 0 {
      if root(.aps) != nil { return nil }
      if root(.mdm) != nil { return .mdm }
      if root(.containerIdentifier) != nil, root(.domain) != nil { return .fileprovider }
      return nil
    }
    if aps(.contentChanged) != nil { return .widgets }
    if aps(.event) != nil, aps(.timestamp) != nil || aps(.contentState) != nil { return .liveactivity }
    if aps(.contentState) != nil, aps(.timestamp) != nil || aps(.attributesType) != nil { return .liveactivity }
    return nil
  }
}
