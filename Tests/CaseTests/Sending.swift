// apns-push against a local APNs that misbehaves, and against servers nobody here wrote.
import Foundation
import Testing

/// The outcomes of some results, by how often they occur.
private func outcomes(_ results: Data) -> [String: Int] {
  var counts: [String: Int] = [:]
  for line in results.split(separator: UInt8(ascii: "\n")) {
    let record = (try? JSONSerialization.jsonObject(with: Data(line))) as? [String: Any]
    counts[record?["outcome"] as? String ?? "none", default: 0] += 1
  }
  return counts
}

/// Notification records with numbers for tokens and identifiers.
private func records(_ count: Int) -> Data {
  var text = ""
  for number in 1...count {
    let digits = String(number, radix: 16)
    let pad = String(repeating: "0", count: 12 - digits.count) + digits
    text += #"{"token":"\#(String(repeating: "ab", count: 26))\#(pad)","id":"00000000-0000-4000-8000-\#(pad)","#
    text +=
      #""topic":"com.example.app","push_type":"alert","payload":{"aps":{"alert":"\#(number)"}},"meta":\#(number)}"#
    text += "\n"
  }
  return Data(text.utf8)
}

@Suite struct Sending {
  static let faults: [(String, [String: Int])] = [
    (#"{"match":{"nth":5},"goaway":{"offset":0}}"#, ["accepted": 30]),
    (#"{"match":{"nth":5},"goaway":{"reason":"Shutdown"}}"#, ["accepted": 30]),
    (#"{"match":{"every":3},"reset":"REFUSED_STREAM"}"#, ["accepted": 30]),
    (#"{"match":{"nth":3},"stream_limit":1}"#, ["accepted": 30]),
    (#"{"match":{"nth":5},"wedge":"ExpiredProviderToken"}"#, ["accepted": 30]),
    (#"{"at":"start","fail_tls":1}"#, ["accepted": 30]),
    (#"{"match":{"every":1},"byte_by_byte_ms":0}"#, ["accepted": 30]),
    (#"{"match":{"nth":9},"reset":"INTERNAL_ERROR"}"#, ["accepted": 29, "unknown": 1]),
    (#"{"match":{"nth":9},"silence":true}"#, ["accepted": 29, "unknown": 1]),
    (#"{"match":{"nth":1},"close":"now"}"#, ["accepted": 29, "unknown": 1]),
    (#"{"match":{"nth":1},"respond":"InvalidProviderToken"}"#, ["rejected": 1, "unsent": 29]),
    (#"{"match":{"every":2},"respond":"Unregistered"}"#, ["accepted": 15, "rejected": 15]),
  ]

  @Test("every line has its end, and what can be delivered is", arguments: faults)
  func oneFault(_ rule: String, _ expected: [String: Int]) throws {
    let found = try run(
      "apns-server --quiet --rule '\(rule)' -- apns-push --request-timeout 1", input: records(30), in: Case.packageRoot)
    #expect(outcomes(found.out) == expected, "\(String(decoding: found.err, as: UTF8.self))")
  }

  @Test("nothing is delivered twice or lost through faults of every kind")
  func soak() throws {
    guard try run("command -v python3", in: Case.packageRoot).status == 0 else { return }
    let found = try run("Benchmarks/soak '\(toolFolder)' --lines 20000 --seconds 200", in: Case.packageRoot)
    #expect(found.status == 0, "\(String(decoding: found.out, as: UTF8.self))")
  }

  @Test("a signal ends every line")
  func signalled() throws {
    let script = """
      apns-push --request-timeout 30 --drain-timeout 1 lines > results & sender=$!
      while [ "$(wc -l < received)" -lt 29 ] && kill -0 $sender; do :; done
      kill -TERM $sender; wait $sender; echo $? > status
      """
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("signal-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(script.utf8).write(to: folder.appendingPathComponent("script.sh"))
    try records(50).write(to: folder.appendingPathComponent("lines"))
    let rule = #"{"match":{"from":10},"silence":true}"#
    _ = try run(
      "touch received; apns-server --quiet --max-streams 20 --received received --rule '\(rule)' -- "
        + "sh script.sh", in: folder)
    let status = try String(contentsOf: folder.appendingPathComponent("status"), encoding: .utf8)
    #expect(status == "143\n")
    let found = outcomes(try Data(contentsOf: folder.appendingPathComponent("results")))
    #expect(found.values.reduce(0, +) == 50)
    #expect(found["accepted"] == 9 && found["unknown"] == 20 && found["unsent"] == 21, "\(found)")
  }

  static let proxies: [(String, [String: Int])] = [
    ("http://user:word@127.0.0.1:", ["accepted": 5]), ("127.0.0.1:", ["unsent": 5]),
    ("http://user:wrong@127.0.0.1:", ["unsent": 5]),
  ]

  @Test("a proxy is gone through, with its password, and the password is never said", arguments: proxies)
  func proxied(_ proxy: String, _ expected: [String: Int]) throws {
    guard try run("command -v python3", in: Case.packageRoot).status == 0 else { return }
    let script = """
      mkfifo hold; python3 "$SERVER" < hold > proxy & server=$!; exec 9> hold
      while ! [ -s proxy ]; do kill -0 $server; done
      apns-push --proxy "\(proxy)$(head -n 1 proxy)" lines; status=$?
      exec 9>&-; wait $server; grep -c tunnel proxy >&2; exit $status
      """
    let found = try run(
      """
      cd "$TMPDIR"; cat > lines; cat > script.sh <<'END'
      \(script)
      END
      unset NO_PROXY; SERVER='\(Case.packageRoot.path)/Tests/interop/proxy.py' \
        apns-server --quiet -- env -u NO_PROXY -u no_proxy sh script.sh
      """,
      input: records(5), in: Case.packageRoot)
    #expect(outcomes(found.out) == expected, "\(String(decoding: found.err, as: UTF8.self))")
    let words = String(decoding: found.err + found.out, as: UTF8.self)
    #expect(!words.contains("word@") && !words.contains("wrong"))
    #expect(words.contains(expected["accepted"] == nil ? "user and a password" : "1\n"))
  }
}
