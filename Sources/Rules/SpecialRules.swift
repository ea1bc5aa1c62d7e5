// Rules for widgets and controls, device management, file providers, calls, location, passes and websites.

import APNs
import JSON

private func widgets(_ payload: String) -> Example { .type("widgets", ".push-type.widgets", payload) }
private func controls(_ payload: String) -> Example {
  .type("controls", ".push-type.controls", payload, #","priority":10,"expiration":0"#)
}
private func files(_ payload: String) -> Example { .type("fileprovider", ".pushkit.fileprovider", payload) }
private func location(_ payload: String) -> Example {
  .type("location", ".location-query", payload, #","priority":10"#)
}
private func website(_ payload: String) -> Example { .untyped(topic: "web.com.example", payload) }
private func pass(_ payload: String, _ rest: String = "") -> Example {
  .untyped(topic: "pass.com.example.card", payload, rest)
}

private let changed = #"{"aps":{"content-changed":true}}"#
private let hello = #"{"aps":{"alert":"Hi"}}"#
private let workingSet =
  #"{"container-identifier":"NSFileProviderWorkingSetContainerItemIdentifier","domain":"d1"}"#
private let site = #"{"aps":{"alert":{"title":"Hi","body":"There"},"url-args":["7"]}}"#

let widgetRules: [Rule] = [
  Rule(
    "content-changed-missing", .error, "a push to widgets or controls has content-changed",
    why: "It is the whole message; nothing is reloaded without it.",
    passes: widgets(changed), fails: widgets(#"{"aps":{"content-available":1}}"#), at: .type(.widgets), .type(.controls)
  ) { document, scene, node in
    guard let aps = scene.root(.aps), document.kind(aps) == .object, scene.aps(.contentChanged) == nil else { return }
    scene.report(aps, "a push without \"content-changed\"", help: "write \"content-changed\":true")
  },
  Rule(
    "content-changed-type", .error, "content-changed is true",
    why: "Text, false and null are not understood.",
    passes: controls(changed), fails: controls(#"{"aps":{"content-changed":"true"}}"#),
    at: .aps(.contentChanged, .any.subtracting(.number))
  ) { document, scene, node in
    guard document.kind(node) != .true else { return }
    let isMeant = document.kind(node) == .string && document.string(node).lowercased() == "true"
    scene.report(
      node, "\"content-changed\" is \(document.shown(node)), not true",
      fix: isMeant ? document.replace(node, by: "true") : nil)
  },
  Rule(
    "content-changed-number", .warning, "content-changed is true, not 1",
    why: "Apple shows the Boolean; the effect of a number is not reported.",
    passes: controls(changed), fails: controls(#"{"aps":{"content-changed":1}}"#), at: .aps(.contentChanged, .number)
  ) { document, scene, node in
    scene.report(
      node, "\"content-changed\" is \(document.shown(node)); Apple shows true",
      fix: document.integer(node) == 1 ? document.replace(node, by: "true") : nil)
  },
  Rule(
    "content-changed-apn", .error, "the dictionary is called aps, not apn",
    why: "apn is a slip on one of Apple's own pages.",
    passes: widgets(changed), fails: widgets(#"{"apn":{"content-changed":true}}"#), at: .rootUnknown
  ) { document, scene, node in
    guard scene.root(.aps) == nil, folded(document.string(node)) == folded("apn") else { return }
    scene.report(
      node, "\"\(document.name(node))\" is not \"aps\"", help: "write \"aps\"", fix: document.rename(node, to: "aps"))
  },
  Rule(
    "content-changed-outside", .warning, "content-changed goes to widgets and controls",
    why: "Other push types do not read it.",
    passes: .alert(hello), fails: .alert(#"{"aps":{"alert":"Hi","content-changed":true}}"#), at: .aps(.contentChanged)
  ) { document, scene, node in
    guard let type = scene.givenType, type != .widgets, type != .controls, needsAPS(type), scene.apsCount > 1 else {
      return
    }
    scene.report(node - 1, "\"content-changed\" is read by widgets and controls only")
  },
  Rule(
    "widgets-with-alert", .warning, "a push to widgets or controls shows nothing",
    why: "alert, badge and sound in it have no effect.",
    passes: widgets(changed), fails: widgets(#"{"aps":{"content-changed":true,"alert":"Hi"}}"#),
    at: .type(.widgets), .type(.controls)
  ) { document, scene, node in
    for key in [APSKey.alert, .badge, .sound] {
      guard let value = scene.aps(key) else { continue }
      return scene.report(value - 1, "\"\(key.rawValue)\" has no effect in a push to widgets or controls")
    }
  },
]

let specialRules: [Rule] = [
  Rule(
    "mdm-missing", .error, "a push of device management has the key mdm",
    why: "It carries the PushMagic, without which the device does not contact its server.",
    passes: .mdm(#"{"mdm":"PUSH-MAGIC"}"#), fails: .mdm(hello), at: .type(.mdm)
  ) { document, scene, node in
    guard scene.root(.mdm) == nil else { return }
    scene.report(node, "a push of type mdm without \"mdm\"", help: "the payload is {\"mdm\":\"<PushMagic>\"} alone")
  },
  Rule(
    "mdm-type", .error, "mdm is a non-empty string",
    why: "It is the PushMagic the device gave in its TokenUpdate message.",
    passes: .mdm(#"{"mdm":"PUSH-MAGIC"}"#), fails: .mdm(#"{"mdm":{"magic":"x"}}"#), at: .root(.mdm)
  ) { document, scene, node in
    guard scene.type == .mdm, !document.isText(node) else { return }
    scene.report(node, "\"mdm\" is \(document.shown(node)), not the PushMagic")
  },
  Rule(
    "mdm-with-aps", .warning, "no aps stands beside mdm",
    why: "A push of device management holds mdm alone.",
    passes: .mdm(#"{"mdm":"PUSH-MAGIC"}"#), fails: .mdm(#"{"mdm":"PUSH-MAGIC","aps":{}}"#), at: .root(.mdm)
  ) { document, scene, node in
    guard let aps = scene.root(.aps), scene.type == .mdm || scene.apsCount == 0 else { return }
    scene.report(aps - 1, "\"aps\" beside \"mdm\" has no effect")
  },
  Rule(
    "mdm-extra-keys", .warning, "no other keys stand beside mdm",
    why: "Commands travel by HTTPS after the device has contacted its server, not in the push.",
    passes: .mdm(#"{"mdm":"PUSH-MAGIC"}"#), fails: .mdm(#"{"mdm":"PUSH-MAGIC","command":"DeviceLock"}"#),
    at: .root(.mdm)
  ) { document, scene, node in
    guard scene.type == .mdm else { return }
    var key = scene.payload + 1
    while key < document.next(scene.payload) {
      if key + 1 != node, key + 1 != scene.root(.aps) {
        return scene.report(key, "\"\(document.name(key))\" beside \"mdm\" has no effect")
      }
      key = document.next(key + 1)
    }
  },
  Rule(
    "mdm-key-outside", .warning, "mdm stands in pushes of device management",
    why: "In another push type it is a custom key.",
    passes: .alert(hello), fails: .alert(#"{"aps":{"alert":"Hi"},"mdm":"PUSH-MAGIC"}"#), at: .root(.mdm)
  ) { document, scene, node in
    guard let type = scene.type, type != .mdm, scene.rootCount > 1 else { return }
    scene.report(node - 1, "\"mdm\" in a push of type \(type) is a custom key")
  },
  Rule(
    "fp-keys-missing", .error, "a push to a file provider has container-identifier and domain",
    why: "The system does not know otherwise what has changed.",
    passes: files(workingSet),
    fails: files(#"{"container-identifier":"NSFileProviderWorkingSetContainerItemIdentifier"}"#),
    at: .type(.fileprovider)
  ) { document, scene, node in
    for key in [RootKey.containerIdentifier, .domain] {
      guard let value = scene.root(key) else {
        scene.report(node, "a push of type fileprovider without \"\(key.rawValue)\"")
        continue
      }
      if document.kind(value) != .string {
        scene.report(value, "\"\(key.rawValue)\" is \(document.words(value)), not a string")
      }
    }
  },
  Rule(
    "fp-misnamed", .error, "the container's key is container-identifier",
    why: "content-identifier is a slip of another tool.",
    passes: files(workingSet), fails: files(#"{"content-identifier":"x","domain":"d1"}"#), at: .rootUnknown
  ) { document, scene, node in
    guard scene.type == .fileprovider, folded(document.string(node)) == folded("contentidentifier") else { return }
    scene.report(
      node, "\"\(document.name(node))\" is not \"container-identifier\"",
      fix: scene.root(.containerIdentifier) == nil ? document.rename(node, to: "container-identifier") : nil)
  },
  Rule(
    "fp-with-aps", .warning, "a push to a file provider has no aps",
    why: "Nothing of it is shown.",
    passes: files(workingSet),
    fails: files(
      #"{"container-identifier":"NSFileProviderWorkingSetContainerItemIdentifier","domain":"d1","aps":{}}"#),
    at: .type(.fileprovider)
  ) { document, scene, node in
    guard let aps = scene.root(.aps) else { return }
    scene.report(aps - 1, "\"aps\" has no effect in a push of type fileprovider")
  },
  Rule(
    "fp-container", .note, "the container is the working set",
    why: "Replicated extensions accept only that one.",
    passes: files(workingSet), fails: files(#"{"container-identifier":"folder-7","domain":"d1"}"#),
    at: .root(.containerIdentifier, .string)
  ) { document, scene, node in
    guard scene.type == .fileprovider else { return }
    if document.equals(node, "NSFileProviderWorkingSetContainerItemIdentifier") { return }
    scene.report(node, "replicated extensions accept NSFileProviderWorkingSetContainerItemIdentifier only")
  },
  Rule(
    "voip-with-alert", .note, "a call is reported by the app",
    why: "The system does not display an alert of a push of type voip.",
    passes: .voip(#"{"call":"7"}"#), fails: .voip(hello), at: .type(.voip)
  ) { document, scene, node in
    guard let alert = scene.aps(.alert) else { return }
    scene.report(alert - 1, "the alert of a push of type voip is not displayed")
  },
  Rule(
    "voip-collapse-id", .note, "calls, Push to Talk and location queries have no collapse_id",
    why: "No displayed notification is there to be replaced.",
    passes: .voip(#"{"call":"7"}"#),
    fails: .voip(#"{"call":"7"}"#, #","priority":10,"expiration":0,"collapse_id":"c""#),
    at: .type(.voip), .type(.pushtotalk), .type(.location)
  ) { document, scene, node in
    guard let collapse = scene.record.collapseID else { return }
    scene.report(collapse - 1, "nothing is displayed that could be replaced")
  },
  Rule(
    "location-with-alert", .warning, "a location query shows nothing",
    why: "Only the extension sees alert, badge and sound.",
    passes: location(#"{"aps":{}}"#), fails: location(hello), at: .type(.location)
  ) { document, scene, node in
    for key in [APSKey.alert, .badge, .sound] {
      guard let value = scene.aps(key) else { continue }
      return scene.report(value - 1, "\"\(key.rawValue)\" is not shown in a push of type location")
    }
  },
  Rule(
    "pass-not-empty", .warning, "the payload of a pass is {}",
    why: "What is in it is ignored: the visible text comes from the changed field of the pass.",
    passes: pass("{}"), fails: pass(#"{"aps":{"alert":"Points: 9"}}"#), at: .passTopic
  ) { document, scene, node in
    if scene.rootCount == 0 { return }
    // An empty aps is seen to work as well.
    if scene.rootCount == 1, let aps = scene.root(.aps), document.isEmpty(aps) || document.isEmptyString(aps) { return }
    scene.report(node, "the payload of a pass is ignored", help: "send {}")
  },
  Rule(
    "pass-sandbox", .error, "passes are pushed in production",
    why: "They register with production only.",
    passes: pass("{}", #","environment":"production""#), fails: pass("{}", #","environment":"sandbox""#),
    refusal: "BadDeviceToken", needs: .environment, at: .passTopic
  ) { document, scene, node in
    let environment = scene.record.environment ?? scene.settings.environment
    guard environment == .sandbox else { return }
    scene.report(scene.record.environmentNode ?? scene.record.topic ?? 0, "a pass is pushed to the sandbox")
  },
  Rule(
    "safari-title-body", .error, "the alert of a website push is an object with title and body",
    why: "Safari shows nothing otherwise.",
    passes: website(site), fails: website(#"{"aps":{"alert":"Hi","url-args":[]}}"#), at: .webTopic
  ) { document, scene, node in
    guard let aps = scene.root(.aps) else { return }
    if scene.alert(.title) != nil, scene.alert(.body) != nil { return }
    scene.report(scene.aps(.alert) ?? aps, "the alert of a website push has no title and body")
  },
  Rule(
    "safari-url-args", .error, "url-args are an array of strings, and website pushes have them",
    why: "They fill the placeholders of the website's urlFormatString, and are required there, even when empty.",
    passes: website(site), fails: website(#"{"aps":{"alert":{"title":"Hi","body":"There"}}}"#), at: .webTopic,
    .aps(.urlArgs)
  ) { document, scene, node in
    guard let args = scene.aps(.urlArgs) else {
      guard let aps = scene.root(.aps) else { return }
      return scene.report(aps, "a website push without \"url-args\"", help: "write \"url-args\":[]")
    }
    // The place is visited twice for a website: once is enough.
    guard args == node, document.kind(args) != .null else { return }
    guard document.kind(args) == .array else {
      return scene.report(args, "\"url-args\" is \(document.words(args)), not an array of strings")
    }
    var element = args + 1
    while element < document.next(args) {
      if document.kind(element) != .string {
        return scene.report(element, "an element of \"url-args\" is \(document.words(element)), not a string")
      }
      element = document.next(element)
    }
  },
  Rule(
    "safari-dead", .note, "website pushes reach Safari 15 and older only",
    why: "Later ones use Web Push.",
    passes: .alert(hello), fails: website(site), at: .webTopic
  ) { document, scene, node in
    scene.report(scene.record.topic ?? 0, "only Safari 15 and older on macOS use this topic")
  },
]
