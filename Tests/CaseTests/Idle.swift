// What apns-push asks of the system, counted with strace. Skipped where strace is missing or may not trace.
import Foundation
import Testing

@Suite struct Idle {
  private func canTrace() throws -> Bool {
    try run("strace -o /dev/null true", in: Case.packageRoot).status == 0
  }

  private func count(_ found: Outcome, _ place: Int) -> Int? {
    let lines = String(decoding: found.out, as: UTF8.self).split(separator: "\n")
    return lines.indices.contains(place) ? Int(lines[place].trimmingCharacters(in: .whitespaces)) : nil
  }

  /// What stands third, the options of the run, and how many lines reach the server: nothing; a journal as well; one
  /// without an answer; one that is to be sent again later; one that the rate holds back.
  static let stretches = [
    ("", "", 2), ("", "--journal journal", 2), ("cc", "", 3), ("dd", "", 3), ("ee", "--rate 1/h --burst 2", 2),
  ]

  @Test("time in which nothing happens costs next to nothing", arguments: stretches)
  func nothing(_ third: String, _ options: String, _ sent: Int) throws {
    guard try canTrace() else { return }
    // The stretch is the thing measured: a process that waits does nothing in it, however long it lasts.
    let found = try run(
      """
      cd "$TMPDIR"; mkfifo pipe; : > results
      cat > run.sh <<'END'
      strace -D -f -o trace apns-push --request-timeout 60 --drain-timeout 0 \(options) < pipe > results & sender=$!
      exec 9> pipe
      for token in aa bb \(third); do
        echo '{"token":"'$token'","topic":"com.example.app","payload":{"aps":{"badge":1}}}'
      done >&9
      while [ "$(wc -l < results)" -lt 2 ] || [ "$(wc -l < received)" -lt \(sent) ]; do kill -0 $sender || exit 9; done
      before=$(wc -l < trace)
      sleep 1.5
      after=$(wc -l < trace)
      kill -TERM $sender; exec 9>&-; wait $sender
      echo $((after - before))
      wc -l < results
      END
      : > received
      apns-server --quiet --timeout 60 --received received --rule '{"match":{"prefix":"cc"},"silence":true}' \
        --rule '{"match":{"prefix":"dd"},"respond":{"status":503,"reason":"ServiceUnavailable","retry_after":800}}' -- sh run.sh
      """, in: Case.packageRoot)
    #expect(count(found, 1) == (third.isEmpty ? 2 : 3), "\(String(decoding: found.err, as: UTF8.self))")
    let calls = try #require(count(found, 0))
    #expect(calls <= 30, "\(calls) system calls without anything to do")
  }

  @Test("what the journal was told is on the disk before anything is sent or said")
  func order() throws {
    guard try canTrace() else { return }
    let found = try run(
      """
      cd "$TMPDIR"
      awk 'BEGIN { for (i = 1; i <= 5000; i++)
        printf "{\\"token\\":\\"%064x\\",\\"topic\\":\\"com.example.app\\",\\"payload\\":{\\"aps\\":{\\"badge\\":1}}}\\n", i }' > lines
      apns-server --quiet --timeout 200 -- strace -f -yy -e signal=none -o trace \
        -e trace=write,writev,pwrite64,fsync,fdatasync apns-push --journal the-journal lines > results
      wc -l < results
      awk '/write.*\\/the-journal>/ { kept++; waits = 1; next }
        /f(data)?sync\\(.*\\/the-journal>/ { waits = 0; next }
        /write\\([0-9]+<(TCP|.*\\/results>)/ { said++; if (waits) early++ }
        END { print kept; print said; print early + 0 }' trace
      """, in: Case.packageRoot)
    #expect(count(found, 0) == 5000, "\(String(decoding: found.err, as: UTF8.self))")
    #expect(try #require(count(found, 1)) > 5 && #require(count(found, 2)) > 5)
    #expect(count(found, 3) == 0)
  }

  @Test("the socket is written to once for each batch, not for each request", arguments: ["", "--journal journal"])
  func batches(_ options: String) throws {
    guard try canTrace() else { return }
    let found = try run(
      """
      cd "$TMPDIR"
      awk 'BEGIN { for (i = 1; i <= 100000; i++)
        printf "{\\"token\\":\\"%064x\\",\\"topic\\":\\"com.example.app\\",\\"payload\\":{\\"aps\\":{\\"badge\\":1}}}\\n", i }' > lines
      apns-server --quiet --timeout 200 -- strace -f -yy -e signal=none -o trace \
        -e trace=epoll_wait,write,writev,sendto,sendmsg apns-push \(options) lines | wc -l
      awk '/(write|writev|sendto|sendmsg)\\([0-9]+<TCP/ { writes++; bytes += $NF }
        /epoll_wait/ { waits++ }
        END { print writes; print bytes; print waits }' trace
      """, in: Case.packageRoot)
    #expect(count(found, 0) == 100_000, "\(String(decoding: found.err, as: UTF8.self))")
    let (writes, bytes, waits) = try (
      #require(count(found, 1)), #require(count(found, 2)), #require(count(found, 3))
    )
    // A record holds 16 KiB; after a wait at most an acknowledgement and a rest that fills no record.
    #expect(bytes > 10_000_000 && writes <= bytes / 15_000 + 2 * waits + 50, "\(writes) \(bytes) \(waits)")
  }
}
