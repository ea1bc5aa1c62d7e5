// A fuzz target: any bytes, as the validator takes them, in every form, mended and placed. It must not trap, hang or grow.

import APNs
import JSON
import Rules

nonisolated(unsafe) private var validators: [Validator] = {
  var settings = Settings()
  settings.now = 1_790_000_000
  settings.bundle = "com.example.app"
  settings.platform = .ios
  settings.authentication = .token
  settings.categories = ["A"]
  settings.strings = ["GREET": "%@ %2$@"]
  settings.environment = .production
  settings.teamID = "DEF123GHIJ"
  settings.keyID = "ABC123DEFG"
  settings.keyEnvironment = .sandbox
  var other = settings
  other.pushType = .liveactivity
  other.topic = "com.example.app.push-type.liveactivity"
  other.authentication = .certificate
  other.allowedTopics = ["com.example.app"]
  other.isBroadcast = true
  other.channelPolicy = 0
  return [Validator(settings: settings), Validator(settings: other)]
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
  for index in validators.indices {
    for form in [Form.record, .payload, .apns, .request, nil] {
      _ = validators[index].check(bytes.span, as: form)
      for finding in validators[index].findings {
        precondition(finding.offset >= 0 && finding.offset + finding.length <= bytes.count)
      }
    }
    var check = TextCheck(name: "fuzz", form: nil, isLines: false, validator: validators[index])
    var memory = RunMemory()
    var lines = LineIndex()
    check.run(bytes.span, memory: &memory) { finding in
      precondition(finding.offset <= bytes.count)
      _ = lines.place(finding.offset, bytes.span)
    }
    let (mended, _) = validators[index].mendAll(bytes)
    // What was JSON stays JSON.
    var reader = Reader()
    if (try? reader.read(bytes.span)) != nil { precondition((try? reader.read(mended.span)) != nil) }
  }
  return 0
}
