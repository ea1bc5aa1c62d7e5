// The pages a command can print about itself.

/// A page made from the declarations.
public enum Page: String, CaseIterable, Sendable {
  /// `--help`.
  case help
  /// The manual page, in mdoc.
  case manual = "man"
  /// Completion for bash.
  case bash
  /// Completion for zsh.
  case zsh
  /// Completion for fish.
  case fish
}

extension Command {
  /// A page as text, ending in a newline.
  /// - Parameter width: columns for the help, held between 80 and 100; the other pages have no width.
  /// - Parameter colour: whether the help may use bold type.
  public func render(_ page: Page, width: Int = 80, colour: Bool = false) -> String {
    switch page {
    case .help: renderHelp(width: min(max(width, 80), 100), colour: colour)
    case .manual: renderManual()
    case .bash: renderBash()
    case .zsh: renderZsh()
    case .fish: renderFish()
    }
  }
}
