// Rules for files of certificates: the client's own, and stores of roots.

import APNs
import JSON

// The examples have everything that the rules look at, and neither key nor signature.

private let good = pem(
  """
  MIHEMIGyoAMCAQICAQcwCgYIKoZIzj0EAwIwFTETMBEGA1UEAwwKQXBwbGUgV1dE
  UjAeFw0yNjAxMTUwMDAwMDBaFw0yNzA0MDkxNDEzMjBaMDsxHzAdBgoJkiaJk/Is
  ZAEBDA9jb20uZXhhbXBsZS5hcHAxGDAWBgNVBAMMD2NvbS5leGFtcGxlLmFwcDAA
  oyYwJDAQBgoqhkiG92NkBgMBBAIFADAQBgoqhkiG92NkBgMCBAIFADAKBggqhkjO
  PQQDAgMBAA==
  """)

private let expired = pem(
  """
  MIHEMIGyoAMCAQICAQcwCgYIKoZIzj0EAwIwFTETMBEGA1UEAwwKQXBwbGUgV1dE
  UjAeFw0yNjAxMTUwMDAwMDBaFw0yNjA5MjExNDEzMTlaMDsxHzAdBgoJkiaJk/Is
  ZAEBDA9jb20uZXhhbXBsZS5hcHAxGDAWBgNVBAMMD2NvbS5leGFtcGxlLmFwcDAA
  oyYwJDAQBgoqhkiG92NkBgMBBAIFADAQBgoqhkiG92NkBgMCBAIFADAKBggqhkjO
  PQQDAgMBAA==
  """)

private let ending = pem(
  """
  MIHEMIGyoAMCAQICAQcwCgYIKoZIzj0EAwIwFTETMBEGA1UEAwwKQXBwbGUgV1dE
  UjAeFw0yNjAxMTUwMDAwMDBaFw0yNjA5MjgxNDEzMjBaMDsxHzAdBgoJkiaJk/Is
  ZAEBDA9jb20uZXhhbXBsZS5hcHAxGDAWBgNVBAMMD2NvbS5leGFtcGxlLmFwcDAA
  oyYwJDAQBgoqhkiG92NkBgMBBAIFADAQBgoqhkiG92NkBgMCBAIFADAKBggqhkjO
  PQQDAgMBAA==
  """)

private let sandboxOnly = pem(
  """
  MIGyMIGgoAMCAQICAQcwCgYIKoZIzj0EAwIwFTETMBEGA1UEAwwKQXBwbGUgV1dE
  UjAeFw0yNjAxMTUwMDAwMDBaFw0yNzA0MDkxNDEzMjBaMDsxHzAdBgoJkiaJk/Is
  ZAEBDA9jb20uZXhhbXBsZS5hcHAxGDAWBgNVBAMMD2NvbS5leGFtcGxlLmFwcDAA
  oxQwEjAQBgoqhkiG92NkBgMBBAIFADAKBggqhkjOPQQDAgMBAA==
  """)

private let oldRoot = pem(
  """
  MIGYMIGGoAMCAQICAQcwCgYIKoZIzj0EAwIwHTEbMBkGA1UEAwwSR2VvVHJ1c3Qg
  R2xvYmFsIENBMB4XDTI2MDExNTAwMDAwMFoXDTI3MDQwOTE0MTMyMFowHTEbMBkG
  A1UEAwwSR2VvVHJ1c3QgR2xvYmFsIENBMACjEDAOMAwGA1UdEwQFMAMBAf8wCgYI
  KoZIzj0EAwIDAQA=
  """)

private let newRoot = pem(
  """
  MIG+MIGsoAMCAQICAQcwCgYIKoZIzj0EAwIwMDEuMCwGA1UEAwwlVVNFUlRydXN0
  IFJTQSBDZXJ0aWZpY2F0aW9uIEF1dGhvcml0eTAeFw0yNjAxMTUwMDAwMDBaFw0y
  NzA0MDkxNDEzMjBaMDAxLjAsBgNVBAMMJVVTRVJUcnVzdCBSU0EgQ2VydGlmaWNh
  dGlvbiBBdXRob3JpdHkwAKMQMA4wDAYDVR0TBAUwAwEB/zAKBggqhkjOPQQDAgMB
  AA==
  """)

private func pem(_ body: String) -> String {
  "-----BEGIN CERTIFICATE-----\n\(body)\n-----END CERTIFICATE-----\n"
}

let certificateRules: [Rule] = [
  Rule(
    "cert-environment", .error, "a push certificate has the mark of the environment",
    why: "Apple marks certificates for the sandbox, for production or for both, and refuses them elsewhere.",
    passes: .file(good, "--environment", "production"), fails: .file(sandboxOnly, "--environment", "production"),
    refusal: "BadCertificateEnvironment", needs: .environment, at: .credentialFile),
  Rule(
    "cert-expired", .error, "a client certificate is within its period of validity",
    why: "APNs refuses the connection.",
    passes: .file(good, "--now", "1790000000"), fails: .file(expired, "--now", "1790000000"),
    refusal: "BadCertificate", needs: .clock, at: .credentialFile),
  Rule(
    "cert-expires-soon", .warning, "a client certificate has thirty days left",
    why: "It lives for about a year, and a new one takes some clicks on Apple's pages.",
    passes: .file(good, "--now", "1790000000"), fails: .file(ending, "--now", "1790000000"), needs: .clock,
    at: .credentialFile),
  Rule(
    "trust-store-old", .warning, "a store of roots has the ones of APNs",
    why:
      "Since 2025 the servers' chain ends at USERTrust RSA Certification Authority, or at AAA Certificate Services. A "
      + "store is a file of roots with one that APNs used before, or with ten and more.",
    passes: .file(newRoot), fails: .file(oldRoot), at: .credentialFile),
]
