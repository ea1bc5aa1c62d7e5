// Rules for credential files: provider tokens and keys. The looking is done by `Validator.checkCredential`.

import APNs
import JSON

/// A provider token in order, made at 1789999400.
private let goodToken =
  "eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ.eyJpc3MiOiJERUYxMjNHSElKIiwiaWF0IjoxNzg5OTk5NDAwfQ.AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT4_QA"

/// The same, made a minute later.
private let laterToken =
  "eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ.eyJpc3MiOiJERUYxMjNHSElKIiwiaWF0IjoxNzg5OTk5NDYwfQ.AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT4_QA"

/// A request with a provider token, as a line of a file.
private func withToken(_ token: String) -> String {
  #"{"path":"/3/device/\#(Example.token)","headers":[["apns-topic","com.example.app"],["apns-push-type","alert"],"#
    + #"["authorization","bearer \#(token)"]],"payload":{"aps":{"alert":"Hi"}}}"# + "\n"
}

/// Not written out: what searches a repository for keys should find none here.
private let keyLabel = "PRIVATE" + " KEY"

/// What the rules look at in a key, and no key.
private let goodKey =
  """
  -----BEGIN \(keyLabel)-----
  MBMGByqGSM49AgEGCCqGSM49AwEHAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
  -----END \(keyLabel)-----
  """

let tokenFileRules: [Rule] = [
  Rule(
    "auth-scheme-case", .note, "the scheme of a provider token is written in lower case",
    why: "Apple writes bearer; HTTP folds the case of schemes, and what APNs does is not said.",
    passes: .file(goodToken, "--now", "1790000000"), fails: .file("Bearer \(goodToken)", "--now", "1790000000"),
    at: .credentialFile),
  Rule(
    "jwt-malformed", .error, "a provider token is three parts of base64url, joined by dots",
    why: "The header and the claims are JSON; there is no padding.",
    passes: .file(goodToken, "--now", "1790000000"), fails: .file("bearer abc.def", "--now", "1790000000"),
    refusal: "InvalidProviderToken", at: .credentialFile),
  Rule(
    "jwt-alg", .error, "the algorithm of a provider token is ES256",
    why: "APNs takes no other.",
    passes: .file(goodToken, "--now", "1790000000"),
    fails: .file(
      "eyJhbGciOiJIUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ.eyJpc3MiOiJERUYxMjNHSElKIiwiaWF0IjoxNzg5OTk5NDAwfQ.AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT4_QA",
      "--now", "1790000000"), refusal: "InvalidProviderToken", at: .credentialFile),
  Rule(
    "jwt-kid", .error, "the header of a provider token names the key",
    why: "kid is the key's identifier: ten capitals and digits.",
    passes: .file(goodToken, "--now", "1790000000"),
    fails: .file(
      "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJERUYxMjNHSElKIiwiaWF0IjoxNzg5OTk5NDAwfQ.AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT4_QA",
      "--now", "1790000000"), refusal: "InvalidProviderToken", at: .credentialFile),
  Rule(
    "jwt-iss", .error, "the claims of a provider token name the team",
    why: "iss is the team's identifier: ten capitals and digits, not a bundle identifier.",
    passes: .file(goodToken, "--now", "1790000000"),
    fails: .file(
      "eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ.eyJpc3MiOiJjb20uZXhhbXBsZS5hcHAiLCJpYXQiOjE3ODk5OTk0MDB9.AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT4_QA",
      "--now", "1790000000"), refusal: "InvalidProviderToken", at: .credentialFile),
  Rule(
    "jwt-kid-iss-swapped", .error, "kid is the key and iss the team",
    why: "Both are ten capitals and digits: only who knows them can tell them apart.",
    passes: .file(goodToken, "--team-id", "DEF123GHIJ"), fails: .file(goodToken, "--team-id", "ABC123DEFG"),
    refusal: "InvalidProviderToken", needs: .identifiers, at: .credentialFile),
  Rule(
    "jwt-kid-in-claims", .error, "kid stands in the header, iss and iat in the claims",
    why: "APNs does not look elsewhere.",
    passes: .file(goodToken, "--now", "1790000000"),
    fails: .file(
      "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJERUYxMjNHSElKIiwiaWF0IjoxNzg5OTk5NDAwLCJraWQiOiJBQkMxMjNERUZHIn0.AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT4_QA",
      "--now", "1790000000"), refusal: "InvalidProviderToken", at: .credentialFile),
  Rule(
    "jwt-iat-type", .error, "iat is a number",
    why: "It is the time at which the token was made, in UNIX seconds.",
    passes: .file(goodToken, "--now", "1790000000"),
    fails: .file(
      "eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ.eyJpc3MiOiJERUYxMjNHSElKIiwiaWF0IjoiMTc4OTk5OTQwMCJ9.AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT4_QA",
      "--now", "1790000000"), refusal: "InvalidProviderToken", at: .credentialFile),
  Rule(
    "jwt-iat-milliseconds", .error, "iat is in seconds",
    why: "Above 100000000000 it is in milliseconds.",
    passes: .file(goodToken, "--now", "1790000000"),
    fails: .file(
      "eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ.eyJpc3MiOiJERUYxMjNHSElKIiwiaWF0IjoxNzkwMDAwMDAwMDAwfQ.AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT4_QA",
      "--now", "1790000000"), refusal: "InvalidProviderToken", at: .credentialFile),
  Rule(
    "jwt-iat-stale", .error, "a provider token is at most an hour old",
    why: "APNs refuses older ones.",
    passes: .file(goodToken, "--now", "1790000000"),
    fails: .file(
      "eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ.eyJpc3MiOiJERUYxMjNHSElKIiwiaWF0IjoxNzg5OTk2Mzk5fQ.AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT4_QA",
      "--now", "1790000000"), refusal: "ExpiredProviderToken", needs: .clock, at: .credentialFile),
  Rule(
    "jwt-iat-aging", .warning, "a provider token is renewed within fifty minutes",
    why: "It may expire while it waits.",
    passes: .file(goodToken, "--now", "1790000000"),
    fails: .file(
      "eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ.eyJpc3MiOiJERUYxMjNHSElKIiwiaWF0IjoxNzg5OTk2NzAwfQ.AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT4_QA",
      "--now", "1790000000"), needs: .clock, at: .credentialFile),
  Rule(
    "jwt-iat-future", .warning, "iat is not ahead",
    why: "The clock or its time zone is wrong.",
    passes: .file(goodToken, "--now", "1790000000"),
    fails: .file(
      "eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ.eyJpc3MiOiJERUYxMjNHSElKIiwiaWF0IjoxNzkwMDA3MjAwfQ.AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT4_QA",
      "--now", "1790000000"), refusal: "InvalidProviderToken", needs: .clock, at: .credentialFile),
  Rule(
    "jwt-extra-claims", .note, "a provider token has the claims iss and iat",
    why: "exp, aud, sub and nbf are for web push; APNs does not use them.",
    passes: .file(goodToken, "--now", "1790000000"),
    fails: .file(
      "eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ.eyJpc3MiOiJERUYxMjNHSElKIiwiaWF0IjoxNzg5OTk5NDAwLCJleHAiOjE3OTAwMDM2MDB9.AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT4_QA",
      "--now", "1790000000"), at: .credentialFile),
  Rule(
    "jwt-signature-size", .error, "the signature of a provider token has 64 bytes",
    why: "ES256 gives two numbers of 32 bytes (RFC 7518, section 3.4).",
    passes: .file(goodToken, "--now", "1790000000"),
    fails: .file(
      "eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ.eyJpc3MiOiJERUYxMjNHSElKIiwiaWF0IjoxNzg5OTk5NDAwfQ.AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
      "--now", "1790000000"), refusal: "InvalidProviderToken", at: .credentialFile),
  Rule(
    "jwt-signature-der", .note, "the signature of a provider token is raw",
    why: "APNs takes the DER form too, other readers do not.",
    passes: .file(goodToken, "--now", "1790000000"),
    fails: .file(
      "eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ.eyJpc3MiOiJERUYxMjNHSElKIiwiaWF0IjoxNzg5OTk5NDAwfQ.MEUCIQABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4fIAIgAQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA",
      "--now", "1790000000"), at: .credentialFile),
  Rule(
    "jwt-refresh-too-often", .warning, "a provider token is used for twenty minutes at least",
    why:
      "APNs answers TooManyProviderTokenUpdates to who makes new ones more often; one for each push is a common slip.",
    passes: .file(withToken(goodToken) + withToken(goodToken)),
    fails: .file(withToken(goodToken) + withToken(laterToken)), refusal: "TooManyProviderTokenUpdates",
    needs: .wholeRun, at: .credentialFile),
  Rule(
    "key-format", .error, "the key for provider tokens is a P-256 private key in PKCS #8",
    why:
      "An RSA key, a certificate or a public key is something else. The older form of EC keys, SEC1, holds the same key; "
      + "apns-push signs with it, but Apple does not give keys out so, and many other tools do not read it.",
    passes: .file(goodKey), fails: .file("-----BEGIN RSA \(keyLabel)-----\n-----END RSA \(keyLabel)-----\n"),
    refusal: "InvalidProviderToken", at: .credentialFile),
  Rule(
    "key-truncated", .error, "a key is whole",
    why: "A key or certificate says how long it is; where fewer bytes follow, the file was copied only in part.",
    passes: .file(goodKey),
    fails: .file(
      """
      -----BEGIN \(keyLabel)-----
      MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgAAAAAAAAAAAAAAAA
      """), at: .credentialFile),
]
