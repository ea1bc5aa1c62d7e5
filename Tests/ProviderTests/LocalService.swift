// The local service in this process, for tests of what connects to it.
import POSIX
import Service
import TLS

/// A service in a thread of its own. It ends when the notifications came that the test sends, or half a minute is over.
final class LocalService {
  let port: Int
  /// What signs provider tokens, and the PEM to trust.
  let key: SigningKey?
  let authority: [UInt8]
  private let thread: Thread

  init(expecting count: Int, rules: [String] = []) throws {
    let now = Clock.system.unixSeconds
    let credentials = try Credentials.make(
      hosts: [], clientTopic: "com.example.app", signingKey: nil, makesKey: true, keyID: nil, teamID: nil, now: now)
    var settings = Settings()
    settings.takesAnyToken = true
    settings.tokenSpacing = 0
    settings.expected = count
    settings.timeoutSeconds = 30
    for (number, rule) in rules.enumerated() {
      settings.script.append(try Script.read(rule: rule, number: number + 1, timestamp: 0))
    }
    let (shared, given) = (settings, credentials)
    (key, authority) = (credentials.signingKey, credentials.authority.certificate.pem)
    let answer = Monitor<Int?>(nil)
    thread = try Thread.start {
      do {
        let observer = Observer(log: nil, frames: false, words: nil, clock: .system)
        let server = try Server(shared, given, output: nil, observer: observer)
        answer.change { $0 = server.ports[0].port }
        _ = try server.run(signals: Signals([]), child: nil)
      } catch {
        answer.change { $0 = 0 }
      }
    }
    port = answer.wait { $0 }
  }

  deinit { thread.join() }
}
