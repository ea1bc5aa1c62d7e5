// Reused bytes and fields of one stream: memory that is grown, kept and bounded.

/// Bytes that are appended to and emptied, never moved while nothing is appended. The owner calls `deallocate`.
struct ByteStore {
  private(set) var base: UnsafeMutablePointer<UInt8>?
  private(set) var count = 0
  private(set) var capacity = 0

  /// Appends `length` bytes; the caller checked the bound.
  mutating func append(_ bytes: UnsafePointer<UInt8>, _ length: Int) {
    guard length > 0 else { return }
    if count + length > capacity { grow(to: count + length) }
    base.unsafelyUnwrapped.advanced(by: count).update(from: bytes, count: length)
    count += length
  }

  mutating func removeAll() { count = 0 }

  /// Forgets the bytes, and gives memory back that only an unusual message needed.
  mutating func recycle() {
    count = 0
    if capacity > 8192 { deallocate() }
  }

  mutating func deallocate() {
    base?.deallocate()
    self = ByteStore()
  }

  private mutating func grow(to needed: Int) {
    let wanted = max(needed, capacity * 2, 256)
    let bigger = UnsafeMutablePointer<UInt8>.allocate(capacity: wanted)
    if let base {
      bigger.update(from: base, count: count)
      base.deallocate()
    }
    (base, capacity) = (bigger, wanted)
  }
}

/// The header fields of one message in order, within a bound.
struct FieldStore {
  /// Where one field stands in the bytes: the name, and its value right behind it.
  private struct Entry {
    var start: UInt32
    var nameCount: UInt32
    var valueCount: UInt32
  }

  private var bytes = ByteStore()
  private var entries: UnsafeMutablePointer<Entry>?
  private var capacity = 0
  private(set) var count = 0
  /// Size so far as RFC 9113 section 6.5.2 counts it: name and value and 32 for each field.
  private(set) var size = 0

  /// Takes a field, or says no when it would break the bound.
  mutating func append(
    name: UnsafePointer<UInt8>, _ nameCount: Int, value: UnsafePointer<UInt8>, _ valueCount: Int, limit: Int
  ) -> Bool {
    let needed = size + nameCount + valueCount + 32
    guard needed <= limit else { return false }
    if count == capacity { grow() }
    let entry = Entry(
      start: UInt32(truncatingIfNeeded: bytes.count), nameCount: UInt32(truncatingIfNeeded: nameCount),
      valueCount: UInt32(truncatingIfNeeded: valueCount))
    entries.unsafelyUnwrapped.advanced(by: count).initialize(to: entry)
    bytes.append(name, nameCount)
    bytes.append(value, valueCount)
    (count, size) = (count + 1, needed)
    return true
  }

  /// Name and value of a field; nil outside the range.
  func field(_ index: Int) -> (name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>)? {
    guard index >= 0, index < count, let entries, let base = bytes.base else { return nil }
    let entry = entries[index]
    let name = UnsafePointer(base.advanced(by: Int(entry.start)))
    return (
      UnsafeBufferPointer(start: name, count: Int(entry.nameCount)),
      UnsafeBufferPointer(start: name.advanced(by: Int(entry.nameCount)), count: Int(entry.valueCount))
    )
  }

  /// The value of the first field with that name.
  func value(_ wanted: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
    for index in 0..<count {
      guard let (name, value) = field(index), name.count == wanted.count else { continue }
      if name.elementsEqual(wanted) { return value }
    }
    return nil
  }

  mutating func removeAll() {
    bytes.removeAll()
    (count, size) = (0, 0)
  }

  mutating func recycle() {
    bytes.recycle()
    (count, size) = (0, 0)
  }

  mutating func deallocate() {
    bytes.deallocate()
    entries?.deallocate()
    self = FieldStore()
  }

  private mutating func grow() {
    let wanted = max(16, capacity * 2)
    let bigger = UnsafeMutablePointer<Entry>.allocate(capacity: wanted)
    if let entries {
      bigger.update(from: entries, count: count)
      entries.deallocate()
    }
    (entries, capacity) = (bigger, wanted)
  }
}
