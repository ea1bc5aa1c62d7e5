// Clients that were not written for this project, against the server with its defaults. What is missing is skipped.
//
// Python clients: Tests/interop/setup.sh .build/interop makes their environments; APNS_INTEROP names another folder.
import Foundation
import Testing

private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

private let scripts = root.appendingPathComponent("Tests/interop")

private let environments: URL =
  ProcessInfo.processInfo.environment["APNS_INTEROP"].map { URL(fileURLWithPath: $0) }
  ?? root.appendingPathComponent(".build/interop")

private let server: URL = {
  if let given = ProcessInfo.processInfo.environment["APNS_BIN"] {
    return URL(fileURLWithPath: given, relativeTo: root).appendingPathComponent("apns-server")
  }
  let running =
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
  return URL(fileURLWithPath: running).deletingLastPathComponent().appendingPathComponent("apns-server")
}()

private func python(_ package: String) -> String {
  environments.appendingPathComponent("\(package)/bin/python").path
}

private func isInstalled(_ program: String) -> Bool {
  let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
  return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
}

/// Runs `apns-server [options] -- command` and gives what the command printed, and what the server received.
private func serve(_ command: [String], _ options: [String] = []) throws -> (
  status: Int32, text: String, received: [[String: Any]]
) {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("interop-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let (received, words) = (folder.appendingPathComponent("received"), folder.appendingPathComponent("words"))
  _ = FileManager.default.createFile(atPath: words.path, contents: nil)
  let process = Process()
  process.executableURL = server
  // A client that hangs is a failure, not a reason to wait for ever.
  process.arguments = ["--received", received.path, "--timeout", "60"] + options + ["--"] + command
  let output = try FileHandle(forWritingTo: words)
  (process.standardOutput, process.standardError) = (output, output)
  process.standardInput = FileHandle.nullDevice
  try process.run()
  process.waitUntilExit()
  let lines = (try? Data(contentsOf: received))?.split(separator: 0x0A) ?? []
  let records = try lines.map { try JSONSerialization.jsonObject(with: $0) as? [String: Any] ?? [:] }
  return (process.terminationStatus, String(decoding: try Data(contentsOf: words), as: UTF8.self), records)
}

private let sendsOne = #"""
  input="$(printf '{"alg":"ES256","kid":"%s"}' "$APNS_KEY_ID" | base64 -w0 | tr '+/' '-_' | tr -d =)"
  input="$input.$(printf '{"iss":"%s","iat":%s}' "$APNS_TEAM_ID" "$(date +%s)" | base64 -w0 | tr '+/' '-_' | tr -d =)"
  signature="$(printf %s "$input" | openssl dgst -sha256 -sign "$APNS_KEY_FILE" -binary | base64 -w0 | tr '+/' '-_' | tr -d =)"
  token="$input.$signature"
  device=abababababababababababababababababababababababababababababababab
  """#

@Suite(.serialized) struct InteropTests {
  @Test("aioapns", .enabled(if: FileManager.default.isExecutableFile(atPath: python("aioapns"))))
  func aioapns() throws {
    let run = try serve([python("aioapns"), scripts.appendingPathComponent("aioapns_client.py").path])
    #expect(run.status == 0, "\(run.text)")
    #expect(run.received.count == 32)
  }

  @Test(
    "apns2, as mopyapns and as apns2-up",
    .enabled(if: FileManager.default.isExecutableFile(atPath: python("mopyapns"))), arguments: ["mopyapns", "apns2-up"])
  func apns2(_ package: String) throws {
    guard FileManager.default.isExecutableFile(atPath: python(package)) else { return }
    let run = try serve([
      python(package),
      scripts.appendingPathComponent(package == "mopyapns" ? "apns2_client.py" : "apns2_up_client.py").path,
    ])
    #expect(run.status == 0, "\(run.text)")
    #expect(run.received.count == 4)
  }

  @Test("pyapns-client", .enabled(if: FileManager.default.isExecutableFile(atPath: python("pyapns-client"))))
  func pyapnsClient() throws {
    let run = try serve([python("pyapns-client"), scripts.appendingPathComponent("pyapns_client_client.py").path])
    #expect(run.status == 0, "\(run.text)")
    #expect(run.received.count == 5)
  }

  @Test("kalyke", .enabled(if: FileManager.default.isExecutableFile(atPath: python("kalyke-apns"))))
  func kalyke() throws {
    let run = try serve([python("kalyke-apns"), scripts.appendingPathComponent("kalyke_client.py").path])
    #expect(run.status == 0, "\(run.text)")
    #expect(run.received.count == 4)
  }

  /// Clients of the old binary protocol, and how many notifications of theirs the gateway looks at.
  static let binaryClients = [
    ("tapns3", "tapns3_client.py", 6), ("pushjack", "pushjack_client.py", 7), ("apns-clerk", "apns_clerk_client.py", 6),
    ("twisted-apns", "twisted_apns_client.py", 2),
  ]

  @Test("clients of the binary protocol", arguments: binaryClients)
  func binary(_ package: String, _ script: String, _ count: Int) throws {
    guard FileManager.default.isExecutableFile(atPath: python(package)) else { return }
    let list = scripts.appendingPathComponent("feedback.ndjson").path
    let run = try serve(
      [python(package), scripts.appendingPathComponent(script).path], ["--gateway", "--feedback-file", list])
    #expect(run.status == 0, "\(run.text)")
    #expect(run.received.count == count, "\(run.received)")
  }

  /// How clients in other languages go about it, and how many notifications of theirs the gateway looks at.
  static let binaryHabits: [(String, [String], Int)] = [
    ("ruby", ["gateway_client.rb"], 6), ("php", ["gateway_client.php"], 3), ("perl", ["gateway_client.pl"], 4),
    ("node", ["gateway_client.mjs"], 3), ("java", ["GatewayClient.java", "KEYS/client.p12"], 3),
  ]

  @Test("the habits of binary clients in other languages", arguments: binaryHabits)
  func habits(_ language: String, _ arguments: [String], _ count: Int) throws {
    guard isInstalled(language) else { return }
    // Perl needs a module of its own, Java a compiler.
    if language == "perl", try serve(["perl", "-MIO::Socket::SSL", "-e", "1"], ["--quiet"]).status != 0 { return }
    if language == "java", !isInstalled("javac") { return }
    let keys = FileManager.default.temporaryDirectory.appendingPathComponent("keys-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: keys) }
    let command = arguments.enumerated().map { place, word in
      place == 0 ? scripts.appendingPathComponent(word).path : word.replacingOccurrences(of: "KEYS", with: keys.path)
    }
    let list = scripts.appendingPathComponent("feedback.ndjson").path
    let run = try serve(
      [language] + command, ["--gateway", "--feedback-file", list, "--write-credentials", keys.path])
    #expect(run.status == 0, "\(run.text)")
    #expect(run.received.count == count, "\(run.received)")
  }

  @Test("Node's http2", .enabled(if: isInstalled("node")))
  func node() throws {
    let run = try serve(["node", scripts.appendingPathComponent("node.mjs").path])
    #expect(run.status == 0, "\(run.text)")
    #expect(run.received.count == 202)
  }

  @Test("curl --http2, with a token signed in DER", .enabled(if: isInstalled("curl") && isInstalled("openssl")))
  func curl() throws {
    let script =
      sendsOne + #"""

        exec curl --silent --show-error --http2 --cacert "$APNS_CA_FILE" --header "authorization: bearer $token" \
          --header 'apns-topic: com.example.app' --data '{"aps":{"alert":"Hi"}}' --write-out '%{http_code} %{http_version}' \
          "https://$APNS_ENDPOINT/3/device/$device"
        """#
    let run = try serve(["sh", "-c", script], ["--quiet"])
    #expect(run.status == 0 && run.text == "200 2", "\(run.text)")
    #expect(run.received.count == 1)
  }

  @Test("curl with the client certificate", .enabled(if: isInstalled("curl")))
  func curlCertificate() throws {
    let script = #"""
      exec curl --silent --show-error --http2 --cacert "$APNS_CA_FILE" --cert "$APNS_CERT_FILE" \
        --header 'apns-topic: com.example.app' --data '{"aps":{"alert":"Hi"}}' --write-out '%{http_code}' \
        "https://$APNS_ENDPOINT/3/device/abab"
      """#
    let run = try serve(["sh", "-c", script], ["--quiet", "--auth", "certificate"])
    #expect(run.status == 0 && run.text == "200", "\(run.text)")
  }

  @Test("h2load", .enabled(if: isInstalled("h2load") && isInstalled("openssl")))
  func h2load() throws {
    let script =
      sendsOne + #"""

        printf '{"aps":{"alert":"Hi"}}' > "$TMPDIR/body"
        h2load -n 2000 -c 4 -m 100 -d "$TMPDIR/body" -H "authorization: bearer $token" -H 'apns-topic: com.example.app' \
          "https://$APNS_ENDPOINT/3/device/$device"
        """#
    let folder = FileManager.default.temporaryDirectory.path
    let run = try serve(["env", "TMPDIR=\(folder)", "sh", "-c", script])
    #expect(run.status == 0 && run.text.contains("2000 succeeded, 0 failed"), "\(run.text)")
    #expect(run.received.count == 2000)
  }
}
