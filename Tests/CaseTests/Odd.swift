// apns-push against a server that is odd at the frame level: Tests/interop/odd-server.py, whose modes are named here.
import Foundation
import Synchronization
import Testing

@Suite struct Odd {
  /// A certificate for localhost and a signing key, made once.
  private static let credentials: [String: Data] = {
    let script = """
      cd "$TMPDIR"
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out cert.pem -days 2 \
        -subj /CN=localhost -addext subjectAltName=DNS:localhost 2>/dev/null
      openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 2>/dev/null | base64 -w 0
      echo; base64 -w 0 cert.pem; echo; base64 -w 0 key.pem
      """
    guard let found = try? run(script, in: Case.packageRoot) else { return [:] }
    let parts = found.out.split(separator: UInt8(ascii: "\n")).map { Data(base64Encoded: Data($0)) ?? Data() }
    return Dictionary(zip(["AuthKey_ABCDE12345.p8", "cert.pem", "key.pem"], parts)) { first, _ in first }
  }()

  private static let all = ["accepted": 30]

  /// What comes of 30 lines; nil where it depends on how the frames fell, and only the account is looked at.
  static let modes: [(String, [String: Int]?)] = [
    ("plain", all), ("continuation", all), ("padded", ["rejected": 30]), ("priority", all), ("unknown_frames", all),
    ("unknown_settings", all), ("pings", all), ("ping_flood", nil), ("windows_closed", all), ("window_trickle", all),
    ("window_overflow", nil), ("table_zero", all), ("big_frame", nil), ("big_body", ["rejected": 30]),
    ("moving_limit", all), ("no_acknowledgement", all), ("reset_behind", all), ("early", ["rejected": 30]),
    ("informational", all), ("trailers", all), ("empty_data", all), ("backwards", all), ("capitals", ["unknown": 30]),
    ("no_status", ["unknown": 30]), ("wrong_length", ["unknown": 30]), ("data_first", nil), ("bad_block", nil),
    ("answered_twice", nil), ("continuation_flood", nil), ("push_promise", nil),
    ("refused", all), ("cancelled", ["unknown": 30]), ("goaway_twice", all), ("goaway_half", all),
    ("goaway_answers_later", all), ("goaway_each", all), ("goaway_rude", all), ("early_and_open", ["rejected": 30]),
    ("status_and_reset", ["accepted": 15, "rejected": 15]), ("cut", ["accepted": 29, "unknown": 1]),
    ("notify", ["accepted": 29, "unknown": 1]),
    ("settings_only_later", nil), ("no_alpn", ["unsent": 30]),
    ("no_alpn --allow-no-alpn", all),
  ]

  /// Those in which most of the time is waited away.
  static let slowModes: [(String, [String: Int]?)] = [
    ("window_never", all), ("window_nowhere", nil), ("no_streams_yet", all), ("late_settings", all), ("http1", nil),
    ("retry_date", all),
  ]

  @Test("every line is accounted for by a server with odd frames, and what can be delivered is", arguments: modes)
  func fast(_ mode: String, _ expected: [String: Int]?) throws {
    let found = try faults(mode, expected)
    #expect(found == [])
  }

  @Test("and by one that keeps it waiting")
  func slow() throws {
    let modes = Self.slowModes
    let found = Mutex([String]())
    let done = DispatchSemaphore(value: 0)
    for (mode, expected) in modes {
      Thread.detachNewThread {
        let faults = (try? faults(mode, expected)) ?? ["\(mode) could not be tried"]
        found.withLock { $0 += faults }
        done.signal()
      }
    }
    for _ in modes { done.wait() }
    #expect(found.withLock { $0 } == [])
  }

  /// What does not hold with this mode.
  private func faults(_ mode: String, _ expected: [String: Int]?) throws -> [String] {
    guard try run("command -v python3", in: Case.packageRoot).status == 0 else { return [] }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("odd-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, data) in Self.credentials { try data.write(to: folder.appendingPathComponent(name)) }
    try Self.lines.write(to: folder.appendingPathComponent("lines"))
    let found = try run(command(mode), in: folder)
    let acted = try String(contentsOf: folder.appendingPathComponent("acted"), encoding: .utf8)
      .split(separator: "\n").dropFirst().compactMap { Int($0) }
    let results = found.out.split(separator: UInt8(ascii: "\n")).compactMap {
      (try? JSONSerialization.jsonObject(with: Data($0))) as? [String: Any]
    }
    var faults: [String] = []
    let numbers = results.compactMap { $0["line"] as? Int }
    if numbers.sorted() != Array(1...30) { faults.append("\(numbers)") }
    var outcomes: [String: Int] = [:]
    for result in results {
      let outcome = result["outcome"] as? String ?? "none"
      outcomes[outcome, default: 0] += 1
      let count = acted.filter { $0 == result["meta"] as? Int }.count
      let allowed = ["accepted": 1...1, "unknown": 0...1, "rejected": 0...1, "unsent": 0...0][outcome] ?? 0...0
      if !allowed.contains(count) { faults.append("\(result) was acted on \(count) times") }
    }
    if let expected, outcomes != expected { faults.append("\(outcomes) instead of \(expected)") }
    if !faults.isEmpty { faults.append("\(mode): " + String(decoding: found.err, as: UTF8.self)) }
    return faults
  }

  private static let lines: Data = {
    let lines = (1...30).map { number in
      let token = String(repeating: "0", count: 62) + (number < 10 ? "0" : "") + "\(number)"
      return
        #"{"token":"\#(token)","topic":"com.example.app","meta":\#(number),"payload":{"aps":{"badge":\#(number)}}}"#
    }
    return Data((lines.joined(separator: "\n") + "\n").utf8)
  }()

  private func command(_ mode: String) -> String {
    let words = mode.split(separator: " ").map { String($0) }
    let server = Case.packageRoot.appendingPathComponent("Tests/interop/odd-server.py").path
    return """
      mkfifo hold
      python3 '\(server)' cert.pem key.pem \(words[0]) < hold > acted & server=$!
      exec 9> hold
      while ! [ -s acted ]; do kill -0 $server || exit 9; done
      timeout 60 apns-push --endpoint "localhost:$(head -n 1 acted)" --ca-file cert.pem --key AuthKey_ABCDE12345.p8 \
        --team-id FGHIJ67890 --request-timeout 1 \(words.dropFirst().joined(separator: " ")) lines
      exec 9>&-
      wait $server
      """
  }
}
