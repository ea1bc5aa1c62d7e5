// What a sender over the old binary protocol is told beyond what every sender is.

import APNs
import BinaryProtocol

/// The three forms of a notification on the wire; the raw value is the command.
public enum BinaryFormat: UInt8, CaseIterable, Sendable {
  case simple = 0
  case enhanced = 1
  case frame = 2

  /// Most bytes of a payload (Apple's "Binary Provider API": 256 until 2014, 2048 since, the latter for frames).
  public var payloadLimit: Int { self == .frame ? Frame.payloadLimit : 256 }

  /// Bytes a device token may have: item 1 is of variable length, the older commands know 32 alone.
  var tokenSizes: ClosedRange<Int> { self == .frame ? 1...100 : 32...32 }

  /// Whether the gateway can say which notification it refuses.
  var hasIdentifiers: Bool { self != .simple }
}

public struct BinarySettings: Sendable {
  public var format = BinaryFormat.frame
  /// Nanoseconds without an error packet after which a notification counts as accepted. Counted from the moment when
  /// the socket has taken it.
  public var linger: UInt64 = 1_000_000_000

  public init() {}

  /// The longest expiration there is, for a record without one in a format that needs one: as long as APNs keeps it.
  static let longestExpiration = UInt32(Int32.max)

  /// `no error within 1 s`
  var basis: String {
    let milliseconds = linger / 1_000_000
    let thousandths = String(1000 + milliseconds % 1000).dropFirst()
    let digits = thousandths.reversed().drop { $0 == "0" }.reversed()
    return "no error within \(milliseconds / 1000)\(digits.isEmpty ? "" : ".")\(String(digits)) s"
  }
}

extension ErrorStatus {
  /// What to do about a notification that was refused so.
  var advice: Advice? {
    switch self {
    case .processingError, .shutdown: .retry
    case .noError, .unknown: nil
    default: .fix
    }
  }
}
