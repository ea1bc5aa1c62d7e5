// What the binary gateway makes of a notification: the verdict, the packet that says it, the record. No socket is needed.

import APNs
import BinaryProtocol
import JSON

/// Judges notifications of the binary protocol.
final class GatewayJudge {
  /// Where a notification came from.
  struct Scene {
    /// What the certificate is for.
    var topic: [UInt8] = []
    var environment = ServiceEnvironment.sandbox
    /// The connection's number.
    var connection = 1
    /// UNIX seconds.
    var seconds = 0
  }

  private let script: ScriptRun
  private let magic: MagicTokens
  private var reader = Reader()
  private var writer = RecordWriter()

  init(_ script: ScriptRun, _ magic: MagicTokens) {
    (self.script, self.magic) = (script, magic)
  }

  /// The verdict: a rule before the checks, the checks, a rule behind them, a magic token.
  func fate(of frame: Frame, _ bytes: Span<UInt8>, _ scene: Scene) -> BinaryFate {
    var fate = BinaryFate()
    if script.hasRulesBeforeChecks, let rule = rule(frame, bytes, scene, behindChecks: false) {
      fate.take(rule.deed, by: rule.name, action: rule.deed.words, frame)
      return fate
    }
    let form = frame.payload.map { PayloadForm.of(bytes.extracting($0), &reader) } ?? .absent
    if !frame.isUsual(form) {
      if frame.token?.isEmpty == true {
        // The known bad notification with which some clients end: they want this status.
        fate.status = .missingToken
      } else {
        let faults = frame.faults(bytes, form, Times(now: scene.seconds))
        if let fault = faults.first(where: { $0.status != nil }) {
          (fate.status, fate.because) = (fault.status, fault.message)
        }
      }
      if fate.status != nil { return fate }
    }
    if script.hasRulesBehindChecks, let rule = rule(frame, bytes, scene, behindChecks: true) {
      fate.take(rule.deed, by: rule.name, action: rule.deed.words, frame)
      return fate
    }
    // The digits of a magic token begin with dead.
    if let token = frame.token, token.count >= 4, bytes[token.lowerBound] == 0xDE {
      let digits = Self.digits(bytes.extracting(token))
      if let row = magic.row(digits.span) { fate.take(row.deed, by: row.digits, action: row.deed.words, frame) }
    }
    return fate
  }

  private func rule(_ frame: Frame, _ bytes: Span<UInt8>, _ scene: Scene, behindChecks: Bool) -> ScriptRule? {
    let digits = frame.token.map { Self.digits(bytes.extracting($0)) } ?? []
    let nothing: [UInt8] = []
    let topic = scene.topic
    return script.rule(
      for: ScriptSubject(
        token: digits.span, topic: topic.span, pushType: nothing.span, channelID: nothing.span,
        environment: scene.environment, connection: scene.connection), behindChecks: behindChecks)
  }

  private static func digits(_ token: Span<UInt8>) -> [UInt8] {
    var digits: [UInt8] = []
    digits.reserveCapacity(2 * token.count)
    for index in token.indices { digits.append(hexadecimal: token[index]) }
    return digits
  }

  /// Appends one line: the decoded notification, the connection, the verdict.
  func record(_ frame: Frame, _ bytes: Span<UInt8>, connection: Int, _ fate: BinaryFate, to records: inout [UInt8]) {
    _ = writer.append(frame, bytes, to: &records)
    // The closing brace and the line end are written again behind what is added.
    records.removeLast(2)
    records.append(",\"connection\":")
    records.append(decimal: connection)
    records.append(",\"verdict\":{")
    var parts = ""
    func more(_ key: String, _ json: String) { parts += (parts.isEmpty ? "" : ",") + "\"\(key)\":" + json }
    func text(_ key: String, _ text: String) {
      if text.isEmpty { return }
      var bytes: [UInt8] = []
      bytes.appendJSONString(text)
      more(key, String(decoding: bytes, as: UTF8.self))
    }
    if !fate.isSilent {
      more("status", String(fate.status?.code ?? 0))
      if let status = fate.status { text("reason", status.reason) }
    }
    text("because", fate.because)
    text("by", fate.by)
    text("action", fate.action)
    records.append(parts)
    records.append("}}\n")
  }
}
