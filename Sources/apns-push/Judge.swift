// --validate: the rules of apns-validate, before anything is sent.

import APNs
import Options
import POSIX
import Provider
import Rules

enum Judge {
  /// What objects to records that a rule of severity error finds fault with. One thread uses it.
  static func make(_ arguments: Arguments) -> @Sendable (Span<UInt8>) -> [Objection] {
    var settings = Settings()
    settings.topic = arguments[PushOptions.topic]
    settings.environment = arguments[PushOptions.environment].flatMap { ServiceEnvironment(rawValue: $0) }
    settings.now = Clock.system.unixSeconds
    let validator = Monitor(Validator(settings: settings))
    return { line in
      validator.change { validator in
        guard validator.check(line, as: .record, fallback: .record) else { return [] }
        return validator.findings.filter { $0.severity == .error }.map {
          Objection(rule: $0.rule, offset: $0.offset, message: "\($0.message) [\($0.rule)]", help: $0.help)
        }
      }
    }
  }
}
