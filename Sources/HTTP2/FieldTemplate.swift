// A header list prepared once and sent many times: fixed fields, and holes that each message fills.
internal import CNGHTTP2

/// How a field goes into the header table that both ends keep (RFC 7541 section 6.2).
public enum Indexing: UInt8, Sendable {
  /// Into the table when nghttp2 finds it worthwhile: a later equal field costs one byte. nghttp2 keeps `:path`,
  /// `content-length` and a few others out by itself, and never indexes `authorization` whatever it is told.
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
    var value = ByteStore()
    var isPresent = false
    var indexing: Indexing
    var bit: UInt64
  }

  /// Behind pointers: a class's variables are checked for exclusive access each time, which a hot path pays for.
  private struct Lists {
    var count = 0
    var capacity = 16
    var fields = UnsafeMutablePointer<Field>.allocate(capacity: 16)
    /// One entry for each field, complete but for its presence.
    var entries = UnsafeMutablePointer<nghttp2_nv>.allocate(capacity: 16)
    /// The entries present, as nghttp2 takes them.
    var packed = UnsafeMutablePointer<nghttp2_nv>.allocate(capacity: 16)

    mutating func grow() {
      let moved = UnsafeMutablePointer<Field>.allocate(capacity: capacity * 2)
      moved.moveInitialize(from: fields, count: count)
      fields.deallocate()
      let copied = UnsafeMutablePointer<nghttp2_nv>.allocate(capacity: capacity * 2)
      copied.moveInitialize(from: entries, count: count)
      entries.deallocate()
      packed.deallocate()
      packed = .allocate(capacity: capacity * 2)
      (fields, entries, capacity) = (moved, copied, capacity * 2)
    }
  }

  private let lists: UnsafeMutablePointer<Lists>

  /// An empty list.
  public init() {
    lists = .allocate(capacity: 1)
    lists.initialize(to: Lists())
  }

  deinit {
    for index in 0..<lists.pointee.count {
      lists.pointee.fields[index].name.deallocate()
      lists.pointee.fields[index].value.deallocate()
    }
    lists.pointee.fields.deinitialize(count: lists.pointee.count)
    lists.pointee.fields.deallocate()
    lists.pointee.entries.deallocate()
    lists.pointee.packed.deallocate()
    lists.deinitialize(count: 1)
    lists.deallocate()
  }

  /// Adds a field with a fixed value. The name is lower-cased, as HTTP/2 demands. Returns its index, which `set`
  /// takes as well.
  @discardableResult
  public func add(_ name: String, _ value: String, _ indexing: Indexing = .incremental) -> Int {
    let index = addHole(name, indexing)
    set(index, value)
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
    var flags = UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue)
    if indexing == .never { flags |= UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) }
    if lists.pointee.count == lists.pointee.capacity { lists.pointee.grow() }
    let index = lists.pointee.count
    lists.pointee.fields.advanced(by: index).initialize(to: Field(name: memory, indexing: indexing, bit: bit))
    lists.pointee.entries.advanced(by: index).initialize(
      to: nghttp2_nv(name: memory, value: memory, namelen: lower.count, valuelen: 0, flags: flags))
    lists.pointee.count += 1
    return index
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
    guard index >= 0, index < lists.pointee.count else { return }
    lists.pointee.fields[index].isPresent = false
  }

  private func store(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) {
    guard index >= 0, index < lists.pointee.count else { return }
    let field = lists.pointee.fields.advanced(by: index)
    field.pointee.value.removeAll()
    if let start = bytes.baseAddress { field.pointee.value.append(start, bytes.count) }
    field.pointee.isPresent = true
    lists.pointee.entries[index].value = field.pointee.value.base ?? field.pointee.name
    lists.pointee.entries[index].valuelen = bytes.count
  }

  /// The fields that are present, ready for nghttp2; valid until this list changes. `indexed` is the connection's
  /// memory of names sent once with `firstTime`.
  func prepare(_ indexed: inout UInt64) -> (UnsafePointer<nghttp2_nv>, Int) {
    let (fields, entries, packed) = (lists.pointee.fields, lists.pointee.entries, lists.pointee.packed)
    var count = 0
    for index in 0..<lists.pointee.count where fields[index].isPresent {
      packed.advanced(by: count).initialize(to: entries[index])
      if fields[index].indexing == .firstTime {
        let bit = fields[index].bit
        if indexed & bit != 0 { packed[count].flags |= UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) }
        indexed |= bit
      }
      count += 1
    }
    return (UnsafePointer(packed), count)
  }

  /// Shows the fields that are present, in order, without sending them.
  public func visit(_ body: (_ name: Span<UInt8>, _ value: Span<UInt8>) -> Void) {
    var indexed: UInt64 = 0
    let (fields, count) = prepare(&indexed)
    for index in 0..<count {
      let name = UnsafeBufferPointer(start: UnsafePointer(fields[index].name), count: fields[index].namelen)
      let value = UnsafeBufferPointer(start: UnsafePointer(fields[index].value), count: fields[index].valuelen)
      body(Span(_unsafeElements: name), Span(_unsafeElements: value))
    }
  }
}
