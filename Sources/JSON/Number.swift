// Number nodes as values. The text keeps every digit; these are for those who want to compute.

extension Document {
  /// The value of a number written as an integer, without point and exponent, that fits; nil for everything else.
  @inlinable
  public func integer(_ node: Int) -> Int? {
    let token = tokens[node]
    guard token.kind == .number else { return nil }
    let isNegative = bytes[token.start] == UInt8(ascii: "-")
    var value = 0
    // Counting downwards, since there is one more negative integer than there are positive ones.
    for index in token.start + (isNegative ? 1 : 0)..<token.end {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      let (shifted, isTooSmall) = value.multipliedReportingOverflow(by: 10)
      let (sum, isTooSmallNow) = shifted.subtractingReportingOverflow(Int(digit))
      if isTooSmall || isTooSmallNow { return nil }
      value = sum
    }
    if isNegative { return value }
    return value == .min ? nil : -value
  }

  /// The value of a number, rounded to the nearest double; nil when it is too large for one, or no number.
  public func number(_ node: Int) -> Double? {
    guard tokens[node].kind == .number, let value = Double(String(utf8: raw(node))), value.isFinite else { return nil }
    return value
  }
}
