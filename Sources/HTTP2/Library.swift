// What client and server sessions share of nghttp2: its callbacks' types, its frames, its words.
internal import CNGHTTP2

/// nghttp2's word for an error number of its own.
func libraryWords(_ code: Int) -> String {
  String(cString: nghttp2_strerror(Int32(clamping: code)))
}

/// The head of a frame: every member of nghttp2's frame union begins with it, and reading it this way spares a copy
/// of the whole union.
@inline(__always)
func head(_ frame: UnsafePointer<nghttp2_frame>) -> nghttp2_frame_hd {
  UnsafeRawPointer(frame).assumingMemoryBound(to: nghttp2_frame_hd.self).pointee
}

/// A slot's index as the pointer nghttp2 keeps with a stream. One is added: no pointer means no slot.
@inline(__always)
func slotPointer(_ index: Int) -> UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: index + 1) }

/// The slot behind a stream's pointer, -1 for none.
@inline(__always)
func slotIndex(_ pointer: UnsafeMutableRawPointer?) -> Int { Int(bitPattern: pointer) - 1 }

/// A GOAWAY frame on its way out: nghttp2 writes one by itself when it gives a connection up.
struct GoAwayFrame {
  var lastStream: Int32
  var code: ErrorCode
  var text: String

  /// Reads the frame; nil when these bytes are another kind of frame.
  init?(_ frame: UnsafeBufferPointer<UInt8>) {
    guard frame.count >= 17, frame[3] == 7 else { return nil }
    func word(_ at: Int) -> UInt32 {
      UInt32(frame[at]) << 24 | UInt32(frame[at + 1]) << 16 | UInt32(frame[at + 2]) << 8 | UInt32(frame[at + 3])
    }
    lastStream = Int32(truncatingIfNeeded: word(9) & 0x7FFF_FFFF)
    code = ErrorCode(rawValue: word(13))
    text = String(decoding: frame[17...], as: UTF8.self)
  }
}

/// Counts frames that ask for work and bring none (PING, SETTINGS, RST_STREAM, empty DATA). A flood packs hundreds
/// of them into each read; each read forgives a few, so that a connection pinged now and then for days lives on.
struct Nuisance {
  private var count = 0
  static let limit = 10_000
  static let forgivenPerRead = 32

  mutating func startRead() { count = max(0, count - Self.forgivenPerRead) }

  /// One more; true when it is too many.
  mutating func add() -> Bool {
    count += 1
    return count > Self.limit
  }
}

/// Words that came with rare events, kept until the next batch is taken. Bounded: a peer cannot fill memory with them.
struct Notes {
  private(set) var current: [String] = []
  private(set) var taken: [String] = []

  /// Keeps a text and returns its number; -1 for an empty one or when there are too many.
  mutating func add(_ text: String) -> Int32 {
    guard !text.isEmpty, current.count < 64 else { return -1 }
    current.append(text.count > 4096 ? String(text.prefix(4096)) : text)
    return Int32(current.count - 1)
  }

  /// Makes the current batch readable.
  mutating func take() {
    if current.isEmpty, taken.isEmpty { return }
    swap(&current, &taken)
    current.removeAll(keepingCapacity: true)
  }

  func text(_ number: Int32) -> String {
    taken.indices.contains(Int(number)) ? taken[Int(number)] : ""
  }
}

/// Text sent by a peer, made harmless: at most so many bytes, invalid UTF-8 replaced.
func peerText(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> String {
  guard let bytes, count > 0 else { return "" }
  return String(decoding: UnsafeBufferPointer(start: bytes, count: min(count, 4096)), as: UTF8.self)
}
