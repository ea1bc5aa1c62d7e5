// The lines that are read: a million APNs payloads of some 250 bytes, the same every time.

/// Payloads with titles and bodies in several scripts, as bytes with a line feed behind each.
struct Payloads {
  private var state: UInt64 = 20_260_101
  private(set) var bytes: [UInt8] = []

  private let titles = [
    "Your order has shipped", "New message from Ana", "Meeting in 10 minutes", "Breaking news", "Zahlung eingegangen",
    "Nouveau message", "新しいメッセージ", "Счёт оплачен", "Goal! 2–1", "Flight LH 454 delayed", "Reminder",
    "Security alert", "🎉 You reached level 12", "Battery low", "Your table is ready",
  ]
  private let bodies = [
    "Parcel #-77 left the depot and will arrive on Thursday between 9 and 11.",
    #"Are we still on for #? I can bring the slides and the \"blue\" folder."#,
    "Room #, third floor. Dial-in details are in the invite.",
    "Markets closed # points higher after a quiet session in Europe and Asia.",
    "Wir haben Ihre Zahlung über # € erhalten. Vielen Dank für Ihren Einkauf!",
    "Ça va ? On se retrouve à # h devant le café de la gare, comme d’habitude.",
    "#件の新着メッセージがあります。アプリを開いて確認してください。",
    "Оплата заказа №# прошла успешно. Спасибо за покупку!",
    "New gate B#. Boarding starts 25 minutes before departure.",
    #"A new sign-in from 10.0.0.# (Linux, Firefox).\nIf this was not you, change your password."#,
    "Keep going 💪 only # points to the next badge.", "Sensor # in the basement reports 11% charge.",
  ]
  private let threads = ["orders", "chat", "calendar", "news", "bank", "sport", "travel", "security", "game", "home"]

  init(lines: Int) {
    bytes.reserveCapacity(lines * 260)
    for _ in 0..<lines { appendLine() }
  }

  /// A linear congruential generator: its upper bits are good enough for choosing words.
  private mutating func below(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(truncatingIfNeeded: state >> 33) % bound
  }

  private mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  private mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private mutating func appendLine() {
    let number = String(below(9999) + 1)
    put(#"{"aps":{"#)
    if chance(4) {
      put(#""content-available":1"#)
    } else {
      put(#""alert":{"title":"\#(titles[below(titles.count)])","body":""#)
      for part in bodies[below(bodies.count)].split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false) {
        if bytes.last != UInt8(ascii: "\"") || part.isEmpty { put(number) }
        put(String(part))
      }
      put(#"""#)
      if chance(15) { put(#","subtitle":"Nr. \#(number)""#) }
      put("}")
    }
    if chance(70) { put(#","badge":\#(below(40))"#) }
    if chance(80) { put(#","sound":"\#(["default", "chime.caf", "bell.aiff"][below(3)])""#) }
    if chance(70) { put(#","thread-id":"\#(threads[below(threads.count)])""#) }
    if chance(30) { put(#","category":"\#(["ORDER", "MESSAGE", "INVITE", "NEWS", "PAY"][below(5)])""#) }
    if chance(30) { put(#","mutable-content":1"#) }
    if chance(10) { put(#","interruption-level":"time-sensitive""#) }
    if chance(5) { put(#","relevance-score":0.\#(below(900) + 100)"#) }
    put("}")
    if chance(80) {
      put(#","order":{"id":\#(below(1_000_000_000)),"status":"\#(["new", "paid", "shipped"][below(3)])","#)
      put(#""total":\#(below(200)).\#(below(90) + 10)}"#)
    }
    if chance(30) { put(#","url":"https://example.com/o/\#(number)?src=push&lang=de""#) }
    if chance(20) { put(#","tags":["\#(threads[below(10)])","\#(threads[below(10)])"]"#) }
    put("}\n")
  }
}
