// The command line for curl that sends a record: for trying things by hand, and for showing what goes over the wire.

import APNs
import JSON

enum CurlCommand {
  /// Appends one command line, quoted for a POSIX shell.
  ///
  /// The provider token is left to the variable `APNS_PROVIDER_TOKEN`: it is a secret, and it is only good for an hour.
  static func append(_ document: borrowing Document, to out: inout [UInt8]) throws(LineFault) {
    var problems: [Problem] = []
    let record = Notification.read(document, problems: &problems)
    // The problem is a fault of the record itself: curl would only carry it to the service.
    if let problem = problems.first { throw LineFault(problem.message) }
    guard let payload = record.payload else { throw LineFault("the record has no \"payload\"") }
    let environment = record.environment ?? .sandbox
    var headers: [(String, String)] = []
    func header(_ header: RequestHeader, _ node: Int?) {
      guard let node else { return }
      let value = document.kind(node) == .string ? document.string(node) : String(utf8: document.raw(node))
      headers.append((header.name, value))
    }
    if record.channelID == nil { header(.topic, record.topic) }
    header(.pushType, record.pushTypeNode)
    header(.priority, record.priorityNode)
    header(.expiration, record.expirationNode)
    header(.collapseID, record.collapseID)
    header(.channelID, record.channelID)
    header(record.channelID == nil ? .id : .requestID, record.id)
    let endpoint = Endpoint.of(.push, environment)
    let path: String
    if let token = record.token {
      path = "/3/device/" + document.string(token)
    } else {
      guard let topic = record.topic else {
        throw LineFault("a broadcast needs --topic: the bundle identifier is part of its path")
      }
      path = "/4/broadcasts/apps/" + document.string(topic)
    }
    out.append("curl --http2 --header \"authorization: bearer $APNS_PROVIDER_TOKEN\"")
    for (name, value) in headers {
      out.append(" --header ")
      quote("\(name): \(value)", &out)
    }
    out.append(" --data-binary ")
    quote(String(utf8: document.raw(payload)), &out)
    out.append(" ")
    quote("https://\(endpoint.host)\(endpoint.port == 443 ? "" : ":\(endpoint.port)")\(path)", &out)
  }

  /// Between single quotes a shell changes nothing; a single quote itself is written `'\''`.
  static func quote(_ text: String, _ out: inout [UInt8]) {
    out.append("'")
    for byte in text.utf8 {
      if byte == UInt8(ascii: "'") { out.append(#"'\''"#) } else { out.append(byte) }
    }
    out.append("'")
  }
}
