// The header list of a push request: laid out once for a connection, filled for each notification.

import APNs
import HTTP2
import JSON

/// Fills the header list of requests on one connection. Order and indexing follow the table in `RequestHeader`.
struct RequestHead {
  let fields = FieldTemplate()
  private let path: Int
  private let authorization: Int
  private let topic: Int
  private let pushType: Int
  private let priority: Int
  private let expiration: Int
  private let collapse: Int
  private let id: Int
  private let channel: Int
  private var scratch: [UInt8] = []

  /// - Parameter authority: host, and port where it is not 443.
  init(authority: String) {
    fields.add(":method", "POST")
    fields.add(":scheme", "https")
    path = fields.addHole(RequestHeader.path.name, .never)
    fields.add(":authority", authority)
    authorization = Self.hole(fields, .authorization)
    topic = Self.hole(fields, .topic)
    pushType = Self.hole(fields, .pushType)
    priority = Self.hole(fields, .priority)
    expiration = Self.hole(fields, .expiration)
    collapse = Self.hole(fields, .collapseID)
    id = Self.hole(fields, .id)
    channel = Self.hole(fields, .channelID)
  }

  private static func hole(_ fields: FieldTemplate, _ header: RequestHeader) -> Int {
    let indexing: Indexing =
      switch header.indexing {
      case .never: .never
      case .nameOnly: .firstTime
      case .always: .incremental
      }
    return fields.addHole(header.name, indexing)
  }

  /// `bearer` and the provider token; empty for a connection with a client certificate.
  func setAuthorization(_ token: [UInt8]) {
    if token.isEmpty {
      fields.clear(authorization)
    } else {
      var value = Array("bearer ".utf8)
      value += token
      fields.set(authorization, value.span)
    }
  }

  /// Fills the list for a flight. `defaultTopic` is for records without one.
  mutating func fill(_ flight: borrowing Flight, defaultTopic: [UInt8]) {
    let bytes = flight.bytes.span
    scratch.removeAll(keepingCapacity: true)
    let hasTopic = flight.topic.isPresent
    if flight.channel.isPresent {
      scratch.append("/4/broadcasts/apps/")
      scratch.append(hasTopic ? bytes.extracting(flight.topic.range) : defaultTopic.span)
      fields.set(channel, bytes.extracting(flight.channel.range))
      fields.clear(topic)
    } else {
      scratch.append("/3/device/")
      scratch.append(bytes.extracting(flight.token.range))
      fields.clear(channel)
      if hasTopic {
        fields.set(topic, bytes.extracting(flight.topic.range))
      } else if !defaultTopic.isEmpty {
        fields.set(topic, defaultTopic.span)
      } else {
        fields.clear(topic)
      }
    }
    fields.set(path, scratch.span)
    fillRest(flight, bytes)
  }

  private mutating func fillRest(_ flight: borrowing Flight, _ bytes: Span<UInt8>) {
    if let type = flight.pushType { fields.set(pushType, type.rawValue) } else { fields.clear(pushType) }
    switch flight.priority {
    case 10: fields.set(priority, "10")
    case 5: fields.set(priority, "5")
    case 1: fields.set(priority, "1")
    default: fields.clear(priority)
    }
    if flight.expiration >= 0 {
      scratch.removeAll(keepingCapacity: true)
      scratch.append(decimal: flight.expiration)
      fields.set(expiration, scratch.span)
    } else {
      fields.clear(expiration)
    }
    set(collapse, flight.collapse, bytes)
    set(id, flight.id, bytes)
  }

  private func set(_ field: Int, _ piece: Piece, _ bytes: Span<UInt8>) {
    if piece.isPresent { fields.set(field, bytes.extracting(piece.range)) } else { fields.clear(field) }
  }
}
