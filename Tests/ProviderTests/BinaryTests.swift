// The binary protocol's side of the sender, each part alone: bytes, identifiers, limits, words.
import APNs
import BinaryProtocol
import JSON
import POSIX
import TLS
import Testing

@testable import Provider

private func hex(_ bytes: [UInt8]) -> String {
  var out: [UInt8] = []
  for byte in bytes { out.append(hexadecimal: byte) }
  return String(decoding: out, as: UTF8.self)
}

/// A flight made of a line.
private func flight(_ line: String) throws -> Flight {
  var reader = Reader()
  let bytes = Array(line.utf8)
  try reader.read(bytes.span)
  let tokens = reader.tokens
  var problems: [Problem] = []
  let document = Document(bytes.span, tokens.span)
  let record = APNs.Notification.read(document, problems: &problems)
  #expect(problems.isEmpty, "\(problems)")
  var flight = Flight()
  flight.load(record, document, number: 1)
  return flight
}

private func problems(_ line: String, _ format: BinaryFormat) throws -> [String] {
  var reader = Reader()
  let bytes = Array(line.utf8)
  try reader.read(bytes.span)
  let tokens = reader.tokens
  var problems: [Problem] = []
  let document = Document(bytes.span, tokens.span)
  let record = APNs.Notification.read(document, problems: &problems)
  #expect(problems.isEmpty, "\(problems)")
  return BinaryLimits.problems(of: record, document, format).map(\.rule)
}

private let token = String(repeating: "0A", count: 32)

@Suite struct BinaryBytes {
  private func wire(_ line: String, _ format: BinaryFormat, identifier: UInt32 = 7) throws -> String {
    let flight = try flight(line)
    var token: [UInt8] = []
    BinaryLimits.decode(flight.bytes.span.extracting(flight.token.range), into: &token)
    var out: [UInt8] = []
    try flight.appendNotification(format, identifier, token, to: &out)
    return hex(out)
  }

  private let line = #"{"token":"\#(token)","payload":{"aps":1},"expiration":258,"priority":5}"#
  private let bytes = String(repeating: "0a", count: 32)

  @Test func command2() throws {
    #expect(
      try wire(line, .frame)
        == "0200000041" + "010020" + bytes + "020009" + "7b22617073223a317d" + "030004" + "00000007" + "040004"
        + "00000102" + "050001" + "05")
  }

  @Test func command1() throws {
    #expect(
      try wire(line, .enhanced) == "01" + "00000007" + "00000102" + "0020" + bytes + "0009" + "7b22617073223a317d")
  }

  @Test func command0() throws {
    #expect(try wire(line, .simple) == "00" + "0020" + bytes + "0009" + "7b22617073223a317d")
  }

  @Test func anAbsentExpirationIsLeftOutOrTheLongest() throws {
    let line = #"{"token":"\#(token)","payload":{}}"#
    #expect(try wire(line, .frame).contains("040004") == false)
    #expect(try wire(line, .enhanced).hasPrefix("01" + "00000007" + "7fffffff"))
    let zero = #"{"token":"\#(token)","payload":{},"expiration":0}"#
    #expect(try wire(zero, .enhanced).hasPrefix("01" + "00000007" + "00000000"))
    #expect(try wire(zero, .frame).hasSuffix("040004" + "00000000"))
  }
}

@Suite struct BinaryLimitTests {
  @Test func tokensOfOtherLengthsGoInFramesAlone() throws {
    let line = #"{"token":"abcd","payload":{}}"#
    #expect(try problems(line, .frame) == [])
    #expect(try problems(line, .enhanced) == ["binary-token-size"])
    #expect(try problems(line, .simple) == ["binary-token-size"])
  }

  @Test(arguments: [(BinaryFormat.frame, 2048), (.enhanced, 256), (.simple, 256)])
  func payloadsUpToTheLimit(_ format: BinaryFormat, _ limit: Int) throws {
    func line(_ size: Int) -> String {
      #"{"token":"\#(token)","payload":{"a":"\#(String(repeating: "x", count: size - 8))"}}"#
    }
    #expect(try problems(line(limit), format) == [])
    #expect(try problems(line(limit + 1), format) == ["binary-payload-size"])
  }

  @Test func whatHasNoPlaceOnTheWire() throws {
    #expect(try problems(#"{"token":"\#(token)","payload":{},"priority":1}"#, .frame) == ["binary-priority"])
    #expect(try problems(#"{"token":"\#(token)","payload":{},"topic":"a.b","collapse_id":"c"}"#, .simple) == [])
  }
}

@Suite struct BinaryWindow {
  private func connection() throws -> GatewayConnection {
    let transport = Transport(
      key: 2, host: "127.0.0.1", port: 1, context: try ClientContext(trust: .anyone, protocols: []),
      settings: SenderSettings(), poller: try Poller(), now: 0)
    return GatewayConnection(transport, route: 0, linger: 1_000_000_000)
  }

  @Test func identifiersBeginWith1AndAreFoundWhileUnproven() throws {
    let connection = try connection()
    for flight in [40, 30, 20] { connection.sent(flight) }
    #expect(connection.next == 4)
    #expect((0...5).map { connection.place(of: $0) } == [nil, 0, 1, 2, nil, nil])
    #expect(connection.popFirst() == 40)
    #expect((0...4).map { connection.place(of: $0) } == [nil, nil, 0, 1, nil])
    #expect(connection.next == 4)
  }

  @Test func aPacketInSixPiecesIsOne() throws {
    let connection = try connection()
    for byte in [8, 7, 0, 0, 1] as [UInt8] {
      connection.transport.received.append(byte)
      #expect(connection.nextEvent(now: 0) == nil)
    }
    connection.transport.received.append(2)
    #expect(connection.nextEvent(now: 0) == .error(ErrorPacket(status: 7, identifier: 258)))
  }

  @Test func aPartOfAPacketIsNoSilence() throws {
    let connection = try connection()
    connection.sent(3)
    connection.transport.received = [8, 8, 0]
    #expect(connection.nextEvent(now: 5) == nil)
    #expect(connection.popProven(now: .max) == nil)
    // What is to come of it is waited for, and not for ever: a byte more gives no more time.
    #expect(connection.partDeadline == 10_000_000_005)
    connection.transport.received = [0]
    #expect(connection.nextEvent(now: 9_000_000_000) == nil)
    #expect(connection.partDeadline == 10_000_000_005)
  }

  @Test func whatIsNoPacketIsClearAtOnce() throws {
    let connection = try connection()
    connection.transport.received = Array("HTTP/1.1 400 Bad Request".utf8)
    #expect(connection.nextEvent(now: 0) == nil)
    #expect(connection.damage?.found == "an HTTP message")
  }

  @Test func theBasisIsSaidInSeconds() {
    var settings = BinarySettings()
    #expect(settings.basis == "no error within 1 s")
    settings.linger = 250_000_000
    #expect(settings.basis == "no error within 0.25 s")
    settings.linger = 10_000_000_000
    #expect(settings.basis == "no error within 10 s")
    settings.linger = 0
    #expect(settings.basis == "no error within 0 s")
  }

  @Test func everyStatusHasAdviceThatFits() {
    #expect(ErrorStatus.invalidToken.advice == .fix)
    #expect(ErrorStatus.processingError.advice == .retry)
    #expect(ErrorStatus.unknown.advice == nil)
  }
}
