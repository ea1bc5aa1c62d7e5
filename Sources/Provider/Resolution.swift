// Looking a name up on a thread of its own: the system's resolver waits, the loop must not.

import POSIX

/// A look-up under way. The descriptor becomes readable when it is done.
final class Resolution {
  let descriptor: Descriptor
  private let answer = Monitor<Result<[Address], ResolutionError>?>(nil)

  /// nil when the host is a numeric address (the caller resolves that at once), or no thread can be had.
  init?(host: String, port: Int) {
    if Socket.isNumeric(host) { return nil }
    guard let (reader, writer) = try? makePipe() else { return nil }
    descriptor = reader
    let answer = answer
    guard
      (try? Thread.start {
        let found = Result { () throws(ResolutionError) in try Socket.resolve(host, port: port) }
        answer.change { $0 = found }
        try? writer.writeAll("\n")
      }) != nil
    else { return nil }
  }

  /// What came, nil while the look-up goes on.
  var result: Result<[Address], ResolutionError>? { answer.change { $0 } }
}
