// What the fields of an answer add to a result.

import APNs
import HTTP2
import JSON

extension Sender {
  func finish(_ index: Int, _ ending: Ending, _ connection: Connection, _ slot: Int32) {
    var ending = ending
    let route = routes[flights[index].route]
    if flights[index].triedOtherEnvironment {
      if ending.outcome == .accepted { ending.environment = route.service.environment }
    }
    let hasID = flights[index].id.isPresent
    let isSandbox = route.service.environment == .sandbox
    let isBroadcast = flights[index].channel.isPresent
    let session = connection.session
    write(index, ending) { out in
      if !hasID, let id = session.field(slot, "apns-id") { ResultLine.text(&out, "id", id) }
      if isSandbox, let unique = session.field(slot, "apns-unique-id") { ResultLine.text(&out, "unique_id", unique) }
      if isBroadcast, let id = session.field(slot, "apns-request-id") { ResultLine.text(&out, "request_id", id) }
    }
  }
}
