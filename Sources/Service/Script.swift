// Misbehaviour by script: which requests a rule means, and what is done to them. Nothing here knows HTTP.

/// The rules, in order; the first that matches a request decides about it.
public struct Script: Sendable {
  public init() {}
}
