// The header lists of answers, prepared once: a request only fills in its own identifiers.

import HTTP2

/// The response fields of APNs (apns.md 4.1). Shared by all connections of the one thread.
final class ResponseHeads {
  /// 200 to a push, the answer to nearly everything.
  private let accepted = FieldTemplate()
  private let acceptedIDs: (id: Int, uniqueID: Int, date: Int)
  /// Everything else.
  private let other = FieldTemplate()
  private let places:
    (status: Int, id: Int, uniqueID: Int, requestID: Int, channelID: Int, contentType: Int, retryAfter: Int)

  private let otherDate: Int
  private var date = Int.min

  init() {
    accepted.add(":status", "200")
    acceptedIDs = (
      accepted.addHole("apns-id", .firstTime), accepted.addHole("apns-unique-id", .firstTime), accepted.addHole("date")
    )
    places = (
      other.addHole(":status"), other.addHole("apns-id", .firstTime), other.addHole("apns-unique-id", .firstTime),
      other.addHole("apns-request-id", .firstTime), other.addHole("apns-channel-id"), other.addHole("content-type"),
      other.addHole("retry-after")
    )
    otherDate = other.addHole("date")
  }

  /// Every answer from now on bears this time.
  func setDate(_ unixSeconds: Int) {
    guard unixSeconds != date else { return }
    date = unixSeconds
    let text = httpDate(unixSeconds)
    accepted.set(acceptedIDs.date, text)
    other.set(otherDate, text)
  }

  /// The list of a success: the request's id, and the sandbox's own.
  func success(id: Span<UInt8>, uniqueID: [UInt8]?) -> FieldTemplate {
    accepted.set(acceptedIDs.id, id)
    if let uniqueID { accepted.set(acceptedIDs.uniqueID, uniqueID.span) } else { accepted.clear(acceptedIDs.uniqueID) }
    return accepted
  }

  /// The list of any answer. `isDevice` names the identifier `apns-id`, else it is `apns-request-id`.
  func any(_ reply: Reply, id: Span<UInt8>, isDevice: Bool, uniqueID: [UInt8]?) -> FieldTemplate {
    let status = reply.statusText
    other.set(places.status, status.span)
    other.clear(isDevice ? places.requestID : places.id)
    other.set(isDevice ? places.id : places.requestID, id)
    if let uniqueID { other.set(places.uniqueID, uniqueID.span) } else { other.clear(places.uniqueID) }
    if let channel = reply.channelID { other.set(places.channelID, channel) } else { other.clear(places.channelID) }
    if reply.body.isEmpty {
      other.clear(places.contentType)
    } else {
      other.set(places.contentType, "application/json")
    }
    if let seconds = reply.retryAfter {
      other.set(places.retryAfter, String(seconds))
    } else {
      other.clear(places.retryAfter)
    }
    return other
  }
}
