// What is to be done later, soonest first.

/// Something to be done at a time.
struct Timer {
  enum Kind {
    /// Answer a request that was put off: its slot and serial.
    case answer(slot: Int32, serial: Int)
    /// Send one more byte.
    case dribble
    /// Read again.
    case hear
    /// Listen again.
    case listen
    /// Send the error packet that was put off.
    case refuse
  }

  /// Monotonic nanoseconds.
  let due: UInt64
  /// The connection it is about: place and number; -1 for none.
  let place: Int
  let number: Int
  let kind: Kind
}

/// A binary heap.
struct Timers {
  private var heap: [Timer] = []

  /// When the next one is due; nil without any.
  var next: UInt64? { heap.first?.due }

  mutating func add(_ timer: Timer) {
    heap.append(timer)
    var index = heap.count - 1
    while index > 0 {
      let parent = (index - 1) / 2
      if heap[parent].due <= heap[index].due { break }
      heap.swapAt(parent, index)
      index = parent
    }
  }

  /// Takes the soonest if it is due.
  mutating func take(at now: UInt64) -> Timer? {
    guard let first = heap.first, first.due <= now else { return nil }
    let last = heap.removeLast()
    guard !heap.isEmpty else { return first }
    heap[0] = last
    var index = 0
    while true {
      let left = 2 * index + 1
      guard left < heap.count else { return first }
      let child = left + 1 < heap.count && heap[left + 1].due < heap[left].due ? left + 1 : left
      if heap[index].due <= heap[child].due { return first }
      heap.swapAt(index, child)
      index = child
    }
  }
}
