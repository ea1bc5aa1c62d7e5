// swift-tools-version: 6.2
// The drawing of the house: which target may see which. A wall here is the only wall the compiler enforces.
import PackageDescription

/// Every Swift target: warnings are errors.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableExperimentalFeature("Lifetimes"),
  // The compiler proves most accesses exclusive; asking again at run time costs a sender 7 % of its time. Debug builds,
  // and so the tests, do ask.
  .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release)),
]

/// Everything above the ground targets also marks each unsafe construct, and holds no pointer.
let safe: [SwiftSetting] = strict + [.strictMemorySafety()]

/// A tool that opens no connection is one file without a run-time library: it starts in under a millisecond.
let fullyStatic: [LinkerSetting] = [
  .unsafeFlags(["-static-executable"], .when(platforms: [.linux], configuration: .release))
]

let package = Package(
  name: "apns-tools",
  products: [
    .executable(name: "apns-build", targets: ["apns-build"]),
    .executable(name: "apns-validate", targets: ["apns-validate"]),
    .executable(name: "apns-push", targets: ["apns-push"]),
    .executable(name: "apns-decode", targets: ["apns-decode"]),
    .executable(name: "apns-feedback", targets: ["apns-feedback"]),
    .executable(name: "apns-server", targets: ["apns-server"]),
  ],
  targets: [
    // C doors: a module map and a shim header, nothing else.
    .systemLibrary(
      name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .systemLibrary(
      name: "CNGHTTP2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"]), .brew(["libnghttp2"])]),

    .systemLibrary(name: "CLinux"),

    // Ground: the only targets that may hold a pointer.
    .target(
      name: "POSIX", dependencies: [.target(name: "CLinux", condition: .when(platforms: [.linux]))],
      swiftSettings: strict),
    .target(name: "TLS", dependencies: ["COpenSSL"], swiftSettings: strict),
    .target(name: "HTTP2", dependencies: ["CNGHTTP2"], swiftSettings: strict),

    // Words: values.
    .target(name: "JSON", swiftSettings: safe),
    .target(name: "Spelling", swiftSettings: safe),
    .target(name: "Options", dependencies: ["Spelling"], swiftSettings: safe),
    .target(name: "APNs", dependencies: ["JSON", "Spelling"], swiftSettings: safe),

    // Work.
    .target(name: "Rules", dependencies: ["APNs", "JSON", "Spelling"], swiftSettings: safe),
    .target(name: "BinaryProtocol", dependencies: ["APNs", "JSON"], swiftSettings: safe),
    .target(
      name: "Provider", dependencies: ["APNs", "BinaryProtocol", "JSON", "HTTP2", "TLS", "POSIX", "Spelling"],
      swiftSettings: safe),
    .target(
      name: "Service", dependencies: ["APNs", "BinaryProtocol", "JSON", "HTTP2", "TLS", "POSIX", "Spelling"],
      swiftSettings: safe),
    .target(name: "Filter", dependencies: ["Options", "JSON", "POSIX"], swiftSettings: safe),
    .target(name: "Access", dependencies: ["APNs", "Filter", "Options", "POSIX", "Provider"], swiftSettings: safe),
    .target(
      name: "Builder", dependencies: ["APNs", "BinaryProtocol", "Filter", "JSON", "Options", "POSIX", "Spelling"],
      swiftSettings: safe),

    // Tools.
    .executableTarget(
      name: "apns-build", dependencies: ["APNs", "Builder", "Filter", "JSON", "Options", "POSIX", "Spelling"],
      swiftSettings: safe, linkerSettings: fullyStatic),
    .executableTarget(
      name: "apns-validate", dependencies: ["APNs", "Filter", "JSON", "Options", "POSIX", "Rules", "Spelling"],
      swiftSettings: safe, linkerSettings: fullyStatic),
    .executableTarget(
      name: "apns-push", dependencies: ["APNs", "Access", "Filter", "JSON", "Options", "POSIX", "Provider", "Rules"],
      swiftSettings: safe),
    .executableTarget(
      name: "apns-feedback",
      dependencies: [
        "APNs", "Access", "BinaryProtocol", "Builder", "Filter", "JSON", "Options", "POSIX", "Provider", "Spelling",
      ],
      swiftSettings: safe),
    .executableTarget(
      name: "apns-server",
      dependencies: ["APNs", "Filter", "JSON", "Options", "POSIX", "Provider", "Service", "TLS"], swiftSettings: safe),

    .executableTarget(
      name: "apns-decode", dependencies: ["APNs", "BinaryProtocol", "Filter", "JSON", "Options", "POSIX"],
      swiftSettings: safe, linkerSettings: fullyStatic),

    // Tests.
    .testTarget(name: "JSONTests", dependencies: ["JSON"]),
    .testTarget(name: "OptionsTests", dependencies: ["Options", "Spelling"]),
    .testTarget(name: "TLSTests", dependencies: ["TLS"]),
    .testTarget(name: "HTTP2Tests", dependencies: ["HTTP2"]),
    .testTarget(name: "APNsTests", dependencies: ["APNs", "JSON"]),
    .testTarget(name: "RulesTests", dependencies: ["Rules", "APNs", "JSON"], exclude: ["Cases"]),
    .testTarget(
      name: "BinaryProtocolTests", dependencies: ["BinaryProtocol", "JSON", "Options", "apns-decode"],
      exclude: ["Vectors"]),
    .testTarget(name: "FilterTests", dependencies: ["Filter", "Options", "POSIX"]),
    .testTarget(
      name: "ProviderTests",
      dependencies: ["Provider", "APNs", "BinaryProtocol", "JSON", "HTTP2", "Service", "TLS", "POSIX"]),
    .testTarget(
      name: "BuilderTests",
      dependencies: ["APNs", "Builder", "Filter", "JSON", "Options", "POSIX", "apns-build", "apns-feedback"]),
    .testTarget(
      name: "ServiceTests", dependencies: ["Service", "APNs", "JSON", "HTTP2", "TLS", "POSIX", "apns-server"]),
    .testTarget(name: "InteropTests", dependencies: ["apns-server"]),
    .testTarget(name: "CaseTests", exclude: ["Cases"]),
  ],
  swiftLanguageModes: [.v6]
)
