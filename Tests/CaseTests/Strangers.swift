// apns-push against servers nobody here wrote the HTTP/2 of: Node's http2 and nghttpd. Skipped where they are missing.
import Foundation
import Testing

@Suite struct Strangers {
  private static let line =
    #"{"token":"%TOKEN%","id":"00000000-0000-4000-8000-%ID%","topic":"com.example.app","payload":{"aps":{"alert":"%ID%"}}}"#

  private func input(_ count: Int) -> Data {
    let lines = (1...count).map { number in
      let id = String(repeating: "0", count: 12 - String(number).count) + String(number)
      return Self.line.replacingOccurrences(of: "%ID%", with: id)
        .replacingOccurrences(of: "%TOKEN%", with: String(repeating: "0", count: 52) + id)
    }
    return Data((lines.joined(separator: "\n") + "\n").utf8)
  }

  /// A certificate for localhost and a signing key, in the variables `apns-push` reads; then the command.
  private func shell(_ body: String) -> String {
    """
    set -eu
    cd "$TMPDIR"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out cert.pem -days 2 \
      -subj /CN=localhost -addext subjectAltName=DNS:localhost 2>/dev/null
    openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out AuthKey_ABCDE12345.p8 2>/dev/null
    export APNS_CA_FILE=cert.pem APNS_KEY_FILE=AuthKey_ABCDE12345.p8 APNS_TEAM_ID=FGHIJ67890
    cat > lines
    \(body)
    """
  }

  private func has(_ program: String) throws -> Bool {
    try run("command -v \(program)", in: Case.packageRoot).status == 0
  }

  private func outcomes(_ data: Data) -> [String: Int] {
    var counts: [String: Int] = [:]
    for line in data.split(separator: UInt8(ascii: "\n")) {
      let record = (try? JSONSerialization.jsonObject(with: Data(line))) as? [String: Any]
      counts[record?["outcome"] as? String ?? "none", default: 0] += 1
    }
    return counts
  }

  static let faults: [(String, [String: Int])] = [
    ("none", ["accepted": 30]), ("goaway", ["accepted": 30]), ("refused", ["accepted": 30]),
    ("one-stream", ["accepted": 30]), ("slow", ["accepted": 30]), ("silent", ["accepted": 27, "unknown": 3]),
    ("gone", ["rejected": 30]), ("bad-json", ["rejected": 30]), ("no-body", ["rejected": 30]),
    ("trailers", ["rejected": 30]), ("early", ["rejected": 30]),
  ]

  @Test("every line is accounted for by Node's http2, whatever it does", arguments: faults)
  func node(_ fault: String, _ expected: [String: Int]) throws {
    guard try has("node") else { return }
    let server = Case.packageRoot.appendingPathComponent("Tests/interop/push-server.mjs").path
    let found = try run(
      shell(
        """
        mkfifo hold
        node '\(server)' cert.pem key.pem \(fault) < hold > port & server=$!
        exec 9> hold
        while ! [ -s port ]; do kill -0 $server; done
        status=0
        apns-push --endpoint "localhost:$(head -n 1 port)" --request-timeout 1 lines || status=$?
        exec 9>&-
        wait $server
        """), input: input(30), in: Case.packageRoot)
    #expect(outcomes(found.out) == expected, "\(String(decoding: found.err, as: UTF8.self))")
  }

  @Test("every line is accounted for by nghttpd, which serves files and takes no push")
  func nghttpd() throws {
    guard try has("nghttpd"), try has("python3") else { return }
    let found = try run(
      shell(
        """
        port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
        nghttpd -a 127.0.0.1 -d . "$port" key.pem cert.pem >/dev/null 2>&1 & server=$!
        apns-push --endpoint "localhost:$port" --request-timeout 5 lines || true
        kill $server; wait $server || true
        """), input: input(500), in: Case.packageRoot)
    let counts = outcomes(found.out)
    #expect(counts == ["rejected": 500], "\(counts) \(String(decoding: found.err, as: UTF8.self))")
  }
}
