// Number nodes as values. The text keeps every digit; these are for those who want to compute.

extension Document {
  /// The value of a number written as an integer, without point and exponent, that fits; nil for everything else.
  @inlinable
  public func integer(_ node: Int) -> Int? {
    let token = tokens[node]
    guard token.kind == .number else { return nil }
    let digits = bytes.extracting(token.start..<token.end)
    let isNegative = digits[0] == UInt8(ascii: "-")
    // Eighteen digits fit whatever they are.
    guard digits.count <= 18 else { return largeInteger(digits, isNegative: isNegative) }
    var value = 0
    var index = isNegative ? 1 : 0
    while index < digits.count {
      let digit = digits.byte(index) &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      value = value &* 10 &+ Int(digit)
      index &+= 1
    }
    return isNegative ? 0 &- value : value
  }

  @usableFromInline
  func largeInteger(_ digits: Span<UInt8>, isNegative: Bool) -> Int? {
    var value = 0
    // Counting downwards, since there is one more negative integer than there are positive ones.
    for index in (isNegative ? 1 : 0)..<digits.count {
      let digit = digits[index] &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      let (shifted, isTooSmall) = value.multipliedReportingOverflow(by: 10)
      let (sum, isTooSmallNow) = shifted.subtractingReportingOverflow(Int(digit))
      if isTooSmall || isTooSmallNow { return nil }
      value = sum
    }
    if isNegative { return value }
    return value == .min ? nil : 0 - value
  }

  /// The value of a number, rounded to the nearest double; nil when it is too large for one, or no number.
  public func number(_ node: Int) -> Double? {
    guard tokens[node].kind == .number else { return nil }
    let text = raw(node)
    if let value = shortNumber(text) { return value }
    guard let value = Double(String(utf8: text)), value.isFinite else { return nil }
    return value
  }

  /// The value of a number of up to fifteen digits and without exponent: two integers that a double holds exactly, so
  /// that dividing one by the other rounds once, which is rounding rightly.
  private func shortNumber(_ text: Span<UInt8>) -> Double? {
    guard text.count <= 16 else { return nil }
    let isNegative = text[0] == UInt8(ascii: "-")
    var digits = 0
    var divisor = 1
    var isFraction = false
    for index in (isNegative ? 1 : 0)..<text.count {
      let digit = text.byte(index) &- UInt8(ascii: "0")
      if digit <= 9 {
        digits = digits &* 10 &+ Int(digit)
        if isFraction { divisor &*= 10 }
      } else if text.byte(index) == UInt8(ascii: ".") {
        isFraction = true
      } else {
        return nil
      }
    }
    guard digits < 1 &<< 53 else { return nil }
    let value = Double(digits) / Double(divisor)
    return isNegative ? -value : value
  }
}
