// What both ends offer of a stream: the peer's header fields and body, read from its slot.

/// What both ends of a connection offer of a stream: the header fields and the body that the peer sent, by the slot that
/// came with an event.
public class Session {
  private let table: UnsafeMutablePointer<SlotTable>

  /// - Parameter table: lives as long as the session.
  init(_ table: UnsafeMutablePointer<SlotTable>) { self.table = table }

  func slot(_ index: Int32) -> UnsafeMutablePointer<Slot>? {
    guard index >= 0, Int(index) < table.pointee.count else { return nil }
    return table.pointee[Int(index)]
  }

  /// How many header fields were kept; of a request pseudo fields too, of an answer none.
  public final func fieldCount(_ slot: Int32) -> Int { self.slot(slot)?.pointee.fields.count ?? 0 }

  /// A header field's name. Valid until the slot is released or the session called again.
  @_lifetime(borrow self)
  public final func fieldName(_ slot: Int32, _ index: Int) -> Span<UInt8> {
    let name = self.slot(slot)?.pointee.fields.field(index)?.name
    return _overrideLifetime(Span(_unsafeElements: name ?? UnsafeBufferPointer(start: nil, count: 0)), borrowing: self)
  }

  /// A header field's value. Valid until the slot is released or the session called again.
  @_lifetime(borrow self)
  public final func fieldValue(_ slot: Int32, _ index: Int) -> Span<UInt8> {
    let value = self.slot(slot)?.pointee.fields.field(index)?.value
    return _overrideLifetime(Span(_unsafeElements: value ?? UnsafeBufferPointer(start: nil, count: 0)), borrowing: self)
  }

  /// The value of the first header field with that name, in lower case; nil when there is none.
  @_lifetime(borrow self)
  public final func field(_ slot: Int32, _ name: StaticString) -> Span<UInt8>? {
    let wanted = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    guard let value = self.slot(slot)?.pointee.fields.value(wanted) else { return nil }
    return _overrideLifetime(Span(_unsafeElements: value), borrowing: self)
  }

  /// The same as text, copied.
  public final func fieldText(_ slot: Int32, _ name: StaticString) -> String? {
    let wanted = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    return self.slot(slot)?.pointee.fields.value(wanted).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The body, up to `Settings.bodyLimit`. Valid until the slot is released or the session called again.
  @_lifetime(borrow self)
  public final func body(_ slot: Int32) -> Span<UInt8> {
    let body = self.slot(slot)?.pointee.body
    return _overrideLifetime(
      Span(_unsafeElements: UnsafeBufferPointer(start: body?.base, count: body?.count ?? 0)), borrowing: self)
  }

  /// The body or the fields were longer than the bounds, and cut.
  public final func isTruncated(_ slot: Int32) -> Bool {
    guard let slot = self.slot(slot) else { return false }
    return slot.pointee.bodyIsTruncated || slot.pointee.fieldsAreTruncated
  }

  /// Gives the slot back, once: a client after `done` or `failed`, a server after its answer or after `reset`.
  public final func release(_ slot: Int32) {
    guard let pointer = self.slot(slot), pointer.pointee.isInUse else { return }
    pointer.pointee.isInUse = false
    // While the stream is open its slot still feeds our body.
    if !pointer.pointee.isOpen { table.pointee.free(Int(slot)) }
  }
}

/// A stored property of a state behind a pointer, as a pointer.
func pointer<Whole, Part>(
  _ whole: UnsafeMutablePointer<Whole>, to part: WritableKeyPath<Whole, Part>
) -> UnsafeMutablePointer<Part> {
  // A stored property always has an offset.
  let offset = MemoryLayout<Whole>.offset(of: part).unsafelyUnwrapped
  return UnsafeMutableRawPointer(whole).advanced(by: offset).assumingMemoryBound(to: Part.self)
}
