// Two ends in one process, and the openssl command line that makes inputs.
import Foundation
import TLS
import Testing

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// The tests' clock stands still where it can; OpenSSL verifies with the real one.
let now = Int(Date().timeIntervalSince1970)

extension [UInt8] {
  var text: String { String(decoding: self, as: UTF8.self) }
  var hex: String { map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }
}

/// One authority for all tests.
let authority = try! CertificateAuthority(now: now)

func leaf(
  _ name: String = "localhost", _ usage: LeafRequest.Usage = .server, _ change: (inout LeafRequest) -> Void = { _ in }
)
  throws -> Identity
{
  var request = LeafRequest(name, usage, now: now)
  if usage == .server { request.hosts = ["localhost", "127.0.0.1", "::1"] }
  change(&request)
  return try authority.issue(request)
}

/// A client and a server channel with bytes on their way.
final class Ends {
  let client: Channel
  let server: Channel
  var atClient: [UInt8] = []
  var atServer: [UInt8] = []
  var clientFailure: Failure?
  var serverFailure: Failure?
  /// Bytes handed over at once.
  var step = Int.max

  init(_ client: ClientContext, _ server: ServerContext, host: String = "localhost") throws {
    self.client = try Channel(client, host: host)
    self.server = try Channel(server)
  }

  convenience init(
    trust: Trust = .pem(authority.certificate.pem), identity: Identity? = nil, versions: Versions = .from12,
    host: String = "localhost"
  ) throws {
    try self.init(
      try ClientContext(trust: trust, versions: versions), try ServerContext(identity: try identity ?? leaf()),
      host: host)
  }

  /// Shuttles until neither moves.
  func run() {
    while true {
      var up: [UInt8] = []
      var down: [UInt8] = []
      client.takeOutput(into: &up)
      server.takeOutput(into: &down)
      if up.isEmpty, down.isEmpty { return }
      for piece in pieces(up) {
        do { try server.receive(piece.span, into: &atServer) } catch { serverFailure = serverFailure ?? error }
      }
      for piece in pieces(down) {
        do { try client.receive(piece.span, into: &atClient) } catch { clientFailure = clientFailure ?? error }
      }
    }
  }

  private func pieces(_ all: [UInt8]) -> [[UInt8]] {
    stride(from: 0, to: all.count, by: min(step, max(1, all.count))).map {
      Array(all[$0..<min(all.count, $0 + min(step, all.count))])
    }
  }
}

/// A folder that is gone after the test.
final class Folder {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("tls-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)"))) }

  func write(_ name: String, _ content: [UInt8]) throws {
    try Data(content).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
  }

  /// Runs a shell line in the folder; its output. Fails the test when it does.
  @discardableResult
  func shell(_ line: String) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-ec", line]
    process.currentDirectoryURL = URL(fileURLWithPath: path)
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(line): \(output)")
    return output
  }
}

/// The failure a piece of work ends with.
func failure(_ work: () throws(Failure) -> Void) -> Failure? {
  do throws(Failure) { try work() } catch { return error }
  return nil
}

// Spans of temporaries inside one expression with typed throws crash this compiler: arrays here.

func readIdentity(_ file: [UInt8], key: [UInt8]? = nil, passphrase: [UInt8]? = nil) throws(Failure) -> Identity {
  try Identity(file.span, key: key, passphrase: passphrase)
}

func readSigningKey(_ file: [UInt8], passphrase: [UInt8]? = nil) throws(Failure) -> SigningKey {
  try SigningKey(file.span, passphrase: passphrase)
}

func readPublicKey(_ file: [UInt8]) throws(Failure) -> PublicKey { try PublicKey(file.span) }

func readCertificate(_ file: [UInt8]) throws(Failure) -> Certificate { try Certificate(file.span) }

extension PublicKey {
  func accepts(_ signature: [UInt8], _ message: [UInt8]) -> Bool { verify(signature.span, message.span) }
}

extension SigningKey {
  func raw(_ message: [UInt8]) throws(Failure) -> [UInt8] { try sign(message.span) }
  func der(_ message: [UInt8]) throws(Failure) -> [UInt8] { try signDER(message.span) }
}

extension Channel {
  func say(_ plaintext: [UInt8]) throws(Failure) { try write(plaintext.span) }
}

func toRaw(_ der: [UInt8]) -> [UInt8]? { rawSignature(der.span) }

func toDER(_ raw: [UInt8]) -> [UInt8] { derSignature(raw.span) }

func digest(_ message: [UInt8]) -> [UInt8] { sha256(message.span) }

func authenticate(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] { hmacSHA256(key: key.span, message.span) }
