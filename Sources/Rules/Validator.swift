// The validator: bytes in, findings out. One for each worker; a good text costs it no allocation.

import APNs
import JSON

public struct Validator: Sendable {
  private var reader = Reader()
  private var inspector: Inspector

  /// What was found in the last text, in the order of the text.
  public var findings: [Finding] { inspector.findings }
  /// The form the last text was taken for.
  public var form: Form { inspector.form }

  public init(_ selection: Selection = Selection(), settings: Settings = Settings()) {
    self.init(RuleSet(selection, knowing: settings), settings: settings)
  }

  /// - Parameter rules: made with the same settings; worth keeping when there are many validators.
  public init(_ rules: RuleSet, settings: Settings) {
    inspector = Inspector(rules, settings)
  }

  /// The worst of the findings, `off` when there are none.
  public var worst: Severity { inspector.findings.reduce(.off) { max($0, $1.severity) } }

  /// The tokens of the last text, empty when it could not be read.
  public var tokens: [Token] { reader.tokens }

  /// Checks a text that is one document. Returns whether there are findings.
  ///
  /// - Parameters:
  ///   - form: what the text is; nil recognises it by its keys.
  ///   - fallback: what it is when the keys do not tell.
  public mutating func check(_ bytes: Span<UInt8>, as form: Form? = nil, fallback: Form = .payload) -> Bool {
    inspector.forget()
    do throws(SyntaxError) {
      try reader.read(bytes)
    } catch {
      inspector.report(error, bytes, form ?? fallback)
      return !inspector.findings.isEmpty
    }
    look(bytes, form, fallback)
    return !inspector.findings.isEmpty
  }

  /// Checks the next document of a text that may hold several. Returns the offset behind it, nil when it cannot be read:
  /// then the only finding says why.
  public mutating func checkNext(
    _ bytes: Span<UInt8>, from start: Int, as form: Form? = nil, fallback: Form = .payload
  ) -> Int? {
    inspector.forget()
    do throws(SyntaxError) {
      let end = try reader.readPrefix(bytes, from: start)
      look(bytes, form, fallback)
      return end
    } catch {
      inspector.report(error, bytes, form ?? fallback)
      return nil
    }
  }

  @inline(__always)
  private mutating func look(_ bytes: Span<UInt8>, _ form: Form?, _ fallback: Form) {
    inspector.check(bytes, reader, form, fallback)
    guard inspector.form == .request else { return }
    let tokens = reader.tokens
    let document = Document(bytes, tokens.span)
    guard let node = document.providerToken else { return }
    if tokens[node].hasEscapes {
      let text = Array(document.string(node).utf8.dropFirst(7))
      checkToken(text.span, offset: document.start(node), length: document.end(node) - document.start(node))
    } else {
      let token = document.start(node) + 8..<document.end(node) - 1
      checkToken(bytes.extracting(token), offset: token.lowerBound, length: token.count)
    }
    inspector.sort()
  }

  /// What the rules know beyond the text.
  public var settings: Settings { inspector.settings }

  /// Starts anew, for findings that are added from outside.
  public mutating func forgetFindings() { inspector.forget() }

  /// Adds a finding that was made outside the walk: about bytes before the JSON, or about several documents.
  ///
  /// - Parameter severity: of a case that is milder than its rule, unless the run has its own idea of the rule.
  public mutating func add(
    _ rule: String, offset: Int, length: Int = 0, pointer: String? = nil, severity: Severity? = nil, _ message: String,
    help: String? = nil
  ) {
    inspector.add(rule, offset: offset, length: length, pointer: pointer, severity: severity, message, help: help)
  }
}
