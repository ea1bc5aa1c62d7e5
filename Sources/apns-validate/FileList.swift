// The files of the command line.

import Filter
import POSIX

/// The files of the command line, folders looked into.
enum FileList {
  static func expand(_ operands: [String], recursive: Bool) throws -> [String] {
    var files: [String] = []
    for operand in operands {
      guard operand != "-", File.isDirectory(operand) else {
        files.append(operand)
        continue
      }
      guard recursive else { throw Failure("\(operand) is a folder; --recursive looks into folders") }
      let count = files.count
      var seen: Set<FileIdentity> = []
      try walk(operand.hasSuffix("/") && operand != "/" ? String(operand.dropLast()) : operand, &files, &seen)
      // A check of nothing that passes is how a misspelt path stays unseen.
      guard files.count > count else {
        throw Failure("\(operand) holds no file that ends in \(endings.joined(separator: ", "))")
      }
    }
    return files
  }

  private static let endings = [".json", ".ndjson", ".jsonl", ".apns"]

  private static func walk(_ folder: String, _ files: inout [String], _ seen: inout Set<FileIdentity>) throws {
    // A folder that a link leads to once more was looked into already: links that lead back up would never end.
    guard let identity = File.folderIdentity(folder), seen.insert(identity).inserted else { return }
    let names: [String]
    do throws(SystemError) {
      names = try File.entries(of: folder)
    } catch {
      throw Failure("cannot read the folder \(folder): \(error.message)")
    }
    for name in names where !name.hasPrefix(".") {
      let path = "\(folder)/\(name)"
      if File.isDirectory(path) {
        try walk(path, &files, &seen)
      } else if endings.contains(where: { name.lowercased().hasSuffix($0) }) {
        // Nobody may ever write to a pipe that lies in a folder. A link that leads nowhere is said later.
        if let kind = try? File.kind(path), kind == .other { continue }
        files.append(path)
      }
    }
  }
}
