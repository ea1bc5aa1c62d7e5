// The walk: once over a notification, first to see which known keys stand where, then to the rules of those places.

import APNs
import JSON

struct Walk {
  let rules: RuleSet
  let rootTable = RootKey.table
  let apsTable = APSKey.table
  let alertTable = AlertKey.table
  let soundTable = SoundKey.table
  let rootNames = RootNames.shared

  init(_ rules: RuleSet) {
    self.rules = rules
  }

  /// Walks over the payload at `node`. The headers are in the scene already.
  func payload(_ document: Document, _ scene: inout Scene, _ node: Int) {
    scene.payload = node
    collect(document, &scene)
    if scene.type == nil { scene.type = scene.impliedType(document) }
    everyToken(document, &scene)
    whole(document, &scene)
    visitKnown(document, &scene)
    visitUnknown(document, &scene)
  }

  /// Asks the rules of the headers, once the payload's keys are known.
  func headers(_ document: Document, _ scene: inout Scene, _ node: Int, hasTokenProblem: Bool = false) {
    if let topic = scene.topic { visitTopic(document, &scene, node, topic.isOdd, topic.family, topic.suffix) }
    if scene.priority != nil { rules.visit(.priority, document, &scene, node) }
    if scene.expiration != nil { rules.visit(.expiration, document, &scene, node) }
    guard scene.form == .record || scene.form == .request else {
      if scene.isBroadcast { rules.visit(.broadcast, document, &scene, node) }
      return
    }
    if scene.givenType == nil, scene.record.pushTypeNode == nil { rules.visit(.untypedRecord, document, &scene, node) }
    if scene.isBroadcast { rules.visit(.broadcast, document, &scene, node) }
    if scene.record.token != nil {
      rules.visit(.device, document, &scene, node)
      if !hasTokenProblem, scene.form == .record { rules.visit(.token, document, &scene, node) }
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
    if scene.givenType != nil { rules.visit(.knownType, document, &scene, node) }
    if let type = scene.type {
      rules.visit(Place.typeBase &+ type.index, document, &scene, node)
    }
  }

  private func visitKnown(_ document: Document, _ scene: inout Scene) {
    var mask = scene.rootMask
    while mask != 0 {
      let index = mask.trailingZeroBitCount
      mask &= mask &- 1
      rules.visit(Place.rootBase &+ index, document, &scene, scene.rootNode(index))
    }
    guard let aps = scene.root(.aps), document.what(aps) == .object else { return }
    rules.visit(.apsWhole, document, &scene, aps)
    mask = scene.apsMask
    while mask != 0 {
      let index = mask.trailingZeroBitCount
      mask &= mask &- 1
      rules.visit(Place.apsBase &+ index, document, &scene, scene.apsNode(index))
    }
    visitAlert(document, &scene)
    visitSound(document, &scene)
    if scene.isLive {
      if let state = scene.aps(.contentState) { rules.visit(.liveState, document, &scene, state) }
      if let attributes = scene.aps(.attributes) { rules.visit(.liveState, document, &scene, attributes) }
    }
  }

  private func visitAlert(_ document: Document, _ scene: inout Scene) {
    guard let alert = scene.aps(.alert) else { return }
    let isLive = scene.isLive
    if isLive {
      rules.visit(.liveAlertWhole, document, &scene, alert)
    } else if !showsPlainText(document, scene, alert) {
      rules.visit(.alertWhole, document, &scene, alert)
    }
    let base = isLive ? Place.liveAlertBase : Place.alertBase
    var mask = scene.alertMask
    while mask != 0 {
      let index = mask.trailingZeroBitCount
      mask &= mask &- 1
      rules.visit(base &+ index, document, &scene, scene.alertNode(index))
    }
  }

  /// Whether the alert, or its title or body, begins with a visible character of ASCII: then it is neither empty nor blank.
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
    return first > 0x22 && first < 0x7F && first != UInt8(ascii: "\\")
  }

  private func visitSound(_ document: Document, _ scene: inout Scene) {
    guard let sound = scene.aps(.sound) else { return }
    if document.what(sound) == .string {
      if soundName(document, sound) != .fine { rules.visit(.oddSound, document, &scene, sound) }
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
