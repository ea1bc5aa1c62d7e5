// apns-push --protocol binary against gateways that misbehave in ways apns-server does not: Tests/interop/gateway.py.
import Foundation
import Testing

@Suite struct Gateways {
  struct Fault: Sendable, CustomTestStringConvertible {
    let name: String
    let options: String
    /// How many lines ended how: outcome, and what says why.
    let ends: [String: Int]
    /// How many notifications each connection brought; nil where that is a matter of luck.
    let brought: String?
    var testDescription: String { name }

    init(_ name: String, _ ends: [String: Int], brought: String? = nil, options: String = "") {
      (self.name, self.ends, self.brought, self.options) = (name, ends, brought, options)
    }
  }

  private static let silence = "accepted: no error within 0.3 s"
  private static let earlier = "accepted: the gateway refused a later one"

  static let all = [
    // Tickets of TLS 1.3 make the socket readable and say nothing.
    Fault("tls13", [silence: 12], brought: "12"),
    Fault("silent", [silence: 12], brought: "12"),
    // The systems' buffers take twelve lines; nobody can tell that nobody reads them.
    Fault("deaf", [silence: 12]),
    // Nothing is acknowledged: silence says nothing about what never came.
    Fault("unacknowledged", ["unknown: GATEWAY has taken nothing for 1 s": 12], options: "--request-timeout 1"),
    Fault("garbage", ["unknown: GATEWAY sent what is no error packet: 77 68 61 74 20 69 73 20": 12]),
    Fault("http", ["unknown: GATEWAY sent what is no error packet: an HTTP message": 12]),
    Fault("one-each", ["unknown: GATEWAY closed the connection": 12]),
    Fault("reset", ["unknown: the connection to GATEWAY broke: Connection reset by peer": 12]),
    Fault("six", [earlier: 2, "rejected: invalid token": 1, silence: 9], brought: "3 9"),
    Fault("stays", [earlier: 2, "rejected: invalid token": 1, silence: 9], brought: "12 9"),
    Fault("twice", [earlier: 2, "rejected: invalid token": 1, silence: 9], brought: "12 9"),
    Fault("no-goodbye", [earlier: 2, "rejected: invalid token": 1, silence: 9], brought: "3 9"),
    Fault("no-error", ["accepted: the gateway said that there was no error": 3, silence: 9], brought: "12"),
  ]

  private var lines: Data {
    let lines = (1...12).map { number in
      let digits = String(number, radix: 16)
      return #"{"token":"\#(String(repeating: "0", count: 64 - digits.count) + digits)","payload":{"aps":{}}}"#
    }
    return Data((lines.joined(separator: "\n") + "\n").utf8)
  }

  @Test("every line has an end that is true", arguments: all)
  func oneFault(_ fault: Fault) throws {
    guard try run("command -v python3 && command -v openssl", in: Case.packageRoot).status == 0 else { return }
    let found = try run(
      script(fault.name, "apns-push --protocol binary --cert client.pem --linger 0.3 \(fault.options)"), input: lines,
      in: Case.packageRoot)
    var ends: [String: Int] = [:]
    for line in found.out.split(separator: UInt8(ascii: "\n")) {
      let result = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any] ?? [:]
      let why = result["basis"] ?? result["reason"] ?? result["error"]
      ends["\(result["outcome"] ?? ""): \(why ?? "")", default: 0] += 1
    }
    let words = String(decoding: found.err, as: UTF8.self)
    #expect(ends == fault.ends, "\(words)")
    #expect(found.status == (fault.ends.keys.allSatisfy { $0.hasPrefix("accepted") } ? 0 : 1), "\(words)")
    if let brought = fault.brought { #expect(words.hasSuffix("\n\(brought)\n"), "\(words)") }
  }

  @Test("a feedback service that says nothing is asked again, and then left")
  func silentFeedback() throws {
    guard try run("command -v python3 && command -v openssl", in: Case.packageRoot).status == 0 else { return }
    let found = try run(
      script("silent", "apns-feedback --service --cert client.pem --timeout 1 --retries 1"), in: Case.packageRoot)
    #expect(found.out.isEmpty && found.status == 3)
    let words = String(decoding: found.err, as: UTF8.self)
    #expect(words.contains("GATEWAY has been silent for 1 s; trying again\n"), "\(words)")
    #expect(words.contains("stopped: GATEWAY has been silent for 1 s\n"), "\(words)")
  }

  /// Runs a command against the gateway with a fault; it finds `lines` and `client.pem`.
  private func script(_ fault: String, _ command: String) -> String {
    """
    set -eu
    gateway='\(Case.packageRoot.path)/Tests/interop/gateway.py'
    cd "$TMPDIR"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out cert.pem -days 90 \\
      -subj /CN=localhost -addext subjectAltName=DNS:localhost 2>/dev/null
    cat cert.pem key.pem > client.pem
    cat > lines
    mkfifo hold
    python3 "$gateway" cert.pem key.pem \(fault) < hold > said & server=$!
    exec 9> hold
    while ! [ -s said ]; do kill -0 $server; done
    status=0
    APNS_CA_FILE=cert.pem \(command) --endpoint "localhost:$(head -n 1 said)" < lines > results 2> words || status=$?
    exec 9>&-
    wait $server
    sed "s/localhost:$(head -n 1 said)/GATEWAY/" results
    sed "s/localhost:$(head -n 1 said)/GATEWAY/" words >&2
    tail -n 1 said >&2
    exit $status
    """
  }
}
