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
      let isOrdinary = scene.form == .record && !scene.isLive && isOrdinaryToken(document, document.token(token))
      if !hasTokenProblem, !isOrdinary {
        rules.visit(.token, document, &scene, node)
      }
    }
    if scene.record.id != nil { rules.visit(.id, document, &scene, node) }
    if scene.record.collapseID != nil { rules.visit(.collapseID, document, &scene, node) }
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
