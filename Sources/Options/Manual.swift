// The manual page in mdoc, in the order of chapters that mdoc(7) gives.

extension Command {
  func renderManual() -> String {
    var page = Mdoc()
    let vocabulary = Vocabulary(of: self)
    page.macro("\\\" Made by '\(name) --generate-page man' from the declarations of its options: change those.")
    page.macro("Dd \(mdocDate)")
    page.macro("Dt \(name.uppercased()) 1")
    page.macro("Os apns-tools")
    page.macro("Sh NAME")
    page.macro("Nm \(name)")
    page.macro("Nd \(Mdoc.escaped(summary))")
    putSynopsis(&page)
    page.macro("Sh DESCRIPTION")
    page.put(description.flatMap { vocabulary.blocks($0) })
    putOperand(&page, vocabulary)
    putOptions(&page, vocabulary)
    for section in sections {
      page.macro("Sh " + heading(section.title.uppercased()))
      page.put(section.paragraphs.flatMap { vocabulary.blocks($0) })
    }
    putEnvironment(&page, vocabulary)
    if !files.isEmpty {
      page.macro("Sh FILES")
      putTable(&page, files.map { ("Pa \(Mdoc.argument($0.path))", vocabulary.blocks($0.meaning)) })
    }
    page.macro("Sh EXIT STATUS")
    putTable(&page, exitStatuses.map { ("\(Mdoc.argument($0.status))", vocabulary.blocks(sentence($0.meaning))) })
    putExamples(&page, vocabulary)
    putSeeAlso(&page)
    return page.text
  }

  /// "2026-11-30" as "November 30, 2026"; anything else as it stands.
  private var mdocDate: String {
    let months = [
      "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
      "December",
    ]
    let parts = date.split(separator: "-").compactMap { Int($0) }
    guard parts.count == 3, months.indices.contains(parts[1] - 1) else { return date }
    return "\(months[parts[1] - 1]) \(parts[2]), \(parts[0])"
  }

  private func putSynopsis(_ page: inout Mdoc) {
    page.macro("Sh SYNOPSIS")
    for line in usageLines {
      page.macro("Nm")
      for token in line.split(separator: " ") { putUsage(token, &page) }
    }
  }

  /// One word of a usage line, with the brackets that touch it: a pair makes an optional word, a lone one opens or closes.
  private func putUsage(_ token: Substring, _ page: inout Mdoc) {
    let opening = token.prefix { $0 == "[" }.count
    var core = token.dropFirst(opening)
    let outerDots = core.hasSuffix("]...")
    if outerDots { core.removeLast(3) }
    var closing = 0
    while core.last == "]" {
      core.removeLast()
      closing += 1
    }
    let dots = core.hasSuffix("...") ? " ..." : ""
    if !dots.isEmpty { core.removeLast(3) }
    let word: String
    if core.hasPrefix("-") {
      word = core == "-" ? "Ar \\&-" : Mdoc.flag(String(core))
    } else if core.allSatisfy({ $0.isLetter || $0.isNumber || "-_=:/".contains($0) }) {
      word = "Ar \(Mdoc.argument(String(core)))"
    } else {
      word = "No \(Mdoc.argument(String(core)))"
    }
    let pairs = min(opening, closing)
    for _ in pairs..<max(opening, pairs) { page.macro("Oo") }
    page.macro(String(repeating: "Op ", count: pairs) + word + dots)
    for _ in pairs..<max(closing, pairs) { page.macro("Oc") }
    if outerDots { page.macro("No ...") }
  }

  private func putOperand(_ page: inout Mdoc, _ vocabulary: Vocabulary) {
    guard let operand else { return }
    let dots = operand.repeats ? " ..." : ""
    putTable(&page, [("Ar \(Mdoc.argument(operand.word))\(dots)", vocabulary.blocks(sentence(operand.summary)))])
  }

  private func putOptions(_ page: inout Mdoc, _ vocabulary: Vocabulary) {
    page.macro("Sh OPTIONS")
    for group in allGroups where !group.options.isEmpty {
      page.macro("Ss " + heading(group.title))
      page.macro("Bl -tag -width Ds")
      for option in group.options { putOption(option.declaration, &page, vocabulary) }
      page.macro("El")
    }
  }

  private func putOption(_ option: Declaration, _ page: inout Mdoc, _ vocabulary: Vocabulary) {
    let value = option.valueWord.map { Mdoc.argument($0) }
    var forms: [String] = []
    if let short = option.short { forms.append("Fl \(short)" + (value.map { " Ar \($0)" } ?? "")) }
    let attached = value.map { option.bareValue == nil ? " Ns = Ns Ar \($0)" : " Ns Oo = Ns Ar \($0) Oc" }
    forms.append("Fl -\(option.name)" + (attached ?? ""))
    if option.negatable { forms.append("Fl -no-\(option.name)") }
    page.macro("It " + forms.joined(separator: " , "))
    let vocabulary = vocabulary.with(valueOf: option)
    page.put(vocabulary.words(sentence(option.summary)))
    page.put(vocabulary.blocks(option.details))
    if !option.choices.isEmpty, option.choices.allSatisfy(\.meaning.isEmpty) {
      page.macro("Pp")
      page.put(vocabulary.words("One of " + alternatives(option.choices.map { "`\($0.word)`" }) + "."))
    } else if !option.choices.isEmpty {
      page.macro("Pp")
      putTable(
        &page, option.choices.map { ("Cm \(Mdoc.argument($0.word))", vocabulary.blocks(sentence($0.meaning))) },
        compact: true)
    }
    let notes = notes(on: option)
    if !notes.isEmpty {
      page.macro("Pp")
      page.put(vocabulary.words(notes))
    }
  }

  /// What else must be known: repeats, default, variable.
  private func notes(on option: Declaration) -> String {
    var notes: [String] = []
    if option.repeats { notes.append("May be given more than once.") }
    if let text = option.defaultText { notes.append("Default: \(text).") }
    if let variable = option.environment { notes.append("Environment: \(variable).") }
    return notes.joined(separator: " ")
  }

  private func putEnvironment(_ page: inout Mdoc, _ vocabulary: Vocabulary) {
    var rows = declarations.compactMap { option in
      option.environment.map { variable in
        (
          "Ev \(variable)",
          vocabulary.with(valueOf: option).blocks(
            "Used when --\(option.name) is not given: \(option.summary).")
        )
      }
    }
    rows += environment.map { ("Ev \($0.name)", vocabulary.blocks(sentence($0.meaning))) }
    if rows.isEmpty { return }
    page.macro("Sh ENVIRONMENT")
    putTable(&page, rows)
  }

  private func putExamples(_ page: inout Mdoc, _ vocabulary: Vocabulary) {
    if examples.isEmpty { return }
    page.macro("Sh EXAMPLES")
    for (index, example) in examples.enumerated() {
      if index > 0 { page.macro("Pp") }
      page.put(vocabulary.words(example.purpose + ":"))
      page.literal(example.command.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) })
    }
  }

  private func putSeeAlso(_ page: inout Mdoc) {
    if seeAlso.isEmpty { return }
    let manuals = seeAlso.map { name in
      let parts = name.split(separator: "(", maxSplits: 1)
      return (name: String(parts[0]), section: parts.count == 2 ? String(parts[1].dropLast()) : "1")
    }.sorted { ($0.section, $0.name) < ($1.section, $1.name) }
    page.macro("Sh SEE ALSO")
    for (index, manual) in manuals.enumerated() {
      page.macro("Xr \(manual.name) \(manual.section)" + (index < manuals.count - 1 ? " ," : ""))
    }
  }

  /// A heading's words, none of them a macro.
  private func heading(_ title: String) -> String {
    title.split(separator: " ").map { Mdoc.argument(String($0)) }.joined(separator: " ")
  }

  /// Terms and what they mean.
  private func putTable(_ page: inout Mdoc, _ rows: [(term: String, meaning: [Block])], compact: Bool = false) {
    page.macro("Bl -tag -width Ds" + (compact ? " -compact" : ""))
    for row in rows {
      page.macro("It \(row.term)")
      page.put(row.meaning)
    }
    page.macro("El")
  }
}
