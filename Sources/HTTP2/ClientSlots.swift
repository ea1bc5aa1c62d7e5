// Reading a client's slots: the answer of a stream, until it is released.

extension ClientSession {
  private func slot(_ index: Int32) -> UnsafeMutablePointer<ClientSlot>? {
    guard index >= 0, Int(index) < state.pointee.slotCount else { return nil }
    return state.pointee.slots.advanced(by: Int(index))
  }

  /// The answer's status; 0 while none came.
  public func status(_ slot: Int32) -> Int { Int(self.slot(slot)?.pointee.status ?? 0) }

  /// How many header fields of the answer were kept, pseudo fields not among them.
  public func fieldCount(_ slot: Int32) -> Int { self.slot(slot)?.pointee.fields.count ?? 0 }

  /// A header field's name. Valid until the slot is released or the session called again.
  @_lifetime(borrow self)
  public func fieldName(_ slot: Int32, _ index: Int) -> Span<UInt8> {
    let name = self.slot(slot)?.pointee.fields.field(index)?.name
    return _overrideLifetime(Span(_unsafeElements: name ?? UnsafeBufferPointer(start: nil, count: 0)), borrowing: self)
  }

  /// A header field's value. Valid until the slot is released or the session called again.
  @_lifetime(borrow self)
  public func fieldValue(_ slot: Int32, _ index: Int) -> Span<UInt8> {
    let value = self.slot(slot)?.pointee.fields.field(index)?.value
    return _overrideLifetime(Span(_unsafeElements: value ?? UnsafeBufferPointer(start: nil, count: 0)), borrowing: self)
  }

  /// The value of the first header field with that name, in lower case; nil when the answer has none.
  @_lifetime(borrow self)
  public func field(_ slot: Int32, _ name: StaticString) -> Span<UInt8>? {
    let wanted = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    guard let value = self.slot(slot)?.pointee.fields.value(wanted) else { return nil }
    return _overrideLifetime(Span(_unsafeElements: value), borrowing: self)
  }

  /// The same as text, copied.
  public func fieldText(_ slot: Int32, _ name: StaticString) -> String? {
    let wanted = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    return self.slot(slot)?.pointee.fields.value(wanted).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The answer's body, up to `Settings.bodyLimit`. Valid until the slot is released or the session called again.
  @_lifetime(borrow self)
  public func body(_ slot: Int32) -> Span<UInt8> {
    let body = self.slot(slot)?.pointee.body
    return _overrideLifetime(
      Span(_unsafeElements: UnsafeBufferPointer(start: body?.base, count: body?.count ?? 0)), borrowing: self)
  }

  /// The body or the fields were longer than the bounds, and cut.
  public func isTruncated(_ slot: Int32) -> Bool {
    guard let slot = self.slot(slot) else { return false }
    return slot.pointee.bodyIsTruncated || slot.pointee.fieldsAreTruncated
  }

  /// Gives the slot back, once after its `done` or `failed` event.
  public func release(_ slot: Int32) {
    guard let pointer = self.slot(slot), pointer.pointee.isInUse else { return }
    pointer.pointee.isInUse = false
    // A stream answered before its body was sent stays open a while: its slot still feeds the body.
    if !pointer.pointee.isOpen { state.pointee.freeSlot(Int(slot)) }
  }
}
