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

  public init(_ services: [Service], settings: SenderSettings) {
    self.services = services
    self.settings = settings
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
    if problems.isEmpty, place == nil { return "this run has no service for the record" }
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
    heads[place].fill(flight, defaultTopic: Array(settings.topic.utf8))
    write(flight, services[place], heads[place], into: &out)
    return nil
  }

  private func write(_ flight: borrowing Flight, _ service: Service, _ head: RequestHead, into out: inout [UInt8]) {
    ResultLine.begin(&out, line: flight.number)
    ResultLine.text(&out, "service", service.authority)
    if !service.name.isEmpty { ResultLine.text(&out, "credential", service.name) }
    ResultLine.word(&out, "method", "POST")
    head.fields.visit { name, value in
      guard name.count == 5, name[1] == UInt8(ascii: "p"), name[0] == UInt8(ascii: ":") else { return }
      ResultLine.text(&out, "path", value)
    }
    out.append(",\"headers\":[")
    var isFirst = true
    head.fields.visit { name, value in
      if !isFirst { out.append(",") }
      isFirst = false
      out.append("[")
      out.appendJSONString(name)
      out.append(",")
      out.appendJSONString(value)
      out.append("]")
    }
    out.append("]")
    ResultLine.raw(&out, "body", flight.bytes.span.extracting(flight.payload.range))
    ResultLine.end(&out)
  }
}
