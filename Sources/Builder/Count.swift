// How a run over recipients went.

import Filter

/// Recipients seen, and those from which no notification came.
public struct Count: Sendable, Equatable {
  public var records = 0
  public var faults = 0

  public init(records: Int = 0, faults: Int = 0) {
    self.records = records
    self.faults = faults
  }

  public init(_ tally: Tally) { self.init(records: tally.records, faults: tally.faults) }

  public var status: Status { faults == 0 ? .ok : .findings }
}
