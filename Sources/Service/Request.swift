// One request over HTTP/2 as the checks see it: which header field stands where.

import APNs
import HTTP2

/// What a path asks for.
enum Target {
  /// `POST /3/device/<token>`.
  case device
  /// `POST /4/broadcasts/apps/<bundle>`.
  case broadcast
  /// `/1/apps/<bundle>/channels`.
  case channels
  /// `GET /1/apps/<bundle>/all-channels`.
  case allChannels
  case unknown
}

/// The places of a request's fields; the bytes stay in the session's slot. Valid until the slot is released.
struct Request {
  let session: ServerSession
  let slot: Int32
  let stream: Int32
  private(set) var method = -1
  private(set) var path = -1
  private(set) var authorization = -1
  private(set) var topic = -1
  private(set) var pushType = -1
  private(set) var priority = -1
  private(set) var expiration = -1
  private(set) var collapseID = -1
  private(set) var id = -1
  private(set) var channelID = -1
  private(set) var requestID = -1
  /// A field that APNs reads stands there twice.
  private(set) var hasDuplicates = false
  private(set) var target = Target.unknown
  /// Where the device token or the bundle identifier stands in the path.
  private(set) var subject = 0..<0

  init(_ session: ServerSession, _ slot: Int32, _ stream: Int32) {
    (self.session, self.slot, self.stream) = (session, slot, stream)
    for index in 0..<session.fieldCount(slot) { take(session.fieldName(slot, index), index) }
    if path >= 0 { (target, subject) = Self.read(session.fieldValue(slot, path)) }
  }

  /// The length decides first: most names differ in it.
  @inline(__always)
  private mutating func take(_ name: Span<UInt8>, _ index: Int) {
    var isFirst = true
    switch name.count {
    case 5: if name.equals(":path") { isFirst = Self.set(&path, index) }
    case 7:
      if name.equals("apns-id") { isFirst = Self.set(&id, index) }
      if name.equals(":method") { isFirst = Self.set(&method, index) }
    case 10: if name.equals("apns-topic") { isFirst = Self.set(&topic, index) }
    case 13:
      if name.equals("authorization") { isFirst = Self.set(&authorization, index) }
      if name.equals("apns-priority") { isFirst = Self.set(&priority, index) }
    case 14: if name.equals("apns-push-type") { isFirst = Self.set(&pushType, index) }
    case 15:
      if name.equals("apns-expiration") { isFirst = Self.set(&expiration, index) }
      if name.equals("apns-channel-id") { isFirst = Self.set(&channelID, index) }
      if name.equals("apns-request-id") { isFirst = Self.set(&requestID, index) }
    case 16: if name.equals("apns-collapse-id") { isFirst = Self.set(&collapseID, index) }
    default: break
    }
    if !isFirst { hasDuplicates = true }
  }

  /// The first of several counts; false for a further one.
  @inline(__always)
  private static func set(_ place: inout Int, _ index: Int) -> Bool {
    if place >= 0 { return false }
    place = index
    return true
  }

  /// What a path asks for, and where its subject stands.
  private static func read(_ path: Span<UInt8>) -> (Target, Range<Int>) {
    if path.begins(with: "/3/device") {
      if path.count == 9 { return (.device, 9..<9) }
      return path[9] == UInt8(ascii: "/") ? (.device, 10..<path.count) : (.unknown, 0..<0)
    }
    if path.begins(with: "/4/broadcasts/apps/") { return (.broadcast, 19..<path.count) }
    guard path.begins(with: "/1/apps/"), let slash = (8..<path.count).first(where: { path[$0] == UInt8(ascii: "/") })
    else { return (.unknown, 0..<0) }
    let rest = path.extracting(slash..<path.count)
    if rest.equals("/channels") { return (.channels, 8..<slash) }
    return rest.equals("/all-channels") ? (.allChannels, 8..<slash) : (.unknown, 0..<0)
  }

  /// A field's value; empty for the place -1.
  @_lifetime(borrow self)
  func value(_ place: Int) -> Span<UInt8> {
    unsafe _overrideLifetime(session.fieldValue(slot, place), borrowing: self)
  }

  /// The device token or the bundle identifier of the path.
  var subjectText: Span<UInt8> {
    @_lifetime(borrow self)
    get { unsafe _overrideLifetime(value(path).extracting(subject), borrowing: self) }
  }

  var body: Span<UInt8> {
    @_lifetime(borrow self)
    get { unsafe _overrideLifetime(session.body(slot), borrowing: self) }
  }

  var isTruncated: Bool { session.isTruncated(slot) }
}
