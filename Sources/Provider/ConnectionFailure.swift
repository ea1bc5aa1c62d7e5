// What connections of every kind share with their owners.

/// Why a connection ended or never began, in words that name the host.
struct ConnectionFailure {
  var message: String
  /// Trying again cannot help: the certificate is refused, the protocol is not spoken.
  var isFinal: Bool
}

/// Buffers for reading, shared by all connections of a loop.
struct ReadBuffers {
  var cipher = [UInt8](repeating: 0, count: 131_072)
}
