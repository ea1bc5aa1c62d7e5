// Where Apple's services listen, one row each.

/// The two worlds of device tokens. A token of one is a BadDeviceToken in the other.
public enum ServiceEnvironment: String, CaseIterable, Sendable {
  case production, sandbox
}

/// One service of one environment: host and port (Apple, "Sending notification requests to APNs"; "Channel management
/// requests"; for the binary services the retired "Binary Provider API").
public struct Endpoint: Sendable, Equatable {
  public enum Service: String, CaseIterable, Sendable {
    /// Device pushes and broadcasts over HTTP/2.
    case push
    /// Creating, reading and deleting broadcast channels.
    case channels
    /// The legacy binary gateway, switched off by Apple in March 2021.
    case gateway
    /// The legacy feedback service, switched off as well.
    case feedback
  }

  public let service: Service
  public let environment: ServiceEnvironment
  public let host: String
  public let port: Int

  /// The other port of the push service, for networks that let 443 pass through a proxy only.
  public static let alternatePushPort = 2197

  public static let all: [Endpoint] = [
    Endpoint(service: .push, environment: .production, host: "api.push.apple.com", port: 443),
    Endpoint(service: .push, environment: .sandbox, host: "api.sandbox.push.apple.com", port: 443),
    Endpoint(
      service: .channels, environment: .production, host: "api-manage-broadcast.push.apple.com", port: 2196),
    Endpoint(
      service: .channels, environment: .sandbox, host: "api-manage-broadcast.sandbox.push.apple.com", port: 2195),
    Endpoint(service: .gateway, environment: .production, host: "gateway.push.apple.com", port: 2195),
    Endpoint(service: .gateway, environment: .sandbox, host: "gateway.sandbox.push.apple.com", port: 2195),
    Endpoint(service: .feedback, environment: .production, host: "feedback.push.apple.com", port: 2196),
    Endpoint(service: .feedback, environment: .sandbox, host: "feedback.sandbox.push.apple.com", port: 2196),
  ]

  public static func of(_ service: Service, _ environment: ServiceEnvironment) -> Endpoint {
    for row in all where row.service == service && row.environment == environment { return row }
    // The table holds every pair (a test counts them); this line only satisfies the compiler.
    return Endpoint(service: service, environment: environment, host: "localhost", port: 443)
  }
}
