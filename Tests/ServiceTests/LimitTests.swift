// The stream limit that moves, and connections that are sent away.
import APNs
import Foundation
import HTTP2
import Testing

@Suite struct LimitTests {
  @Test("one stream until the first authenticated request, then --max-streams") func lifting() throws {
    let server = try Running(["--max-streams", "7"])
    let token = try Minter(server).token()
    let caller = try Caller(server)
    // A refusal for want of a good token does not lift the limit.
    #expect(caller.call(Push()).status == 403)
    #expect(caller.session.maxConcurrentStreams == 1)
    // One that is refused for another reason does.
    #expect(caller.call(Push().with([("apns-priority", "7")]), authorization: token).status == 400)
    #expect(caller.session.maxConcurrentStreams == 7)
  }

  @Test("streams opened before the limit is acknowledged are served") func early() throws {
    let server = try Running()
    let token = try Minter(server).token()
    let caller = try Caller(server)
    let tags = (0..<30).map { _ in caller.send(Push(), authorization: token) }
    #expect(tags.map { caller.answer($0).status } == [Int](repeating: 200, count: 30))
  }

  @Test("a stream beyond the acknowledged limit is refused, or costs the connection") func excess() throws {
    for (action, code) in [("refuse", "REFUSED_STREAM"), ("goaway", "goaway")] {
      let server = try Running([
        "--max-streams", "2", "--on-excess", action, "--rule", #"{"match":{"token":"aa"},"silence":true}"#,
      ])
      let token = try Minter(server).token()
      let wire = try Wire(server)
      let frames = RawFrames(token: token)
      wire.write(frames.preface + frames.settings())
      // The first push lifts the limit to two; the acknowledgements put it into force.
      wire.write(frames.push("99", stream: 1))
      #expect(wire.frames(until: { $0.type == 1 && $0.stream == 1 }) != nil)
      wire.write(frames.acknowledgement() + frames.acknowledgement())
      wire.write(frames.push("aa", stream: 3) + frames.push("aa", stream: 5) + frames.push("aa", stream: 7))
      if code == "goaway" {
        #expect(wire.frames(until: { $0.type == 7 }) != nil)
      } else {
        let reset = wire.frames(until: { $0.type == 3 })
        #expect(reset?.stream == 7 && reset?.payload == [0, 0, 0, 7])
      }
    }
  }

  @Test("lowered after a rejection, restored by an acceptance") func lowering() throws {
    let server = try Running(["--max-streams", "9", "--streams-after-rejection", "1"])
    let token = try Minter(server).token()
    let caller = try Caller(server)
    #expect(caller.call(Push(), authorization: token).status == 200)
    #expect(caller.session.maxConcurrentStreams == 9)
    #expect(caller.call(.device("dead4000"), authorization: token).status == 400)
    #expect(caller.session.maxConcurrentStreams == 1)
    // 410 is not counted as an error.
    #expect(caller.call(Push(), authorization: token).status == 200)
    #expect(caller.call(.device("dead4100"), authorization: token).status == 410)
    #expect(caller.session.maxConcurrentStreams == 9)
  }

  @Test("too many rejections end the connection") func disconnecting() throws {
    let server = try Running(["--disconnect-after", "2"])
    let token = try Minter(server).token()
    let caller = try Caller(server)
    for _ in 0..<2 { #expect(caller.call(.device("dead4000"), authorization: token).status == 400) }
    #expect(caller.wire.waitForEnd())
    caller.step(0)
    #expect(caller.goAway?.debug == #"{"reason":"BadDeviceToken"}"#)
  }

  @Test("silence earns IdleTimeout, and the end of the server Shutdown") func idle() throws {
    let server = try Running(["--idle-timeout", "1"])
    let caller = try Caller(server)
    #expect(caller.wire.waitForEnd())
    caller.step(0)
    #expect(caller.goAway?.code == .noError && caller.goAway?.debug == #"{"reason":"IdleTimeout"}"#)
    let other = try Caller(server)
    #expect(other.call(Push(), authorization: try Minter(server).token()).status == 200)
    #expect(try server.stop().status == 128 + 15)
    #expect(other.wire.waitForEnd())
    other.step(0)
    #expect(other.goAway?.debug == #"{"reason":"Shutdown"}"#)
  }
}
