// A stretch of a stream that is no record: where, what belonged there, what is there instead.

import JSON

/// Bytes that do not parse, up to the next place that does.
public struct Damage: Equatable, Sendable {
  /// What is wrong at its start.
  public enum Cause: Equatable, Sendable {
    /// The first byte is no command of this stream.
    case command
    /// The stream ends inside a record of so many bytes, of which it has fewer.
    case truncated(needed: Int, available: Int)
    /// The items do not fill the frame: the one so many bytes into it wants more than is left, or there are too many.
    case items(at: Int, needed: Int, left: Int)
    case tooManyItems
    /// The frame claims so many bytes, which is more than any notification has.
    case frameLength(Int)
    /// The lengths of token and payload cannot be true: nothing behind such a record parses.
    case lengths(token: Int, payload: Int?)
    /// A record of TLS: the bytes were taken before they were decrypted.
    case tls(type: UInt8, version: UInt8)
    /// The start of an HTTP message.
    case http
    /// Nothing that any of the three streams has.
    case none
  }

  /// The stream it was taken for; nil for none.
  public var framing: Framing?
  public var cause: Cause
  /// In bytes from the start of the stream.
  public var offset: Int
  /// How many bytes are passed over.
  public var length: Int
  /// The first bytes, at most eight, the first in the highest place; a number, so that an event owns no memory.
  var head: UInt64
  var headCount: Int

  /// A whole input that is none of the three streams.
  /// - Parameter head: its first bytes.
  public static func unrecognised(_ cause: Cause, head: Span<UInt8>, length: Int) -> Damage {
    var damage = View(bytes: head, isFinal: true).damage(.feedback, cause, at: 0, offset: 0)
    damage.framing = nil
    damage.length = length
    return damage
  }

  /// The rule that is broken, as in the validator's list.
  public var rule: String {
    switch cause {
    case .command, .tls, .http, .none: "bin-command"
    case .truncated: "bin-truncated"
    case .items, .tooManyItems, .frameLength: "bin-frame-length"
    case .lengths: "bin-token-size"
    }
  }

  /// What belonged there.
  public var expected: String {
    switch cause {
    case .truncated(let needed, _): "\(record) of \(needed) bytes"
    case .items(let place, let needed, _): "items that fill the frame; the one at its byte \(place) has \(needed) bytes"
    case .tooManyItems: "at most \(Decoder.itemLimit) items in a frame"
    case .frameLength: "a frame of at most \(Decoder.frameLimit) bytes"
    case .lengths: "a token of 1 to 100 bytes, and behind \(record) another one or the end"
    case .command, .tls, .http, .none: framing == .commands ? "command 0, 1 or 2" : record
    }
  }

  private var record: String {
    switch framing {
    case .feedback: "a feedback tuple"
    case .commands: "a notification"
    case .responses: "an error packet (0x08)"
    case nil: "a feedback tuple, a command 0, 1 or 2, or an error packet (0x08)"
    }
  }

  /// What is there.
  public var found: String {
    switch cause {
    case .command, .none: headText
    case .truncated(_, let available): "\(available) byte\(available == 1 ? "" : "s"), then the end"
    case .items(_, _, let left): "\(left) left"
    case .tooManyItems: "more"
    case .frameLength(let length): "a length of \(length)"
    case .lengths(let token, let payload):
      "a token length of \(token)" + (payload.map { " and a payload length of \($0)" } ?? "") + " (\(headText))"
    case .tls(let type, let version):
      "a TLS record (\(Self.tlsType(type)), version 1.\(max(Int(version), 1) - 1)): these bytes were taken before they "
        + "were decrypted"
    case .http: "an HTTP message"
    }
  }

  private var headText: String {
    var text: [UInt8] = []
    // As long as its end is not found, its length is 0.
    let shown = length == 0 ? headCount : min(headCount, length)
    for place in 0..<shown {
      if place > 0 { text.append(UInt8(ascii: " ")) }
      text.append(hexadecimal: UInt8(truncatingIfNeeded: head &>> UInt64(8 &* (7 &- place))))
    }
    if length > shown { text.append(" …") }
    return String(decoding: text, as: UTF8.self)
  }

  private static func tlsType(_ type: UInt8) -> String {
    switch type {
    case 20: "change cipher spec"
    case 21: "alert"
    case 22: "handshake"
    default: "application data"
    }
  }
}
