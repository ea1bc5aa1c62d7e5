// From a read document to findings: headers into the scene, the walk, places for what it raised.

import APNs
import JSON

/// The validator without its reader: it looks at read documents.
struct Inspector: Sendable {
  let settings: Settings
  private let walk: Walk
  private var scene: Scene
  /// Whether the scene holds what the settings say of a bare payload's headers, and nothing else.
  private var isSetForPayload = false
  private var problems: [Problem] = []
  private var topics = TopicCache()
  private(set) var findings: [Finding] = []
  private(set) var form = Form.payload

  init(_ rules: RuleSet, _ settings: Settings) {
    walk = Walk(rules)
    self.settings = settings
    scene = Scene(settings)
  }

  mutating func forget() {
    if !findings.isEmpty { findings.removeAll(keepingCapacity: true) }
  }

  mutating func add(
    _ rule: String, offset: Int, length: Int, pointer: String?, severity milder: Severity? = nil, _ message: String,
    help: String?
  ) {
    guard let index = Rule.index(of: rule), walk.rules.severities[index] != .off else { return }
    let configured = walk.rules.severities[index]
    let severity = configured == Rule.all[index].severity ? milder ?? configured : configured
    guard milder == nil || severity >= walk.rules.least else { return }
    findings.append(
      Finding(
        rule: rule, severity: severity, offset: offset, length: length, pointer: pointer,
        message: message, help: help, refusal: Rule.all[index].refusal, fix: nil))
  }

  mutating func report(_ error: SyntaxError, _ bytes: Span<UInt8>, _ form: Form) {
    self.form = form
    let (rule, help) = error.rule(in: bytes)
    var message = error.message
    if rule == "payload-empty" { message = "there are no bytes of a payload" }
    if rule == "payload-compressed" { message = "the text begins like compressed data" }
    add(rule, offset: min(error.offset, bytes.count), length: 0, pointer: nil, message, help: help)
  }

  /// Checks what the reader has read. The reader is handed over whole, so that its tokens are not counted for each line.
  mutating func check(_ bytes: Span<UInt8>, _ reader: borrowing Reader, _ given: Form?, _ fallback: Form) {
    check(Document(bytes, reader.tokens.span), given, fallback)
  }

  private mutating func check(_ document: Document, _ given: Form?, _ fallback: Form) {
    let form =
      given ?? document.recognisedForm ?? (fallback == .record && document.isNoRecord ? .payload : fallback)
    self.form = form
    scene.forget()
    scene.form = form
    if !problems.isEmpty { problems.removeAll(keepingCapacity: true) }
    if form == .record {
      checkRecord(document)
    } else if form == .request {
      checkRequest(document)
    } else {
      checkPayload(document)
    }
    if !scene.raised.isEmpty || !problems.isEmpty { finish(document) }
  }

  private mutating func checkPayload(_ document: Document) {
    if !isSetForPayload { setForPayload() }
    scene.type = scene.givenType
    guard document.kind(0) == .object else {
      problems.append(
        Problem(
          "json-not-object", at: 0, "a payload is a JSON object, this is \(document.words(0))",
          help: document.holdsJSON(0) != nil ? "it was encoded twice" : nil))
      nameService(document)
      return
    }
    walk.payload(document, &scene, 0)
    walk.headers(document, &scene, 0)
  }

  /// The headers of every bare payload are those of the settings.
  private mutating func setForPayload() {
    scene.record = Notification()
    scene.givenType = settings.pushType
    scene.priority = settings.priority
    scene.expiration = settings.expiration
    scene.isBroadcast = settings.isBroadcast
    scene.topic = settings.topic.map { topics.topic(Array($0.utf8)) }
    isSetForPayload = true
  }

  private mutating func checkRecord(_ document: Document) {
    let record = Notification.read(document, problems: &problems)
    if record.payload == nil, document.kind(0) == .object, let misplaced = document.onlyAPS { sayMisplaced(misplaced) }
    scene.record = record
    isSetForPayload = false
    guard document.kind(0) == .object else { return nameService(document) }
    scene.givenType = record.pushTypeNode == nil ? settings.pushType : record.pushType
    scene.priority = record.priorityNode == nil ? settings.priority : record.priority
    scene.expiration = record.expirationNode == nil ? settings.expiration : record.expiration
    scene.isBroadcast = record.channelID != nil
    setTopic(document, record.topic)
    scene.type = scene.givenType
    guard let payload = record.payload else { return }
    if document.kind(payload) == .object { walk.payload(document, &scene, payload) }
    walk.headers(document, &scene, payload, hasTokenProblem: problems.contains { $0.node == record.token })
  }

  /// One finding says that `aps` is at the level of the record's keys, in place of two that it is unknown and missed.
  private mutating func sayMisplaced(_ key: Int) {
    problems.removeAll {
      $0.rule == "record-payload-missing" || $0.rule == "record-unknown-key" && $0.node == key
    }
    problems.append(
      Problem(
        "record-unknown-key", at: key, "\"aps\" stands beside the record's keys, not in its payload",
        help: "put it under \"payload\""))
  }

  /// Most records of a run have the topic of the one before: then it stays, and nothing is counted or copied.
  private mutating func setTopic(_ document: Document, _ node: Int?) {
    guard let node else {
      scene.topic = settings.topic.map { topics.topic(Array($0.utf8)) }
      return
    }
    guard document.kind(node) == .string else {
      scene.topic = nil
      return
    }
    if scene.topic != nil, topics.isLast(document, node) { return }
    scene.topic = topics.topic(document, node)
  }

  private mutating func checkRequest(_ document: Document) {
    guard document.kind(0) == .object else {
      problems.append(Problem("json-not-object", at: 0, "a request is a JSON object, this is \(document.words(0))"))
      nameService(document)
      return
    }
    let request = document.request()
    scene.request = request
    scene.take(request, document, &problems)
    if request.payload == nil, let misplaced = document.onlyAPS {
      problems.append(
        Problem(
          "record-unknown-key", at: misplaced, "\"aps\" stands beside the request's keys, not in its payload",
          help: "put it under \"payload\""))
    }
    isSetForPayload = false
    scene.isBroadcast =
      request.target == .broadcast || request.target == .none && request.header("apns-channel-id") != nil
    if request.target == .broadcast {
      scene.topic = request.subject.isEmpty ? nil : topics.topic(Array(request.subject.utf8))
    } else {
      scene.topic = scene.record.topic.map { topics.topic(document, $0) }
    }
    scene.type = scene.givenType
    // The host tells the environment better than any option.
    scene.record.environment = request.hostNode.flatMap { document.environment(ofHost: $0) }
    walk.rules.visit(.request, document, &scene, 0)
    scene.request = nil
    // Without a path it may go anywhere; the payload is looked at all the same.
    guard [.device, .broadcast, .none].contains(request.target) else { return }
    if let payload = request.payload {
      if document.kind(payload) == .object {
        walk.payload(document, &scene, payload)
      } else {
        problems.append(
          Problem("json-not-object", at: payload, "the payload is \(document.words(payload)), not an object"))
      }
    }
    walk.headers(
      document, &scene, request.payload ?? 0, hasTokenProblem: problems.contains { $0.node == scene.record.token })
  }

  /// An array of another service's requests: one of the first says whose.
  private mutating func nameService(_ document: Document) {
    guard document.kind(0) == .array else { return }
    var element = 1
    for _ in 0..<8 where element < document.following(0) {
      if document.kind(element) == .object, let found = foreignService(document, element) {
        // Taking the array apart would not help.
        problems = problems.map { Problem($0.rule, at: $0.node, $0.message) }
        problems.append(
          Problem(
            "foreign-envelope", at: found.node, "this is \(found.name), not a payload of APNs", help: found.help))
        return
      }
      element = document.following(element)
    }
  }

  // MARK: From what was raised to findings

  private mutating func finish(_ document: Document) {
    for problem in problems.prefix(Scene.findingLimit) {
      // The validator's own rule knows the push type of the run as well.
      guard problem.rule != "payload-too-large", let index = Rule.index(of: problem.rule) else { continue }
      append(
        document, index, problem.node, nil, problem.message, problem.help,
        mend(problem, document, scene.record, form))
    }
    for raised in scene.raised {
      // A header's value is text: what mends a record's number does not fit.
      let isHeader =
        form == .request && raised.node < (scene.payload == 0 ? Int.max : scene.payload)
        && raised.node != scene.record.token
      append(
        document, raised.rule, raised.node, raised.severity, raised.message, raised.help, isHeader ? nil : raised.fix)
    }
    sort()
  }

  /// Puts the findings in the order of the text, the worst of a place first.
  mutating func sort() {
    findings.sort { ($0.offset, $1.severity.rawValue) < ($1.offset, $0.severity.rawValue) }
  }

  private mutating func append(
    _ document: Document, _ index: Int, _ node: Int, _ milder: Severity?, _ message: String, _ help: String?,
    _ fix: Fix?
  ) {
    let rule = Rule.all[index]
    let configured = walk.rules.severities[index]
    guard configured != .off else { return }
    // A case may be milder or harder than its rule, unless the run has its own idea of the rule.
    let severity = configured == rule.severity ? milder ?? configured : configured
    guard severity >= walk.rules.least else { return }
    let offset = document.start(node)
    if findings.contains(where: { $0.rule == rule.id && $0.offset == offset }) { return }
    findings.append(
      Finding(
        rule: rule.id, severity: severity, offset: offset, length: document.end(node) - offset,
        pointer: document.pointer(node), message: message, help: help, refusal: rule.refusal, fix: fix))
  }
}
