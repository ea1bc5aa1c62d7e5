// Everything but the network: the request a line would become, as a record.

import APNs
import JSON

/// Turns lines into the requests that would be sent. Uses the sender's own reading and header lists.
public final class Rehearsal {
  private let services: [Service]
  private let settings: SenderSettings
  private var reader = Reader()
  private var heads: [RequestHead]
  private var problems: [Problem] = []
  private let redaction: Redaction?

  public init(_ services: [Service], settings: SenderSettings) {
    self.services = services
    self.settings = settings
    redaction = settings.redactionKey.map { Redaction(key: $0) }
    heads = services.map { RequestHead(authority: $0.authority) }
    for (index, service) in services.enumerated() {
      guard case .token = service.credential else { continue }
      heads[index].setAuthorization(Array("<provider token>".utf8))
    }
  }

  /// Appends the request of a line as one record. Says what is wrong instead when it cannot be sent.
  public func show(_ line: Span<UInt8>, number: Int, into out: inout [UInt8]) -> String? {
    do throws(SyntaxError) { try reader.read(line) } catch { return "not JSON: \(error.message)" }
    let tokens = reader.tokens
    let document = Document(line, tokens.span)
    problems.removeAll()
    let record = Notification.read(document, problems: &problems)
    let place = Service.index(for: record, document, services, defaultTopic: settings.topic)
    if problems.isEmpty, place == nil {
      problems.append(Service.problem(with: record, document, services, defaultTopic: settings.topic))
    }
    if problems.isEmpty, record.topic == nil, settings.topic.isEmpty, let place,
      services[place].needsTopic || record.channelID != nil
    {
      return "the record has no \"topic\" (give one, or --topic for all)"
    }
    if problems.isEmpty { settings.judge(document, &problems) }
    guard problems.isEmpty, let place else {
      return problems.map { $0.message + ($0.help.map { " (\($0))" } ?? "") }.joined(separator: "; ")
    }
    var flight = Flight()
    flight.load(record, document, number: number)
    // Made from a seed of the run, which this is not: another one each time.
    if settings.resendsUnknown { flight.makeID(seed: .random(in: .min ... .max)) }
    heads[place].fill(flight, defaultTopic: Array(settings.topic.utf8))
    write(flight, services[place], heads[place], into: &out)
    return nil
  }

  private func write(_ flight: borrowing Flight, _ service: Service, _ head: RequestHead, into out: inout [UInt8]) {
    ResultLine.begin(&out, line: flight.number)
    ResultLine.text(&out, "service", service.authority)
    if !service.name.isEmpty { ResultLine.text(&out, "credential", service.name) }
    ResultLine.word(&out, "method", "POST")
    var path: [UInt8] = []
    head.fields.visit { name, value in if Self.isPath(name) { self.takePath(value, flight, &path) } }
    ResultLine.text(&out, "path", path.span)
    out.append(",\"headers\":[")
    var isFirst = true
    head.fields.visit { name, value in
      if !isFirst { out.append(",") }
      isFirst = false
      out.append("[")
      out.appendJSONString(name)
      out.append(",")
      if Self.isPath(name) { out.appendJSONString(path.span) } else { out.appendJSONString(value) }
      out.append("]")
    }
    out.append("]")
    ResultLine.raw(&out, "body", flight.bytes.span.extracting(flight.payload.range))
    ResultLine.end(&out)
  }

  private static func isPath(_ name: Span<UInt8>) -> Bool { name.count == 5 && name[0] == 0x3A && name[1] == 0x70 }

  /// The path, its device token as a hash where tokens are not to be shown.
  private func takePath(_ value: Span<UInt8>, _ flight: borrowing Flight, _ path: inout [UInt8]) {
    guard let redaction, flight.token.isPresent, value.count >= flight.token.range.count else {
      return path.append(value)
    }
    path.append(value.extracting(droppingLast: flight.token.range.count))
    redaction.append(flight.bytes.span.extracting(flight.token.range), to: &path)
  }
}
