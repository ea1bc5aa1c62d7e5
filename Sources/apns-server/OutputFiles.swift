// The files the server writes: opened before anything in them is thrown away, so that no two of them are one.

import Filter
import Options
import POSIX

/// Where records and the log go.
struct OutputFiles {
  let records: Descriptor?
  let log: Descriptor?

  /// - Parameter runsCommand: standard output is the command's own.
  init(_ arguments: Arguments, runsCommand: Bool) throws {
    let (received, log) = (arguments[ServerOptions.received], arguments[ServerOptions.log])
    let file = try received == "-" ? nil : Self.open(received, for: "--received")
    let records = received == "-" || (received == nil && !runsCommand) ? Descriptor.standardOutput : file
    self.log = try Self.open(log, for: "--log")
    self.records = records
    if let identity = self.log?.identity, identity == records?.identity {
      throw Failure("--log and what is received would be written into one file")
    }
    for descriptor in [file, self.log] { try Self.check(descriptor, arguments) }
    do throws(SystemError) {
      // What is no file, a pipe or a device, has nothing to throw away.
      for case let descriptor? in [file, self.log] where descriptor.identity != nil { try descriptor.truncate(to: 0) }
    } catch {
      throw Failure("the files of --received and --log cannot be emptied: \(error.message)")
    }
  }

  private static func open(_ path: String?, for option: String) throws -> Descriptor? {
    guard let path else { return nil }
    do throws(SystemError) {
      return try File.create(path, appending: true)
    } catch {
      throw Failure("\(option): \(path): \(error.message)")
    }
  }

  /// What the server reads is not written over.
  private static func check(_ descriptor: Descriptor?, _ arguments: Arguments) throws {
    guard let identity = descriptor?.identity else { return }
    let inputs = [
      arguments[ServerOptions.key], arguments[ServerOptions.keys], arguments[ServerOptions.clientCA],
      arguments[ServerOptions.readyFile],
    ]
    for case let path? in inputs + arguments.all(ServerOptions.script) where File.identity(path) == identity {
      throw Failure("\(path) is used already; --received and --log write files of their own")
    }
  }
}
