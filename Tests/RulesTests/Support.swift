// How examples and cases are checked in tests: the options that the tool would take, as settings.
import APNs
import JSON
import Testing

@testable import Rules

/// Settings from the options of an example.
func settings(_ options: [String]) -> Settings {
  var settings = Settings()
  var rest = options[...]
  while let option = rest.popFirst(), let value = rest.popFirst() {
    switch option {
    case "--now": settings.now = Int(value)
    case "--push-type": settings.pushType = PushType(rawValue: value)
    case "--bundle": settings.bundle = value
    case "--category": settings.categories = [value]
    case "--platform": settings.platform = Settings.Platform(rawValue: value)
    case "--auth": settings.authentication = Settings.Authentication(rawValue: value)
    case "--environment": settings.environment = ServiceEnvironment(rawValue: value)
    case "--team-id": settings.teamID = value
    case "--key-id": settings.keyID = value
    case "--key-environment": settings.keyEnvironment = ServiceEnvironment(rawValue: value)
    case "--allowed-topic": settings.allowedTopics = [value]
    case "--channel-policy": settings.channelPolicy = Int(value)
    case "--strings": settings.strings = strings(value)
    default: Issue.record("an example uses \(option), which the tests do not know")
    }
  }
  return settings
}

private func strings(_ text: String) -> [String: String] {
  var reader = Reader()
  let bytes = Array(text.utf8)
  guard (try? reader.read(bytes.span)) != nil else { return [:] }
  let tokens = reader.tokens
  let document = Document(bytes.span, tokens.span)
  var table: [String: String] = [:]
  var key = 1
  while key < document.next(0) {
    table[document.string(key)] = document.string(key + 1)
    key = document.next(key + 1)
  }
  return table
}

/// The findings of an example, checked as the tool would check it.
func findings(_ example: Example) -> [Finding] { findings(example, settings(example.options)) }

/// The same with other settings than the example's own.
func findings(_ example: Example, _ settings: Settings) -> [Finding] {
  let form: Form? = example.isSimulatorFile ? .apns : nil
  let bytes = example.bytes
  var found: [Finding] = []
  if example.isFile {
    var check = TextCheck(
      name: "text", form: form, isLines: false, validator: Validator(settings: settings))
    var memory = RunMemory()
    check.run(bytes.span, memory: &memory) { found.append($0) }
  } else {
    var validator = Validator(settings: settings)
    _ = validator.check(bytes.span, as: form, fallback: .record)
    found = validator.findings
  }
  return found
}
