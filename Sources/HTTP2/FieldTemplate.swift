// A header list prepared once and sent many times: fixed fields, and holes that each message fills.
internal import CNGHTTP2

/// How a field goes into the header table that both ends keep (RFC 7541 section 6.2).
public enum Indexing: UInt8, Sendable {
  /// Into the table when nghttp2 finds it worthwhile: a later equal field costs one byte. nghttp2 keeps `:path`,
  /// `content-length` and a few others out by itself.
  case incremental
  /// Never into the table: a literal marked never-indexed (RFC 7541 section 6.2.3).
  case never
  /// Into the table the first time on a connection, so that the name is there, and a literal from then on: what
  /// Apple asks for `apns-id`, `apns-expiration` and `apns-collapse-id`.
  case firstTime
}

/// A header list prepared once and sent many times. Names and fixed values are laid out when they are added;
/// `set` fills a hole, and stays filled until it is set again or cleared. One owner, one thread: keep one for each
/// connection. Pseudo fields (`:method`) come first, in the order they are added.
public final class FieldTemplate {
  private struct Field {
    var name: UnsafeMutablePointer<UInt8>
    var value: ByteStore
    var isPresent: Bool
    var indexing: Indexing
    var bit: UInt64
  }

  private var fields: [Field] = []
  private var packed: UnsafeMutablePointer<nghttp2_nv>
  private var packedCapacity = 16
  private var nv: [nghttp2_nv] = []

  /// An empty list.
  public init() { packed = .allocate(capacity: packedCapacity) }

  deinit {
    for index in fields.indices {
      fields[index].name.deallocate()
      fields[index].value.deallocate()
    }
    packed.deallocate()
  }

  /// Adds a field with a fixed value. The name is lower-cased, as HTTP/2 demands. Returns its index, which `set`
  /// takes as well.
  @discardableResult
  public func add(_ name: String, _ value: String, _ indexing: Indexing = .incremental) -> Int {
    let index = addHole(name, indexing)
    var copy = value
    copy.withUTF8 { store($0, at: index) }
    return index
  }

  /// Adds a field that each message fills with `set`; while it is not set it is not sent. Returns its index.
  public func addHole(_ name: String, _ indexing: Indexing = .incremental) -> Int {
    let lower = Array(name.utf8).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, lower.count))
    memory.initialize(from: lower, count: lower.count)
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in lower { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    // Two names may share a bit: the second is then never indexed, which costs bytes and breaks nothing.
    let bit = UInt64(1) << ((hash ^ hash >> 32) & 63)
    fields.append(Field(name: memory, value: ByteStore(), isPresent: false, indexing: indexing, bit: bit))
    var flags = UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue)
    if indexing == .never { flags |= UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) }
    nv.append(nghttp2_nv(name: memory, value: memory, namelen: lower.count, valuelen: 0, flags: flags))
    if fields.count > packedCapacity {
      packed.deallocate()
      packedCapacity *= 2
      packed = .allocate(capacity: packedCapacity)
    }
    return fields.count - 1
  }

  /// Fills a field. The bytes are copied. An index that does not exist is ignored.
  public func set(_ index: Int, _ value: Span<UInt8>) {
    value.withUnsafeBufferPointer { store($0, at: index) }
  }

  /// Fills a field with text.
  public func set(_ index: Int, _ value: String) {
    var copy = value
    copy.withUTF8 { store($0, at: index) }
  }

  /// Leaves a field out until it is set again.
  public func clear(_ index: Int) {
    guard fields.indices.contains(index) else { return }
    fields[index].isPresent = false
  }

  private func store(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) {
    guard fields.indices.contains(index) else { return }
    fields[index].value.removeAll()
    if let start = bytes.baseAddress { fields[index].value.append(start, bytes.count) }
    fields[index].isPresent = true
    nv[index].value = fields[index].value.base ?? fields[index].name
    nv[index].valuelen = bytes.count
  }

  /// The fields that are present, ready for nghttp2; valid until this list changes. `indexed` is the connection's
  /// memory of names sent once with `firstTime`.
  func prepare(_ indexed: inout UInt64) -> (UnsafePointer<nghttp2_nv>, Int) {
    var count = 0
    for index in fields.indices where fields[index].isPresent {
      var entry = nv[index]
      if fields[index].indexing == .firstTime {
        let bit = fields[index].bit
        if indexed & bit != 0 { entry.flags |= UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) }
        indexed |= bit
      }
      packed.advanced(by: count).initialize(to: entry)
      count += 1
    }
    return (UnsafePointer(packed), count)
  }
}
