// The tables as sets: every row well-formed, none missing, none twice.
import APNs
import Testing

@Suite struct TableTests {
  @Test func elevenPushTypes() {
    #expect(PushType.allCases.count == 11)
    for type in PushType.allCases {
      #expect(type.row.priorities.contains(type.row.usualPriority), "\(type)")
      #expect(type.row.payloadLimit == (type == .voip ? 5120 : 4096), "\(type)")
      #expect(type.row.topicSuffix.isEmpty || type.row.topicSuffix.hasPrefix("."), "\(type)")
      #expect(type.rawValue == type.rawValue.lowercased())
    }
    #expect(PushType.background.row.priorities == [5])
  }

  @Test func suffixesTellTheType() {
    for type in PushType.allCases where !type.row.topicSuffix.isEmpty {
      #expect(PushType.bySuffix(of: "com.example.app" + type.row.topicSuffix) == type)
    }
    #expect(PushType.bySuffix(of: "com.example.app") == nil)
    // ".voip-ptt" does not end in ".voip", and a longer suffix wins in any case.
    #expect(PushType.bySuffix(of: "com.example.app.voip-ptt") == .pushtotalk)
  }

  @Test func reasonsAreUniqueAndFitTheirStatus() {
    let names = Reason.all.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(Reason.all.filter { !$0.isBroadcastOnly }.count == 33)
    for reason in Reason.all {
      #expect([400, 403, 404, 405, 410, 413, 429, 500, 503].contains(reason.status), "\(reason.name)")
      #expect(!reason.meaning.isEmpty && !reason.meaning.hasSuffix("."), "\(reason.name)")
      if reason.status == 410 { #expect(reason.advice == .drop, "\(reason.name)") }
      if reason.status >= 500 || reason.status == 429 { #expect(reason.advice == .retry, "\(reason.name)") }
    }
    #expect(Reason.named("BadEnvironmentKeyInToken")?.meaning == Reason.named("BadEnvironmentKeyIdInToken")?.meaning)
  }

  @Test func adviceForWhatNobodyDocumented() {
    #expect(Reason.advice(name: nil, status: 200) == nil)
    #expect(Reason.advice(name: "Gremlins", status: 503) == .retry)
    #expect(Reason.advice(name: nil, status: 410) == .drop)
    #expect(Reason.advice(name: "", status: 418) == .fix)
    #expect(Reason.advice(name: "ExpiredProviderToken", status: 403) == .renew)
  }

  @Test func everyServiceHasBothEnvironments() {
    for service in Endpoint.Service.allCases {
      for environment in ServiceEnvironment.allCases {
        #expect(Endpoint.all.filter { $0.service == service && $0.environment == environment }.count == 1)
      }
    }
    #expect(Endpoint.of(.push, .production) == Endpoint.all[0])
  }

  @Test func headersAreLowerCaseAndUnique() {
    let names = RequestHeader.all.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(names.allSatisfy { $0 == $0.lowercased() })
    // Apple's advice for HPACK, by header.
    #expect(RequestHeader.path.indexing == .never && RequestHeader.authorization.indexing == .never)
    #expect(
      RequestHeader.all.filter { $0.indexing == .nameOnly }.map(\.name).sorted()
        == ["apns-collapse-id", "apns-expiration", "apns-id", "apns-request-id"])
  }
}
