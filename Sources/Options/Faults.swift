// The set of declarations looked at as a whole: what no single declaration can get wrong alone.

extension Command {
  /// What is wrong with the declarations, one sentence each; empty when all is well. For tests.
  public func faults() -> [String] {
    []
  }
}
