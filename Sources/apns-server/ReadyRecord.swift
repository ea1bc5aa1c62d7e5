// What the server says when it listens: where, with which files, under which identifiers.

import JSON
import Service

extension ServerRun {
  /// The record with the single key `listening`.
  func readyLine(_ server: Server, _ credentials: Credentials, _ files: CredentialFiles) -> [UInt8] {
    var writer = Writer()
    writer.beginObject()
    appendListening(server, credentials, files, to: &writer)
    writer.endObject()
    writer.newline()
    return writer.bytes
  }

  func appendListening(
    _ server: Server, _ credentials: Credentials, _ files: CredentialFiles, to writer: inout Writer
  ) {
    writer.key("listening")
    writer.beginObject()
    writer.key("endpoint")
    writer.string("localhost:\(server.ports[0].port)")
    writer.key("port")
    writer.integer(server.ports[0].port)
    writer.key("environment")
    writer.string(server.ports[0].environment.rawValue)
    writer.key("ports")
    writer.beginObject()
    for port in server.ports {
      writer.key(port.environment.rawValue)
      writer.integer(port.port)
    }
    writer.endObject()
    for (name, port) in [("gateway", server.gatewayPort), ("feedback", server.feedbackPort)] {
      guard let port else { continue }
      writer.key(name)
      writer.string("localhost:\(port)")
    }
    writer.key("addresses")
    writer.beginArray()
    for address in server.endpoints { writer.string(address) }
    writer.endArray()
    files.append(credentials, to: &writer)
    writer.endObject()
  }
}
