// --dry-run and --probe: everything but the network, and the network alone.

import APNs
import Filter
import Options
import POSIX
import Provider

/// Prints the request of each line. Status 1 when one could not be sent.
func rehearse(_ services: [Service], _ settings: SenderSettings, _ lines: LineReader) throws -> Status {
  let rehearsal = Rehearsal(services, settings: settings)
  var lines = lines
  var out: [UInt8] = []
  var faults = 0
  func refuse(_ number: Int, _ message: String) {
    faults += 1
    Tool.say("\(settings.tool): line \(number): \(message)")
  }
  while !lines.isFinished {
    try lines.read()
    var found = LineReader.Found.nothing
    repeat {
      found = lines.next { line, number in
        if let message = rehearsal.show(line, number: number, into: &out) { refuse(number, message) }
      }
      if case .tooLong(let number, let length) = found { refuse(number, "the line has \(length) bytes") }
      if out.count > 65_536 || found == .nothing {
        try Descriptor.standardOutput.writeAll(out.span)
        out.removeAll(keepingCapacity: true)
      }
    } while found != .nothing
  }
  return faults == 0 ? .ok : .findings
}

/// Looks at the services: both environments, or the one that was chosen.
func probe(_ services: [Service], _ settings: SenderSettings, _ arguments: Arguments) throws -> Status {
  let onlyChosen = arguments.isGiven(PushOptions.environment) || arguments.isGiven(PushOptions.endpoint)
  var isGood = true
  for service in services where !onlyChosen || service.environment == services[0].environment {
    let finding = try Probe.look(at: service, settings: settings)
    isGood = isGood && finding.failedAt == nil
    var out: [UInt8] = []
    finding.append(to: &out)
    try Descriptor.standardOutput.writeAll(out.span)
  }
  return isGood ? .ok : .stopped
}
