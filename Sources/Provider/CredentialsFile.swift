// The credentials file: names, each with a key or a certificate, in one JSON object.
//
//   { "shop":  {"key": "AuthKey_ABCDE12345.p8", "team_id": "FGHIJ67890", "topics": ["com.example.shop"]},
//     "voice": {"cert": "voip.p12", "passphrase": "env:VOIP_PASSPHRASE", "environment": "production"} }

import APNs
import JSON
import POSIX
import Spelling

/// A mistake in the credentials file, and where.
public struct CredentialsFileError: Error, Equatable, Sendable, CustomStringConvertible {
  public let path: String
  /// From 1; columns count Unicode scalars.
  public let line: Int
  public let column: Int
  public let message: String

  public var description: String { "\(path):\(line):\(column): \(message)" }
}

/// Reads the file that names several credentials.
public enum CredentialsFile {
  /// The keys an entry may have.
  enum Key: String, CaseIterable {
    case key
    case keyTextVariable = "key_text_env"
    case keyID = "key_id"
    case teamID = "team_id"
    case cert
    case certKey = "cert_key"
    case passphrase
    case topics
    case environment
  }

  /// No more than this many bytes of names are read.
  static let sizeLimit = 16 * 1_048_576

  /// The credentials in the order of the file. Reads the files that they name, each once; what cannot be read is a problem
  /// of that credential and not of the file.
  /// - Parameter path: a file, `-`, or a pipe.
  public static func read(_ path: String) throws(CredentialsFileError) -> [CredentialSource] {
    let text: [UInt8]
    do throws(SystemError) { text = try File.read(path, limit: sizeLimit) } catch {
      throw CredentialsFileError(path: path, line: 1, column: 1, message: "cannot read the file: \(error.message)")
    }
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) + "/" }
    // What comes out of a pipe lies in no folder: its paths are as seen from the working directory.
    let isPiped = path == "-" || path.hasPrefix("/dev/") || path.hasPrefix("/proc/")
    return try parse(text, path: path, folder: isPiped ? nil : folder)
  }

  static func parse(_ text: [UInt8], path: String, folder: String?) throws(CredentialsFileError) -> [CredentialSource] {
    var text = text
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
    var reader = Reader(depthLimit: 16)
    do throws(SyntaxError) { try reader.read(text.span) } catch {
      throw Self.error(error.message, at: error.offset, text, path)
    }
    var parser = EntryParser(text: text, tokens: reader.tokens, path: path, folder: folder)
    return try parser.entries()
  }

  fileprivate static func error(_ message: String, at offset: Int, _ text: [UInt8], _ path: String)
    -> CredentialsFileError
  {
    let (line, column) = position(of: offset, in: text.span)
    return CredentialsFileError(path: path, line: line, column: column, message: message)
  }
}

/// Takes the entries out of the parsed text.
private struct EntryParser {
  let text: [UInt8]
  let tokens: [Token]
  let path: String
  let folder: String?

  private func fault(_ message: String, _ node: Int) -> CredentialsFileError {
    CredentialsFile.error(message, at: tokens[node].start, text, path)
  }

  mutating func entries() throws(CredentialsFileError) -> [CredentialSource] {
    let document = Document(text.span, tokens.span)
    guard document.kind(0) == .object else {
      throw fault("expected an object of names and credentials, found \(document.kind(0))", 0)
    }
    if let (_, second) = document.firstDuplicateKey(in: 0) {
      throw fault("the name \"\(document.string(second))\" is used twice", second)
    }
    var sources: [CredentialSource] = []
    var name = 1
    while name < document.next(0) {
      let text = document.string(name)
      if text.isEmpty { throw fault("a credential needs a name that is not empty", name) }
      guard document.kind(name + 1) == .object else { throw fault(notAnEntry(document, name, text), name) }
      sources.append(try entry(document, text, name + 1))
      name = document.next(name + 1)
    }
    if sources.isEmpty { throw fault("the file names no credential", 0) }
    return sources
  }

  /// The likely mistake is one credential without a name around it.
  private func notAnEntry(_ document: borrowing Document, _ node: Int, _ name: String) -> String {
    CredentialsFile.Key(rawValue: name) == nil
      ? "the credential \"\(name)\" must be an object"
      : "\"\(name)\" stands where a name is expected: {\"a-name\": {\"\(name)\": …}}"
  }

  private func entry(_ document: borrowing Document, _ name: String, _ object: Int) throws(CredentialsFileError)
    -> CredentialSource
  {
    if let (_, second) = document.firstDuplicateKey(in: object) {
      throw fault("\"\(document.string(second))\" stands twice in \"\(name)\"", second)
    }
    var source = CredentialSource()
    source.name = name
    var given: [CredentialsFile.Key: Int] = [:]
    var key = object + 1
    while key < document.next(object) {
      let word = document.string(key)
      guard let known = CredentialsFile.Key(rawValue: word) else { throw fault(unknown(word, name), key) }
      given[known] = key + 1
      key = document.next(key + 1)
    }
    try check(given, name, object)
    source.keyID = try string(document, given[.keyID])
    source.teamID = try string(document, given[.teamID])
    if let path = try string(document, given[.key]) {
      source.key = CredentialFile(reading: resolve(path, against: folder))
    }
    if let variable = try string(document, given[.keyTextVariable]) { source.key = variableText(variable) }
    if let path = try string(document, given[.cert]) {
      source.certificate = CredentialFile(reading: resolve(path, against: folder))
    }
    if let path = try string(document, given[.certKey]) {
      source.certificateKey = CredentialFile(reading: resolve(path, against: folder))
    }
    if let from = try string(document, given[.passphrase]) {
      do throws(CredentialProblem) { source.passphrase = try Passphrase(from, folder: folder).bytes } catch {
        source.passphraseProblem = error
      }
    }
    source.topics = try topics(document, given[.topics])
    source.environment = try environment(document, given[.environment])
    return source
  }

  private func unknown(_ word: String, _ name: String) -> String {
    let words = CredentialsFile.Key.allCases.map(\.rawValue)
    let camel = word.reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
      .split { $0 == "-" || $0 == "_" }.joined(separator: "_")
    let near = words.first { $0 == camel } ?? closest(to: word, among: words)
    return "unknown key \"\(word.prefix(60))\" in \"\(name)\""
      + (near.map { "; did you mean \"\($0)\"?" } ?? "; the keys are \(words.joined(separator: ", "))")
  }

  /// Which keys go together.
  private func check(_ given: [CredentialsFile.Key: Int], _ name: String, _ object: Int) throws(CredentialsFileError) {
    let who: [CredentialsFile.Key] = [.key, .keyTextVariable, .cert]
    let chosen = who.filter { given[$0] != nil }
    guard let only = chosen.first else {
      throw fault("\"\(name)\" has no credential: give \"key\", \"key_text_env\" or \"cert\"", object)
    }
    if chosen.count > 1 {
      throw fault("\"\(name)\" has both \"\(only.rawValue)\" and \"\(chosen[1].rawValue)\": give one", object)
    }
    let foreign: [CredentialsFile.Key] = only == .cert ? [.keyID, .teamID] : [.certKey]
    for key in foreign {
      guard let node = given[key] else { continue }
      let other = only == .cert ? "a certificate has none" : "it belongs to \"cert\""
      throw fault("\"\(name)\" has \"\(key.rawValue)\" beside \"\(only.rawValue)\": \(other)", node - 1)
    }
  }

  private func string(_ document: borrowing Document, _ node: Int?) throws(CredentialsFileError) -> String? {
    guard let node else { return nil }
    guard document.kind(node) == .string, document.end(node) - document.start(node) > 2 else {
      throw fault("\"\(document.string(node - 1))\" must be a string that is not empty", node)
    }
    return document.string(node)
  }

  private func variableText(_ variable: String) -> CredentialFile {
    guard let text = Environment.value(variable), !text.isEmpty else {
      return CredentialFile(
        missing: variable, CredentialProblem("variable-unset", "the variable \(variable) is not set", help: "set it"))
    }
    return CredentialFile(text: Array(text.utf8), variable: variable)
  }

  private func topics(_ document: borrowing Document, _ node: Int?) throws(CredentialsFileError) -> [String] {
    guard let node else { return [] }
    guard document.kind(node) == .array else { throw fault("\"topics\" must be an array of strings", node) }
    var topics: [String] = []
    var element = node + 1
    while element < document.next(node) {
      guard document.kind(element) == .string, document.end(element) - document.start(element) > 2 else {
        throw fault("a topic must be a string that is not empty", element)
      }
      topics.append(document.string(element))
      element = document.next(element)
    }
    return topics
  }

  private func environment(_ document: borrowing Document, _ node: Int?) throws(CredentialsFileError)
    -> ServiceEnvironment?
  {
    guard let word = try string(document, node), let node else { return nil }
    if let known = ServiceEnvironment(rawValue: word) { return known }
    let names = ["development": "sandbox", "dev": "sandbox", "prod": "production", "live": "production"]
    let near = names[word.lowercased()] ?? closest(to: word, among: ServiceEnvironment.allCases.map(\.rawValue))
    throw fault(
      "\"environment\" must be \"production\" or \"sandbox\", or be left out for both"
        + (near.map { "; did you mean \"\($0)\"?" } ?? ""), node)
  }
}
